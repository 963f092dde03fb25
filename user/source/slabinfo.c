// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/slabinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIVE, TOTAL, SIZE, PER_SLAB, COLUMNS };

static const char *const titles[COLUMNS] = {
	"<active_objs>", "<num_objs>", "<objsize>", "<objperslab>"
};

/* Positions of the columns, counted from the word behind the name. */
static bool header(char *line, int at[COLUMNS])
{
	char *word, *rest = line;
	int i = -1, found = 0;

	for (int c = 0; c < COLUMNS; c++)
		at[c] = -1;
	while ((word = strsep(&rest, " \n"))) {
		if (!*word || !strcmp(word, "#"))
			continue;
		if (i < 0 && strcmp(word, "name"))
			return false;
		for (int c = 0; c < COLUMNS; c++) {
			if (!strcmp(word, titles[c])) {
				at[c] = i;
				found++;
			}
		}
		i++;
	}
	return found == COLUMNS;
}

int r5s_slabinfo_find(FILE *f, const char *name, struct r5s_slabinfo *out)
{
	uint64_t *to[COLUMNS] = { &out->active, &out->total, &out->size, &out->per_slab };
	size_t room = 0, len = strlen(name);
	int at[COLUMNS], err = -EPROTO;
	char *line = NULL;

	while (getline(&line, &room, f) > 0) {
		if (line[0] == '#') {
			err = header(line, at) ? -ENOENT : -EPROTO;
		} else if (err == -ENOENT && !strncmp(line, name, len) && line[len] == ' ') {
			char *s = line + len;

			for (int i = 0;; i++) {
				char *end;
				uint64_t v = strtoull(s, &end, 10);

				if (end == s)
					break;
				s = end;

				for (int c = 0; c < COLUMNS; c++)
					if (at[c] == i)
						*to[c] = v;
			}
			err = 0;
			break;
		}
	}
	free(line);
	return err;
}
