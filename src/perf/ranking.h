/*
 * The ranking of one kernel: plain data, written by the rank node and read by report and
 * apply.  Schema lanewise/rank.v1 (docs/reference/report.md has every key).
 */
#ifndef PERF_RANKING_H
#define PERF_RANKING_H

#include "model/facts.h"
#include "model/final_record.h"
#include "model/verdict.h"

/* How much a choice rests on, weakest first.  The word "faster" needs proven. */
#define RANK_CLAIMS(X) \
	X(NONE, "none")           /* the final's control failed: it tells nothing */ \
	X(ESTIMATED, "estimated") /* by a model: nothing was run */ \
	X(SIMULATED, "simulated") /* by a scripted device: nothing was run either */ \
	X(OBSERVED, "observed")   /* in the screening, or while the device was shared */ \
	X(PROVEN, "proven") /* a final that passed its control, on a device of its own \
			     */

enum rank_claim {
#define X(id, name) CLAIM_##id,
	RANK_CLAIMS(X)
#undef X
		N_RANK_CLAIMS
};

const char *rank_claim_name(enum rank_claim c);
bool rank_claim_find(struct str name, enum rank_claim *out);

/* One candidate at one size, whatever became of it. */
struct rank_entry {
	struct str candidate, label, id; /* file name, full label, hash */
	struct str specialization;
	const struct json *assignment; /* object: parameter -> value */
	struct str launch;             /* launch_text */
	struct str artifact;           /* hash of its machine code; empty: none */
	int64_t threads;               /* per block */

	struct finding *findings;
	size_t n_findings;
	enum verdict_kind verdict;

	enum result_status status; /* RESULT_REFUSED for what was not admitted */
	enum result_kind kind;
	bool verified;
	bool unsafe; /* measured under --allow-unsafe; only among the refused */

	bool baseline;
	bool tie;      /* in the set that cannot be told from the fastest */
	bool champion; /* the one of that set that is chosen */
	bool faster;   /* refused: than the champion; see rank_faster */
	/* Its screening stopped early, being certainly slower than another's: it comes
	 * after all others, unless it met the final. */
	bool screened_out;
	bool registers_known; /* occupancy is an upper bound otherwise */

	struct str reason, verified_by;
	struct str note; /* of an estimate */
	/* NaN when absent; of the final for its members, else of the screening. */
	double median_ns, low_ns, high_ns;
	/* A launch alone, by the host's clock: median of a few; NaN: none was taken. */
	double single_ns;
	double max_abs_error, max_rel_error;
	int64_t n_wrong;

	double bytes, flops; /* declared work of one launch; NaN: none */

	int64_t registers, spill_bytes; /* -1: not known */
	int64_t shared_bytes;           /* static + dynamic */
	int64_t blocks_per_sm;          /* 0: does not fit */
	double occupancy;

	int64_t off_baseline; /* parameters that differ from the baseline; -1: none */

	/* Of a member of the final: how it stands to the fastest ("best", "slower",
	 * "within", "tied", "unresolved", "faster"); empty: it was not in it.  Its time
	 * over the champion's, with the interval, and p
	 * adjusted for all comparisons of the final; NaN: not known. */
	struct str standing;
	double ratio, ratio_low, ratio_high, p;
	double joules, joules_error; /* of one launch; NaN: not measured */
	/* What is made small when it is not the time (perf/objective.h), with its
	 * interval; 0: it is the time, or not known. */
	double cost, cost_low, cost_high;
	/* Of a member of the final, whose median and cost are the final's: what they were
	 * in the screening; 0: it is no member, or has no cost. */
	double screening_ns, screening_cost;

	/* Of a refused one: both by the same estimator with the same knowledge. */
	double estimate_ns, champion_estimate_ns;
};

struct rank_counts {
	int64_t points, clean, caveat, refused, error, ok, failed, unverified;
};

/* The final of one size: what is known beyond its members' standings. */
struct rank_final {
	bool ran;
	size_t n_members, n_rounds;
	double alpha, margin;
	bool control_exists, control_ok;
	double control, control_low, control_high; /* one candidate over itself */
	double floor; /* ratios nearer to 1 are not claimed: the control's own */
	struct str audit_failed; /* who lost a race without being slower; empty: nobody */
};

/*
 * A library's function that was timed in the final, beside the candidates.  It is
 * compared with the champion and never chosen.
 */
struct rank_reference {
	bool exists; /* the final had one */
	struct str name;
	enum result_status status; /* of the function itself */
	struct str reason;         /* why it is not ok, or why nothing is compared */
	double median_ns;          /* of a launch, in the final; NaN: not timed */
	double flops, bytes;       /* of the champion's declared work; NaN: none */
	/* The champion's time over its own, with the final's interval; NaN: they were not
	 * compared. */
	double ratio, ratio_low, ratio_high;
	double drift; /* the last rounds over the first, less 1; NaN: not known */
	bool drifted; /* by more than the final's margin */
};

/* In what state the device was while all of this was taken. */
struct rank_state {
	struct str sharing; /* "exclusive", or the worst that was seen; empty: not told */
	double drift;       /* of the brackets, the largest; NaN: there are none */
	int64_t n_windows, n_drifted;
	int64_t n_readings, n_slow_clock, n_throttled, n_shared;
	int64_t n_taken_again; /* void as READING_DRIFTED */
};

struct rank_size {
	struct str name;
	const struct json *values;
	struct str device, device_uuid; /* where it was measured; empty: nothing was */
	bool any;                       /* something was ranked: kind and the rest hold */
	enum result_kind kind; /* of all that was ranked; CACHED when at least one is */
	struct rank_entry *v;  /* ranked: by time; then failed; then refused */
	size_t n_ranked, n_failed, n_refused;
	double speedup, speedup_low,
		speedup_high; /* baseline / champion; NaN: no baseline */
	bool faster;          /* than the baseline, as far as `claim` goes */
	enum rank_claim claim;
	struct str claim_why; /* what keeps it from being proven, or what proves it */
	struct rank_final final;
	struct rank_reference reference;
	struct rank_state state;
	struct rank_counts counts;
};

struct ranking {
	struct str kernel;
	struct str device, device_uuid, driver; /* what the results were taken on */
	bool described;                         /* the device is not here */
	struct str compute_capability;
	struct str backend; /* "opencl", "host"; empty: of a GPU that CUDA runs */
	const struct json *sources, *params; /* arrays, from points.json */
	const struct json *pins;             /* object */
	struct str baseline;                 /* candidate; empty: none */
	struct str objective;                /* empty: the time of a launch */
	const struct json *search;           /* object, from points.json, or NULL: all
						candidates of the space are here */
	struct str unsafe_reason;            /* empty: nothing was measured unsafely */
	struct rank_size *sizes;
	size_t n_sizes;
};

static inline size_t
rank_size_n(const struct rank_size *s)
{
	return s->n_ranked + s->n_failed + s->n_refused;
}

/* The champion, the baseline among the ranked, or NULL. */
const struct rank_entry *rank_champion(const struct rank_size *s);
const struct rank_entry *rank_baseline(const struct rank_size *s);
/* What the ranking is by: the objective, else the time, in ns. */
static inline double
rank_cost(const struct rank_entry *e)
{
	return e->cost > 0 ? e->cost : e->median_ns;
}
/* The same in the screening, where all candidates can be compared. */
static inline double
rank_screening_ns(const struct rank_entry *e)
{
	return e->screening_ns > 0 ? e->screening_ns : e->median_ns;
}
static inline double
rank_screening_cost(const struct rank_entry *e)
{
	return e->screening_cost > 0 ? e->screening_cost : e->cost;
}
/* GB/s and GFLOP/s of declared work, NaN when there is none. */
double rank_gbps(const struct rank_entry *e);
double rank_gflops(const struct rank_entry *e);

/* The members of a ranking, into an object that is open. */
void ranking_put(struct json_out *o, const struct ranking *r);
struct str ranking_write(struct arena *a, const struct ranking *r);
/* v may be NULL after a json_parse that failed; NULL after a diag_error. */
struct ranking *ranking_read(struct arena *a, const struct json *v, struct diag *d);

#endif
