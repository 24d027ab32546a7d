/* Kernels in C: the call that is compiled behind them, the session that runs them, and
 * what is told of the processors meanwhile. */
#include "backend/backend.h"
#include "backend/noise.h"
#include "backend/session.h"
#include "model/signature.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

#include <math.h>

/* --- the call ----------------------------------------------------------------------- */

static void
calls_are_text(void **state)
{
	struct scratch *c = *state;
	struct str text, line, why;
	assert_true(signature_call(
		&c->a, STR_LIT("f32*,bf16*,i64,f64"), STR_LIT("k_1"), &text, &why));
	assert_true(str_has(text, STR_LIT("void lanewise_host_call(void *const *")));
	assert_true(
		str_has(text, STR_LIT("\t\tk_1(\n"
				      "\t\t\t(float *)lanewise_args[0],\n"
				      "\t\t\t(void *)lanewise_args[1],\n"
				      "\t\t\t*(const __INT64_TYPE__ *)lanewise_args[2],\n"
				      "\t\t\t*(const double *)lanewise_args[3]);\n")));
	for (int i = 1; i < SIGNATURE_FIRST_LINE; i++)
		str_line(&text, &line);
	assert_true(str_starts(text, "\t\t\t(float *)lanewise_args[0],"));
	assert_true(signature_call(&c->a, STR_LIT(""), STR_LIT("k"), &text, &why));
	assert_true(str_has(text, STR_LIT("k(\n);")));
}

static void
calls_that_cannot_be(void **state)
{
	struct scratch *c = *state;
	struct str text, why;
	assert_false(signature_call(&c->a, STR_LIT("f16"), STR_LIT("k"), &text, &why));
	assert_true(str_has(why, STR_LIT("no type for a scalar of type f16")));
	assert_false(signature_call(&c->a, STR_LIT("f33*"), STR_LIT("k"), &text, &why));
	assert_true(str_has(why, STR_LIT("malformed signature at 'f33*'")));
	static const char *const names[] = {"", "1k", "k;", "k()", "a b"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_false(signature_call(
			&c->a, STR_LIT("f32*"), str_of(names[i]), &text, &why));
}

/* --- a session ---------------------------------------------------------------------- */

enum { N = 100 };

struct bed {
	struct scratch *c;
	struct session *s;
	struct arg args[4];
	struct bench_request q;
	struct fault f;
};

static struct bed *
bed_make(struct scratch *c)
{
	struct bed *b = arena_new(&c->a, struct bed);
	struct str why;
	const struct device *dev = backend_host.probe(&c->a, (struct str){0}, &why);
	b->c = c;
	if (!dev || !toolchain_find(STR_LIT("cc"))->probe(&c->a).present)
		skip();
	b->args[0] = (struct arg){.name = STR_LIT("in"),
		.type = DTYPE_F32,
		.pointer = true,
		.input = true,
		.fill = FILL_IOTA,
		.count = N};
	b->args[1] = b->args[2] = b->args[0];
	b->args[1].name = STR_LIT("out");
	b->args[1].output = true;
	b->args[1].input = false;
	b->args[2].name = STR_LIT("sum");
	b->args[2].output = true;
	b->args[3] = (struct arg){
		.name = STR_LIT("n"), .type = DTYPE_I32, .known = true, .bits = N};
	b->q = (struct bench_request){
		.launch = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, false, false},
		.args = b->args,
		.n_args = 4,
		.seed = 1,
		.timeout_ns = 1000000000};
	b->s = host_session.open(&c->a, dev, &b->f);
	assert_non_null(b->s);
	return b;
}

/* A kernel of (in, out, sum, n) with this body. */
static struct loaded *
bed_load(struct bed *b, const char *body)
{
	struct arena *a = &b->c->a;
	struct lower_result r = {0};
	struct str text = str_fmt(a,
		"void k(const float *in, float *out, float *sum, int n)\n"
		"{\n"
		"	volatile float *o = out;\n"
		"	for (int i = 0; i < n; i++)\n"
		"		out[i] = 2 * in[i], sum[i] += in[i];\n"
		"	(void)o;\n"
		"	%s\n"
		"}\n",
		body);
	fs_write("k.c", text, NULL);
	struct lower_request q = {.source = text,
		.name = "k.c",
		.path = "k.c",
		.entry = STR_LIT("k"),
		.signature = STR_LIT("f32*,f32*,f32*,i32"),
		.timeout_ns = 60000000000};
	assert_true(toolchain_find(STR_LIT("cc"))->lower(a, &q, &r));
	if (!r.ok)
		fail_msg("%.*s", STR_ARG(r.log));
	b->q.artifact = r.ptx;
	return host_session.load(b->s, a, &b->q, &b->f);
}

static bool
bed_run(struct bed *b, struct loaded *l)
{
	return host_session.refill(b->s, l, 0xff, &b->f) &&
	       host_session.run(b->s, l, 0, &b->f) && host_session.guards(b->s, l, &b->f);
}

static void
runs_and_times(void **state)
{
	static const enum cache_mode modes[] = {CACHE_COLD, CACHE_WARM};
	struct bed *b = bed_make(*state);
	struct loaded *l = bed_load(b, "");
	float out[N], sum[N];
	assert_non_null(l);
	for (int i = 0; i < 2; i++) {
		struct batch batch = {100, LAUNCH_STREAM, modes[i], false};
		struct reading r = {0};
		assert_true(bed_run(b, l));
		assert_true(host_session.fetch(b->s, l, 1, out, &b->f));
		assert_true(host_session.fetch(b->s, l, 2, sum, &b->f));
		for (int k = 0; k < N; k++) {
			assert_true(out[k] == (float)(2 * k));
			assert_true(sum[k] == (float)(2 * k)); /* of one launch alone */
		}
		assert_true(host_session.time(b->s, l, &batch, 0, &r, &b->f));
		assert_true(r.ns > 0 && r.host_ns > 0 && isnan(r.sm_mhz));
		batch = (struct batch){1, LAUNCH_STREAM, modes[i], true};
		assert_true(host_session.time(b->s, l, &batch, 0, &r, &b->f));
		assert_true(r.host_ns > 0);
		assert_true(host_session.guards(b->s, l, &b->f));
	}
	assert_true(host_session.floor(b->s, l, LAUNCH_STREAM) > 0);
	assert_false(host_session.graphs(b->s, l));
	host_session.unload(b->s, l);
}

/* Two are loaded at a time; each has code and static data of its own. */
static void
objects_are_apart(void **state)
{
	static const char body[] = "static int calls; out[0] = (float)++calls;";
	struct bed *b = bed_make(*state);
	struct loaded *first = bed_load(b, body);
	struct bench_request kept = b->q;
	struct loaded *second = host_session.load(b->s, &b->c->a, &kept, &b->f);
	float out[N];
	assert_true(bed_run(b, first) && bed_run(b, first) && bed_run(b, second));
	assert_true(host_session.fetch(b->s, second, 1, out, &b->f));
	assert_true(out[0] == 1);
	host_session.unload(b->s, first);
	struct loaded *third = bed_load(b, "out[0] = 7;");
	assert_true(bed_run(b, third));
	assert_true(host_session.fetch(b->s, third, 1, out, &b->f));
	assert_true(out[0] == 7);
	assert_true(bed_run(b, second));
	assert_true(host_session.fetch(b->s, second, 1, out, &b->f));
	assert_true(out[0] == 2);
}

static void
mistakes_have_their_status(void **state)
{
	static const struct {
		const char *body, *says;
		enum result_status status;
		bool fatal;
	} v[] = {
		{"o[n] = 1;", "wrote outside 'out': 4 bytes after it changed",
			RESULT_WRONG, false},
		{"o[-1] = 1;", "wrote outside 'out': 4 bytes before it changed",
			RESULT_WRONG, false},
		{"o[n + 4096] = 1;", "bytes after the end of 'out'", RESULT_CRASHED,
			true},
		{"*(volatile float *)in = 1;", "wrote into 'in', which is an input only",
			RESULT_WRONG, true},
		{"*(volatile int *)0 = 1;", "signal 11", RESULT_CRASHED, true},
		{"__builtin_trap();", "it crashed: signal", RESULT_CRASHED, true},
		{"__builtin_abort();", "signal 6", RESULT_CRASHED, true},
	};
	struct bed *b = bed_make(*state);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct loaded *l = bed_load(b, v[i].body);
		assert_non_null(l);
		assert_false(bed_run(b, l));
		if (!str_has(b->f.reason, str_of(v[i].says)))
			fail_msg("%s: %.*s", v[i].body, STR_ARG(b->f.reason));
		assert_int_equal(b->f.status, v[i].status);
		assert_int_equal(b->f.fatal, v[i].fatal);
		host_session.unload(b->s, l);
		/* What it damaged is whole for the next one. */
		l = bed_load(b, "");
		assert_true(bed_run(b, l));
		host_session.unload(b->s, l);
	}
}

/* Rights of pages do not hold code of this process: inputs are compared. */
static void
inputs_are_whole_for_the_next(void **state)
{
	static const char *const bodies[] = {
		"extern int mprotect(void *, unsigned long, int);"
		"mprotect((void *)((unsigned long)in & ~4095UL), 4096, 3);"
		"*(volatile float *)in = 5;",
		"extern int madvise(void *, unsigned long, int);"
		"madvise((void *)((unsigned long)in & ~4095UL), 4096, 4);",
	};
	struct bed *b = bed_make(*state);
	for (size_t i = 0; i < 4; i++) {
		bool looked_at = i < 2;
		float out[N];
		struct loaded *l = bed_load(b, bodies[i % 2]);
		assert_non_null(l);
		if (looked_at) {
			assert_false(bed_run(b, l));
			assert_int_equal(b->f.status, RESULT_WRONG);
			/* Of lost pages the known bytes are gone, too. */
			assert_true(str_has(b->f.reason, STR_LIT("'in'")));
			assert_false(b->f.fatal);
		} else {
			assert_true(host_session.refill(b->s, l, 0, &b->f));
			assert_true(host_session.run(b->s, l, 0, &b->f));
		}
		host_session.unload(b->s, l);
		l = bed_load(b, "");
		assert_true(bed_run(b, l));
		assert_true(host_session.fetch(b->s, l, 1, out, &b->f));
		for (int k = 0; k < N; k++)
			assert_true(out[k] == (float)(2 * k));
		host_session.unload(b->s, l);
	}
}

static void
what_cannot_be_loaded(void **state)
{
	struct bed *b = bed_make(*state);
	struct loaded *l = bed_load(b, "");
	host_session.unload(b->s, l);
	struct str whole = b->q.artifact;
	b->q.artifact = str_sub(whole, 0, whole.n / 2);
	assert_null(host_session.load(b->s, &b->c->a, &b->q, &b->f));
	assert_int_equal(b->f.status, RESULT_UNLOADABLE);
	b->q.artifact = whole;
	b->args[3].known = false;
	assert_null(host_session.load(b->s, &b->c->a, &b->q, &b->f));
	assert_int_equal(b->f.status, RESULT_UNLAUNCHABLE);
	b->args[3].known = true;
	b->q.launch.block.x = 100000;
	assert_null(host_session.load(b->s, &b->c->a, &b->q, &b->f));
	assert_int_equal(b->f.status, RESULT_UNLAUNCHABLE);
	b->q.launch.block.x = 1;
	b->args[0].count = (uint64_t)1 << 46;
	assert_null(host_session.load(b->s, &b->c->a, &b->q, &b->f));
	assert_int_equal(b->f.status, RESULT_OOM);
}

/* --- noise -------------------------------------------------------------------------- */

static void
noise_is_told(void **state)
{
	struct scratch *c = *state;
	struct noise_watch w = {.shared = false};
	struct noise n = {.cpus = 2, .load = 0.5, .others = 0.02, .steal = 0};
	assert_true(str_is(noise_text(&c->a, &w, &n),
		"exclusive: others 0.02 of 2 CPUs, load 0.50, steal 0.0 %"));
	n.others = 0.2;
	assert_true(str_starts(noise_text(&c->a, &w, &n), "exclusive: "));
	n.others = 0.3;
	assert_true(str_starts(noise_text(&c->a, &w, &n), "shared: others 0.30 of 2"));
	n.others = 0.2; /* until it is clearly quiet again */
	assert_true(str_starts(noise_text(&c->a, &w, &n), "shared: "));
	n.others = 0.1;
	n.governor = STR_LIT("powersave");
	assert_true(str_is(noise_text(&c->a, &w, &n),
		"exclusive: others 0.10 of 2 CPUs, load 0.50, steal 0.0 %, governor "
		"powersave"));
	n.steal = 0.1;
	assert_true(str_starts(noise_text(&c->a, &w, &n), "shared: "));
	w.shared = false;
	n = (struct noise){.cpus = 1,
		.load = (double)NAN,
		.others = (double)NAN,
		.steal = (double)NAN};
	assert_true(str_is(noise_text(&c->a, &w, &n), "unknown: 1 CPUs"));
	noise_look(&c->a, &w, &n);
	assert_true(n.cpus >= 1 && isnan(n.others));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(calls_are_text),
		scratch_test(calls_that_cannot_be),
		scratch_test(runs_and_times),
		scratch_test(objects_are_apart),
		scratch_test(mistakes_have_their_status),
		scratch_test(inputs_are_whole_for_the_next),
		scratch_test(what_cannot_be_loaded),
		scratch_test(noise_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
