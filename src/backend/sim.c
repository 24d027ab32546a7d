/*
 * The scripted device.  Its device record carries the whole script, so that who has the
 * record needs no other file, and its uuid is a hash of it: another script is another
 * device, whose results are not those of the first.
 */
#include "backend/sim.h"

#include "backend/sim_fault.h"
#include "backend/sim_session.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "format/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the device -------------------------------------------------------------------- */

/* The first line of what a reader said, for a reason. */
static struct str
first_line(struct arena *a, FILE *said, char **text, size_t *n)
{
	fclose(said);
	struct str rest = str_dup(a, (struct str){*text, *n}), line = rest;
	free(*text);
	(void)str_line(&rest, &line);
	return line;
}

static struct sim_script *
read_script(struct arena *a, struct source src, struct device **dev, struct str *why)
{
	char *text = NULL;
	size_t n = 0;
	struct diag d = {.to = open_memstream(&text, &n)};
	struct source *kept = arena_new(a, struct source);

	if (!d.to) {
		*why = STR_LIT("out of memory");
		return NULL;
	}
	*kept = src;
	const struct json *v = json_parse(a, kept, &d);
	struct sim_script *s = v ? sim_script_read(a, v, &d) : NULL;
	if (s && dev)
		*dev = device_find(a, str_c(a, s->device), &d);
	*why = first_line(a, d.to, &text, &n);
	return s && (!dev || *dev) ? s : NULL;
}

static struct device *
probe(struct arena *a, struct str which, struct str *why)
{
	struct source src = {.name = str_c(a, which)};
	struct device *dev = NULL;

	if (!fs_try_read(a, src.name, &src.text)) {
		*why = str_fmt(a, "cannot read '%.*s': %s", STR_ARG(which), fs_reason());
		return NULL;
	}
	if (!read_script(a, src, &dev, why))
		return NULL;
	dev->name = str_fmt(a, "simulated %.*s", STR_ARG(dev->name));
	dev->uuid = str_fmt(a, "SIM-%s", hash_short(a, src.text, 16));
	dev->driver = STR_LIT("simulated");
	dev->described = false;
	dev->script = src.text;
	return dev;
}

/* --- sessions ---------------------------------------------------------------------- */

static struct session *
sim_open(struct arena *a, const struct device *dev, struct fault *f)
{
	struct session *s = arena_new(a, struct session);
	struct source src = {"the device's script", dev->script};
	struct str why;

	s->a = a;
	s->dev = dev;
	s->script = read_script(a, src, NULL, &why);
	if (!s->script) {
		*f = (struct fault){RESULT_TROUBLE, why, true};
		return NULL;
	}
	s->rng = (struct rng){s->script->seed};
	s->clock = s->script->clock_start;
	s->counted = arena_news(a, s->script->n_rules + 1, int64_t);
	s->start_ns = clock_ns();
	sim_advance(s, s->script->open_ns, false);
	return s;
}

static uint64_t
buffer_bytes(const struct bench_request *q)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < q->n_args; i++)
		if (q->args[i].pointer)
			bytes += q->args[i].count * dtype_bytes(q->args[i].type);
	return bytes;
}

/* Bytes of the buffers of what is loaded, with l. */
static uint64_t
used_bytes(const struct session *s, const struct loaded *l)
{
	uint64_t bytes = buffer_bytes(l->q);

	for (const struct loaded *x = s->newest; x; x = x->older) {
		bool again = str_eq(x->args, l->args);
		for (const struct loaded *y = s->newest; y != x; y = y->older)
			again = again || str_eq(x->args, y->args);
		bytes += again ? 0 : buffer_bytes(x->q);
	}
	return bytes;
}

static bool
set_fault(struct fault *f, enum result_status status, struct str reason)
{
	*f = (struct fault){status, reason, false};
	return false;
}

/* What the script says of parameters is not said of a library. */
static bool
power_says(struct session *s, struct arena *a, struct loaded *l, struct sim_scope *scope,
	struct str *why)
{
	enum { USUAL_W = 300 };

	if (s->script->power_w &&
		sim_scope_number(a, scope, s->script->power_w, &l->power_w, why))
		return true;
	l->power_w = USUAL_W;
	return !s->script->power_w || l->q->library.n;
}

static bool
script_says(struct session *s, struct arena *a, struct loaded *l, struct fault *f)
{
	const struct bench_request *q = l->q;
	struct sim_scope scope = {s->script, q->point, q->library.n ? q->point : q->entry,
		q->args, q->n_args};
	struct str why;

	if (!power_says(s, a, l, &scope, &why) ||
		!sim_scope_time(a, &scope, &l->ns, &why) ||
		!sim_faults_of(s, a, &scope, l, &why))
		return set_fault(f, RESULT_TROUBLE, why);
	return true;
}

/* A reference that is damaged is found by who compares with it. */
static void
open_reference(struct arena *a, struct loaded *l)
{
	struct str why;

	if (l->q->reference_path && !ref_open(a, l->q->reference_path, l->q->args,
					    l->q->n_args, &l->ref, &why))
		ref_close(&l->ref);
}

static struct loaded *
sim_load(struct session *s, struct arena *a, const struct bench_request *q,
	struct fault *f)
{
	struct loaded *l = arena_new(a, struct loaded);
	int64_t memory = s->script->memory_bytes;

	l->q = q;
	l->args = args_text(a, q->args, q->n_args);
	s->calls.loads++;
	sim_advance(s, s->script->load_ns, false);
	if (!script_says(s, a, l, f))
		return NULL;
	if (sim_fault_now(s, l, SIM_UNLOADABLE)) {
		set_fault(f, RESULT_UNLOADABLE, STR_LIT("the script refuses the module"));
		return NULL;
	}
	if (sim_fault_now(s, l, SIM_OOM) ||
		(memory && used_bytes(s, l) > (uint64_t)memory)) {
		set_fault(f, RESULT_OOM, STR_LIT("the buffers do not fit the device"));
		return NULL;
	}
	open_reference(a, l);
	l->older = s->newest;
	s->newest = l;
	return l;
}

static void
sim_unload(struct session *s, struct loaded *l)
{
	struct loaded **at = &s->newest;

	while (*at && *at != l)
		at = &(*at)->older;
	if (*at)
		*at = l->older;
	if (s->last == l)
		s->last = NULL;
	ref_close(&l->ref);
}

static void
copy_takes(struct session *s, double bytes)
{
	sim_advance(s, s->script->call_ns + bytes / s->script->copy_bytes_per_ns, false);
}

static bool
sim_refill(struct session *s, struct loaded *l, unsigned char poison, struct fault *f)
{
	(void)f;
	l->poison = poison;
	l->since_refill = 0;
	s->calls.refills++;
	copy_takes(s, 0);
	return true;
}

static bool
sim_run(struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	s->calls.runs++;
	if (!sim_fault_strikes(s, l, deadline_ns, f))
		return false;
	(void)sim_launches(s, l, 1, LAUNCH_STREAM);
	sim_advance(s, s->script->call_ns, false);
	s->last = l;
	l->since_refill++;
	l->runs++;
	return sim_fault_overdue(s, l, deadline_ns, f);
}

static bool
sim_guards(struct session *s, struct loaded *l, struct fault *f)
{
	copy_takes(s, 0);
	if (!l->has[SIM_OOB_ONE] || l->since_refill == 0)
		return true;
	for (size_t i = 0; i < l->q->n_args; i++) {
		const struct arg *v = &l->q->args[i];
		if (v->output)
			return set_fault(f, RESULT_WRONG,
				str_fmt(s->a,
					"wrote outside '%.*s': %zu bytes after it "
					"changed",
					STR_ARG(v->name), dtype_bytes(v->type)));
	}
	return true;
}

static bool
sim_fetch(struct session *s, struct loaded *l, size_t arg, void *to, struct fault *f)
{
	const struct arg *v = &l->q->args[arg];

	(void)f;
	s->calls.fetches++;
	copy_takes(s, (double)v->count * (double)dtype_bytes(v->type));
	sim_output(s, l, arg, to);
	return true;
}

static bool
sim_graphs(struct session *s, struct loaded *l)
{
	return s->script->graphs && !l->q->launch.cooperative;
}

/* Graphs of up to 256 launches; one of another length is made anew. */
static void
make_graph(struct session *s, struct loaded *l, const struct batch *b)
{
	enum { LAUNCHES = 256 };
	int64_t n = b->launches < LAUNCHES ? b->launches : LAUNCHES;

	if (b->launch != LAUNCH_GRAPH || l->graph == n)
		return;
	l->graph = n;
	sim_advance(s, s->script->graph_ns * (double)n, false);
}

static bool
sim_time(struct session *s, struct loaded *l, const struct batch *b, int64_t deadline_ns,
	struct reading *out, struct fault *f)
{
	double n = (double)b->launches;

	s->calls.times++;
	l->batches++;
	if (!sim_fault_strikes(s, l, deadline_ns, f))
		return false;
	make_graph(s, l, b);
	double ns = sim_launches(s, l, b->launches, b->launch);
	sim_advance(s, s->script->call_ns, false);
	s->last = l;
	l->since_refill += b->launches;
	*out = (struct reading){.ns = ns / n,
		.host_ns = (ns + s->script->call_ns) / n,
		.sm_mhz = sim_sm_mhz(s),
		.power_w = l->power_w,
		.celsius = 40 + 30 * s->clock,
		.reasons = sim_event_now(s).reasons};
	return sim_fault_overdue(s, l, deadline_ns, f);
}

static double
sim_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	/* The middle one of three batches of a millisecond, as on a GPU. */
	(void)l;
	sim_advance(s, 3e6, true);
	return s->script->floor_ns[mode];
}

static void
sim_state(struct session *s, struct arena *a, struct device_state *out)
{
	struct sim_event e = sim_event_now(s);

	(void)a;
	s->calls.states++;
	*out = (struct device_state){.sm_mhz = sim_sm_mhz(s),
		.memory_mhz = (double)s->dev->memory_clock_mhz,
		.power_w = s->power_w,
		.power_limit_w = (double)NAN,
		.celsius = 40 + 30 * s->clock,
		.energy_j = s->shown_j,
		.reasons = e.reasons,
		.sharing = e.sharing};
}

static int64_t
sim_now(struct session *s)
{
	return (int64_t)sim_now_ns(s);
}

static void
sim_sleep(struct session *s, int64_t ns)
{
	s->calls.sleeps++;
	s->calls.slept_ns += (double)ns;
	sim_advance(s, (double)ns, false);
}

static const struct session_ops ops = {
	.open = sim_open,
	.load = sim_load,
	.unload = sim_unload,
	.refill = sim_refill,
	.run = sim_run,
	.guards = sim_guards,
	.fetch = sim_fetch,
	.graphs = sim_graphs,
	.time = sim_time,
	.floor = sim_floor,
	.state = sim_state,
	.now = sim_now,
	.sleep = sim_sleep,
};

const struct backend backend_sim = {.name = "sim",
	.about = "a scripted device, for trying things out",
	.probe = probe,
	.ops = &ops,
	.kind = RESULT_SIMULATED};

const struct sim_calls *
sim_calls(const struct session *s)
{
	return &s->calls;
}
