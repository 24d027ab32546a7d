#include "gate/limits.h"

struct breaks {
	struct arena *a;
	struct limit_break *v;
	size_t n;
};

static void
add(struct breaks *b, enum gate_rule rule, struct str message)
{
	if (b->n < LIMIT_BREAKS_MAX)
		b->v[b->n++] = (struct limit_break){rule, message};
}

/* Module and function variables may be used by any kernel of the module. */
static uint64_t
limits_static_shared(const struct ptx_module *m, const struct ptx_func *f)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct ptx_var *v = &m->vars[i];
		uint64_t align = v->align ? v->align : 1;

		if (v->space != PTX_SPACE_SHARED || v->dynamic ||
			v->link == PTX_LINK_EXTERN)
			continue;
		if (v->func != PTX_NONE && v->func != f->index && m->funcs[v->func].entry)
			continue;
		if (n > UINT64_MAX / 2 || v->bytes > UINT64_MAX / 2)
			return UINT64_MAX;
		n = (n + align - 1) / align * align + v->bytes;
	}
	return n;
}

static void
check_dims(struct breaks *b, enum gate_rule rule, const char *what, struct dim d,
	const int64_t max[3])
{
	const uint64_t v[3] = {d.x, d.y, d.z};

	for (int i = 0; i < 3; i++) {
		if (v[i] == 0)
			add(b, rule,
				str_fmt(b->a, "%s dimension %c is 0", what, "xyz"[i]));
		else if (max[i] > 0 && v[i] > (uint64_t)max[i])
			add(b, rule,
				str_fmt(b->a,
					"%s dimension %c is %llu, the limit is %lld",
					what, "xyz"[i], (unsigned long long)v[i],
					(long long)max[i]));
	}
}

static bool
is_written(const struct ptx_dim *d)
{
	return d->v[0] || d->v[1] || d->v[2];
}

static void
check_bounds(struct breaks *b, const struct ptx_func *f, const struct dim *block)
{
	uint64_t threads = dim_volume(*block);
	const uint32_t *m = f->maxntid.v, *r = f->reqntid.v;

	if (is_written(&f->maxntid)) {
		uint64_t most = dim_volume((struct dim){m[0], m[1], m[2]});

		if (threads > most)
			add(b, RULE_MAXNTID,
				str_fmt(b->a,
					"%llu threads in a block; the kernel was "
					"compiled for at most "
					"%llu (.maxntid)",
					(unsigned long long)threads,
					(unsigned long long)most));
	}
	if (is_written(&f->reqntid) &&
		(block->x != r[0] || block->y != r[1] || block->z != r[2]))
		add(b, RULE_REQNTID,
			str_fmt(b->a,
				"block %llu,%llu,%llu; the kernel was compiled for "
				"%u,%u,%u "
				"(.reqntid)",
				(unsigned long long)block->x,
				(unsigned long long)block->y,
				(unsigned long long)block->z, (unsigned)r[0],
				(unsigned)r[1], (unsigned)r[2]));
}

static void
check_cluster(struct breaks *b, const struct ptx_func *f, const struct launch *l,
	const struct device *dev)
{
	const uint64_t grid[3] = {l->grid.x, l->grid.y, l->grid.z};
	uint64_t c[3] = {l->cluster.x, l->cluster.y, l->cluster.z};
	const uint32_t *r = f->cluster.v;
	uint64_t most =
		dev->max_cluster_blocks > 0 ? (uint64_t)dev->max_cluster_blocks : 8;

	if (f->maxclusterrank)
		most = f->maxclusterrank;
	if (is_written(&f->cluster)) {
		bool given = c[0] * c[1] * c[2] > 1;

		if (given && (c[0] != r[0] || c[1] != r[1] || c[2] != r[2]))
			add(b, RULE_CLUSTER_SHAPE,
				str_fmt(b->a,
					"cluster %llu,%llu,%llu; the kernel was compiled "
					"for %u,%u,%u",
					(unsigned long long)c[0],
					(unsigned long long)c[1],
					(unsigned long long)c[2], (unsigned)r[0],
					(unsigned)r[1], (unsigned)r[2]));
		for (int i = 0; i < 3; i++)
			c[i] = r[i];
	}
	for (int i = 0; i < 3; i++)
		if (c[i] && grid[i] % c[i])
			add(b, RULE_CLUSTER_SHAPE,
				str_fmt(b->a,
					"grid dimension %c is %llu, not a multiple of "
					"%llu",
					"xyz"[i], (unsigned long long)grid[i],
					(unsigned long long)c[i]));
	uint64_t n = dim_volume((struct dim){c[0], c[1], c[2]});
	if (n > 1 && n > most)
		add(b, RULE_CLUSTER_SHAPE,
			str_fmt(b->a, "%llu blocks in a cluster, the limit is %llu",
				(unsigned long long)n, (unsigned long long)most));
	if (n > 1 && dev->cc_major < 9)
		add(b, RULE_CLUSTER_SHAPE,
			str_fmt(b->a,
				"clusters need compute capability 9.0, this is %d.%d",
				dev->cc_major, dev->cc_minor));
}

static void
check_shared(struct breaks *b, const struct ptx_module *m, const struct ptx_func *f,
	const struct launch *l, const struct device *dev)
{
	uint64_t fixed = limits_static_shared(m, f), most = 0;
	const uint64_t plain = dev->shared_per_block_bytes > 0
				       ? (uint64_t)dev->shared_per_block_bytes
				       : 48 << 10;

	most = dev->shared_per_block_optin_bytes > 0
		       ? (uint64_t)dev->shared_per_block_optin_bytes
		       : plain;
	if (fixed > plain) {
		add(b, RULE_SHARED_BYTES,
			str_fmt(b->a,
				"%llu bytes of static shared memory, the limit is %llu",
				(unsigned long long)fixed, (unsigned long long)plain));
		return;
	}
	if (l->shared_bytes > most || fixed + l->shared_bytes > most)
		add(b, RULE_SHARED_BYTES,
			str_fmt(b->a,
				"%llu static and %llu dynamic bytes of shared memory, "
				"the limit with "
				"opt-in is %llu",
				(unsigned long long)fixed,
				(unsigned long long)l->shared_bytes,
				(unsigned long long)most));
}

size_t
limits_check(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const struct gate_query *q, struct limit_break out[LIMIT_BREAKS_MAX])
{
	struct breaks b = {a, out, 0};
	const struct launch *l = &q->launch;
	const struct device *dev = q->limits;
	uint64_t threads = dim_volume(l->block);

	if (dev->max_threads_per_block > 0 &&
		threads > (uint64_t)dev->max_threads_per_block)
		add(&b, RULE_BLOCK_THREADS,
			str_fmt(a, "%llu threads in a block, the limit is %lld",
				(unsigned long long)threads,
				(long long)dev->max_threads_per_block));
	check_dims(&b, RULE_BLOCK_DIM, "block", l->block, dev->max_block_dim);
	check_dims(&b, RULE_GRID_DIM, "grid", l->grid, dev->max_grid_dim);
	check_bounds(&b, f, &l->block);
	check_cluster(&b, f, l, dev);
	check_shared(&b, m, f, l, dev);
	return b.n;
}
