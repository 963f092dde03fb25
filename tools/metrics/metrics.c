// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turn the netlink spec into the one table of metrics that the module and the reader share
 * (--header), and into the man page that lists them (--man).
 *
 * A metric is an attribute whose doc starts with "[kind unit level]", in one of the sets nested in
 * an array or in the set node.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct metric {
	const char *name;
	char kind[16], unit[32], level[16];
	const char *help;
};

static const char *path;
static yaml_document_t doc;

__attribute__((noreturn, format(printf, 2, 3)))
static void fail(const yaml_node_t *at, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "metrics: %s", path);
	if (at)
		fprintf(stderr, ":%zu", at->start_mark.line + 1);
	fputs(": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static const char *text(const yaml_node_t *n)
{
	return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static yaml_node_t *member(const yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const char *k = text(yaml_document_get_node(&doc, p->key));

		if (k && !strcmp(k, key))
			return yaml_document_get_node(&doc, p->value);
	}
	return NULL;
}

static bool known(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* False for an attribute that is no metric; a metric that does not parse is an error. */
static bool parse_metric(const yaml_node_t *attr, struct metric *m)
{
	static const char *const kinds[] = { "gauge", "counter", "time", "flag", NULL };
	static const char *const levels[] = { "gauges", "counters", "latency", NULL };
	const char *help = text(member(attr, "doc"));
	int used = 0;

	m->name = text(member(attr, "name"));
	if (!m->name)
		fail(attr, "an attribute without a name");
	if (!help || help[0] != '[')
		return false;
	if (sscanf(help, "[%15s %31s %15[a-z]] %n", m->kind, m->unit, m->level, &used) != 3 || !used)
		fail(attr, "%s: doc must start with [kind unit level]", m->name);
	if (!known(m->kind, kinds))
		fail(attr, "%s: kind %s is not gauge, counter, time or flag", m->name, m->kind);
	if (!known(m->level, levels))
		fail(attr, "%s: level %s is not gauges, counters or latency", m->name, m->level);
	m->help = help + used;
	if (!*m->help)
		fail(attr, "%s: no help text", m->name);
	return true;
}

static void put_ident(const char *s, bool upper)
{
	for (; *s; s++)
		putchar(*s == '-' ? '_' : upper ? toupper((unsigned char)*s) : *s);
}

static void put_quoted(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s == '\n' ? ' ' : *s);
	}
	putchar('"');
}

static void put_row(const char *set, const struct metric *m)
{
	fputs(" \\\n\tX(", stdout);
	put_ident(set, true);
	fputs(", ", stdout);
	put_ident(m->name, true);
	printf(", \"%s.", set);
	put_ident(m->name, false);
	fputs("\", ", stdout);
	put_ident(m->kind, true);
	printf(", \"%s\", ", m->unit);
	put_ident(m->level, true);
	fputs(", \\\n\t  ", stdout);
	put_quoted(m->help);
	putchar(')');
}

static void put_man_row(const char *set, const struct metric *m)
{
	printf(".TP\n.B %s.", set);
	put_ident(m->name, false);
	printf("\n%s; %s, %s, from level %s.\n", m->help, m->kind, m->unit, m->level);
}

static void put_set(const yaml_node_t *set, bool man)
{
	const char *name = text(member(set, "name"));
	yaml_node_t *attrs = member(set, "attributes");
	struct metric m;

	for (yaml_node_item_t *i = attrs->data.sequence.items.start;
	     i < attrs->data.sequence.items.top; i++) {
		if (!parse_metric(yaml_document_get_node(&doc, *i), &m))
			continue;
		if (man)
			put_man_row(name, &m);
		else
			put_row(name, &m);
	}
}

static const yaml_node_t *find_set(const char *want)
{
	yaml_node_t *sets = member(yaml_document_get_root_node(&doc), "attribute-sets");

	if (!sets || sets->type != YAML_SEQUENCE_NODE)
		fail(NULL, "no attribute-sets");
	for (yaml_node_item_t *i = sets->data.sequence.items.start;
	     i < sets->data.sequence.items.top; i++) {
		const yaml_node_t *set = yaml_document_get_node(&doc, *i);
		const char *name = text(member(set, "name"));

		if (name && !strcmp(name, want) && member(set, "attributes"))
			return set;
	}
	fail(NULL, "no attribute-set %s", want);
}

/* The sets nested in an array, in the order in which the set array names them. */
static void put_array_sets(bool man)
{
	yaml_node_t *attrs = member(find_set("array"), "attributes");

	for (yaml_node_item_t *i = attrs->data.sequence.items.start;
	     i < attrs->data.sequence.items.top; i++) {
		const char *nested = text(member(yaml_document_get_node(&doc, *i),
						 "nested-attributes"));

		if (!nested)
			continue;
		if (man)
			printf(".SS %s\n", nested);
		put_set(find_set(nested), man);
	}
}

static void put_header(void)
{
	puts("/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */\n"
	     "/* Generated by tools/metrics from Documentation/netlink/specs/raid5stat.yaml: do not edit. */\n"
	     "#ifndef RAID5STAT_METRICS_GEN_H\n"
	     "#define RAID5STAT_METRICS_GEN_H\n\n"
	     "/* X(SET, NAME, \"set.name\", KIND, \"unit\", LEVEL, \"help\") for each metric of an array */");
	fputs("#define R5S_ARRAY_METRICS(X)", stdout);
	put_array_sets(false);
	puts("\n\n/* The same for each metric of a NUMA node */");
	fputs("#define R5S_NODE_METRICS(X)", stdout);
	put_set(find_set("node"), false);
	puts("\n\n#endif /* RAID5STAT_METRICS_GEN_H */");
}

static void put_man(void)
{
	puts(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
	     ".\\\" Generated by tools/metrics from Documentation/netlink/specs/raid5stat.yaml: do not edit.\n"
	     ".TH RAID5STAT-METRICS 7 \"\" raid5stat\n"
	     ".SH NAME\nraid5stat-metrics \\- what raid5stat measures\n"
	     ".SH DESCRIPTION\n"
	     "The same names stand in the output of\n.BR raid5stat (1),\n"
	     "in its database, in JSON, and in debugfs.\n"
	     "A metric that is not measured now is absent, never 0.\n"
	     "Counters and times only grow; take differences.\n"
	     ".SH ARRAYS");
	put_array_sets(true);
	puts(".SH NUMA NODES");
	put_set(find_set("node"), true);
	puts(".SH SEE ALSO\n.BR raid5stat (1)");
}

int main(int argc, char **argv)
{
	yaml_parser_t parser;
	FILE *in;

	if (argc != 3 || (strcmp(argv[1], "--header") && strcmp(argv[1], "--man"))) {
		fputs("usage: metrics --header|--man SPEC.yaml\n", stderr);
		return 2;
	}
	path = argv[2];
	in = fopen(path, "r");
	if (!in)
		fail(NULL, "%s", strerror(errno));
	if (!yaml_parser_initialize(&parser))
		fail(NULL, "out of memory");
	yaml_parser_set_input_file(&parser, in);
	if (!yaml_parser_load(&parser, &doc))
		fail(NULL, "line %zu: %s", parser.problem_mark.line + 1,
		     parser.problem ? parser.problem : "not YAML");
	if (!strcmp(argv[1], "--header"))
		put_header();
	else
		put_man();
	yaml_document_delete(&doc);
	yaml_parser_delete(&parser);
	fclose(in);
	if (fflush(stdout) || ferror(stdout))
		fail(NULL, "cannot write: %s", strerror(errno));
	return 0;
}
