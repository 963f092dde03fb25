/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a pasted report: quoting taken off, white space folded, split into words.
 */
#ifndef R5S_REPORT_LINE_H
#define R5S_REPORT_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { R5S_LINE_WORDS = 40 };

/* Kinds of words that rows are made of. */
enum r5s_line_kind {
	R5S_LINE_TEXT,
	R5S_LINE_NUMBER,	/* 12, -3.4, 1.2e+09 */
	R5S_LINE_PERCENT,	/* +12.3% */
	R5S_LINE_SPREAD,	/* the sign alone, or with its percentage behind it */
	R5S_LINE_RATIO,		/* fails:runs */
	R5S_LINE_DASHES
};

/**
 * struct r5s_line_word - a word
 * @at: first byte
 * @len: bytes
 * @kind: what it is
 * @number: of NUMBER, PERCENT, SPREAD (NaN when the sign stands alone)
 * @decimals: digits after the point, -1 in exponent form
 * @fails, @runs: of RATIO
 */
struct r5s_line_word {
	const char *at;
	size_t len;
	enum r5s_line_kind kind;
	double number;
	int decimals;
	size_t fails;
	size_t runs;
};

/**
 * struct r5s_line - a line
 * @text: without quoting and without blanks at its ends
 * @len: bytes of @text
 * @word: words
 * @n: their number; a line with more words than fit has @n = R5S_LINE_WORDS + 1
 */
struct r5s_line {
	const char *text;
	size_t len;
	struct r5s_line_word word[R5S_LINE_WORDS];
	size_t n;
};

/**
 * r5s_line_split - take a line apart
 * @out: filled in; points into @text
 * @text: the line, any bytes
 * @len: bytes without the newline
 */
void r5s_line_split(struct r5s_line *out, const char *text, size_t len);

/** r5s_line_is - is this word exactly that text? */
bool r5s_line_is(const struct r5s_line *line, size_t word, const char *text);

/** r5s_line_dup - a word as a string to free() */
char *r5s_line_dup(const struct r5s_line_word *word);

#endif
