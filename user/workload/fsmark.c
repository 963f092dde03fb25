// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser of fs_mark's output. Columns are found by the names in the table's header;
 * fs_mark prints them right aligned and divided by blanks.
 */
#include "workload/fsmark.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64 };

static const char *const call_header[R5S_FSMARK_CALLS] = {
	"CREAT", "WRITE", "FSYNC", "SYNC", "CLOSE", "UNLINK"
};

static const char *const call_name[R5S_FSMARK_CALLS] = {
	"creat", "write", "fsync", "sync", "close", "unlink"
};

static const char *const sync_name[R5S_FSMARK_SYNC_METHODS] = {
	"NoSync", "fsyncBeforeClose", "syncFsync", "PostReverseFsync", "syncPostReverseFsync",
	"PostFsync", "syncPostFsync"
};

const char *r5s_fsmark_sync_name(int method)
{
	return method >= 0 && method < R5S_FSMARK_SYNC_METHODS ? sync_name[method] : NULL;
}

const char *r5s_fsmark_call_name(enum r5s_fsmark_call_id call)
{
	return call < R5S_FSMARK_CALLS ? call_name[call] : NULL;
}

void r5s_fsmark_init(struct r5s_fsmark *f)
{
	memset(f, 0, sizeof(*f));
	f->average = NAN;
	f->p50 = NAN;
	f->p90 = NAN;
	f->p99 = NAN;
	f->step = NAN;
}

void r5s_fsmark_free(struct r5s_fsmark *f)
{
	r5s_fsmark_args_free(&f->args);
	free(f->rows);
	f->rows = NULL;
	f->n_rows = 0;
	f->rows_room = 0;
	f->has_args = false;
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static void copy_text(char *to, size_t room, const char *from)
{
	size_t len = strlen(from);

	if (len >= room)
		len = room - 1;
	while (len && from[len - 1] == ' ')
		len--;
	memcpy(to, from, len);
	to[len] = '\0';
}

static bool whole_number(const char *word, uint64_t *out)
{
	uint64_t v = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		if (v > (UINT64_MAX - (uint64_t)(*word - '0')) / 10)
			return false;
		v = v * 10 + (uint64_t)(*word - '0');
	}
	*out = v;
	return true;
}

/* Not strtod: fs_mark writes a point, whatever decimal mark this process' locale has. */
static bool decimal_number(const char *word, double *out)
{
	uint64_t v = 0;
	double scale = 1;
	bool point = false, digit = false;

	if (!strcmp(word, "inf") || !strcmp(word, "nan") || !strcmp(word, "-nan")) {
		*out = NAN;
		return true;
	}
	for (; *word; word++) {
		if (*word == '.' && !point) {
			point = true;
			continue;
		}
		if (*word < '0' || *word > '9' || v > UINT64_C(900000000000000))
			return false;
		digit = true;
		v = v * 10 + (uint64_t)(*word - '0');
		if (point)
			scale *= 10;
	}
	*out = (double)v / scale;
	return digit;
}

/* Splits @line in place; returns the number of words, also of those beyond @max. */
static int split(char *line, char **word, int max)
{
	int n = 0;
	char *save = NULL;

	for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (n < max)
			word[n] = w;
		n++;
	}
	return n;
}

static void stop(struct r5s_fsmark *f, const char *line)
{
	f->state = R5S_FSMARK_STOPPED;
	f->stop_line = f->line;
	copy_text(f->stop_text, sizeof(f->stop_text), line);
}

/* "#  fs_mark  -d  dir  -n  5 ": two blanks between words, so a name may hold single ones. */
static int parse_echo(struct r5s_fsmark *f, const char *line)
{
	char copy[R5S_FSMARK_LINE_MAX];
	char *argv[512] = { copy };
	int argc = 0, err;

	copy_text(copy, sizeof(copy), line);
	for (char *w = copy; w && argc < 512; argc++) {
		char *next = strstr(w, "  ");

		if (next) {
			*next = '\0';
			next += 2;
		}
		argv[argc] = w;
		w = next;
	}
	if (f->line_cut || argc == 512 || r5s_fsmark_find(1, argv))
		return 0;
	r5s_fsmark_args_free(&f->args);
	err = r5s_fsmark_args_parse(&f->args, argc, argv, NULL, 0);
	f->has_args = !err;
	if (err)
		r5s_fsmark_args_free(&f->args);
	return err == -ENOMEM ? err : 0;
}

static int parse_hash(struct r5s_fsmark *f, const char *line)
{
	const char *text = line + 1;
	const char *at;
	uint64_t size, wsize;
	unsigned int threads;

	if (starts(text, "  "))
		return parse_echo(f, text + 2);
	text += strspn(text, " \t");
	if (starts(text, "Version ")) {
		text += strlen("Version ");
		copy_text(f->version, sizeof(f->version), text);
		f->version[strcspn(f->version, ", ")] = '\0';
		at = strchr(text, ',');
		if (at && sscanf(at, ", %u thread", &threads) == 1 && threads) {
			f->threads = threads;
			f->step = threads / 10.0;
		}
		at = strstr(text, "starting at ");
		if (at)
			copy_text(f->started, sizeof(f->started), at + strlen("starting at "));
	} else if (starts(text, "Sync method: ")) {
		copy_text(f->sync_text, sizeof(f->sync_text), text + strlen("Sync method: "));
	} else if (starts(text, "Directories:")) {
		text += strlen("Directories:");
		copy_text(f->dirs_text, sizeof(f->dirs_text), text + strspn(text, " "));
	} else if (sscanf(text, "Files info: size %" SCNu64 " bytes, written with an IO size of %"
			  SCNu64 " bytes", &size, &wsize) == 2) {
		f->has_size = true;
		f->size = size;
		f->write_size = wsize;
	}
	return 0;
}

/* The header line says which word of a row belongs to which column. */
static bool parse_header(struct r5s_fsmark *f, const char *line)
{
	static const char *const plain[] = { "FSUse%", "Count", "Size", "Files/sec" };
	char copy[R5S_FSMARK_LINE_MAX];
	char *word[MAX_WORDS];
	int at[R5S_FSMARK_COLUMNS];
	int n, pos = 0;

	copy_text(copy, sizeof(copy), line);
	n = split(copy, word, MAX_WORDS);
	if (n < 2 || n > MAX_WORDS)
		return false;
	for (int c = 0; c < R5S_FSMARK_COLUMNS; c++)
		at[c] = -1;
	for (int i = 0; i < n; i++) {
		int column = -1, width = 1;

		for (int c = 0; c < 4; c++)
			if (!strcmp(word[i], plain[c]))
				column = c;
		if (i + 1 < n && !strcmp(word[i], "App") && !strcmp(word[i + 1], "Overhead")) {
			column = R5S_FSMARK_COL_OVERHEAD;
			i++;
		} else if (i + 1 < n && !strcmp(word[i + 1], "(Min/Avg/Max)")) {
			for (int c = 0; c < R5S_FSMARK_CALLS; c++)
				if (!strcmp(word[i], call_header[c]))
					column = R5S_FSMARK_COL_CALLS + c;
			width = 3;
			i++;
		}
		if (column >= 0)
			at[column] = pos;
		pos += width;
	}
	if (at[R5S_FSMARK_COL_COUNT] < 0 || at[R5S_FSMARK_COL_RATE] < 0)
		return false;
	memcpy(f->column_at, at, sizeof(at));
	f->words = pos;
	f->header_len = strlen(line);
	return true;
}

static bool row_values(const struct r5s_fsmark *f, char **word, struct r5s_fsmark_row *row)
{
	const int *at = f->column_at;
	bool ok = true;

	for (int c = 0; c < R5S_FSMARK_COLUMNS; c++)
		if (at[c] >= 0)
			row->has |= UINT32_C(1) << c;
	if (at[R5S_FSMARK_COL_FSUSE] >= 0)
		ok &= decimal_number(word[at[R5S_FSMARK_COL_FSUSE]], &row->fsuse_pct);
	ok &= whole_number(word[at[R5S_FSMARK_COL_COUNT]], &row->count);
	if (at[R5S_FSMARK_COL_SIZE] >= 0)
		ok &= whole_number(word[at[R5S_FSMARK_COL_SIZE]], &row->size);
	ok &= decimal_number(word[at[R5S_FSMARK_COL_RATE]], &row->files_per_sec);
	copy_text(row->files_per_sec_text, sizeof(row->files_per_sec_text),
		  word[at[R5S_FSMARK_COL_RATE]]);
	if (at[R5S_FSMARK_COL_OVERHEAD] >= 0)
		ok &= whole_number(word[at[R5S_FSMARK_COL_OVERHEAD]], &row->app_overhead_us);
	for (int c = 0; c < R5S_FSMARK_CALLS; c++) {
		int first = at[R5S_FSMARK_COL_CALLS + c];

		if (first < 0)
			continue;
		ok &= whole_number(word[first], &row->call[c].min_us);
		ok &= whole_number(word[first + 1], &row->call[c].avg_us);
		ok &= whole_number(word[first + 2], &row->call[c].max_us);
	}
	return ok;
}

static int parse_row(struct r5s_fsmark *f, const char *line)
{
	struct r5s_fsmark_row row = { .line = f->line, .fsuse_pct = NAN };
	char copy[R5S_FSMARK_LINE_MAX];
	char *word[MAX_WORDS];

	copy_text(copy, sizeof(copy), line);
	if (split(copy, word, MAX_WORDS) != f->words || !row_values(f, word, &row)) {
		stop(f, line);
		return 0;
	}
	if (f->n_rows == f->rows_room) {
		size_t room = f->rows_room ? 2 * f->rows_room : 8;
		void *p = reallocarray(f->rows, room, sizeof(*f->rows));

		if (!p)
			return -ENOMEM;
		f->rows = p;
		f->rows_room = room;
	}
	f->rows[f->n_rows++] = row;
	return 0;
}

static bool parse_summary(struct r5s_fsmark *f, const char *line)
{
	static const char *const name[] = { "Average", "p50", "p90", "p99" };
	double *const value[] = { &f->average, &f->p50, &f->p90, &f->p99 };
	char copy[R5S_FSMARK_LINE_MAX];
	char *word[3];
	double v;

	copy_text(copy, sizeof(copy), line);
	if (split(copy, word, 3) != 3 || strcmp(word[1], "Files/sec:") ||
	    !decimal_number(word[2], &v))
		return false;
	for (int i = 0; i < 4; i++) {
		if (strcmp(word[0], name[i]))
			continue;
		*value[i] = v;
		f->has_summary = true;
		f->state = R5S_FSMARK_TAIL;
		return true;
	}
	return false;
}

static int parse_line(struct r5s_fsmark *f)
{
	char *line = f->buf;
	size_t len = f->line_len;
	bool blank;

	f->line++;
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (!line[i])
			line[i] = '?';
	blank = line[strspn(line, " \t")] == '\0';
	f->line_len = 0;

	switch (f->state) {
	case R5S_FSMARK_PREAMBLE:
		if (line[0] == '#')
			return parse_hash(f, line);
		if (parse_header(f, line)) {
			f->state = R5S_FSMARK_TABLE;
			f->stop_line = 0;
			f->stop_text[0] = '\0';
		} else if (!blank && !f->stop_line) {
			/* Kept for the case that no table follows: then it is the reason. */
			f->stop_line = f->line;
			copy_text(f->stop_text, sizeof(f->stop_text), line);
		}
		return 0;
	case R5S_FSMARK_TABLE:
		if (blank || parse_summary(f, line))
			return 0;
		return parse_row(f, line);
	case R5S_FSMARK_TAIL:
		if (!blank && !parse_summary(f, line))
			stop(f, line);
		return 0;
	case R5S_FSMARK_STOPPED:
	case R5S_FSMARK_DONE:
		break;
	}
	return 0;
}

int r5s_fsmark_feed(struct r5s_fsmark *f, const char *buf, size_t len)
{
	int err = 0;

	for (size_t i = 0; i < len && !err; i++) {
		if (buf[i] == '\n') {
			err = parse_line(f);
			f->line_cut = false;
		} else if (f->line_len < sizeof(f->buf) - 1) {
			f->buf[f->line_len++] = buf[i];
		} else {
			f->line_cut = true;
		}
	}
	return err;
}

static void note_rows(const struct r5s_fsmark *f, char *to, size_t room)
{
	if (f->has_args && !f->args.fill)
		snprintf(to, room, "%zu of %" PRIu64 " iteration%s", f->n_rows, f->args.loops,
			 f->args.loops == 1 ? "" : "s");
	else
		snprintf(to, room, "%zu iteration%s", f->n_rows, f->n_rows == 1 ? "" : "s");
}

int r5s_fsmark_finish(struct r5s_fsmark *f)
{
	bool cut = false, fewer;
	char rows[64];
	int err;

	if (f->line_len) {
		/* Columns are right aligned: a line that is as long as the header's is whole. */
		if (f->state == R5S_FSMARK_TABLE && f->line_len < f->header_len)
			cut = true;
		else
			cut = f->state == R5S_FSMARK_TAIL;
		err = cut ? 0 : parse_line(f);
		if (err)
			return err;
	}
	fewer = f->has_args && !f->args.fill && f->n_rows < f->args.loops;
	note_rows(f, rows, sizeof(rows));

	if (f->state == R5S_FSMARK_STOPPED)
		snprintf(f->note, sizeof(f->note),
			 "line %u is not a row of fs_mark's table: \"%s\"; %s read before it, the rest ignored",
			 f->stop_line, f->stop_text, rows);
	else if (f->state == R5S_FSMARK_PREAMBLE && f->version[0])
		snprintf(f->note, sizeof(f->note), "output ends in fs_mark's header, before its table");
	else if (f->state == R5S_FSMARK_PREAMBLE && f->stop_line)
		snprintf(f->note, sizeof(f->note), "no table of fs_mark in the output; line %u says: \"%s\"",
			 f->stop_line, f->stop_text);
	else if (f->state == R5S_FSMARK_PREAMBLE)
		snprintf(f->note, sizeof(f->note), "no table of fs_mark in the output");
	else if (cut)
		snprintf(f->note, sizeof(f->note), "output is cut short in line %u; %s read", f->line + 1,
			 rows);
	else if (!f->n_rows || fewer)
		snprintf(f->note, sizeof(f->note), "output is cut short: %s read",
			 f->n_rows || f->has_args ? rows : "no iteration");
	if (f->note[0])
		return 1;
	f->state = R5S_FSMARK_DONE;
	return 0;
}

double r5s_fsmark_mean(const struct r5s_fsmark *f)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->n_rows; i++) {
		if (isnan(f->rows[i].files_per_sec))
			continue;
		sum += f->rows[i].files_per_sec;
		n++;
	}
	return n ? sum / (double)n : NAN;
}
