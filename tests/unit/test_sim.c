#include "sim_bench.h"

#include "model/device.h"

#include <math.h>
#include <time.h>

#define ARGS "in=f32*[64]:exact,out=f32*[64]:out,n=i32:64"

static const int64_t LATER = INT64_C(1) << 62;

struct open {
	const struct session_ops *ops;
	struct session *s;
	struct loaded *l;
	struct fault f;
};

static struct open
opened(struct scratch *s, const char *members, const struct bench_request *q)
{
	struct open o = {.ops = backend_sim.ops};
	const struct device *dev = sim_device(s, members);

	o.s = o.ops->open(&s->a, dev, &o.f);
	assert_non_null(o.s);
	o.l = o.ops->load(o.s, &s->a, q, &o.f);
	return o;
}

static double
timed(struct open *o, int64_t n)
{
	struct batch b = {.launches = n};
	struct reading r;

	assert_true(o->ops->time(o->s, o->l, &b, LATER, &r, &o->f));
	return r.ns;
}

static const char *
refusal(struct scratch *s, const char *text)
{
	struct str why = {0};

	fs_write("bad.json", str_of(text), NULL);
	assert_null(backend_sim.probe(&s->a, STR_LIT("bad.json"), &why));
	return str_c(&s->a, why);
}

#define HEAD "{\"schema\": \"lanewise/sim.v1\", \"device\": \"h200\", "

static void
mistakes_in_scripts(void **state)
{
	struct scratch *s = *state;
	struct str why;

	assert_null(backend_sim.probe(&s->a, STR_LIT("absent"), &why));
	assert_contains(str_c(&s->a, why), "cannot read 'absent'");
	assert_contains(refusal(s, "{"), "bad.json:1:");
	assert_contains(refusal(s, HEAD "\"seed\": 1}"), "'time_ns' is missing");
	assert_contains(refusal(s, HEAD "\"time_ns\": \"1 +\"}"), "bad.json:1:");
	assert_contains(refusal(s, HEAD "\"time_ns\": 1, \"nois\": {}}"),
		"unknown key 'nois' of a simulated device (did you mean 'noise'?)");
	assert_contains(refusal(s, HEAD "\"time_ns\": 1, \"noise\": {\"sigma\": 2}}"),
		"'sigma' must be from 0 to 0.2");
	assert_contains(refusal(s, HEAD "\"time_ns\": 1, \"faults\": [{\"fault\": "
					"\"hagn\"}]}"),
		"unknown fault 'hagn' (did you mean 'hang'?)");
	assert_contains(refusal(s, HEAD "\"times\": {\"a\": 0}}"), "nanoseconds above 0");
	assert_contains(refusal(s, "{\"schema\": \"lanewise/sim.v1\", \"device\": "
				   "\"h9\", \"time_ns\": 1}"),
		"no device description is called 'h9'");
}

/* Who has the record of the device needs nothing else, and another script is another
 * device. */
static void
the_record_holds_the_script(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	const struct device *one = sim_device(s, "\"time_ns\": 1000");

	fs_write("device.json", device_write(&s->a, one), NULL);
	fs_remove("sim.json");
	const struct device *read = device_read(&s->a, "device.json", &d);
	struct fault f;
	assert_non_null(backend_sim.ops->open(&s->a, read, &f));
	assert_ptr_equal(backend_of(read), &backend_sim);
	assert_int_equal(read->sm_count, 132);
	assert_false(read->described);
	const struct device *two = sim_device(s, "\"time_ns\": 1001");
	assert_false(str_eq(one->uuid, two->uuid));
	assert_true(str_starts(one->uuid, "SIM-"));
}

static void
times_of_points(void **state)
{
	struct scratch *s = *state;
	static const struct {
		const char *point;
		double ns;
	} cases[] = {
		{"TILE=4,MODE=tree@1M", 40000 + 1000},
		{"TILE=8,MODE=flat@1M", 80000},
		{"TILE=8,MODE=flat@2M", 80000 + 64},
		{"cublas", 5000},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct open o = opened(s,
			"\"time_ns\": \"10000*TILE + (1000 if MODE == 'tree' else 0) + "
			"(n if k == 2 else 0)\", \"times\": {\"cublas\": 5000}, "
			"\"sizes\": {\"1M\": {\"k\": 1}, \"2M\": {\"k\": 2}}, "
			"\"quantum_ns\": 0",
			sim_request(s, cases[i].point, ARGS));
		assert_non_null(o.l);
		assert_true(fabs(timed(&o, 10) - cases[i].ns) < 1e-6);
	}
	struct open o =
		opened(s, "\"time_ns\": \"10*TILES\"", sim_request(s, "TILE=4@1M", ARGS));
	assert_null(o.l);
	assert_int_equal(o.f.status, RESULT_TROUBLE);
	assert_contains(str_c(&s->a, o.f.reason), "unknown name 'TILES'");
}

static void
noise_drift_clock_and_floor(void **state)
{
	struct scratch *s = *state;
	const struct bench_request *q = sim_request(s, "TILE=4@1M", ARGS);
	struct open o = opened(
		s, "\"time_ns\": 10000, \"noise\": {\"sigma\": 0.01, \"rho\": 0.8}", q);
	double v[400], mean = 0, square = 0, with = 0;

	for (int i = 0; i < 400; i++)
		mean += (v[i] = timed(&o, 100)) / 400;
	for (int i = 0; i < 400; i++) {
		square += (v[i] - mean) * (v[i] - mean);
		with += i ? (v[i] - mean) * (v[i - 1] - mean) : 0;
	}
	assert_true(sqrt(square / 400) > 60 && sqrt(square / 400) < 140);
	assert_true(with / square > 0.65 && with / square < 0.9);

	o = opened(s, "\"time_ns\": 10000, \"drift_per_s\": 0.1", q);
	double before = timed(&o, 1);
	o.ops->sleep(o.s, 1000000000);
	assert_true(fabs(timed(&o, 1) - before - 1000) < 50);

	o = opened(s, "\"time_ns\": 10000, \"clock\": {\"start\": 0.5}", q);
	assert_true(timed(&o, 1) > 19000);
	(void)timed(&o, 10000);
	assert_true(timed(&o, 1) < 10200);

	o = opened(s, "\"time_ns\": 100", q);
	assert_true(fabs(timed(&o, 1000) - 3650) < 0.1);
	assert_true(o.ops->floor(o.s, o.l, LAUNCH_GRAPH) == 506);
}

static void
events_change_the_device(void **state)
{
	struct scratch *s = *state;
	struct device_state d;
	struct open o = opened(s,
		"\"time_ns\": 10000, \"cost\": {\"open_ms\": 0}, \"events\": "
		"[{\"at_ms\": "
		"100, \"for_ms\": 50, \"clock\": 0.5, \"slow\": 1.5, \"reasons\": 64, "
		"\"sharing\": \"shared: 4711\"}]",
		sim_request(s, "TILE=4@1M", ARGS));

	o.ops->state(o.s, &s->a, &d);
	assert_true(str_is(d.sharing, "exclusive") && d.reasons == 0);
	o.ops->sleep(o.s, 120000000);
	o.ops->state(o.s, &s->a, &d);
	assert_true(str_is(d.sharing, "shared: 4711") && d.reasons == 64);
	assert_true(d.sm_mhz == 990);
	assert_true(fabs(timed(&o, 100) - 30000) < 1);
	o.ops->sleep(o.s, 60000000);
	assert_true(fabs(timed(&o, 100) - 10000) < 1);
}

/* The energy counter moves in steps; between them it stands still. */
static void
energy_is_counted_in_steps(void **state)
{
	struct scratch *s = *state;
	struct open o = opened(s,
		"\"time_ns\": 10000, \"power_w\": \"100*TILE\", \"energy_step_ms\": 50",
		sim_request(s, "TILE=4@1M", ARGS));
	struct device_state one, two;

	o.ops->state(o.s, &s->a, &one);
	(void)timed(&o, 100000);
	o.ops->state(o.s, &s->a, &two);
	assert_true(fabs(two.energy_j - one.energy_j - 400) < 400 * 0.06);
}

/* --- faults ------------------------------------------------------------------------ */

struct trouble {
	const char *fault;
	enum result_status at_load, at_run;
	bool fatal;
};

static void
faults_of_loading_and_running(void **state)
{
	struct scratch *s = *state;
	static const struct trouble cases[] = {
		{"unloadable", RESULT_UNLOADABLE, 0, false},
		{"oom", RESULT_OOM, 0, false},
		{"unlaunchable", RESULT_OK, RESULT_UNLAUNCHABLE, false},
		{"crash", RESULT_OK, RESULT_CRASHED, true},
		{"oob-far", RESULT_OK, RESULT_CRASHED, true},
		{"overdue", RESULT_OK, RESULT_HUNG, true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct trouble *c = &cases[i];
		const char *members =
			str_c(&s->a, str_fmt(&s->a,
					     "\"time_ns\": 9000, \"faults\": [{\"when\": "
					     "\"TILE == 4\", "
					     "\"fault\": \"%s\"}]",
					     c->fault));
		struct open o = opened(s, members, sim_request(s, "TILE=5@1M", ARGS));
		assert_non_null(o.l);
		assert_true(o.ops->run(o.s, o.l, LATER, &o.f));
		o = opened(s, members, sim_request(s, "TILE=4@1M", ARGS));
		if (c->at_load != RESULT_OK) {
			assert_null(o.l);
			assert_int_equal(o.f.status, c->at_load);
			continue;
		}
		int64_t deadline = o.ops->now(o.s) + 1000000;
		assert_false(o.ops->run(o.s, o.l, deadline, &o.f));
		assert_int_equal(o.f.status, c->at_run);
		assert_int_equal(o.f.fatal, c->fatal);
	}
}

static void
a_slow_launch_misses_its_deadline(void **state)
{
	struct scratch *s = *state;
	struct open o =
		opened(s, "\"time_ns\": 5000000000", sim_request(s, "TILE=4@1M", ARGS));

	assert_false(o.ops->run(o.s, o.l, o.ops->now(o.s) + 1000000000, &o.f));
	assert_int_equal(o.f.status, RESULT_HUNG);
	assert_true(o.f.fatal);
}

/* What fetch() gives after one run on poison p. */
static const float *
output(struct scratch *s, struct open *o, unsigned char p)
{
	float *to = arena_news(&s->a, 64, float);

	assert_true(o->ops->refill(o->s, o->l, p, &o->f));
	assert_true(o->ops->run(o->s, o->l, LATER, &o->f));
	assert_true(o->ops->fetch(o->s, o->l, 1, to, &o->f));
	return to;
}

static struct open
with_fault(struct scratch *s, const char *fault)
{
	struct bench_request *q = arena_new(&s->a, struct bench_request);

	*q = *sim_request(s, "TILE=4@1M", ARGS);
	sim_reference(s, q);
	return opened(s,
		str_c(&s->a,
			str_fmt(&s->a, "\"time_ns\": 9000, \"faults\": [{%s}]", fault)),
		q);
}

static void
outputs_and_their_faults(void **state)
{
	struct scratch *s = *state;
	struct open o = with_fault(s, "\"when\": false, \"fault\": \"wrong\"");
	const float *v = output(s, &o, 0xff), *w;

	for (int i = 0; i < 64; i++)
		assert_true(v[i] == (float)i + 1);
	assert_true(o.ops->guards(o.s, o.l, &o.f));

	o = with_fault(s, "\"fault\": \"wrong\"");
	v = output(s, &o, 0xff);
	assert_true(v[0] != 1 && v[1] == 2 && v[63] == 64);
	o = with_fault(s, "\"fault\": \"wrong-last\"");
	v = output(s, &o, 0xff);
	assert_true(v[0] == 1 && v[62] == 63 && v[63] != 64);
	o = with_fault(s, "\"fault\": \"unwritten\"");
	v = output(s, &o, 0x5a);
	assert_true(v[31] == 32 && ((const unsigned char *)v)[32 * 4] == 0x5a);
	o = with_fault(s, "\"fault\": \"uninitialised\"");
	v = output(s, &o, 0xff), w = output(s, &o, 0x5a);
	assert_true(memcmp(v, w, 4) != 0 && memcmp(v + 1, w + 1, 63 * 4) == 0);
	o = with_fault(s, "\"fault\": \"nondeterministic\"");
	v = output(s, &o, 0xff), w = output(s, &o, 0xff);
	assert_true(memcmp(v, w, 4) != 0 && fabsf(v[0] - w[0]) < 1e-6f);
	o = with_fault(s, "\"fault\": \"late\"");
	v = output(s, &o, 0xff);
	(void)timed(&o, 1);
	w = output(s, &o, 0xff);
	assert_true(v[0] == 1 && w[0] != 1);
	o = with_fault(s, "\"fault\": \"oob-one\"");
	v = output(s, &o, 0xff);
	assert_true(v[63] == 64 && !o.ops->guards(o.s, o.l, &o.f));
	assert_int_equal(o.f.status, RESULT_WRONG);
	assert_contains(str_c(&s->a, o.f.reason), "wrote outside 'out': 4 bytes");
}

/* Equal argument lists share buffers: another's run is not one's own output. */
static void
buffers_are_shared(void **state)
{
	struct scratch *s = *state;
	const struct bench_request *q = sim_request(s, "TILE=4@1M", ARGS);
	struct open o = opened(s, "\"time_ns\": 9000, \"memory_bytes\": 600", q);
	struct loaded *mine = o.l;
	float v[64];

	o.l = o.ops->load(o.s, &s->a, sim_request(s, "TILE=5@1M", ARGS), &o.f);
	assert_non_null(o.l);
	(void)output(s, &o, 0xff);
	assert_true(o.ops->fetch(o.s, mine, 1, v, &o.f));
	assert_true(memcmp(v, &(uint32_t){0}, 4) == 0);
	const char *other = "in=f32*[65]:exact,out=f32*[64]:out,n=i32:64";
	assert_null(o.ops->load(o.s, &s->a, sim_request(s, "TILE=6@1M", other), &o.f));
	assert_int_equal(o.f.status, RESULT_OOM);
	o.ops->unload(o.s, mine);
	o.ops->unload(o.s, o.l);
	assert_non_null(
		o.ops->load(o.s, &s->a, sim_request(s, "TILE=6@1M", other), &o.f));
}

static void
first_ones_only(void **state)
{
	struct scratch *s = *state;
	const struct bench_request *q = sim_request(s, "TILE=4@1M", ARGS);
	static const char *const rule =
		"\"time_ns\": 9000, \"faults\": [{\"fault\": \"oom\", \"first\": 2}]";
	struct open o = opened(s, rule, q);

	assert_null(o.l);
	assert_null(o.ops->load(o.s, &s->a, q, &o.f));
	assert_non_null(o.ops->load(o.s, &s->a, q, &o.f));
	/* Counted in files, they are the first of all sessions. */
	const char *kept = str_c(
		&s->a, str_fmt(&s->a, "\"counts\": \"%s/count\", %s", s->dir, rule));
	for (int i = 0; i < 4; i++) {
		o = opened(s, kept, q);
		assert_int_equal(o.l != NULL, i >= 2);
	}
}

struct death {
	struct scratch *s;
	const char *fault;
};

static void
die_of(void *arg)
{
	const struct death *d = arg;
	struct open o = with_fault(
		d->s, str_c(&d->s->a, str_fmt(&d->s->a, "\"fault\": \"%s\"", d->fault)));

	(void)o.ops->run(o.s, o.l, LATER, &o.f);
}

static void
faults_that_end_the_process(void **state)
{
	struct scratch *s = *state;
	struct death d = {s, "exit"};

	assert_int_equal(scratch_run(s, die_of, &d).status, 3);
	d.fault = "abort";
	assert_int_equal(scratch_run(s, die_of, &d).signal, SIGABRT);
}

static bool
reaped_within(pid_t pid, int tries)
{
	for (int i = 0; i < tries; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	return false;
}

static pid_t
start(struct death *d)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		die_of(d);
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void
faults_that_never_come_back(void **state)
{
	struct scratch *s = *state;
	struct death d = {s, "hang"};
	pid_t pid = start(&d);

	assert_false(reaped_within(pid, 20));
	kill(pid, SIGKILL);
	assert_true(reaped_within(pid, 100));
	d.fault = "wedge";
	pid = start(&d);
	assert_false(reaped_within(pid, 30));
	kill(pid, SIGKILL);
	/* Dead, but not to be had before its tracer ends: both are of one group. */
	assert_false(reaped_within(pid, 30));
	kill(-pid, SIGKILL);
	assert_true(reaped_within(pid, 100));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(mistakes_in_scripts),
		scratch_test(the_record_holds_the_script),
		scratch_test(times_of_points),
		scratch_test(noise_drift_clock_and_floor),
		scratch_test(events_change_the_device),
		scratch_test(energy_is_counted_in_steps),
		scratch_test(faults_of_loading_and_running),
		scratch_test(a_slow_launch_misses_its_deadline),
		scratch_test(outputs_and_their_faults),
		scratch_test(buffers_are_shared),
		scratch_test(first_ones_only),
		scratch_test(faults_that_end_the_process),
		scratch_test(faults_that_never_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
