/*
 * One timed batch of launches: what the clocks said, and the state the device was in.
 * Every reading is kept, also the void ones: results are judged from readings, never from
 * summaries.
 */
#ifndef MODEL_READING_H
#define MODEL_READING_H

#include "format/json.h"

struct record;

/* A batch is void only for a recorded cause. */
#define READING_VOIDS(X) \
	X(GOOD, "") \
	X(SLOW_CLOCK, "slow-clock") /* SM clock below 90 % of the running median */ \
	X(THROTTLED, "throttled")   /* hardware slowdown, heat or power brake */ \
	X(SHARED, "shared")         /* somebody else's work came between */ \
	X(DRIFTED, "drifted")       /* the device changed in its window: taken again */

enum reading_void {
#define X(id, name) READING_##id,
	READING_VOIDS(X)
#undef X
		N_READING_VOIDS
};

struct reading {
	double ns;      /* per launch, by the device's clock; > 0 */
	double host_ns; /* per launch, by the host's: submitting until seen done */
	double sm_mhz;  /* SM clock during the batch */
	double power_w; /* board power right after it */
	double celsius; /* GPU temperature right after it */
	/* NVML "clocks event reasons" seen right after it; 0: none, or not known */
	uint32_t reasons;
	enum reading_void cause;
}; /* NaN: the device does not tell */

/* What stops a clock from being trusted: NVML's HW slowdown, HW thermal slowdown and HW
 * power brake (nvml.h, nvmlClocksEventReason*).  The software power cap (4) is the normal
 * state of a loaded card. */
#define READING_REASONS_VOID UINT32_C(0xc8)

const char *reading_void_name(enum reading_void v);

/* The readings as columns of equal length, members of an open object:
 * "readings_ns", "host_ns", "sm_mhz", "power_w", "celsius", "reasons", "void". */
void readings_put(struct json_out *o, const struct reading *v, size_t n);
/* False after a diag_error; NULL and 0 when there are none. */
bool readings_get(struct arena *a, struct record *r, struct reading **v, size_t *n);
/* The times of those that are not void, in order; *n of them. */
double *readings_good(
	struct arena *a, const struct reading *v, size_t n_readings, size_t *n);

#endif
