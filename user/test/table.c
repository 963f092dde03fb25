// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables and JSON: alignment, absent values, and names that try to break the terminal.
 */
#include "tap.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "render/json.h"
#include "render/table.h"
#include "render/utf8.h"

static const struct r5s_table_column columns[] = {
	{ .title = "array", .align = R5S_TABLE_LEFT },
	{ .title = "size", .unit = "stripes" },
	{ .title = "files", .unit = "files/s", .precision = 1 },
	{ .title = "what", .align = R5S_TABLE_LEFT },
};

static void fill(struct r5s_table *t)
{
	r5s_table_text(t, "md0");
	r5s_table_u64(t, 18446744073709551615u);
	r5s_table_double(t, 9.18);
	r5s_table_text(t, "first");
	r5s_table_text(t, NULL);
	r5s_table_absent(t);
	r5s_table_double(t, NAN);
	r5s_table_text(t, "");
	r5s_table_text(t, "md_d127");
	r5s_table_i64(t, -3);
	r5s_table_row_end(t);
}

static char *print(struct r5s_table *t)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	r5s_table_print(t, out);
	fclose(out);
	return text;
}

static void test_layout(void)
{
	struct r5s_table *t = r5s_table_new(columns, 4);
	char *text;

	fill(t);
	text = print(t);
	ok_text(text,
		"array                    size    files  what\n"
		"                      stripes  files/s  \n"
		"md0      18446744073709551615      9.2  first\n"
		"-                           -        -  \n"
		"md_d127                    -3        -  -\n", "columns, units, absent as -");
	free(text);
	r5s_table_free(t);

	t = r5s_table_new(columns, 1);
	text = print(t);
	ok_text(text, "array\n", "no units, no unit line; no rows");
	free(text);
	r5s_table_free(t);
}

static void test_follow(void)
{
	static const struct r5s_table_column c[] = {
		{ .title = "t", .unit = "s", .precision = 1, .width = 5 }, { .title = "n", .unit = "files" }
	};
	struct r5s_table *t = r5s_table_new(c, 2);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	r5s_table_follow(t, out);
	fflush(out);
	ok_text(text, "    t      n\n    s  files\n", "header at once");
	r5s_table_double(t, 1);
	fflush(out);
	ok(strlen(text) == 26, "half a row waits");
	r5s_table_u64(t, 123456789);
	r5s_table_double(t, 2);
	r5s_table_u64(t, 7);
	r5s_table_print(t, out);
	fclose(out);
	ok_text(text, "    t      n\n    s  files\n  1.0  123456789\n  2.0          7\n",
		"rows as they come; header once");
	free(text);
	r5s_table_free(t);
}

static void test_escape(void)
{
	static const struct {
		const char *in;
		const char *out;
		const char *what;
	} c[] = {
		{ "md0", "md0", "plain" },
		{ "a\033[2Jb", "a\\x1b[2Jb", "clear screen" },
		{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "line feed, tab, return" },
		{ "\xc2\x9b" "31m", "\\u{9b}31m", "C1 control sequence introducer" },
		{ "\xff\xfe", "\\xff\\xfe", "not UTF-8" },
		{ "\xc0\xaf", "\\xc0\\xaf", "overlong" },
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf", "overlong, three bytes" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "surrogate" },
		{ "\xe2\x82", "\\xe2\\x82", "cut short" },
		{ "md\xe2\x80\xae" "0dm", "md\\u{202e}0dm", "right-to-left override" },
		{ "m\xe2\x80\x8b" "d", "m\\u{200b}d", "zero width" },
		{ "gr\xc3\xb6\xc3\x9f" "e", "gr\xc3\xb6\xc3\x9f" "e", "umlauts stay" },
		{ "\\x1b", "\\\\x1b", "a backslash is not mistaken for an escape" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		char *got = r5s_table_escape(c[i].in, strlen(c[i].in));

		ok_text(got, c[i].out, c[i].what);
		free(got);
	}
	ok(r5s_table_columns("gr\xc3\xb6\xc3\x9f" "e") == 5 && r5s_table_columns("\xe6\x97\xa5") == 2 &&
	   r5s_table_columns("e\xcc\x81") == 1, "screen columns");
}

/* Whatever the bytes: only printable characters come out, one line, and cells keep their columns. */
static void test_any_bytes(void)
{
	unsigned int seed = 1;
	bool safe = true, aligned = true;

	for (int k = 0; k < 2000; k++) {
		struct r5s_table *t = r5s_table_new((struct r5s_table_column[]){
			{ .title = "name", .align = R5S_TABLE_LEFT }, { .title = "n" } }, 2);
		char name[24], *text;
		size_t line, len = (size_t)rand_r(&seed) % sizeof(name);

		for (size_t i = 0; i < len; i++)
			name[i] = (char)(1 + rand_r(&seed) % 255);
		name[len < sizeof(name) ? len : len - 1] = '\0';
		r5s_table_text(t, name);
		r5s_table_u64(t, 7);
		text = print(t);
		for (size_t at = 0, n, all = strlen(text); at < all; at += n) {
			uint32_t c;

			n = r5s_utf8_next(text + at, all - at, &c);
			safe &= n && (c == '\n' || (c >= ' ' && c != 0x7f && !(c >= 0x80 && c < 0xa0)));
			if (!n)
				break;
		}
		line = strcspn(text, "\n");
		text[line++] = '\0';
		text[line + strcspn(text + line, "\n")] = '\0';
		aligned &= r5s_table_columns(text) == r5s_table_columns(text + line);
		free(text);
		r5s_table_free(t);
	}
	ok(safe, "2000 random names: no byte a terminal would act on");
	ok(aligned, "and the columns stay aligned");
}

/* On a terminal of 40 columns. */
static void test_terminal(void)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 40 };
	struct r5s_table *t = r5s_table_new(columns, 4);
	char buf[4096];
	int master, slave;
	size_t got = 0;
	ssize_t len;
	FILE *out;
	bool fits = true;

	if (openpty(&master, &slave, NULL, NULL, &ws)) {
		skip("terminal", "no pseudo terminal");
		return;
	}
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	out = fdopen(slave, "w");
	ok(r5s_table_width(out) == 40 && r5s_table_color(out), "a terminal of 40 columns, with colour");
	setenv("NO_COLOR", "1", 1);
	ok(!r5s_table_color(out), "NO_COLOR");
	setenv("NO_COLOR", "", 1);
	ok(r5s_table_color(out), "an empty NO_COLOR does not count");
	setenv("NO_COLOR", "1", 1);
	r5s_table_text(t, "a-very-long-name-of-an-array-\xc3\xb6\xc3\xb6");
	r5s_table_u64(t, 4096);
	r5s_table_double(t, 1);
	r5s_table_text(t, "something long to say");
	r5s_table_print(t, out);
	fclose(out);
	/* What was written stays readable after the last close, then comes an error. */
	while ((len = read(master, buf + got, sizeof(buf) - 1 - got)) > 0)
		got += (size_t)len;
	buf[got] = '\0';
	ok(strstr(buf, "4096") && strchr(buf, '~') && !strchr(buf, '\033'), "text is cut, numbers are not");
	for (char *line = strtok(buf, "\r\n"); line; line = strtok(NULL, "\r\n"))
		fits &= r5s_table_columns(line) <= 40;
	ok(fits, "every line fits");
	close(master);
	r5s_table_free(t);
	out = fopen("/dev/null", "w");
	ok(!r5s_table_width(out) && !r5s_table_color(out), "no terminal: no width, no colour");
	fclose(out);
}

static void test_json(void)
{
	struct json_object *o = json_object_new_object(), *back, *v;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	r5s_json_text(o, "name", "a\"\x1b\xff/");
	r5s_json_text(o, "none", NULL);
	r5s_json_u64(o, "big", UINT64_MAX);
	r5s_json_i64(o, "neg", -5);
	r5s_json_double(o, "rate", 9.1);
	r5s_json_double(o, "nan", NAN);
	r5s_json_double(o, "inf", INFINITY);
	r5s_json_double(o, "third", 1.0 / 3);
	r5s_json_bool(o, "yes", true);
	json_object_array_add(r5s_json_array(o, "list"), r5s_json_new_double(2.5));
	r5s_json_u64(r5s_json_object(o, "sub"), "x", 1);
	r5s_json_u64(NULL, "nowhere", 1);
	ok(!r5s_json_print(o, out, false), "print");
	fclose(out);
	ok_text(text, "{\"name\":\"a\\\"\\u001b\xef\xbf\xbd/\",\"none\":null,\"big\":18446744073709551615,"
		"\"neg\":-5,\"rate\":9.1,\"nan\":null,\"inf\":null,\"third\":0.3333333333333333,"
		"\"yes\":true,\"list\":[2.5],\"sub\":{\"x\":1}}\n", "absent is null, text is valid");
	back = json_tokener_parse(text);
	ok(back && json_object_object_get_ex(back, "third", &v) &&
	   json_object_get_double(v) == 1.0 / 3 && json_object_object_get_ex(back, "big", &v) &&
	   json_object_get_uint64(v) == UINT64_MAX, "numbers read back exactly");
	json_object_put(back);
	json_object_put(o);
	free(text);
}

int main(void)
{
	test_layout();
	test_follow();
	test_escape();
	test_any_bytes();
	test_terminal();
	test_json();
	return tap_done();
}
