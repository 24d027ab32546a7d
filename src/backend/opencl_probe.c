#include "backend/opencl_probe.h"

#include "base/arena.h"
#include "base/hash.h"

enum { PLATFORMS_MAX = 32, DEVICES_MAX = 64, TEXT_MAX = 1024 };

static struct str
platform_text(struct arena *a, const struct opencl_api *api, ocl_platform p, int what)
{
	char text[TEXT_MAX] = {0};
	if (api->platform_info(p, (ocl_uint)what, sizeof text - 1, text, NULL) != OCL_OK)
		return (struct str){0};
	return str_dup(a, str_trim(str_of(text)));
}

static struct str
device_text(struct arena *a, const struct opencl_api *api, ocl_device d, int what)
{
	char text[TEXT_MAX] = {0};
	if (api->device_info(d, (ocl_uint)what, sizeof text - 1, text, NULL) != OCL_OK)
		return (struct str){0};
	return str_dup(a, str_trim(str_of(text)));
}

/* A cl_uint, a cl_ulong or a size_t, whichever it is; 0: not told. */
static int64_t
number(const struct opencl_api *api, ocl_device d, int what)
{
	uint64_t v = 0; /* little endian: the low bytes are the value */
	if (api->device_info(d, (ocl_uint)what, sizeof v, &v, NULL) != OCL_OK)
		return 0;
	return v > INT32_MAX ? INT32_MAX : (int64_t)v;
}

static int64_t
at_least(int64_t v, int64_t least)
{
	return v < least ? least : v;
}

static void
fill_limits(struct device *out, const struct opencl_api *api, ocl_device d)
{
	size_t items[8] = {0};
	int64_t local = at_least(number(api, d, OCL_DEVICE_LOCAL), 1);
	out->max_threads_per_block = at_least(number(api, d, OCL_DEVICE_GROUP), 32);
	out->max_threads_per_sm = out->max_threads_per_block;
	out->max_blocks_per_sm = 1;
	if (api->device_info(d, OCL_DEVICE_ITEMS, sizeof items, items, NULL) == OCL_OK)
		for (int i = 0; i < 3; i++)
			out->max_block_dim[i] =
				items[i] > INT32_MAX ? INT32_MAX : (int64_t)items[i];
	for (int i = 0; i < 3; i++)
		out->max_grid_dim[i] = INT32_MAX;
	out->shared_per_sm_bytes = out->shared_per_block_bytes =
		out->shared_per_block_optin_bytes = local;
	out->reserved_shared_per_block_bytes = 0;
	out->max_cluster_blocks = 1;
}

static struct str
uuid_of(struct arena *a, const struct device *d, size_t nth)
{
	struct str whole =
		str_fmt(a, "%zu %.*s %.*s", nth, STR_ARG(d->name), STR_ARG(d->driver));
	return str_fmt(a, "OPENCL-%s", hash_short(a, whole, 16));
}

/* The runtime's version and the number of its threads are part of what is measured. */
static struct device *
describe(struct arena *a, const struct opencl_api *api, ocl_platform p, ocl_device d)
{
	struct device *out = arena_new(a, struct device);
	struct str name = platform_text(a, api, p, OCL_PLATFORM_NAME);
	(void)device_of_cc(a, 8, 0, out);
	fill_limits(out, api, d);
	out->sm_count = at_least(number(api, d, OCL_DEVICE_UNITS), 1);
	out->sm_clock_mhz = at_least(number(api, d, OCL_DEVICE_MHZ), 1);
	out->l2_bytes = number(api, d, OCL_DEVICE_CACHE);
	out->name = str_fmt(a, "%.*s (%.*s)",
		STR_ARG(device_text(a, api, d, OCL_DEVICE_NAME)), STR_ARG(name));
	out->driver = str_fmt(a, "%.*s %.*s, %lld unit%s", STR_ARG(name),
		STR_ARG(device_text(a, api, d, OCL_DRIVER_VERSION)),
		(long long)out->sm_count, str_plural(out->sm_count));
	out->backend = STR_LIT("opencl");
	out->described = false;
	return out;
}

/* Devices that say the same of themselves are told apart by their order. */
static void
name_each(struct arena *a, struct opencl_here *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t nth = 0;
		for (size_t k = 0; k < i; k++)
			nth += str_eq(v[k].as->name, v[i].as->name) &&
			       str_eq(v[k].as->driver, v[i].as->driver);
		v[i].as->uuid = uuid_of(a, v[i].as, nth);
	}
}

static size_t
list_all(struct arena *a, const struct opencl_api *api, struct opencl_here **out)
{
	ocl_platform p[PLATFORMS_MAX];
	ocl_device d[DEVICES_MAX];
	ocl_uint n_p = 0, n_d = 0;
	size_t n = 0, cap = 0;
	*out = NULL;
	/* Without any runtime the loader gives an error (CL_PLATFORM_NOT_FOUND_KHR). */
	if (api->platforms(PLATFORMS_MAX, p, &n_p) != OCL_OK)
		n_p = 0;
	for (ocl_uint i = 0; i < n_p && i < PLATFORMS_MAX; i++) {
		if (api->devices(p[i], UINT32_MAX, DEVICES_MAX, d, &n_d) != OCL_OK)
			continue;
		for (ocl_uint k = 0; k < n_d && k < DEVICES_MAX; k++) {
			arena_grow(a, *out, n, cap);
			(*out)[n++] = (struct opencl_here){
				p[i], d[k], describe(a, api, p[i], d[k])};
		}
	}
	name_each(a, *out, n);
	return n;
}

size_t
opencl_list(struct arena *a, const struct opencl_api *api, struct opencl_here **out,
	struct str *why)
{
	struct opencl_pin pin; /* the first question is what starts PoCL's threads */
	opencl_pin(&pin);
	size_t n = list_all(a, api, out);
	opencl_unpin(&pin);
	if (!n)
		*why = STR_LIT(
			"no OpenCL device: no runtime is installed, or none has "
			"one (Debian package 'pocl-opencl-icd' makes the CPU one)");
	return n;
}

bool
opencl_pick(struct arena *a, const struct opencl_api *api, struct str which,
	struct opencl_here *out, struct str *why)
{
	struct opencl_here *all;
	uint64_t index = 0;
	size_t n = opencl_list(a, api, &all, why);
	bool by_index = which.n == 0 || str_to_u64(which, &index);
	for (size_t i = 0; i < n; i++) {
		*out = all[i];
		if (by_index ? index == i : str_eq(which, all[i].as->uuid))
			return true;
	}
	if (n)
		*why = str_fmt(a, "no OpenCL device '%.*s' among the %zu here",
			STR_ARG(which), n);
	return false;
}
