// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the robot's command line can change about its rule.
 */
#include "compare/robot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For an array these are the evidence, so that only --robot deny hides them. */
static const char *const denied[] = { "slabinfo.", "softirqs.", "interrupts.", "diskstats.",
				      "pagetypeinfo.", "buddyinfo.", "zoneinfo.", "max_iostat.",
				      "tcrypt." };

bool r5s_robot_denied(const char *key)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
		if (!strncmp(key, denied[i], strlen(denied[i])))
			return true;
	return false;
}

static bool is(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !strncmp(text, word, len);
}

static int number(const char *text, size_t len, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end == text + len && end != text && *out > 0 && isfinite(*out) ? 0 : -EINVAL;
}

int r5s_robot_rule_parse(struct r5s_robot_rule *rule, const char *text)
{
	int err = 0;

	while (!err) {
		size_t word = strcspn(text, "=,"), len = strcspn(text, ",");
		const char *value = text + word + 1;
		double *to = is(text, word, "gap") ? &rule->gap :
			     is(text, word, "distance") ? &rule->distance :
			     is(text, word, "variance") ? &rule->variance :
			     is(text, word, "profile") ? &rule->profile : NULL;

		if (to && word < len)
			err = number(value, len - word - 1, to);
		else if (is(text, len, "whole"))
			rule->whole = true;
		else if (is(text, len, "deny"))
			rule->deny = true;
		else
			err = -EINVAL;
		if (!text[len])
			break;
		text += len + 1;
	}
	return err;
}
