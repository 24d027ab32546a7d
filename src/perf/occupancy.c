#include "perf/occupancy.h"

#define SUB_PARTITIONS 4

static int64_t
round_up(int64_t x, int64_t unit)
{
	return (x + unit - 1) / unit * unit;
}

const char *
occupancy_limit_name(enum occupancy_limit l)
{
	static const char *const names[] = {
		"blocks", "warps", "registers", "shared memory", "barriers"};

	return (unsigned)l < sizeof names / sizeof *names ? names[l] : "?";
}

static void
take(struct occupancy *o, int64_t blocks, enum occupancy_limit limit)
{
	if (blocks < o->blocks_per_sm) {
		o->blocks_per_sm = blocks;
		o->limit = limit;
	}
}

static int64_t
by_registers(const struct device *dev, int64_t registers, int64_t warps)
{
	int64_t per_warp = round_up(registers * dev->warp_size, dev->register_alloc_unit);

	if (registers > dev->max_registers_per_thread)
		return 0;
	/* The hardware's launch check counts whole rounds over the sub-partitions. */
	if (per_warp * round_up(warps, SUB_PARTITIONS) > dev->registers_per_sm)
		return 0;
	return dev->registers_per_sm / SUB_PARTITIONS / per_warp * SUB_PARTITIONS / warps;
}

static int64_t
by_shared(const struct device *dev, int64_t static_bytes, uint64_t dynamic_bytes)
{
	int64_t unit = dev->cc_major >= 8 ? 128 : 256;
	int64_t reserved = dev->reserved_shared_per_block_bytes;
	int64_t most = dev->shared_per_block_optin_bytes, all;

	if (static_bytes > most || dynamic_bytes > (uint64_t)(most - static_bytes))
		return 0;
	all = round_up(static_bytes + (int64_t)dynamic_bytes + reserved, unit);
	if (all > most + reserved)
		return 0;
	return all ? dev->shared_per_sm_bytes / all : INT64_MAX;
}

static int64_t
by_barriers(const struct device *dev, int64_t barriers)
{
	int64_t held = dev->max_blocks_per_sm >= 32 ? 2 * dev->max_blocks_per_sm
						    : dev->max_blocks_per_sm;

	return held / barriers;
}

struct occupancy
occupancy_of(const struct device *dev, const struct facts *f, const struct launch *l)
{
	uint64_t threads = dim_volume(l->block);
	int64_t registers = f ? f->registers : -1, warps;
	int64_t fixed = f && f->static_shared_bytes > 0 ? f->static_shared_bytes : 0;
	struct occupancy o = {
		.blocks_per_sm = dev->max_blocks_per_sm,
		.registers_known = registers >= 0,
		.shared_known = f && f->static_shared_bytes >= 0,
	};

	if (threads == 0 || threads > (uint64_t)dev->max_threads_per_block ||
		(f && f->max_threads > 0 && threads > (uint64_t)f->max_threads)) {
		take(&o, 0, OCCUPANCY_WARPS);
		return o;
	}
	warps = round_up((int64_t)threads, dev->warp_size) / dev->warp_size;
	o.warps_per_block = warps;
	take(&o, dev->max_threads_per_sm / dev->warp_size / warps, OCCUPANCY_WARPS);
	if (registers > 0)
		take(&o, by_registers(dev, registers, warps), OCCUPANCY_REGISTERS);
	take(&o, by_shared(dev, fixed, l->shared_bytes), OCCUPANCY_SHARED);
	if (f && f->barriers > 0 && dev->cc_major >= 9)
		take(&o, by_barriers(dev, f->barriers), OCCUPANCY_BARRIERS);
	o.fraction = (double)(o.blocks_per_sm * warps) * (double)dev->warp_size /
		     (double)dev->max_threads_per_sm;
	return o;
}
