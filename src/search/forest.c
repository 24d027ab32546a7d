#include "search/forest.h"

#include "base/arena.h"
#include "model/spec.h"

#include <math.h>

/* Less is rounding. */
static const double GAIN_MIN = 1e-12;

enum { VALUES_MAX = SPEC_VALUES_MAX };

/* What growing a tree needs. */
struct growth {
	struct arena *a;
	struct rng *r;
	struct forest *f;
	const uint16_t *x;
	const double *y;
	uint32_t *rows;     /* of the bootstrap sample, in the order of the leaves */
	uint16_t *features; /* shuffled again at every node */
	double *sum;        /* of y, per value of a feature, and */
	uint32_t *count;    /* rows that have it; zero between uses */
};

struct cut {
	double gain; /* by which the sum of squared errors falls */
	uint16_t feature, split;
};

static uint16_t
feature_of(const struct growth *g, uint32_t row, uint16_t feature)
{
	return g->x[row * g->f->n_features + feature];
}

/* The best split of rows[from..to) by one feature; between two values that occur, any
 * place is as good, and trees differ in it. */
static void
cut_by(struct growth *g, size_t from, size_t to, uint16_t feature, double total,
	struct cut *best)
{
	uint16_t low = UINT16_MAX, high = 0;
	for (size_t i = from; i < to; i++) {
		uint16_t v = feature_of(g, g->rows[i], feature);
		g->sum[v] += g->y[g->rows[i]];
		g->count[v]++;
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	double n = (double)(to - from), left = 0, n_left = 0;
	for (uint16_t v = low, next; v < high; v = next) {
		left += g->sum[v];
		n_left += g->count[v];
		for (next = (uint16_t)(v + 1); !g->count[next]; next++)
			;
		double right = total - left, n_right = n - n_left;
		double gain = left * left / n_left + right * right / n_right -
			      total * total / n;
		if (gain > best->gain)
			*best = (struct cut){
				gain, feature, (uint16_t)(v + rng_below(g->r, next - v))};
	}
	for (size_t i = from; i < to; i++) {
		uint16_t v = feature_of(g, g->rows[i], feature);
		g->sum[v] = 0;
		g->count[v] = 0;
	}
}

/* Half of the features, drawn anew; all of them when those do not split. */
static struct cut
cut_of(struct growth *g, size_t from, size_t to, double total)
{
	size_t n = g->f->n_features, some = (n + 1) / 2;
	struct cut best = {.gain = GAIN_MIN};
	for (size_t i = 0; i < n; i++) {
		if (i >= some && best.gain > GAIN_MIN)
			break;
		size_t j = i + rng_below(g->r, n - i);
		uint16_t t = g->features[i];
		g->features[i] = g->features[j];
		g->features[j] = t;
		cut_by(g, from, to, g->features[i], total, &best);
	}
	return best;
}

/* Rows of the left side first; returns where the right one begins. */
static size_t
divide(struct growth *g, size_t from, size_t to, const struct cut *c)
{
	size_t at = from;
	for (size_t i = from; i < to; i++) {
		if (feature_of(g, g->rows[i], c->feature) > c->split)
			continue;
		uint32_t t = g->rows[i];
		g->rows[i] = g->rows[at];
		g->rows[at++] = t;
	}
	return at;
}

static uint32_t
add_node(struct growth *g, size_t from, size_t to, double *total)
{
	struct forest *f = g->f;
	double n = (double)(to - from), squares = 0;
	*total = 0;
	for (size_t i = from; i < to; i++)
		*total += g->y[g->rows[i]];
	double mean = *total / n;
	for (size_t i = from; i < to; i++)
		squares += (g->y[g->rows[i]] - mean) * (g->y[g->rows[i]] - mean);
	arena_grow(g->a, f->nodes, f->n, f->cap);
	f->nodes[f->n] = (struct tree_node){.mean = mean, .variance = squares / n};
	return (uint32_t)f->n++;
}

/* NOLINTNEXTLINE(misc-no-recursion): at most FOREST_DEPTH_MAX deep */
static uint32_t
grow(struct growth *g, size_t from, size_t to, unsigned depth)
{
	double total;
	uint32_t node = add_node(g, from, to, &total);
	if (to - from <= FOREST_LEAF_MAX || depth == FOREST_DEPTH_MAX)
		return node;
	struct cut c = cut_of(g, from, to, total);
	if (c.gain <= GAIN_MIN)
		return node;
	size_t middle = divide(g, from, to, &c);
	uint32_t left = grow(g, from, middle, depth + 1);
	uint32_t right = grow(g, middle, to, depth + 1);
	struct tree_node *t = &g->f->nodes[node];
	t->feature = c.feature;
	t->split = c.split;
	t->left = left;
	t->right = right;
	return node;
}

struct forest
forest_fit(struct arena *a, struct rng *r, const uint16_t *x, const double *y, size_t n,
	size_t n_features)
{
	struct forest f = {.n_features = n_features};
	struct growth g = {a, r, &f, x, y, arena_news(a, n, uint32_t),
		arena_news(a, n_features, uint16_t), arena_news(a, VALUES_MAX, double),
		arena_news(a, VALUES_MAX, uint32_t)};
	for (size_t i = 0; i < n_features; i++)
		g.features[i] = (uint16_t)i;
	for (size_t t = 0; t < FOREST_TREES; t++) {
		for (size_t i = 0; i < n; i++)
			g.rows[i] = (uint32_t)rng_below(r, n);
		f.roots[t] = grow(&g, 0, n, 0);
	}
	return f;
}

void
forest_predict(const struct forest *f, const uint16_t *x, double *mean, double *variance)
{
	double sum = 0, squares = 0, within = 0;
	for (size_t t = 0; t < FOREST_TREES; t++) {
		const struct tree_node *n = &f->nodes[f->roots[t]];
		while (n->left)
			n = &f->nodes[x[n->feature] <= n->split ? n->left : n->right];
		sum += n->mean;
		squares += n->mean * n->mean;
		within += n->variance;
	}
	*mean = sum / FOREST_TREES;
	*variance =
		fmax(0, squares / FOREST_TREES - *mean * *mean) + within / FOREST_TREES;
}
