#include "backend/pool.h"

#include "base/rng.h"

static bool
refuse(const struct call *c, enum result_status status, struct str reason)
{
	*c->f = (struct fault){status, reason, false};
	return false;
}

/* --- memory ------------------------------------------------------------------------- */

static void
pool_free(struct pools *all, struct pool *p)
{
	all->ops->free(all->s, p);
	struct arena a = p->a; /* it holds p */
	arena_release(&a);
}

bool
pools_evict(struct pools *all)
{
	bool any = false;
	for (struct pool **at = &all->first; *at;) {
		struct pool *p = *at;
		if (p->users) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		pool_free(all, p);
		any = true;
	}
	return any;
}

static struct pool *
pool_make(struct pools *all, const struct bench_request *q, struct str key)
{
	struct arena a = {0};
	struct pool *p = arena_new(&a, struct pool);
	struct arg *args = arena_news(&a, q->n_args + 1, struct arg);
	for (size_t i = 0; i < q->n_args; i++)
		args[i] = arg_keep(&a, &q->args[i]);
	*p = (struct pool){.key = str_dup(&a, key),
		.args = args,
		.n_args = q->n_args,
		.seed = q->seed,
		.buffers = arena_alloc(&a, (q->n_args + 1) * all->ops->buffer_bytes),
		.copies = 1};
	p->a = a;
	if (all->ops->make(all->s, p)) {
		p->next = all->first;
		all->first = p;
		return p;
	}
	pool_free(all, p);
	return NULL;
}

/* --- use ---------------------------------------------------------------------------- */

bool
pool_check(struct pools *all, struct pool *p)
{
	if (!all->ops->check(all->s, p)) {
		p->filled = false;
		return false;
	}
	p->rotated = p->used = false;
	return true;
}

/* What a candidate that nobody looked at afterwards left behind. */
static bool
pool_recover(struct pools *all, struct pool *p)
{
	if (!p->used)
		return true;
	if (!pool_check(all, p) && all->call->f->status != RESULT_WRONG)
		return false;
	*all->call->f = (struct fault){0};
	p->used = false;
	return true;
}

static bool
pool_fill(struct pools *all, struct pool *p)
{
	if (!p->filled)
		p->filled = all->ops->fill(all->s, p);
	return p->filled;
}

struct pool *
pool_get(struct pools *all, const struct bench_request *q)
{
	struct arena *a = all->call->a;
	struct str key = str_fmt(a, "%llu/%.*s", (unsigned long long)q->seed,
		STR_ARG(args_input_text(a, q->args, q->n_args)));
	struct pool *p = all->first;
	if (q->n_args > POOL_ARGS_MAX) {
		refuse(all->call, RESULT_UNLAUNCHABLE,
			str_fmt(a, "%zu arguments are too many", q->n_args));
		return NULL;
	}
	while (p && !str_eq(p->key, key))
		p = p->next;
	if (!p)
		p = pool_make(all, q, key);
	if (!p || !pool_recover(all, p) || !pool_fill(all, p))
		return NULL;
	p->users++;
	return p;
}

void
pool_drop(struct pool **p)
{
	if (*p)
		(*p)->users--;
	*p = NULL;
}

/* --- what backends have in common --------------------------------------------------- */

bool
pool_is_input(const struct arg *v)
{
	return v->pointer && v->input && !v->output && v->count;
}

bool
pool_is_inout(const struct arg *v)
{
	return v->pointer && v->input && v->output && v->count;
}

unsigned
pool_copies_wanted(uint64_t cache_bytes, uint64_t bytes)
{
	uint64_t n = bytes ? (3 * cache_bytes + bytes - 1) / bytes : 1;
	if (bytes && n < 2)
		n = 2;
	return (unsigned)(n > POOL_COPIES_MAX ? POOL_COPIES_MAX : n);
}

unsigned char *
pool_pattern(struct arena *a, size_t n)
{
	unsigned char *p = arena_alloc(a, n + 8);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t word = rng_at(0x6c616e65, i);
		memcpy(p + i, &word, 8);
	}
	return p;
}

bool
pool_wrote_outside(const struct call *c, const struct arg *v, size_t changed, bool after)
{
	return refuse(c, RESULT_WRONG,
		str_fmt(c->a, "wrote outside '%.*s': %zu bytes %s it changed",
			STR_ARG(v->name), changed, after ? "after" : "before"));
}

struct str
pool_input_text(struct arena *a, const struct arg *v)
{
	return str_fmt(a,
		"wrote into '%.*s', which is an input only (if that is meant, "
		"declare it as input and output)",
		STR_ARG(v->name));
}

bool
pool_wrote_input(const struct call *c, const struct arg *v)
{
	return refuse(c, RESULT_WRONG, pool_input_text(c->a, v));
}
