// SPDX-License-Identifier: GPL-2.0
/* Memory reclaim: what it asks of the cache and what it gets. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/swap.h>

#include "event.h"
#include "gauge.h"
#include "handlers.h"
#include "wait.h"

/* The shrinker is part of struct r5conf up to 6.6, and points back to it since. */
static void *conf_of(struct shrinker *shrink)
{
	if (R5S_SIZE(r5conf, shrinker) == sizeof(void *))
		return r5s_shrinker_data(shrink);
	return R5S_CONTAINER(shrink, r5conf, shrinker);
}

/* raid5_cache_count(shrink, sc) */
R5S_HOOK(r5s_reclaim_on_count)
{
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf_of((struct shrinker *)r5s_fregs_arg(fregs, 0)));
	if (a)
		r5s_array_count(a, R5S_M_RECLAIM_COUNT_CALLS, 1);
	r5s_hook_leave();
}

/* raid5_cache_scan(shrink, sc) returns the stripes freed, or SHRINK_STOP. */
R5S_ENTRY(r5s_reclaim_scan_enter)
{
	void *conf = conf_of((struct shrinker *)regs_get_kernel_argument(regs, 0));
	struct shrink_control *sc = (struct shrink_control *)regs_get_kernel_argument(regs, 1);

	if (!r5s_array_find(conf))
		return 1;
	r5s_call(ri)->conf = conf;
	r5s_call(ri)->value = sc->nr_to_scan;
	return 0;
}

static enum r5s_metric asker(void)
{
	if (current_is_kswapd())
		return R5S_M_RECLAIM_SCAN_KSWAPD;
	if (current->flags & PF_MEMALLOC)
		return R5S_M_RECLAIM_SCAN_DIRECT;
	return R5S_M_RECLAIM_SCAN_DROP_CACHES;
}

R5S_ENTRY(r5s_reclaim_scan_return)
{
	unsigned long freed = regs_return_value(regs);
	void *conf = r5s_call(ri)->conf;
	bool none_inactive = r5s_wait_unmark();
	struct r5s_array *a;

	r5s_hook_enter();
	a = r5s_array_find(conf);
	if (!a)
		goto out;
	r5s_array_count(a, R5S_M_RECLAIM_SCAN_CALLS, 1);
	r5s_array_count(a, asker(), 1);
	r5s_array_count(a, R5S_M_RECLAIM_ASKED, r5s_call(ri)->value);
	if (freed == SHRINK_STOP) {
		r5s_array_count(a, R5S_M_RECLAIM_REFUSED, 1);
		if (!none_inactive)
			r5s_array_count(a, R5S_M_RECLAIM_REFUSED_BUSY, 1);
	} else if (freed) {
		r5s_array_count(a, R5S_M_RECLAIM_FREED, freed);
		r5s_event_raise(RAID5STAT_EVENT_KIND_SHRINK_BURST, a, conf, freed);
	}
out:
	r5s_hook_leave();
	return 0;
}

/**
 * r5s_reclaim_gauges() - what memory reclaim did in the whole system
 * @s: gets it, as /proc/vmstat counts it
 *
 * Context: process.
 */
void r5s_reclaim_gauges(struct r5s_snapshot *s)
{
	unsigned long events[NR_VM_EVENT_ITEMS];
	u64 stalls = 0;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_VM_EVENT_COUNTERS))
		return;
	all_vm_events(events);
	r5s_snapshot_set(s, R5S_M_RECLAIM_PAGES_SCANNED,
			 (u64)events[PGSCAN_KSWAPD] + events[PGSCAN_DIRECT] +
			 R5S_KHUGEPAGED_EVENT(events, PGSCAN));
	r5s_snapshot_set(s, R5S_M_RECLAIM_PAGES_STOLEN,
			 (u64)events[PGSTEAL_KSWAPD] + events[PGSTEAL_DIRECT] +
			 R5S_KHUGEPAGED_EVENT(events, PGSTEAL));
	/* One for each zone, in the order of the zones. */
	for (i = 0; i < MAX_NR_ZONES; i++)
		stalls += events[ALLOCSTALL_NORMAL - ZONE_NORMAL + i];
	r5s_snapshot_set(s, R5S_M_RECLAIM_ALLOC_STALLS, stalls);
}
