/*
 * A kernel k of 160 candidates, A {0..15} x B {0..9} at the sizes s and t, and what the
 * graph's nodes would write about each: of the numbers in its name alone.
 */
#ifndef TESTS_UNIT_ANSWERED_H
#define TESTS_UNIT_ANSWERED_H

#include "scratch.h"

#include "model/result.h"
#include "model/verdict.h"

/* members: what else the kernel has, such as "\"search\": {...}," */
static inline void
answered_spec(struct scratch *s, const char *members)
{
	fs_write("k.ptx",
		STR_LIT(".version 8.0\n.target sm_90\n.address_size 64\n"
			".visible .entry k(.param .u64 o) { ret; }\n"),
		NULL);
	fs_write("lanewise.json",
		str_fmt(&s->a,
			"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": {%s "
			"\"source\": \"k.ptx\", \"command\": \"cp $in $out\", "
			"\"params\": {\"A\": {\"values\": {\"range\": [0, 15]}}, "
			"\"B\": {\"values\": {\"range\": [0, 9]}}}, "
			"\"launch\": {\"block\": 32, \"grid\": \"A + 1\"}, "
			"\"sizes\": {\"s\": {\"n\": 64}, \"t\": {\"n\": 128}}, "
			"\"args\": [{\"name\": \"o\", \"type\": \"f32*\", \"count\": "
			"\"n\", \"output\": true}]}}}",
			members),
		NULL);
}

/* A fifth is refused, some do not compile, some are wrong. */
static inline enum verdict_kind
answered_verdict(int a, int b)
{
	return (3 * a + b) % 5 == 0 ? VERDICT_REFUSED
	       : (a + b) % 11 == 0  ? VERDICT_ERROR
				    : VERDICT_CLEAN;
}

static inline bool
answered_wrong(int a, int b)
{
	return a * b % 13 == 12;
}

/* At t the best is elsewhere. */
static inline double
answered_ns(int a, int b, bool at_t)
{
	return 1000 + 10 * abs(a - (at_t ? 2 : 9)) + 3 * (b - 4) * (b - 4);
}

enum { ANSWERED_READINGS = 3, ANSWERED_LAUNCHES = 1000 };

static inline void
answer_result(struct arena *a, const char *name, int x, int y, bool at_t)
{
	struct reading readings[ANSWERED_READINGS];
	struct result r = result_none();
	r.kernel = STR_LIT("k");
	r.candidate = str_of(name);
	r.size = at_t ? STR_LIT("t") : STR_LIT("s");
	r.kind = RESULT_SIMULATED;
	r.status = answered_wrong(x, y) ? RESULT_WRONG : RESULT_OK;
	r.reason = r.status ? STR_LIT("3 elements differ") : (struct str){0};
	r.median_ns = answered_ns(x, y, at_t);
	for (size_t i = 0; i < ANSWERED_READINGS; i++)
		readings[i] = (struct reading){.ns = r.median_ns};
	r.readings = readings;
	r.n_readings = ANSWERED_READINGS;
	r.launches_per_batch = ANSWERED_LAUNCHES;
	fs_write(str_fmt(a, ".lanewise/k/bench/%s@%c.json", name, at_t ? 't' : 's').s,
		result_write(a, &r), NULL);
}

/* Verdicts of "A=1,B=2", and a result at each size if it is admitted. */
static inline void
answer(struct arena *a, const char *name)
{
	int x, y;
	if (sscanf(name, "A=%d,B=%d", &x, &y) != 2)
		_exit(125);
	struct verdict v[2];
	for (int i = 0; i < 2; i++)
		v[i] = (struct verdict){.kind = answered_verdict(x, y),
			.point = str_fmt(a, "%s@%c", name, "st"[i]),
			.launch = {{32, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, false, false}};
	struct verdict_file f = {
		.kernel = STR_LIT("k"), .entry = STR_LIT("k"), .v = v, .n = 2};
	fs_write(str_fmt(a, ".lanewise/k/gate/%s.verdict.json", name).s,
		verdict_file_write(a, &f), NULL);
	for (int i = 0; i < 2 && v->kind == VERDICT_CLEAN; i++)
		answer_result(a, name, x, y, i);
}

#endif
