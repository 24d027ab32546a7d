/* A scripted device that is open, and requests for it. */
#ifndef TESTS_UNIT_SIM_BENCH_H
#define TESTS_UNIT_SIM_BENCH_H

#include "scratch.h"

#include "backend/sim.h"
#include "backend/sim_session.h"

/* A script of the named members, such as "\"time_ns\": 1000". */
static inline const struct device *
sim_device(struct scratch *s, const char *members)
{
	struct str why = {0};
	fs_write("sim.json",
		str_fmt(&s->a,
			"{\"schema\": \"lanewise/sim.v1\", \"device\": \"h200\", %s}",
			members),
		NULL);
	struct device *dev = backend_sim.probe(&s->a, STR_LIT("sim.json"), &why);
	if (!dev)
		fail_msg("%.*s", STR_ARG(why));
	return dev;
}

static inline const struct bench_request *
sim_request(struct scratch *s, const char *point, const char *args)
{
	struct bench_request *q = arena_new(&s->a, struct bench_request);
	struct arg *v;
	struct str why;

	assert_true(args_parse(&s->a, str_of(args), &v, &q->n_args, &why));
	q->args = v;
	q->point = str_of(point);
	q->entry = STR_LIT("kernel");
	q->artifact = STR_LIT("no machine code");
	q->launch = (struct launch){{64, 1, 1}, {1024, 1, 1}, {1, 1, 1}, 0, false, false};
	q->timeout_ns = INT64_C(10000000000);
	q->seed = 7;
	return q;
}

/* A reference of small whole numbers for the outputs of q, in a file. */
static inline void
sim_reference(struct scratch *s, struct bench_request *q)
{
	struct buf b = {.a = &s->a};
	size_t n = (size_t)ref_data_bytes(q->args, q->n_args) / 8;

	buf_addstr(&b, ref_header(&s->a, "oracle", q->args, q->n_args));
	for (size_t i = 0; i < n; i++) {
		double v = (double)(i % 100) + 1;
		buf_add(&b, &v, sizeof v);
	}
	fs_write("reference", buf_str(&b), NULL);
	q->reference_path = "reference";
	q->reference_by = STR_LIT("oracle");
}

#endif
