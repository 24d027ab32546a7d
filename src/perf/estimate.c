#include "perf/estimate.h"

#include "base/str.h"

#include <math.h>

#define NONE ((double)NAN)

/* The constants of docs/explanation/model.md; nominal, not fitted to any device. */
#define LAUNCH_FLOOR_NS        2000.0 /* back-to-back launches */
#define PEAK_SHARE             0.9 /* of the vendor's bandwidth that a kernel reaches */
#define MEMORY_LATENCY_NS      600.0
#define BYTES_IN_FLIGHT        512.0 /* per warp: four 128-byte lines */
#define L1_BYTES_PER_CYCLE     64.0  /* of one SM */
#define FLOPS_PER_WARP_CYCLE   32.0  /* one dependent FMA of 32 lanes every other cycle */
#define BLOCK_LATENCY_CYCLES   1000.0 /* start, first load, last store of a block */
#define BLIND_BYTES_PER_THREAD 8.0    /* when no work is declared */

/* What one block asks for. */
struct load {
	double bytes, flops, spill_bytes, warps;
};

struct wave {
	double bandwidth, arithmetic, spills, latency; /* ns */
};

static double
worst(double x, double y)
{
	return x > y ? x : y;
}

static double
best(double x, double y)
{
	return x < y ? x : y;
}

/* One wave: n blocks on each of `sms` SMs. */
static struct wave
wave_of(const struct device *dev, const struct load *b, double n, double sms)
{
	double ghz = (double)dev->sm_clock_mhz / 1000; /* cycles per ns */
	double warps = n * b->warps;
	double bytes_per_ns = best(PEAK_SHARE * dev->memory_bandwidth_gbps / sms,
		best(L1_BYTES_PER_CYCLE * ghz,
			warps * BYTES_IN_FLIGHT / MEMORY_LATENCY_NS));
	double flops_per_ns = ghz * best(2 * (double)dev->fp32_lanes_per_sm,
					    warps * FLOPS_PER_WARP_CYCLE);

	return (struct wave){
		.bandwidth = n * b->bytes / bytes_per_ns,
		.arithmetic = n * b->flops / flops_per_ns,
		.spills = n * b->spill_bytes / (L1_BYTES_PER_CYCLE * ghz),
		/* the n - 1 other blocks of an SM hide it */
		.latency = BLOCK_LATENCY_CYCLES / ghz / n,
	};
}

/* Overlapping terms: near the largest, smooth where two are alike. */
static double
wave_ns(const struct wave *w)
{
	double top = worst(w->bandwidth, worst(w->arithmetic, w->spills));

	if (!(top > 0))
		return w->latency;
	return w->latency +
	       top * pow(pow(w->bandwidth / top, 4) + pow(w->arithmetic / top, 4) +
				     pow(w->spills / top, 4),
			     0.25);
}

static void
wave_add(struct wave *sum, const struct wave *w, double times)
{
	sum->bandwidth += times * w->bandwidth;
	sum->arithmetic += times * w->arithmetic;
	sum->spills += times * w->spills;
	sum->latency += times * w->latency;
}

static const char *
bound_of(const struct wave *w)
{
	double top =
		worst(worst(w->bandwidth, w->arithmetic), worst(w->spills, w->latency));

	if (top < LAUNCH_FLOOR_NS)
		return "launch overhead";
	return top == w->bandwidth    ? "bandwidth"
	       : top == w->arithmetic ? "arithmetic"
	       : top == w->spills     ? "spills"
				      : "block latency";
}

static struct load
load_of(const struct estimate_query *q, double blocks, double warps)
{
	double threads = (double)dim_volume(q->launch.block);
	struct load b = {.warps = warps};

	if (q->bytes >= 0)
		b.bytes = q->bytes / blocks;
	if (q->flops >= 0)
		b.flops = q->flops / blocks;
	if (!(q->bytes >= 0) && !(q->flops >= 0))
		b.bytes = BLIND_BYTES_PER_THREAD * threads;
	if (q->facts && q->facts->spill_store_bytes > 0)
		b.spill_bytes += threads * (double)q->facts->spill_store_bytes;
	if (q->facts && q->facts->spill_load_bytes > 0)
		b.spill_bytes += threads * (double)q->facts->spill_load_bytes;
	return b;
}

struct estimate
estimate_of(const struct estimate_query *q)
{
	struct estimate e = {.ns = NONE, .bound = "?"};
	double blocks = (double)dim_volume(q->launch.grid),
	       sms = (double)q->dev->sm_count;
	double resident, full, rest;
	struct wave sum = {0}, w;
	struct load b;

	e.occupancy = occupancy_of(q->dev, q->facts, &q->launch);
	if (e.occupancy.blocks_per_sm < 1 || !(blocks >= 1))
		return e;
	b = load_of(q, blocks, (double)e.occupancy.warps_per_block);
	resident = (double)e.occupancy.blocks_per_sm;
	e.ok = true;
	e.waves = blocks / (resident * sms);
	full = floor(e.waves);
	rest = blocks - full * resident * sms;
	w = wave_of(q->dev, &b, resident, sms);
	e.ns = LAUNCH_FLOOR_NS + full * wave_ns(&w);
	wave_add(&sum, &w, full);
	if (rest >= 1) {
		w = wave_of(q->dev, &b, ceil(rest / sms), best(rest, sms));
		e.ns += wave_ns(&w);
		wave_add(&sum, &w, 1);
	}
	e.bound = bound_of(&sum);
	return e;
}

struct str
estimate_note(struct arena *a, const struct estimate_query *q, const struct estimate *e)
{
	const struct occupancy *o = &e->occupancy;
	bool work = q->bytes >= 0 || q->flops >= 0;

	if (!e->ok)
		return str_fmt(a, "estimated: no block fits on an SM (%s)",
			occupancy_limit_name(o->limit));
	return str_fmt(a, "estimated: bound by %s, %.3g waves, occupancy %.2f (%s)%s%s%s",
		e->bound, e->waves, o->fraction, occupancy_limit_name(o->limit),
		o->registers_known ? "" : "; registers not known",
		o->shared_known ? "" : "; static shared memory not known",
		work ? "" : "; no work declared, so only the shape counts");
}

void
estimate_result(struct arena *a, const struct estimate_query *q, struct result *r)
{
	struct estimate e = estimate_of(q);

	r->kind = RESULT_ESTIMATED;
	r->status = e.ok ? RESULT_OK : RESULT_UNLAUNCHABLE;
	r->median_ns = e.ns;
	r->estimate_note = estimate_note(a, q, &e);
	if (!e.ok)
		r->reason = r->estimate_note;
	r->verified = false;
	r->verified_by = STR_LIT("not run: an estimate");
}
