#include "toolchain/draft.h"

#include <ctype.h>

/* --- macros ------------------------------------------------------------------------- */

static bool
one_of(struct str name, const char *const *list)
{
	for (; *list; list++)
		if (str_is(name, *list))
			return true;
	return false;
}

/* Macros that are the number of threads of a block.  BLOCK_M and its like are tiles. */
static bool
is_block_macro(struct str name)
{
	static const char *const names[] = {"BLOCK", "BLOCK_SIZE", "BLOCKSIZE",
		"BLOCK_DIM", "BLOCKDIM", "BLOCK_THREADS", "THREADS", "NTHREADS",
		"NUM_THREADS", "N_THREADS", "THREADS_PER_BLOCK", "TPB", "CTA_SIZE",
		"CTA_THREADS", NULL};
	return one_of(name, names);
}

static bool
is_tile_macro(struct str name)
{
	return str_has(name, STR_LIT("TILE")) || str_has(name, STR_LIT("CHUNK"));
}

/* The first of the parameters; what has one value decides nothing. */
static const struct starter_macro *
macro_where(const struct draft *d, bool (*is)(struct str))
{
	for (size_t i = 0; i < d->k->n_macros; i++)
		if (!d->k->macros[i].fixed && is(d->k->macros[i].name))
			return &d->k->macros[i];
	return NULL;
}

bool
draft_is_macro(const struct draft *d, struct str name)
{
	for (size_t i = 0; i < d->k->n_macros; i++)
		if (str_eq(d->k->macros[i].name, name))
			return true;
	return false;
}

int64_t
starter_guess(struct str macro)
{
	static const char *const parts[] = {"UNROLL", "VEC", "ITEMS", "PER_THREAD", "MIN",
		"STAGES", "FACTOR", "WARP", "DEPTH", "STEP", "BUFFER"};
	if (macro.n <= 3)
		return 4;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (str_has(macro, str_of(parts[i])))
			return 4;
	return 128;
}

/* --- parameters and blocks ---------------------------------------------------------- */

static void
add_param(struct draft *d, struct str name, const int64_t *v, size_t n, bool launch,
	int64_t base)
{
	buf_addf(&d->params, "%s        \"%.*s\": { \"values\": [",
		d->params.n ? ",\n" : "", STR_ARG(name));
	for (size_t i = 0; i < n; i++)
		buf_addf(&d->params, "%s%lld", i ? ", " : "", (long long)v[i]);
	buf_addf(&d->params, "]%s }", launch ? ", \"role\": \"launch\"" : "");
	buf_addf(&d->baseline, "%s\"%.*s\": %lld", d->baseline.n ? ", " : "",
		STR_ARG(name), (long long)base);
}

static void
add_macro(struct draft *d, const struct starter_macro *m)
{
	bool power = m->value > 0 && (m->value & (m->value - 1)) == 0 && !m->fixed;
	int64_t v[3], n = 0;
	if (power && m->value > 1)
		v[n++] = m->value / 2;
	v[n++] = m->value;
	if (power && m->value < 512)
		v[n++] = m->value * 2;
	add_param(d, m->name, v, (size_t)n, false, m->value);
}

/* Most threads that the kernel's own bounds allow. */
static int64_t
max_threads(const struct ptx_func *f)
{
	uint64_t v = 1;
	for (int i = 0; i < 3; i++)
		v *= f->maxntid.v[i] && v <= 1024 ? f->maxntid.v[i] : 1;
	return f->maxntid.v[0] && v < 1024 ? (int64_t)v : 1024;
}

/* Sizes of a block in one dimension, and which of them is the first. */
struct side {
	const char *name;
	const int64_t *v;
	size_t n, first;
};

static void
add_side(struct draft *d, const struct side *side, int64_t most)
{
	size_t n = side->first + 1;
	d->block_base[d->n_block] = side->v[side->first];
	d->block[d->n_block++] = str_of(side->name);
	if (draft_is_macro(d, str_of(side->name)))
		return;
	while (n < side->n && side->v[n] <= most)
		n++;
	add_param(d, str_of(side->name), side->v + side->first, n - side->first, true,
		side->v[side->first]);
}

/* The smallest block fits: a baseline that its own bounds refuse helps nobody. */
static void
add_sides(struct draft *d, struct side *v, size_t n)
{
	int64_t most = max_threads(d->f), volume = 1;
	for (size_t i = 0; i < n; i++)
		volume *= v[i].v[v[i].first];
	for (size_t i = n; i-- > 0;)
		for (; v[i].first && volume > most; v[i].first--)
			volume = volume / v[i].v[v[i].first] * v[i].v[v[i].first - 1];
	for (size_t i = 0; i < n; i++)
		add_side(d, &v[i], most);
}

static void
fixed_block(struct draft *d, const uint32_t size[3])
{
	for (int i = 0; i < 3; i++) {
		d->block_base[i] = size[i] ? size[i] : 1;
		d->block[d->n_block++] =
			str_fmt(d->a, "%lld", (long long)d->block_base[i]);
	}
}

static void
choose_block(struct draft *d)
{
	static const int64_t line[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
			     x[] = {1, 2, 4, 8, 16, 32}, y[] = {1, 2, 4, 8, 16},
			     z[] = {1, 2, 4};
	const struct starter_macro *m = macro_where(d, is_block_macro);
	struct side one = {"BLOCK", line, 10, 5},
		    three[] = {{"BLOCK_X", x, 6, 4}, {"BLOCK_Y", y, 5, 2},
			    {"BLOCK_Z", z, 3, 0}};
	if (d->f->reqntid.v[0]) {
		fixed_block(d, d->f->reqntid.v);
	} else if (d->source && d->source->reqd[0]) {
		fixed_block(d, d->source->reqd);
	} else if (m) {
		d->block_base[0] = m->value;
		d->block[d->n_block++] = m->name;
	} else if (d->use.block_dims == 1) {
		add_sides(d, &one, 1);
	} else {
		add_sides(d, three, d->use.block_dims < 3 ? 2 : 3);
	}
}

static struct str
block_volume(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->n_block; i++)
		buf_addf(&b, "%s%.*s", i ? " * " : "", STR_ARG(d->block[i]));
	return buf_str(&b);
}

static bool
is_number(struct str s)
{
	return s.n && isdigit((unsigned char)s.s[0]);
}

/* What the baseline does not meet is no constraint. */
static void
add_constraints(struct draft *d)
{
	const struct starter_macro *tile = macro_where(d, is_tile_macro);
	int64_t most = max_threads(d->f), volume = 1;
	bool fixed = is_number(d->block[0]), macro = draft_is_macro(d, d->block[0]);
	for (unsigned i = 0; i < d->n_block; i++)
		volume *= d->block_base[i];
	if (tile && d->n_block == 1 && !fixed && tile->value % d->block_base[0] == 0)
		buf_addf(&d->constraints, "\"%.*s %% %.*s == 0\"", STR_ARG(tile->name),
			STR_ARG(d->block[0]));
	if (!fixed && volume <= most && !d->k->bounds_vary &&
		(d->n_block > 2 || (most < 1024 && (d->n_block > 1 || macro)))) {
		struct str v = block_volume(d);
		buf_addf(&d->constraints, "%s\"%.*s <= %lld\"",
			d->constraints.n ? ", " : "", STR_ARG(v), (long long)most);
	}
}

void
draft_params(struct draft *d)
{
	if (d->f)
		choose_block(d);
	for (size_t i = 0; i < d->k->n_macros; i++)
		add_macro(d, &d->k->macros[i]);
	if (d->f)
		add_constraints(d);
}

/* --- the launch --------------------------------------------------------------------- */

/* The size that blocks of a dimension are compared with, else the next one. */
static struct str
grid_size(const struct draft *d, unsigned dim)
{
	unsigned p = d->use.grid_bound[dim];
	for (size_t i = 0; p && i < d->n_sizes; i++)
		if (d->size_param[i] == p)
			return d->sizes[i];
	return d->sizes[dim < d->n_sizes ? dim : 0];
}

static struct str
grid_text(const struct draft *d)
{
	const struct starter_macro *tile = macro_where(d, is_tile_macro);
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->use.grid_dims && i < 2; i++) {
		struct str size = grid_size(d, i);
		struct str by = tile ? tile->name : d->block[i < d->n_block ? i : 0];
		if (!tile && i >= d->n_block)
			by = STR_LIT("1");
		buf_addf(&b, "%s\"ceil_div(%.*s, %.*s)\"", i ? ", " : "", STR_ARG(size),
			STR_ARG(by));
	}
	if (d->use.grid_dims > 2)
		buf_adds(&b, ", 1");
	return buf_str(&b);
}

static struct str
block_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->n_block; i++) {
		const char *q = is_number(d->block[i]) ? "" : "\"";
		buf_addf(&b, "%s%s%.*s%s", i ? ", " : "", q, STR_ARG(d->block[i]), q);
	}
	return buf_str(&b);
}

/* Bytes of an element of the memory whose size the launch says; 0: there is none. */
static size_t
shared_bytes(const struct draft *d)
{
	size_t bytes = d->s->dynamic_shared_bytes;
	for (uint32_t i = 0; i < d->n_params; i++)
		if (draft_is_local(d, i))
			return dtype_bytes(draft_type(d, i).type) *
			       draft_type(d, i).width;
	return !d->use.dynamic_shared ? 0 : bytes ? bytes : 4;
}

struct str
draft_launch(const struct draft *d)
{
	size_t bytes = shared_bytes(d);
	struct buf shared = {.a = d->a};
	if (!d->f)
		return (struct str){0};
	struct str volume = block_volume(d), block = block_text(d), grid = grid_text(d);
	if (bytes)
		buf_addf(&shared, ", \"shared\": \"%.*s * %zu\"", STR_ARG(volume), bytes);
	return str_fmt(d->a,
		"      // check: threads of a block, blocks of the grid%s\n"
		"      \"launch\": { \"block\": [%.*s], \"grid\": [%.*s]%s },\n",
		bytes ? ", dynamic shared bytes" : "", STR_ARG(block), STR_ARG(grid),
		buf_c(&shared));
}
