#include "backend/opencl_session.h"

#include "base/buf.h"
#include "model/clsource.h"

/* As lowered for a GPU: a warp (docs/SAFETY.md). */
enum { SUBGROUP = 32 };

/* --- the build and its log ---------------------------------------------------------- */

static struct str
build_log(struct session *s, ocl_program p)
{
	size_t n = 0;
	ocl_device d = s->here.device;
	if (s->api.build_info(p, d, OCL_BUILD_LOG, 0, NULL, &n) != OCL_OK || n < 2)
		return (struct str){0};
	char *text = arena_alloc(s->call.a, n + 1);
	if (s->api.build_info(p, d, OCL_BUILD_LOG, n, text, NULL) != OCL_OK)
		return (struct str){0};
	return str_of(text);
}

/* "NAME:12:5: error: TEXT" of clang, as it is; else the first line that holds "error".
 */
static struct str
log_error(struct str log)
{
	struct str line, first = {0};
	while (str_line(&log, &line)) {
		if (str_has(line, STR_LIT(": error: ")))
			return str_trim(line);
		if (!first.n && str_has(line, STR_LIT("error")))
			first = str_trim(line);
	}
	return first;
}

static bool
has_subgroups(struct session *s)
{
	size_t n = 0;
	ocl_device d = s->here.device;
	if (s->api.device_info(d, OCL_DEVICE_EXTENSIONS, 0, NULL, &n) != OCL_OK)
		return false;
	char *text = arena_alloc(s->call.a, n + 1);
	return s->api.device_info(d, OCL_DEVICE_EXTENSIONS, n, text, NULL) == OCL_OK &&
	       str_has(str_of(text), STR_LIT("_subgroups"));
}

static bool
build_failed(struct session *s, ocl_int e, ocl_program p)
{
	struct str said = log_error(build_log(s, p));
	if (!said.n)
		return opencl_fault(s, OCL_LOAD, e, "the runtime does not build it");
	bool asks = str_has(said, STR_LIT("sub_group")) && !has_subgroups(s);
	return opencl_refuse(s, RESULT_UNLOADABLE,
		str_fmt(s->call.a, "%s: %.*s",
			asks ? "the device has no sub-groups (it lists no "
			       "cl_khr_subgroups), so the runtime does not build it"
			     : "the runtime does not build it",
			STR_ARG(said)));
}

bool
opencl_build(struct session *s, struct str text, struct str options, ocl_program *out)
{
	ocl_int e = OCL_OK;
	const char *at = text.s;
	/* Which parameter is a __local one is asked for, and has to be kept for that. */
	const char *words =
		str_fmt(s->call.a, "%.*s -cl-kernel-arg-info", STR_ARG(options)).s;
	*out = s->api.program_create(s->context, 1, &at, &text.n, &e);
	if (e != OCL_OK) {
		*out = NULL;
		return opencl_fault(s, OCL_LOAD, e, "the runtime takes no source");
	}
	e = s->api.program_build(*out, 1, &s->here.device, words, NULL, NULL);
	return e == OCL_OK || build_failed(s, e, *out);
}

/* --- the launch --------------------------------------------------------------------- */

static bool
unlaunchable(struct session *s, struct str reason)
{
	return opencl_refuse(s, RESULT_UNLAUNCHABLE, reason);
}

static bool
shape_take(struct session *s, struct loaded *l)
{
	const struct launch *q = &l->q->launch;
	const uint64_t block[3] = {q->block.x, q->block.y, q->block.z};
	const uint64_t grid[3] = {q->grid.x, q->grid.y, q->grid.z};
	if (dim_volume(q->cluster) > 1 || q->cooperative || q->programmatic)
		return unlaunchable(
			s, STR_LIT("OpenCL has no clusters, cooperative or programmatic "
				   "launches"));
	for (int i = 0; i < 3; i++) {
		if (block[i] > UINT32_MAX || grid[i] > UINT32_MAX)
			return unlaunchable(s, STR_LIT("it does not fit a launch"));
		l->local[i] = (size_t)block[i];
		l->global[i] = (size_t)(block[i] * grid[i]);
	}
	return true;
}

/* What the runtime made of it may need more than the device has for a work-group. */
static bool
limits_fit(struct session *s, struct loaded *l)
{
	size_t most = 0, fixed[3] = {0};
	uint64_t local = 0;
	ocl_device d = s->here.device;
	unsigned long long items = dim_volume(l->q->launch.block);
	(void)s->api.group_info(l->kernel, d, OCL_KERNEL_GROUP, sizeof most, &most, NULL);
	(void)s->api.group_info(
		l->kernel, d, OCL_KERNEL_FIXED_GROUP, sizeof fixed, fixed, NULL);
	(void)s->api.group_info(
		l->kernel, d, OCL_KERNEL_LOCAL, sizeof local, &local, NULL);
	if (fixed[0] && memcmp(fixed, l->local, sizeof fixed) != 0)
		return unlaunchable(
			s, str_fmt(s->call.a,
				   "a work-group of %zu,%zu,%zu; the kernel requires "
				   "%zu,%zu,%zu (reqd_work_group_size)",
				   l->local[0], l->local[1], l->local[2], fixed[0],
				   fixed[1], fixed[2]));
	if (most && items > most)
		return unlaunchable(
			s, str_fmt(s->call.a,
				   "%llu work-items in a work-group, the limit for this "
				   "kernel is %zu",
				   items, most));
	local += l->q->launch.shared_bytes;
	if (local > (uint64_t)s->dev->shared_per_block_optin_bytes)
		return unlaunchable(
			s, str_fmt(s->call.a,
				   "%llu bytes of local memory, the device has %lld",
				   (unsigned long long)local,
				   (long long)s->dev->shared_per_block_optin_bytes));
	return true;
}

/*
 * The gate judged sub-groups of 32, in the order of the local ids.  In others, other
 * work-items meet, and its verdict is about another kernel.
 */
static bool
subgroups_fit(struct session *s, struct loaded *l, struct str text)
{
	size_t n = 0;
	unsigned long long items = dim_volume(l->q->launch.block);
	if (!clsource_calls_subgroups(text))
		return true;
	if (!s->api.subgroup_info ||
		s->api.subgroup_info(l->kernel, s->here.device, OCL_KERNEL_SUBGROUP,
			sizeof l->local, l->local, sizeof n, &n, NULL) != OCL_OK)
		return unlaunchable(s,
			STR_LIT("the runtime does not tell the size of its sub-groups; "
				"the gate judged sub-groups of 32 work-items"));
	return n == SUBGROUP || (items <= SUBGROUP && n >= items) ||
	       unlaunchable(
		       s, str_fmt(s->call.a,
				  "sub-groups have %zu work-items here, the gate judged "
				  "those of %d",
				  n, SUBGROUP));
}

bool
opencl_load_kernel(struct session *s, struct loaded *l)
{
	const struct bench_request *q = l->q;
	struct clsource source;
	ocl_int e = OCL_OK;
	if (q->library.n)
		return unlaunchable(s,
			STR_LIT("library functions are not called on an OpenCL device"));
	if (q->n_constants)
		return unlaunchable(s, STR_LIT("OpenCL has no symbols to set"));
	if (!clsource_find(l->a, q->artifact, &source))
		return opencl_refuse(s, RESULT_UNLOADABLE,
			STR_LIT("it was not made of OpenCL C, which is all that this "
				"device runs"));
	if (!shape_take(s, l) ||
		!opencl_build(s, source.text, source.options, &l->program))
		return false;
	l->kernel = s->api.kernel_create(l->program, str_c(l->a, q->entry), &e);
	if (e != OCL_OK) {
		l->kernel = NULL;
		return opencl_fault(s, OCL_LOAD, e,
			str_fmt(s->call.a, "kernel '%.*s'", STR_ARG(q->entry)).s);
	}
	return limits_fit(s, l) && subgroups_fit(s, l, source.text);
}

void
opencl_drop_kernel(struct session *s, struct loaded *l)
{
	if (l->kernel)
		(void)s->api.kernel_release(l->kernel);
	if (l->program)
		(void)s->api.program_release(l->program);
	l->kernel = NULL;
	l->program = NULL;
}

/* --- arguments ---------------------------------------------------------------------- */

static bool
is_local(struct session *s, const struct loaded *l, ocl_uint i)
{
	ocl_uint space = 0;
	return s->api.argument_info(l->kernel, i, OCL_ARGUMENT_SPACE, sizeof space,
		       &space, NULL) == OCL_OK &&
	       space == OCL_SPACE_LOCAL;
}

static bool
set_one(struct session *s, struct loaded *l, ocl_uint at, size_t i)
{
	const struct arg *v = &l->q->args[i];
	const struct opencl_buffer *b = opencl_buffer(s, l->pool, i);
	if (!v->pointer && !v->known)
		return unlaunchable(s,
			str_fmt(l->a,
				"argument '%.*s' has no value; give it one in the spec",
				STR_ARG(v->name)));
	ocl_int e = v->pointer
			    ? s->api.argument_set(l->kernel, at, sizeof b->part, &b->part)
			    : s->api.argument_set(
				      l->kernel, at, dtype_bytes(v->type), &v->bits);
	return e == OCL_OK ||
	       opencl_fault(s, OCL_LAUNCH, e,
		       str_fmt(s->call.a, "argument '%.*s'", STR_ARG(v->name)).s);
}

static bool
set_local(struct session *s, struct loaded *l, ocl_uint at)
{
	size_t bytes = (size_t)l->q->launch.shared_bytes;
	ocl_int e = s->api.argument_set(l->kernel, at, bytes, NULL);
	return e == OCL_OK ||
	       opencl_fault(s, OCL_LAUNCH, e,
		       "local memory (\"shared\" of \"launch\" in the spec)");
}

/* A __local parameter is no argument of the spec: it gets the launch's shared bytes. */
static bool
count_fits(struct session *s, const struct loaded *l, ocl_uint n)
{
	size_t locals = 0;
	for (ocl_uint at = 0; at < n; at++)
		locals += is_local(s, l, at);
	if (n - locals != l->q->n_args)
		return unlaunchable(
			s, str_fmt(l->a,
				   "the kernel has %zu parameters that are not __local, "
				   "'args' in the spec %zu",
				   n - locals, l->q->n_args));
	return locals < 2 ||
	       unlaunchable(s, STR_LIT("only one __local parameter can be given its "
				       "size (\"shared\" of \"launch\" in the spec)"));
}

bool
opencl_arguments(struct session *s, struct loaded *l)
{
	ocl_uint n = 0;
	size_t i = 0;
	ocl_int e =
		s->api.kernel_info(l->kernel, OCL_KERNEL_ARGUMENTS, sizeof n, &n, NULL);
	if (e != OCL_OK)
		return opencl_fault(s, OCL_LOAD, e, "the kernel's parameters");
	if (!count_fits(s, l, n))
		return false;
	for (ocl_uint at = 0; at < n; at++) {
		if (!(is_local(s, l, at) ? set_local(s, l, at) : set_one(s, l, at, i++)))
			return false;
	}
	return true;
}
