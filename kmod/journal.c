// SPDX-License-Identifier: GPL-2.0
/* The write journal, where an array has one. */
#include "gauge.h"
#include "layout.h"

/**
 * r5s_journal_gauges() - what the journal holds
 * @s: gets it; nothing without a journal
 * @conf: struct r5conf
 *
 * Context: under mddev->lock, or a hook that holds @conf.
 */
void r5s_journal_gauges(struct r5s_snapshot *s, const void *conf)
{
	void *log = R5S_HAS(r5conf, log) ? R5S_READ_POINTER(conf, r5conf, log) : NULL;
	int mode;

	if (!log)
		return;
	if (R5S_HAS(r5l_log, r5c_journal_mode) && R5S_HAS_VALUE(R5C_JOURNAL_MODE_WRITE_BACK)) {
		mode = R5S_READ_INT(log, r5l_log, r5c_journal_mode);
		r5s_snapshot_set(s, R5S_M_JOURNAL_MODE,
				 mode == R5S_VALUE(R5C_JOURNAL_MODE_WRITE_BACK) ?
				 RAID5STAT_JOURNAL_MODE_WRITE_BACK :
				 RAID5STAT_JOURNAL_MODE_WRITE_THROUGH);
	}
	if (R5S_HAS(r5conf, r5c_cached_full_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_CACHED_FULL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_cached_full_stripes));
	if (R5S_HAS(r5conf, r5c_cached_partial_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_CACHED_PARTIAL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_cached_partial_stripes));
	if (R5S_HAS(r5conf, r5c_flushing_full_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_FLUSHING_FULL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_flushing_full_stripes));
	if (R5S_HAS(r5conf, r5c_flushing_partial_stripes))
		r5s_snapshot_set(s, R5S_M_JOURNAL_FLUSHING_PARTIAL,
				 R5S_READ_ATOMIC(conf, r5conf, r5c_flushing_partial_stripes));
}
