/* What a kernel of the fake does. */
#ifndef TESTS_FAKE_FAKE_KERNEL_H
#define TESTS_FAKE_FAKE_KERNEL_H

#include "fake/fake.h"

struct fake_kernel {
	char name[64];
	int behaviour; /* as fake_behaviour() gave it */
	size_t n_params, bytes[FAKE_PARAMS];
	int64_t ns, cold_ns; /* ns < 0: by its module */
	int refuse, fail;
};

struct fake_work {
	const struct fake_kernel *k;
	uint64_t value[FAKE_PARAMS];
	cu_pointer constant;
	unsigned blocks, unused; /* no padding: launches are compared by their bytes */
};

/* By name; an unknown one ends the program. */
int fake_behaviour(const char *name);
/* Queues it; op has the time between launches, and the time itself when k has none. */
cu_result fake_kernel_submit(
	struct cu_stream *s, const struct fake_work *w, struct fake_op *op);

#endif
