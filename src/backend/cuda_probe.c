#include "backend/cuda_probe.h"

#include "backend/nvml.h"
#include "base/arena.h"
#include "base/buf.h"

struct str
cuda_uuid_text(struct arena *a, const unsigned char bytes[16])
{
	struct buf b = {.a = a};
	buf_adds(&b, "GPU");
	for (int i = 0; i < 16; i++) {
		bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
		buf_addf(&b, "%s%02x", dash ? "-" : "", bytes[i]);
	}
	return buf_str(&b);
}

static struct str
uuid_of(struct arena *a, const struct cuda_api *api, cu_device dev)
{
	struct cu_uuid u = {{0}};
	if (api->device_uuid(&u, dev) != CU_OK)
		return (struct str){0};
	return cuda_uuid_text(a, u.bytes);
}

static bool
pick(struct arena *a, const struct cuda_api *api, struct str which, cu_device *dev,
	struct str *why)
{
	int n = 0;
	uint64_t index = 0;
	cu_result e = api->device_count(&n);
	if (e != CU_OK || n == 0) {
		*why = str_fmt(a, "no CUDA device: %s",
			cuda_error(a, api, e ? e : CU_NO_DEVICE));
		return false;
	}
	bool by_index = which.n == 0 || str_to_u64(which, &index);
	for (int i = 0; i < n; i++) {
		if (api->device_get(dev, i) != CU_OK)
			continue;
		if (by_index ? index == (uint64_t)i
			     : str_eq(which, uuid_of(a, api, *dev)))
			return true;
	}
	*why = str_fmt(a, "no CUDA device '%.*s' among the %d here", STR_ARG(which), n);
	return false;
}

static int64_t
attribute(const struct cuda_api *api, cu_device dev, int what)
{
	int v = 0;
	return api->device_attribute(&v, what, dev) == CU_OK ? v : 0;
}

/* FP32 lanes of one SM: the arithmetic throughput table of the CUDA C++ Programming Guide
 * 13, "32-bit floating-point add, multiply, multiply-add". */
static int64_t
fp32_lanes(int major, int minor)
{
	return major == 7 || (major == 8 && minor == 0) ? 64 : 128;
}

static void
fill_limits(struct device *d, const struct cuda_api *api, cu_device dev)
{
	d->max_threads_per_block = attribute(api, dev, CU_ATTR_MAX_THREADS);
	for (int i = 0; i < 3; i++) {
		d->max_block_dim[i] = attribute(api, dev, CU_ATTR_BLOCK_X + i);
		d->max_grid_dim[i] = attribute(api, dev, CU_ATTR_GRID_X + i);
	}
	d->max_threads_per_sm = attribute(api, dev, CU_ATTR_SM_THREADS);
	d->max_blocks_per_sm = attribute(api, dev, CU_ATTR_SM_BLOCKS);
	d->registers_per_sm = attribute(api, dev, CU_ATTR_SM_REGISTERS);
	/* Both hold for every architecture since Volta: CUDA C++ Programming Guide 13,
	 * technical specifications, and cuda_occupancy.h. */
	d->max_registers_per_thread = 255;
	d->register_alloc_unit = 256;
	d->shared_per_sm_bytes = attribute(api, dev, CU_ATTR_SM_SHARED);
	d->shared_per_block_bytes = attribute(api, dev, CU_ATTR_SHARED);
	d->shared_per_block_optin_bytes = attribute(api, dev, CU_ATTR_SHARED_OPTIN);
	d->reserved_shared_per_block_bytes = attribute(api, dev, CU_ATTR_SHARED_RESERVED);
	/* The portable cluster size of the same guide, "Thread Block Clusters". */
	d->max_cluster_blocks = attribute(api, dev, CU_ATTR_CLUSTER) ? 8 : 1;
}

static void
fill_rates(struct device *d, const struct cuda_api *api, cu_device dev)
{
	double memory_khz = (double)attribute(api, dev, CU_ATTR_MEMORY_KHZ);
	d->sm_count = attribute(api, dev, CU_ATTR_SMS);
	d->warp_size = attribute(api, dev, CU_ATTR_WARP);
	d->l2_bytes = attribute(api, dev, CU_ATTR_L2);
	d->sm_clock_mhz = attribute(api, dev, CU_ATTR_CLOCK_KHZ) / 1000;
	d->memory_clock_mhz = (int64_t)memory_khz / 1000;
	d->memory_bus_bits = attribute(api, dev, CU_ATTR_BUS_BITS);
	d->memory_bandwidth_gbps =
		2 * memory_khz * 1e3 * (double)d->memory_bus_bits / 8 / 1e9;
	d->fp32_lanes_per_sm = fp32_lanes(d->cc_major, d->cc_minor);
}

struct device *
cuda_probe(struct arena *a, const struct cuda_api *api, struct str which, cu_device *dev,
	struct str *why)
{
	if (!pick(a, api, which, dev, why))
		return NULL;
	struct device *d = arena_new(a, struct device);
	char name[256] = {0};
	int version = 0;
	if (api->device_name(name, sizeof name - 1, *dev) == CU_OK)
		d->name = str_dup(a, str_of(name));
	d->uuid = uuid_of(a, api, *dev);
	d->driver = nvml_driver_version(a);
	if (d->driver.n == 0 && api->driver_version(&version) == CU_OK)
		d->driver = str_fmt(a, "CUDA-%d.%d", version / 1000, version % 1000 / 10);
	d->cc_major = (int)attribute(api, *dev, CU_ATTR_CC_MAJOR);
	d->cc_minor = (int)attribute(api, *dev, CU_ATTR_CC_MINOR);
	fill_limits(d, api, *dev);
	fill_rates(d, api, *dev);
	return d;
}
