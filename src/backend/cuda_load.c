#include "backend/cuda_session.h"

#include "backend/cuda_library.h"
#include "backend/image.h"
#include "base/arena.h"
#include "base/buf.h"

enum { LOG_BYTES = 8192 };

static bool
unlaunchable(struct session *s, struct str reason)
{
	return cuda_refuse(s, RESULT_UNLAUNCHABLE, reason);
}

/* The driver's compiler explains PTX that it does not take. */
static bool
load_failed(struct session *s, cu_result e, const char *log)
{
	struct str words = str_trim(str_of(log)), *reason = &s->call.f->reason;
	cuda_fault(s, STEP_LOAD, e, "the driver does not load the module");
	if (words.n)
		*reason = str_fmt(
			s->call.a, "%.*s: %.*s", STR_ARG(*reason), STR_ARG(words));
	return false;
}

static bool
module_load(struct session *s, struct loaded *l)
{
	char *log = arena_alloc(l->a, LOG_BYTES + 1);
	cu_enum options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
	struct str image = l->q->artifact;
	if (image.n == 0)
		return cuda_refuse(s, RESULT_UNLOADABLE, STR_LIT("the module is empty"));
	if (image_is_elf(image) && !image_is_whole(image))
		return cuda_refuse(s, RESULT_UNLOADABLE, STR_LIT("the cubin is damaged"));
	const char *sampled = image_textures(l->a, image, l->q->entry);
	if (sampled)
		return unlaunchable(s,
			str_fmt(s->call.a,
				"the kernel uses a texture or a surface (%s), which has "
				"no text form in the spec: read the data through a "
				"pointer instead",
				sampled));
	/* PTX has to end in a NUL; the copy makes sure. */
	const char *text = arena_copy(l->a, image.s, image.n);
	cu_result e = s->api.module_load(&l->module, text, 2, options, values);
	if (e == CU_OK)
		return true;
	l->module = NULL;
	return load_failed(s, e, log);
}

/* A parameter list that does not fit makes the driver read past ours. */
static bool
params_fit(struct session *s, const struct loaded *l)
{
	const struct bench_request *q = l->q;
	size_t n = 0, offset, bytes;
	if (!s->api.function_param)
		return true;
	while (s->api.function_param(l->function, n, &offset, &bytes) == CU_OK) {
		if (n == q->n_args)
			return unlaunchable(
				s, str_fmt(s->call.a,
					   "the kernel takes more than the %zu arguments "
					   "given",
					   n));
		const struct arg *v = &q->args[n];
		size_t want = v->pointer ? sizeof(cu_pointer) : dtype_bytes(v->type);
		if (bytes != want)
			return unlaunchable(
				s, str_fmt(s->call.a,
					   "argument '%.*s' has %zu bytes, the kernel's "
					   "parameter %zu has %zu",
					   STR_ARG(v->name), want, n, bytes));
		n++;
	}
	if (n == q->n_args)
		return true;
	return unlaunchable(
		s, str_fmt(s->call.a, "the kernel takes %zu arguments, %zu are given", n,
			   q->n_args));
}

static bool
shared_allow(struct session *s, const struct loaded *l)
{
	uint64_t bytes = l->q->launch.shared_bytes;
	if (bytes == 0)
		return true;
	cu_result e = bytes > INT32_MAX ? CU_INVALID_VALUE
					: s->api.function_set(l->function,
						  CU_FUNC_DYNAMIC_SHARED, (int)bytes);
	if (e == CU_OK)
		return true;
	return cuda_fault(s, STEP_LAUNCH, e,
		str_fmt(s->call.a, "%llu bytes of dynamic shared memory",
			(unsigned long long)bytes)
			.s);
}

static bool
dims_fit(struct session *s, const struct launch *l)
{
	const uint64_t v[] = {l->block.x, l->block.y, l->block.z, l->grid.x, l->grid.y,
		l->grid.z, l->cluster.x, l->cluster.y, l->cluster.z, l->shared_bytes};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		if (v[i] > UINT32_MAX)
			return unlaunchable(
				s, str_fmt(s->call.a, "%llu does not fit a launch",
					   (unsigned long long)v[i]));
	}
	return true;
}

static bool
cluster_allow(struct session *s, const struct loaded *l)
{
	if (dim_volume(l->q->launch.cluster) <= 8) /* the portable size */
		return true;
	cu_result e = s->api.function_set(l->function, CU_FUNC_BIG_CLUSTER, 1);
	return e == CU_OK ||
	       cuda_fault(s, STEP_LAUNCH, e, "clusters of more than 8 blocks");
}

static void
launch_make(struct session *s, struct loaded *l)
{
	const struct launch *shape = &l->q->launch;
	struct cu_launch_attribute *v = l->attribute;
	unsigned n = 0;
	if (shape->cooperative) {
		v[n].id = CU_LAUNCH_COOPERATIVE;
		v[n++].value.cooperative = 1;
	}
	if (dim_volume(shape->cluster) > 1) {
		v[n].id = CU_LAUNCH_CLUSTER;
		v[n].value.cluster.x = (unsigned)shape->cluster.x;
		v[n].value.cluster.y = (unsigned)shape->cluster.y;
		v[n++].value.cluster.z = (unsigned)shape->cluster.z;
	}
	if (shape->programmatic) {
		v[n].id = CU_LAUNCH_PROGRAMMATIC;
		v[n++].value.programmatic = 1;
	}
	l->launch = (struct cu_launch){(unsigned)shape->grid.x, (unsigned)shape->grid.y,
		(unsigned)shape->grid.z, (unsigned)shape->block.x,
		(unsigned)shape->block.y, (unsigned)shape->block.z,
		(unsigned)shape->shared_bytes, s->stream, l->attribute, n};
}

/* The values go through the stage, and are there when the first launch begins. */
static bool
constant_set(struct session *s, struct loaded *l, const struct constant *c)
{
	cu_pointer to = 0;
	size_t bytes = 0, each = dtype_bytes(c->type);
	unsigned long long want = c->count * each;
	cu_result e = s->api.module_global(&to, &bytes, l->module, str_c(l->a, c->name));
	if (e != CU_OK)
		return cuda_fault(s, STEP_LOAD, e,
			str_fmt(s->call.a, "constant '%.*s'", STR_ARG(c->name)).s);
	if (bytes != want)
		return cuda_refuse(s, RESULT_UNLOADABLE,
			str_fmt(s->call.a,
				"constant '%.*s' has %zu bytes in the module, %llu in "
				"the spec",
				STR_ARG(c->name), bytes, want));
	for (uint64_t i = 0; i < c->count; i++)
		memcpy(s->stage[0] + i * each, &c->bits[i], each); /* little endian */
	e = s->api.copy_in_async(to, s->stage[0], bytes, s->stream);
	if (e != CU_OK)
		return cuda_fault(s, STEP_RUN, e, "setting a constant");
	return cuda_wait_for(s, NULL, cuda_move_deadline(bytes));
}

bool
cuda_load_kernel(struct session *s, struct loaded *l)
{
	const struct bench_request *q = l->q;
	if (!dims_fit(s, &q->launch) || !module_load(s, l))
		return false;
	cu_result e =
		s->api.module_function(&l->function, l->module, str_c(l->a, q->entry));
	if (e != CU_OK)
		return cuda_fault(s, STEP_LOAD, e,
			str_fmt(s->call.a, "kernel '%.*s'", STR_ARG(q->entry)).s);
	if (!params_fit(s, l) || !shared_allow(s, l) || !cluster_allow(s, l))
		return false;
	for (size_t i = 0; i < q->n_constants; i++) {
		if (!constant_set(s, l, &q->constants[i]))
			return false;
	}
	launch_make(s, l);
	return true;
}

void
cuda_params(struct loaded *l, unsigned copies)
{
	size_t n = l->q->n_args;
	if (copies <= l->params_copies)
		return;
	l->params = arena_news(l->a, n * copies + 1, void *);
	l->at = arena_news(l->a, n * copies + 1, cu_pointer);
	l->params_copies = copies;
	for (size_t i = 0; i < n * copies; i++) {
		const struct cuda_buffer *b = cuda_buffer(l->pool, i % n);
		bool pointer = l->q->args[i % n].pointer;
		if (pointer)
			l->at[i] = cuda_buffer_at(b, (unsigned)(i / n));
		l->params[i] = pointer ? (void *)&l->at[i] : (void *)&l->bits[i % n];
	}
}

bool
cuda_submit(struct session *s, struct loaded *l, unsigned copy)
{
	void **params = l->params + copy * l->q->n_args;
	l->pool->used = true;
	if (l->library)
		return cuda_library_launch(s, l, copy);
	cu_result e = s->api.launch(&l->launch, l->function, params, NULL);
	return e == CU_OK || cuda_fault(s, STEP_LAUNCH, e, "the launch was refused");
}
