// SPDX-License-Identifier: GPL-2.0
/* The same numbers as text for a person: one "name value unit" a line. */
#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "array.h"
#include "census.h"
#include "debugfs.h"
#include "event.h"
#include "probe.h"
#include "sampler.h"
#include "version.h"

#define MODE 0400

/* A directory of an array. */
struct folder {
	struct list_head list;
	u64 id;
	char name[64];
	bool seen;
	struct dentry *dentry;
};

static struct dentry *root;	/* NULL before init and after exit; folders_mutex */
static LIST_HEAD(folders);
static DEFINE_MUTEX(folders_mutex);	/* never taken by a reader: removal waits for readers */

static u64 array_id(const struct seq_file *m)
{
	return (unsigned long)m->private;
}

/* The metrics of one set; those that were not measured have no line. */
static int show_set(struct seq_file *m, u16 set)
{
	struct r5s_snapshot *s = kmalloc(sizeof(*s), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!s)
		return -ENOMEM;
	err = r5s_array_snapshot(array_id(m), s);
	if (!err) {
		for_each_set_bit(i, s->has, R5S_M_COUNT) {
			const struct r5s_metric_desc *d = &r5s_metric_desc[i];

			if (d->set == set)
				seq_printf(m, "%s %llu %s\n", strchr(d->name, '.') + 1,
					   s->value[i], d->unit);
		}
	}
	kfree(s);
	return err;
}

static int cache_show(struct seq_file *m, void *v)
{
	return show_set(m, R5S_A_ARRAY_CACHE);
}
DEFINE_SHOW_ATTRIBUTE(cache);

static int writes_show(struct seq_file *m, void *v)
{
	return show_set(m, R5S_A_ARRAY_WRITES);
}
DEFINE_SHOW_ATTRIBUTE(writes);

static int reclaim_show(struct seq_file *m, void *v)
{
	return show_set(m, R5S_A_ARRAY_RECLAIM);
}
DEFINE_SHOW_ATTRIBUTE(reclaim);

static int writeback_show(struct seq_file *m, void *v)
{
	return show_set(m, R5S_A_ARRAY_WRITEBACK);
}
DEFINE_SHOW_ATTRIBUTE(writeback);

static int journal_show(struct seq_file *m, void *v)
{
	return show_set(m, R5S_A_ARRAY_JOURNAL);
}
DEFINE_SHOW_ATTRIBUTE(journal);

static int about_show(struct seq_file *m, void *v)
{
	seq_printf(m, "id %llu -\n", array_id(m));
	return show_set(m, R5S_A_ARRAY_ABOUT);
}
DEFINE_SHOW_ATTRIBUTE(about);

/* One line for each bucket, named by its lower bound; none while waits are not timed. */
static int wait_hist_show(struct seq_file *m, void *v)
{
	static const char *const names[R5S_WAITERS] = { "user", "sync", "reshape" };
	struct r5s_hist *h = kmalloc(sizeof(*h), GFP_KERNEL);
	unsigned int w, b;
	int err = 0;

	if (!h)
		return -ENOMEM;
	for (w = 0; w < R5S_WAITERS && !err; w++) {
		err = r5s_array_hist(array_id(m), w, h);
		if (err)
			break;
		seq_printf(m, "%s_count %llu waits\n%s_total %llu ns\n", names[w], h->count,
			   names[w], h->total_ns);
		for (b = 0; b < R5S_HIST_BUCKETS; b++)
			seq_printf(m, "%s_from_%llu_ns %llu waits\n", names[w],
				   b ? BIT_ULL(b - 1) : 0, h->bucket[b]);
	}
	kfree(h);
	return err == -ENODATA ? 0 : err;
}
DEFINE_SHOW_ATTRIBUTE(wait_hist);

static void show_census(struct seq_file *m, const struct r5s_census *c)
{
	const char *name;
	unsigned int i, bit;

	seq_printf(m, "hashed %llu stripes\nin_use %llu stripes\n", c->hashed, c->in_use);
	for (i = 0; (name = r5s_census_flag_name(i, &bit)); i++)
		if (bit < BITS_PER_LONG)
			seq_printf(m, "%s %llu stripes\n", name, c->flag[bit]);
	for (i = 0; i < R5S_CENSUS_LISTS; i++) {
		const struct r5s_census_list *l = &c->list[i];

		name = r5s_census_list_name(i);
		if (!l->known)
			continue;
		seq_printf(m, "%s_list %llu stripes\n", name, l->stripes);
		if (l->stripes)
			seq_printf(m, "%s_oldest_sector %llu sector\n%s_oldest_state %#llx bits\n",
				   name, l->sector, name, l->state);
	}
}

static int census_show(struct seq_file *m, void *v)
{
	struct r5s_census *c = kmalloc(sizeof(*c), GFP_KERNEL);
	int err;

	if (!c)
		return -ENOMEM;
	err = r5s_census_take(array_id(m), c);
	if (!err)
		show_census(m, c);
	kfree(c);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(census);

static int info_show(struct seq_file *m, void *v)
{
	char reason[256];

	seq_printf(m, "version %s -\n", R5S_VERSION);
	seq_printf(m, "kernel %s -\n", init_utsname()->release);
	seq_printf(m, "layout %s -\n", r5s_layout_mode_name());
	if (r5s_layout_reason(reason, sizeof(reason)))
		seq_printf(m, "# %s\n", reason);
	seq_printf(m, "level %s -\n", r5s_sampler_level_name(r5s_probe_level()));
	seq_printf(m, "level_floor %s -\n", r5s_sampler_level_name(r5s_sampler_floor()));
	seq_printf(m, "raid456 %d bool\n", r5s_probe_raid456_live());
	seq_printf(m, "events_lost %llu events\n", r5s_event_lost());
	seq_printf(m, "waits_untracked %llu waits\n", r5s_probe_waits_untracked());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(info);

/* "symbol state unit", then what it is: armed, off, or the error number of the last try. */
static int probes_show(struct seq_file *m, void *v)
{
	struct r5s_probe_state st;
	unsigned int i;

	for (i = 0; !r5s_probe_describe(i, &st); i++) {
		if (st.error)
			seq_printf(m, "%s %d errno", st.symbol, st.error);
		else
			seq_printf(m, "%s %d armed", st.symbol, st.armed);
		seq_printf(m, " %s %s missed %llu calls\n", st.mechanism,
			   r5s_sampler_level_name(st.level), st.missed);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(probes);

static const struct {
	const char *name;
	const struct file_operations *fops;
} files[] = {
	{ "cache", &cache_fops },
	{ "writes", &writes_fops },
	{ "reclaim", &reclaim_fops },
	{ "writeback", &writeback_fops },
	{ "journal", &journal_fops },
	{ "about", &about_fops },
	{ "wait_hist", &wait_hist_fops },
	{ "census", &census_fops },
};

static struct folder *find(u64 id)
{
	struct folder *f;

	list_for_each_entry(f, &folders, list)
		if (f->id == id)
			return f;
	return NULL;
}

static struct folder *find_name(const char *name)
{
	struct folder *f;

	list_for_each_entry(f, &folders, list)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static void drop(struct folder *f)
{
	debugfs_remove(f->dentry);
	list_del(&f->list);
	kfree(f);
}

/* In a takeover the new array is there before the old one has died: the newer id has the name. */
static void add(u64 id, const char *name)
{
	struct folder *f = kzalloc(sizeof(*f), GFP_KERNEL), *other;
	unsigned int i;

	if (!f)
		return;
	f->id = id;
	f->seen = true;
	strscpy(f->name, name, sizeof(f->name));
	strreplace(f->name, '/', '!');
	if (!strcmp(f->name, "info") || !strcmp(f->name, "probes") || !strcmp(f->name, ".") ||
	    !strcmp(f->name, ".."))
		scnprintf(f->name, sizeof(f->name), "array-%llu", id);
	other = find_name(f->name);
	if (other && other->id > id) {
		kfree(f);
		return;
	}
	if (other)
		drop(other);
	f->dentry = debugfs_create_dir(f->name, root);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		debugfs_create_file(files[i].name, MODE, f->dentry, (void *)(unsigned long)id,
				    files[i].fops);
	list_add(&f->list, &folders);
}

/**
 * r5s_debugfs_sync() - make the directories those of the arrays that exist
 *
 * Waits for readers of what it removes, so it is not called under a lock that these take.
 *
 * Context: process.
 */
void r5s_debugfs_sync(void)
{
	struct folder *f, *next;
	char name[32];
	u64 id = 0;

	mutex_lock(&folders_mutex);
	if (!root)
		goto out;
	list_for_each_entry(f, &folders, list)
		f->seen = false;
	while ((id = r5s_array_next(id))) {
		f = find(id);
		if (f)
			f->seen = true;
	}
	list_for_each_entry_safe(f, next, &folders, list) {
		if (!f->seen)
			drop(f);
	}
	while ((id = r5s_array_next(id)))
		if (!find(id) && !r5s_array_name(id, name, sizeof(name)))
			add(id, name);
out:
	mutex_unlock(&folders_mutex);
}

/**
 * r5s_debugfs_init() - make raid5stat in the root of debugfs
 *
 * Without debugfs, or without room, there is just nothing to see.
 */
void r5s_debugfs_init(void)
{
	mutex_lock(&folders_mutex);
	root = debugfs_create_dir("raid5stat", NULL);
	debugfs_create_file("info", MODE, root, NULL, &info_fops);
	debugfs_create_file("probes", MODE, root, NULL, &probes_fops);
	mutex_unlock(&folders_mutex);
	r5s_debugfs_sync();
}

/**
 * r5s_debugfs_exit() - remove it; waits for readers
 */
void r5s_debugfs_exit(void)
{
	struct folder *f, *next;

	mutex_lock(&folders_mutex);
	debugfs_remove(root);
	root = NULL;
	list_for_each_entry_safe(f, next, &folders, list) {
		list_del(&f->list);
		kfree(f);
	}
	mutex_unlock(&folders_mutex);
}
