// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, LINES = 16, LABEL = 10, PLOT = WIDTH - LABEL - 3, TICKS = 12 };

struct canvas {
	char cell[LINES][PLOT];
	double low;
	double step;	/* of the labels */
	double high;
	size_t runs;
};

static void range(const double *v, size_t n, double *low, double *high)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		*low = fmin(*low, v[i]);
		*high = fmax(*high, v[i]);
	}
}

/* 1, 2 or 5 times a power of ten, so that labels are short. */
static double nice(double span)
{
	double power = pow(10, floor(log10(span / TICKS))), part = span / TICKS / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static int column(const struct canvas *c, size_t run)
{
	return c->runs < 2 ? 0 : (int)lround((double)run * (PLOT - 1) / (double)(c->runs - 1));
}

static int line_of(const struct canvas *c, double v)
{
	return (int)lround((c->high - v) / (c->high - c->low) * (LINES - 1));
}

static void join(struct canvas *c, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 1; i < steps; i++) {
		int x = (int)lround(x0 + (double)i * (x1 - x0) / steps);
		int y = (int)lround(y0 + (double)i * (y1 - y0) / steps);

		if (c->cell[y][x] == ' ')
			c->cell[y][x] = abs(y1 - y0) > 2 * abs(x1 - x0) ? ':' :
					y0 == y1 || abs(y1 - y0) < abs(x1 - x0) ? '.' : '+';
	}
}

static void draw(struct canvas *c, const double *v, size_t n, char mark, int joined)
{
	int x0 = -1, y0 = 0;

	for (size_t i = 0; joined && i < n; i++) {
		int x = column(c, i), y;

		if (!isfinite(v[i])) {
			x0 = -1;
			continue;
		}
		y = line_of(c, v[i]);
		if (x0 >= 0)
			join(c, x0, y0, x, y);
		x0 = x;
		y0 = y;
	}
	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			c->cell[line_of(c, v[i])][column(c, i)] = mark;
}

static void label(const struct canvas *c, int line, char *out, size_t room)
{
	double per_line = (c->high - c->low) / (LINES - 1), v = c->high - line * per_line;
	double tick = round(v / c->step) * c->step;

	*out = '\0';
	if (fabs(tick - v) <= per_line / 2 && line_of(c, tick) == line)
		snprintf(out, room, "%.5g", fabs(tick) < c->step / 2 ? 0 : tick);
}

int r5s_plot_print(const char *title, const char *unit, const double *base, size_t n_base,
		   const double *head, size_t n_head, FILE *out)
{
	struct canvas c = { .low = INFINITY, .high = -INFINITY };
	double span;

	range(base, n_base, &c.low, &c.high);
	range(head, n_head, &c.low, &c.high);
	if (!(c.low <= c.high))
		return -EINVAL;
	span = c.high - c.low;
	if (!(span > 0))
		span = c.low != 0 ? fabs(c.low) : 1;
	c.step = nice(span);
	c.low = floor(c.low / c.step) * c.step;
	c.high = ceil(c.high / c.step) * c.step;
	if (!(c.high > c.low))
		c.high = c.low + c.step;
	c.runs = n_base > n_head ? n_base : n_head;
	memset(c.cell, ' ', sizeof(c.cell));
	draw(&c, base, n_base, '*', 1);
	draw(&c, head, n_head, 'O', 0);
	fprintf(out, "%*s%s%s%s%s\n", LABEL, "", title, unit ? " (" : "", unit ? unit : "",
		unit ? ")" : "");
	for (int i = 0; i < LINES; i++) {
		char text[32];

		label(&c, i, text, sizeof(text));
		fprintf(out, "%*s %c%.*s%c\n", LABEL, text, *text ? '+' : '|', PLOT, c.cell[i],
			*text ? '+' : '|');
	}
	fprintf(out, "%*s +", LABEL, "");
	for (int i = 0; i < PLOT; i++)
		putc('-', out);
	fprintf(out, "+\n%*s [*] base, %zu runs   [O] head, %zu runs   (by number of the run)\n",
		LABEL, "", n_base, n_head);
	return ferror(out) ? -EIO : 0;
}
