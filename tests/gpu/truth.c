/*
 * Does a final tell the truth on this device?
 *
 *     truth [FINALS [DEVICE]]
 *
 * FINALS (100) finals of a kernel against itself under another name: every difference
 * that is claimed is false.  As many of it against one that runs 0.5 % longer: every one
 * that is not found is missed.  Beside them what is done without a final: twenty batches
 * of the one, other work, twenty of the other, and they differ when the 95 % intervals of
 * their medians do not meet.  DEVICE is an index or a UUID, or the path of a scripted
 * device (docs/reference/sim.md).  Exit status: 0, or 1 when more than 5 % are false or
 * more than 5 % missed, or 2.
 */
#include "backend/sim.h"
#include "base/arena.h"
#include "base/diag.h"
#include "measure/measure_parts.h"
#include "perf/final_input.h"

#include <stdio.h>
#include <stdlib.h>

/* A chain of dependent multiply-adds: its length is the time. */
static const char kernel[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			     ".visible .entry work(.param .u64 out, .param .u32 n)\n{\n"
			     "	.reg .pred %more; .reg .b32 %n, %i, %t; .reg .b64 %at, "
			     "%o; .reg .f32 %f;\n"
			     "	ld.param.u64 %at, [out];\n	ld.param.u32 %n, [n];\n"
			     "	mov.u32 %t, %tid.x;\n	mov.u32 %i, %ctaid.x;\n"
			     "	mad.lo.u32 %t, %i, 256, %t;\n	mul.wide.u32 %o, %t, 4;\n"
			     "	add.u64 %at, %at, %o;\n	cvt.rn.f32.u32 %f, %t;\n"
			     "again:\n	fma.rn.f32 %f, %f, 0f3F7FFFFF, 0f3F000000;\n"
			     "	sub.u32 %n, %n, 1;\n	setp.ne.u32 %more, %n, 0;\n	"
			     "@%more bra again;\n"
			     "	st.global.f32 [%at], %f;\n	ret;\n}\n";

#define SAME   "20000"
#define LONGER "20100" /* 0.5 % more */

enum { BATCHES = 20, OTHERS = 50 };

struct truth {
	struct arena *a;
	struct measure *m;
	size_t finals;
};

static void
no_watch(void *arg, const char *step, int64_t allowed_ns)
{
	(void)arg;
	(void)step;
	(void)allowed_ns;
}

static struct bench_request *
request(struct arena *a, const char *point, const char *length)
{
	struct bench_request *q = arena_new(a, struct bench_request);
	struct arg *args;
	struct str why;

	if (!args_parse(a, str_fmt(a, "out=f32*[67584]:out,n=i32:%s", length), &args,
		    &q->n_args, &why))
		die("%.*s", STR_ARG(why));
	q->point = str_of(point);
	q->args = args;
	q->artifact = str_of(kernel);
	q->entry = STR_LIT("work");
	q->launch = (struct launch){{256, 1, 1}, {264, 1, 1}, {1, 1, 1}, 0, false, false};
	q->timeout_ns = INT64_C(30000000000);
	q->seed = 1;
	return q;
}

/* Whether a final says that the second differs, and which way. */
static int
final_says(struct truth *t, const char *point, const char *length)
{
	struct job_member v[3] = {
		{.point = STR_LIT("N=" SAME "@once"), .role = FINAL_BASELINE},
		{.point = str_of(point), .role = FINAL_CANDIDATE},
		{.point = STR_LIT("N=" SAME "@once"), .role = FINAL_CONTROL}};
	struct job j = {.kind = JOB_FINAL,
		.kernel = STR_LIT("work"),
		.size = STR_LIT("once"),
		.member = v,
		.n = 3,
		.margin = FINAL_MARGIN};
	struct final_record f;
	struct final_readings r;

	v[0].request = v[2].request = *request(t->a, "N=" SAME "@once", SAME);
	v[1].request = *request(t->a, point, length);
	if (!measure_final(t->m, t->a, &j, &f) || f.status != RESULT_OK)
		die("the final: %.*s", STR_ARG(f.reason));
	const char *problem = final_input(t->a, &f, FINAL_MARGIN, &r);
	if (problem)
		die("the final: %s", problem);
	const struct final_decision *d = final_decide(t->a, &r);
	const struct final_pair *p = final_pair(d, 1, 0);
	if (d->claim == FINAL_NO_CLAIM || !(p->adjusted <= d->alpha))
		return 0;
	return p->ratio > 1 ? 1 : -1;
}

/* --- without a final -----------------------------------------------------------------
 */

static int
ascending(const void *x, const void *y)
{
	const double *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

static struct timed
timed(struct truth *t, const char *point, const char *length)
{
	struct fault f;
	struct timed of = {.batch = {.launches = 40}, .ns = 50e3};

	of.l = t->m->ops->load(t->m->s, t->a, request(t->a, point, length), &f);
	if (!of.l)
		die("%.*s", STR_ARG(f.reason));
	return of;
}

static void
take(struct truth *t, struct timed *of, size_t n, double *v)
{
	struct reading r;
	struct fault f;

	for (size_t i = 0; i < n; i++) {
		if (!take_one(t->m, of, &r, &f))
			die("%.*s", STR_ARG(f.reason));
		if (v)
			v[i] = r.ns;
	}
	if (v)
		qsort(v, n, sizeof *v, ascending);
}

/* The 95 % order-statistic interval of a median of 20 is the 6th to the 15th. */
static int
intervals_say(struct truth *t, const char *point, const char *length)
{
	struct timed one = timed(t, "N=" SAME "@once", SAME);
	struct timed other = timed(t, point, length);
	struct fault f;
	double x[BATCHES], y[BATCHES];

	if (!warm_up(t->m, &one, &f))
		die("%.*s", STR_ARG(f.reason));
	take(t, &one, BATCHES, x);
	take(t, &one, OTHERS, NULL);
	take(t, &other, BATCHES, y);
	t->m->ops->unload(t->m->s, one.l);
	t->m->ops->unload(t->m->s, other.l);
	return y[5] > x[14] ? 1 : y[14] < x[5] ? -1 : 0;
}

/* --- rates ---------------------------------------------------------------------------
 */

typedef int says(struct truth *t, const char *point, const char *length);

static size_t
count(struct truth *t, says *f, const char *length, int want)
{
	size_t n = 0;

	for (size_t i = 0; i < t->finals; i++) {
		struct arena_mark mark = arena_mark(t->a);
		int said = f(t, str_fmt(t->a, "N=%s,AGAIN=1@once", length).s, length);
		n += want ? said == want : said != 0;
		arena_pop(t->a, mark);
	}
	return n;
}

int
main(int argc, char **argv)
{
	struct arena a = {0}, b = {0};
	struct truth t = {.a = &b, .finals = 100};
	const char *which = argc > 2 ? argv[2] : "0";
	const struct backend *on =
		str_ends(str_of(which), ".json") ? &backend_sim : &backend_cuda;
	struct fault f;
	struct str why;
	uint64_t n;

	if (argc > 1 && (!str_to_u64(str_of(argv[1]), &n) || !n || n > 100000))
		die("usage: truth [FINALS [DEVICE]]");
	t.finals = argc > 1 ? (size_t)n : t.finals;
	const struct device *dev = on->probe(&a, str_of(which), &why);
	if (!dev)
		die("%.*s", STR_ARG(why));
	t.m = measure_open(&a, on, dev, (struct measure_watch){no_watch, NULL}, &f);
	if (!t.m)
		die("%.*s", STR_ARG(f.reason));
	size_t wrong = count(&t, final_says, SAME, 0);
	size_t found = count(&t, final_says, LONGER, 1);
	size_t plain = count(&t, intervals_say, SAME, 0);
	size_t seen = count(&t, intervals_say, LONGER, 1);
	printf("%s, driver %.*s; %zu of each\n", dev->name.s, STR_ARG(dev->driver),
		t.finals);
	printf("                       false claims   0.5 %% found\n");
	printf("finals                 %12zu %13zu\n", wrong, found);
	printf("intervals in sequence  %12zu %13zu\n", plain, seen);
	return wrong * 20 <= t.finals && found * 20 >= t.finals * 19 ? 0 : 1;
}
