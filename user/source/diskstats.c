// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/diskstats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int r5s_diskstats_find(FILE *f, uint32_t major, uint32_t minor, struct r5s_diskstats *out)
{
	char *line = NULL;
	size_t room = 0;
	int err = -ENOENT;

	while (err && getline(&line, &room, f) > 0) {
		uint32_t ma, mi;
		int at = 0;

		/* A name may hold blanks; the numbers behind it are counted from its end. */
		if (sscanf(line, "%" SCNu32 " %" SCNu32 " %n", &ma, &mi, &at) < 2 || !at ||
		    ma != major || mi != minor)
			continue;
		for (char *s = line + at; *s && err; s++) {
			if (*s != ' ')
				continue;
			if (sscanf(s, " %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
				   " %*u %" SCNu64 " %*u", &out->reads, &out->read_sectors,
				   &out->writes, &out->write_sectors, &out->in_flight) == 5)
				err = 0;
		}
		break;
	}
	free(line);
	return err;
}
