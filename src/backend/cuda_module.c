#include "backend/cuda_run.h"

#include "base/arena.h"
#include "base/buf.h"

enum { LOG_BYTES = 8192 };

static bool
is_elf(struct str s)
{
	return s.n >= 4 && memcmp(s.s, "\177ELF", 4) == 0;
}

/* The driver's compiler explains PTX that it does not take. */
static bool
load_failed(struct cuda *c, cu_result e, const char *log)
{
	struct str words = str_trim(str_of(log));
	cuda_fail(c, CUDA_LOAD, e, "the driver does not load the module");
	if (words.n)
		c->r->reason = str_fmt(
			c->a, "%.*s: %.*s", STR_ARG(c->r->reason), STR_ARG(words));
	return false;
}

static bool
module_load(struct cuda *c, cu_module *m)
{
	char *log = arena_alloc(c->a, LOG_BYTES + 1);
	cu_enum options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
	if (c->q->artifact.n == 0)
		return cuda_stop(c, RESULT_UNLOADABLE, STR_LIT("the module is empty"));
	if (is_elf(c->q->artifact) && !image_is_whole(c->q->artifact))
		return cuda_stop(c, RESULT_UNLOADABLE, STR_LIT("the cubin is damaged"));
	/* PTX has to end in a NUL; the copy makes sure. */
	const char *image = arena_copy(c->a, c->q->artifact.s, c->q->artifact.n);
	cu_result e = c->api.module_load(m, image, 2, options, values);
	return e == CU_OK || load_failed(c, e, log);
}

/* A parameter list that does not fit makes the driver read past ours. */
static bool
params_fit(struct cuda *c)
{
	size_t n = 0, offset, bytes;
	if (!c->api.function_param)
		return true;
	while (c->api.function_param(c->function, n, &offset, &bytes) == CU_OK) {
		const struct arg *v = &c->q->args[n];
		if (n == c->q->n_args)
			return cuda_stop(c, RESULT_UNLAUNCHABLE,
				str_fmt(c->a,
					"the kernel takes more than the %zu arguments "
					"given",
					n));
		size_t want = v->pointer ? sizeof(cu_pointer) : dtype_bytes(v->type);
		if (bytes != want)
			return cuda_stop(c, RESULT_UNLAUNCHABLE,
				str_fmt(c->a,
					"argument '%.*s' has %zu bytes, the kernel's "
					"parameter %zu has %zu",
					STR_ARG(v->name), want, n, bytes));
		n++;
	}
	if (n == c->q->n_args)
		return true;
	return cuda_stop(c, RESULT_UNLAUNCHABLE,
		str_fmt(c->a, "the kernel takes %zu arguments, %zu are given", n,
			c->q->n_args));
}

static bool
params_make(struct cuda *c)
{
	c->params = arena_news(c->a, c->q->n_args + 1, void *);
	uint64_t *bits = arena_news(c->a, c->q->n_args + 1, uint64_t);
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		if (!v->pointer && !v->known)
			return cuda_stop(c, RESULT_UNLAUNCHABLE,
				str_fmt(c->a,
					"argument '%.*s' has no value; give it one in "
					"the spec",
					STR_ARG(v->name)));
		bits[i] = v->bits;
		c->params[i] = v->pointer ? (void *)&c->buffer[i].at : (void *)&bits[i];
	}
	return true;
}

static bool
shared_allow(struct cuda *c)
{
	uint64_t bytes = c->q->launch.shared_bytes;
	if (bytes == 0)
		return true;
	cu_result e = bytes > INT32_MAX ? CU_INVALID_VALUE
					: c->api.function_set(c->function,
						  CU_FUNC_DYNAMIC_SHARED, (int)bytes);
	if (e == CU_OK)
		return true;
	cuda_fail(c, CUDA_LAUNCH, e,
		str_fmt(c->a, "%llu bytes of dynamic shared memory",
			(unsigned long long)bytes)
			.s);
	return false;
}

static bool
dims_fit(struct cuda *c)
{
	const struct launch *l = &c->q->launch;
	const uint64_t v[] = {l->block.x, l->block.y, l->block.z, l->grid.x, l->grid.y,
		l->grid.z, l->cluster.x, l->cluster.y, l->cluster.z, l->shared_bytes};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		if (v[i] > UINT32_MAX)
			return cuda_stop(c, RESULT_UNLAUNCHABLE,
				str_fmt(c->a, "%llu does not fit a launch",
					(unsigned long long)v[i]));
	}
	return true;
}

static bool
cluster_allow(struct cuda *c)
{
	uint64_t blocks = dim_volume(c->q->launch.cluster);
	if (blocks <= 8) /* the portable size */
		return true;
	cu_result e = c->api.function_set(c->function, CU_FUNC_BIG_CLUSTER, 1);
	return e == CU_OK ||
	       cuda_fail(c, CUDA_LAUNCH, e, "clusters of more than 8 blocks");
}

static void
launch_make(struct cuda *c)
{
	const struct launch *l = &c->q->launch;
	unsigned n = 0;
	if (l->cooperative) {
		c->attribute[n].id = CU_LAUNCH_COOPERATIVE;
		c->attribute[n++].value.cooperative = 1;
	}
	if (dim_volume(l->cluster) > 1) {
		c->attribute[n].id = CU_LAUNCH_CLUSTER;
		c->attribute[n].value.cluster.x = (unsigned)l->cluster.x;
		c->attribute[n].value.cluster.y = (unsigned)l->cluster.y;
		c->attribute[n++].value.cluster.z = (unsigned)l->cluster.z;
	}
	c->launch = (struct cu_launch){(unsigned)l->grid.x, (unsigned)l->grid.y,
		(unsigned)l->grid.z, (unsigned)l->block.x, (unsigned)l->block.y,
		(unsigned)l->block.z, (unsigned)l->shared_bytes, c->stream, c->attribute,
		n};
}

bool
cuda_module_load(struct cuda *c)
{
	cu_module m = NULL;
	c->buffer = arena_news(c->a, c->q->n_args + 1, struct cuda_buffer);
	if (!dims_fit(c) || !module_load(c, &m))
		return false;
	cu_result e = c->api.module_function(&c->function, m, str_c(c->a, c->q->entry));
	if (e != CU_OK)
		return cuda_fail(c, CUDA_LOAD, e,
			str_fmt(c->a, "kernel '%.*s'", STR_ARG(c->q->entry)).s);
	if (!params_fit(c) || !params_make(c) || !shared_allow(c) || !cluster_allow(c))
		return false;
	launch_make(c);
	return true;
}

bool
cuda_launch(struct cuda *c)
{
	cu_result e = c->api.launch(&c->launch, c->function, c->params, NULL);
	return e == CU_OK || cuda_fail(c, CUDA_LAUNCH, e, "the launch was refused");
}
