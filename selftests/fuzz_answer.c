// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers: each attribute is one that the specification has, of its size, and nothing is left over. */
#include <linux/netlink.h>
#include <linux/raid5stat.h>
#include <string.h>

#include "fuzz.h"

/*
 * A set: a letter for each attribute from 1 on. 4 and 8: a number of so many bytes; s: text that ends; f: a
 * flag; p: padding; a capital: a nested set. Metrics are padding and numbers of 8 bytes.
 */
static const struct set {
	char letter;
	const char *attrs;
} sets[] = {
	{ 'I', "ss4s44f88Pp" },
	{ 'P', "ss4f48sp" },
	{ 'A', "8s44888888MMMMMMp" },
	{ 'N', "p488888888" },
	{ 'H', "p8s488B" },
	{ 'B', "p888" },
	{ 'C', "p8s88FL" },
	{ 'F', "ps8" },
	{ 'L', "ps888" },
	{ 'E', "p488s8888s8" },
	{ 'T', "p888Sf" },
	{ 'S', "p888A" },
};

static const char set_of[R5S_CMD_MAX + 1] = {
	[R5S_CMD_INFO] = 'I', [R5S_CMD_ARRAY_GET] = 'A', [R5S_CMD_NODE_GET] = 'N', [R5S_CMD_HIST_GET] = 'H',
	[R5S_CMD_CENSUS_GET] = 'C', [R5S_CMD_EVENT] = 'E',
	[R5S_CMD_SAMPLE] = 'T',
};

static char letter_of(char set, unsigned int type)
{
	size_t i;

	if (!type)
		return 0;
	if (set == 'M')
		return type == 1 ? 'p' : type < 64 ? '8' : 0;
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (sets[i].letter == set)
			return type <= strlen(sets[i].attrs) ? sets[i].attrs[type - 1] : 0;
	return 0;
}

static const char *check_set(char set, const unsigned char *p, size_t left)
{
	while (left >= NLA_HDRLEN) {
		const char *wrong = NULL;
		struct nlattr a;
		size_t n;

		memcpy(&a, p, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > left)
			return "an attribute longer than its message";
		n = a.nla_len - NLA_HDRLEN;
		switch (letter_of(set, a.nla_type & NLA_TYPE_MASK)) {
		case 0:
			return "an attribute that the specification does not have here";
		case '4':
			wrong = n == 4 ? NULL : "a number that is not of 4 bytes";
			break;
		case '8':
			wrong = n == 8 ? NULL : "a number that is not of 8 bytes";
			break;
		case 's':
			wrong = n && !p[NLA_HDRLEN + n - 1] ? NULL : "a text without end";
			break;
		case 'f':
			wrong = n ? "a flag with a value" : NULL;
			break;
		case 'p':
			wrong = n ? "padding with a value" : NULL;
			break;
		default:
			wrong = check_set(letter_of(set, a.nla_type & NLA_TYPE_MASK), p + NLA_HDRLEN, n);
		}
		if (wrong)
			return wrong;
		if ((size_t)NLA_ALIGN(a.nla_len) >= left)
			return NULL;
		p += NLA_ALIGN(a.nla_len);
		left -= NLA_ALIGN(a.nla_len);
	}
	return left ? "bytes behind the last attribute" : NULL;
}

const char *fuzz_answer_check(uint8_t cmd, const unsigned char *attrs, size_t len)
{
	if (cmd > R5S_CMD_MAX || !set_of[cmd])
		return "an answer to a command that has none";
	return check_set(set_of[cmd], attrs, len);
}

const void *fuzz_answer_find(const unsigned char *p, size_t left, unsigned int type, size_t *size)
{
	while (left >= NLA_HDRLEN) {
		struct nlattr a;

		memcpy(&a, p, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > left)
			return NULL;
		if ((a.nla_type & NLA_TYPE_MASK) == type) {
			*size = a.nla_len - NLA_HDRLEN;
			return p + NLA_HDRLEN;
		}
		if ((size_t)NLA_ALIGN(a.nla_len) >= left)
			return NULL;
		p += NLA_ALIGN(a.nla_len);
		left -= NLA_ALIGN(a.nla_len);
	}
	return NULL;
}
