// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 40 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of a decimal number at the start, 0 when there is none. No inf, nan or hex. */
static size_t number_len(const char *s, size_t len, int *decimals)
{
	size_t i = 0, digits = 0;

	*decimals = 0;
	if (i < len && (s[i] == '+' || s[i] == '-'))
		i++;
	for (; i < len && is_digit(s[i]); i++)
		digits++;
	if (i < len && s[i] == '.') {
		size_t from = ++i;

		for (; i < len && is_digit(s[i]); i++)
			digits++;
		*decimals = (int)(i - from);
	}
	if (!digits)
		return 0;
	if (i + 1 < len && (s[i] == 'e' || s[i] == 'E')) {
		size_t k = i + 1;

		if (s[k] == '+' || s[k] == '-')
			k++;
		if (k < len && is_digit(s[k])) {
			while (k < len && is_digit(s[k]))
				k++;
			i = k;
			*decimals = -1;
		}
	}
	return i;
}

static bool number(const char *s, size_t len, double *value, int *decimals)
{
	char copy[NUMBER_MAX];

	if (!len || len >= sizeof(copy) || number_len(s, len, decimals) != len)
		return false;
	memcpy(copy, s, len);
	copy[len] = '\0';
	*value = strtod(copy, NULL);
	return isfinite(*value);
}

/* Bytes of a plus-minus sign: UTF-8, Latin-1, what mailers make of it, or typed. */
static size_t sign_len(const char *s, size_t len)
{
	static const char *const forms[] = { "\xc2\xb1", "\xb1", "\xef\xbf\xbd", "?", "+/-", "+-" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t n = strlen(forms[i]);

		if (len >= n && !memcmp(s, forms[i], n))
			return n;
	}
	return 0;
}

static bool count(const char *s, size_t len, size_t *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(s[i]) || *out > 1000000)
			return false;
		*out = *out * 10 + (size_t)(s[i] - '0');
	}
	return true;
}

static void classify(struct r5s_line_word *w)
{
	size_t sign = sign_len(w->at, w->len);
	const char *colon = memchr(w->at, ':', w->len);

	w->kind = R5S_LINE_TEXT;
	w->number = NAN;
	if (number(w->at, w->len, &w->number, &w->decimals)) {
		w->kind = R5S_LINE_NUMBER;
	} else if (w->at[w->len - 1] == '%' &&
		   number(w->at, w->len - 1, &w->number, &w->decimals)) {
		w->kind = R5S_LINE_PERCENT;
	} else if (sign && (sign == w->len || (w->at[w->len - 1] == '%' &&
		   number(w->at + sign, w->len - sign - 1, &w->number, &w->decimals)))) {
		w->kind = R5S_LINE_SPREAD;
	} else if (colon && colon + 1 < w->at + w->len &&
		   count(w->at, (size_t)(colon - w->at), &w->fails) &&
		   count(colon + 1, (size_t)(w->at + w->len - colon) - 1, &w->runs)) {
		w->kind = R5S_LINE_RATIO;
	} else {
		size_t i = 0;

		while (i < w->len && w->at[i] == '-')
			i++;
		if (i == w->len)
			w->kind = R5S_LINE_DASHES;
	}
}

void r5s_line_split(struct r5s_line *out, const char *text, size_t len)
{
	out->n = 0;
	/* "> > text": only marks at the start, each with its blanks. */
	while (len && (is_blank(*text) || *text == '>')) {
		text++;
		len--;
	}
	while (len && is_blank(text[len - 1]))
		len--;
	out->text = text;
	out->len = len;
	for (size_t i = 0; i < len;) {
		struct r5s_line_word w;
		size_t from;

		while (i < len && is_blank(text[i]))
			i++;
		from = i;
		while (i < len && !is_blank(text[i]))
			i++;
		w = (struct r5s_line_word){ .at = text + from, .len = i - from };
		if (out->n >= R5S_LINE_WORDS) {
			out->n = R5S_LINE_WORDS + 1;
			return;
		}
		classify(&w);
		out->word[out->n++] = w;
	}
}

bool r5s_line_is(const struct r5s_line *line, size_t word, const char *text)
{
	return word < line->n && word < R5S_LINE_WORDS &&
	       line->word[word].len == strlen(text) &&
	       !memcmp(line->word[word].at, text, line->word[word].len);
}

char *r5s_line_dup(const struct r5s_line_word *word)
{
	return strndup(word->at, word->len);
}
