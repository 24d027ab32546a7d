#include "base/arena.h"
#include "space/part_node.h"

/* All assignments of a part, one row each: values in the order of the spec. */
struct rows {
	const struct part *part;
	size_t n, width;
	uint16_t *values;
	uint32_t *sizes;
	size_t to[SPEC_PARAMS_MAX]; /* column of a place */
	uint16_t row[SPEC_PARAMS_MAX];
	uint32_t *order, *other; /* rows, sorted */
};

static void
list(struct rows *r, size_t place, uint32_t node)
{
	const struct part_node *n = &r->part->nodes[node];
	if (place == r->width) {
		memcpy(r->values + r->n * r->width, r->row, r->width * sizeof *r->row);
		r->sizes[r->n++] = n->sizes;
		return;
	}
	for (size_t e = n->first; e < (size_t)n->first + n->n; e++) {
		r->row[r->to[place]] = r->part->edges[e].value;
		list(r, place + 1, r->part->edges[e].child);
	}
}

/* By one column, rows of equal values in the order that they have. */
static void
sort_column(struct rows *r, size_t column)
{
	size_t from[SPEC_VALUES_MAX + 1] = {0};
	const uint16_t *v = r->values + column;
	for (size_t i = 0; i < r->n; i++)
		from[v[i * r->width] + 1]++;
	for (size_t i = 1; i <= SPEC_VALUES_MAX; i++)
		from[i] += from[i - 1];
	for (size_t i = 0; i < r->n; i++)
		r->other[from[v[r->order[i] * r->width]]++] = r->order[i];
	uint32_t *swap = r->order;
	r->order = r->other;
	r->other = swap;
}

static uint32_t
make(struct node_maker *m, const struct rows *r, size_t column, size_t low, size_t high)
{
	struct arena local = {0};
	uint64_t *edges = NULL;
	size_t n = 0, cap = 0;
	if (column == r->width)
		return node_end(m, r->sizes[r->order[low]]);
	for (size_t i = low, end; i < high; i = end) {
		uint16_t value = r->values[r->order[i] * r->width + column];
		for (end = i; end < high; end++)
			if (r->values[r->order[end] * r->width + column] != value)
				break;
		arena_grow(&local, edges, n, cap);
		edges[n++] = node_edge(value, make(m, r, column + 1, i, end));
	}
	uint32_t node = node_make(m, edges, n);
	arena_release(&local);
	return node;
}

static uint16_t *
ascending(struct arena *a, const struct part *part, struct rows *r)
{
	uint16_t *params = arena_news(a, part->n_params, uint16_t);
	for (size_t i = 0; i < part->n_params; i++) {
		for (size_t j = 0; j < part->n_params; j++)
			r->to[i] += part->params[j] < part->params[i];
		params[r->to[i]] = part->params[i];
	}
	return params;
}

void
part_sort(struct arena *a, struct part *part)
{
	struct arena temp = {0};
	size_t n = part->nodes[part->root].count;
	struct rows r = {.part = part, .width = part->n_params};
	r.values = arena_news(&temp, n * r.width, uint16_t);
	r.sizes = arena_news(&temp, n, uint32_t);
	r.order = arena_news(&temp, n, uint32_t);
	r.other = arena_news(&temp, n, uint32_t);
	struct part sorted = {.sized = part->sized, .ordered = true, .n_params = r.width};
	sorted.params = ascending(a, part, &r);
	list(&r, 0, part->root);
	for (size_t i = 0; i < n; i++)
		r.order[i] = (uint32_t)i;
	for (size_t column = r.width; column--;)
		sort_column(&r, column);
	struct node_maker m = {.a = a, .part = &sorted, .made = {.a = &temp}};
	sorted.root = make(&m, &r, 0, 0, n);
	*part = sorted;
	arena_release(&temp);
}
