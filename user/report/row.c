// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/row.h"

#include <math.h>
#include <string.h>

enum { SUMMARY_WORDS = 10 };

bool r5s_row_read(struct r5s_row *row, const struct r5s_line *line)
{
	size_t i;

	row->n = 0;
	if (line->n > R5S_LINE_WORDS)
		return false;
	for (i = 0; i < line->n; i++) {
		const struct r5s_line_word *w = &line->word[i];
		struct r5s_row_item *last = row->n ? &row->item[row->n - 1] : NULL;

		if (w->kind == R5S_LINE_SPREAD) {
			/* Behind a value only, and once; the figure may be the next word. */
			if (!last || last->percent || last->ratio || !isnan(last->spread))
				return false;
			if (!isnan(w->number)) {
				last->spread = w->number;
			} else if (i + 1 < line->n && line->word[i + 1].kind == R5S_LINE_PERCENT) {
				last->spread = line->word[++i].number;
			} else {
				return false;
			}
			continue;
		}
		if (w->kind != R5S_LINE_NUMBER && w->kind != R5S_LINE_PERCENT &&
		    w->kind != R5S_LINE_RATIO)
			break;
		row->item[row->n++] = (struct r5s_row_item){
			.number = w->number, .spread = NAN, .decimals = w->decimals,
			.percent = w->kind == R5S_LINE_PERCENT,
			.ratio = w->kind == R5S_LINE_RATIO, .fails = w->fails, .runs = w->runs,
		};
	}
	row->key = i;
	return row->n >= 2 && (i == line->n || i + 1 == line->n);
}

static void store_value(struct r5s_result_cell *cell, const struct r5s_row_item *item)
{
	if (item->ratio) {
		cell->fails = item->fails;
		cell->runs = item->runs;
		return;
	}
	cell->mean = item->number;
	cell->spread = item->spread;
	cell->spread_printed = !isnan(item->spread);
	cell->decimals = item->decimals;
}

bool r5s_row_store(const struct r5s_row *row, struct r5s_result_cell *cell, size_t groups,
		   bool *failure)
{
	size_t at = 1;

	*failure = row->item[0].ratio;
	if (row->item[0].percent)
		return false;
	store_value(&cell[0], &row->item[0]);
	for (size_t g = 1; g < groups; g++) {
		size_t left = row->n - at, todo = groups - g;

		if (at < row->n && (row->item[at].percent || left == 2 * todo)) {
			if (row->item[at].ratio || !isnan(row->item[at].spread))
				return false;
			cell[g].kind = row->item[at].percent ? R5S_RESULT_PERCENT :
							       R5S_RESULT_ABSOLUTE;
			cell[g].change = row->item[at].number;
			cell[g].change_decimals = row->item[at].decimals;
			at++;
		}
		if (at >= row->n || row->item[at].percent || row->item[at].ratio != *failure)
			return false;
		store_value(&cell[g], &row->item[at++]);
	}
	return at == row->n;
}

bool r5s_row_summary(const struct r5s_line *line, struct r5s_result_cell *cell)
{
	static const enum r5s_line_kind kinds[SUMMARY_WORDS - 1] = {
		R5S_LINE_NUMBER, R5S_LINE_NUMBER, R5S_LINE_NUMBER, R5S_LINE_SPREAD,
		R5S_LINE_NUMBER, R5S_LINE_NUMBER, R5S_LINE_NUMBER, R5S_LINE_SPREAD,
		R5S_LINE_PERCENT,
	};
	const struct r5s_line_word *w = line->word, *name = &line->word[SUMMARY_WORDS - 1];

	if (line->n != SUMMARY_WORDS || name->kind != R5S_LINE_TEXT ||
	    !memchr(name->at, '/', name->len))
		return false;
	for (int i = 0; i < SUMMARY_WORDS - 1; i++)
		if (w[i].kind != kinds[i] || isnan(w[i].number))
			return false;
	for (int g = 0; g < 2; g++, w += 4) {
		if (w[0].decimals || w[0].number < 0 || w[0].number > 1e6)
			return false;
		cell[g].n = (size_t)w[0].number;
		cell[g].runs = cell[g].n;
		cell[g].minutes = w[1].number;
		cell[g].mean = w[2].number;
		cell[g].decimals = w[2].decimals;
		cell[g].spread = w[3].number;
		cell[g].spread_printed = true;
	}
	cell[1].kind = R5S_RESULT_PERCENT;
	cell[1].change = w->number;
	cell[1].change_decimals = w->decimals;
	return true;
}
