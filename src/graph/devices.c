#include "graph/devices.h"

#include "backend/backend.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"

#include <ctype.h>

/* Which description stands in when no GPU is here and none is named. */
static const char DEFAULT_DEVICE[] = "h200";

static const char OPENCL[] = "opencl:";

/* --- one device -------------------------------------------------------------------- */

static const struct device *
described(struct arena *a, struct graph *g, const char *name, struct diag *d)
{
	g->plan.backend = "model";
	if (!g->note)
		g->note = "a described device was asked for";
	return device_find(a, name, d);
}

/* A script stands where a description stands, and is measured on. */
static bool
is_script(struct arena *a, const char *name)
{
	FILE *nowhere = fopen("/dev/null", "we");
	struct diag d = {.to = nowhere};
	bool is = fs_is_file(name) &&
		  str_is(json_get_str(json_parse_file(a, name, &d), "schema"),
			  "lanewise/sim.v1");
	if (nowhere)
		fclose(nowhere);
	return is;
}

static const struct device *
probed(struct arena *a, struct graph *g, const char *backend, const char *which,
	struct diag *d)
{
	struct str *why = arena_new(a, struct str);
	const struct backend *b = backend_find(str_of(backend));
	const struct device *dev = b->probe(a, str_of(which), why);
	g->plan.backend = b->name;
	if (!dev)
		diag_error(d, (struct place){0}, "%s: %.*s", which, STR_ARG(*why));
	return dev;
}

/* "0", "GPU-...": one that is here. */
static bool
is_here(const char *name)
{
	const char *c = name;
	while (isdigit((unsigned char)*c))
		c++;
	return (*name && !*c) || strncmp(name, "GPU-", 4) == 0 ||
	       strncmp(name, "MIG-", 4) == 0;
}

/* "opencl:0", "opencl:OPENCL-...": one of a runtime that is here. */
static const struct device *
of_opencl(struct arena *a, struct graph *g, const char *which, bool model, struct diag *d)
{
	if (!model)
		return probed(a, g, "opencl", which, d);
	diag_error(d, (struct place){0},
		"times on an OpenCL device are measured, there is no model of one: "
		"name a GPU, or leave '--backend model' out");
	return NULL;
}

static const struct device *
named_device(
	struct arena *a, struct graph *g, const char *name, bool model, struct diag *d)
{
	if (is_here(name))
		return probed(a, g, "cuda", name, d);
	if (strcmp(name, "host") == 0)
		return probed(a, g, "host", name, d);
	if (strncmp(name, OPENCL, strlen(OPENCL)) == 0)
		return of_opencl(a, g, name + strlen(OPENCL), model, d);
	if (!model && is_script(a, name))
		return probed(a, g, "sim", name, d);
	return described(a, g, name, d);
}

/* --- which languages run on it ------------------------------------------------------ */

static bool
is_host_language(const struct kernel *k)
{
	return str_is(k->language.s, "c");
}

static bool
is_opencl(const struct kernel *k)
{
	return str_is(k->language.s, "opencl");
}

bool
devices_host_alone(const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_kernels; i++)
		if (!is_host_language(&spec->kernels[i]))
			return false;
	return spec->n_kernels > 0;
}

static bool
check_blas(const struct kernel *k, const char *blas, struct diag *d)
{
	const struct reference_spec *f = &k->reference;
	if (!f->gemm || str_is(f->library.s, blas))
		return true;
	diag_error(d, f->library.at,
		"'%.*s' does not run on this device; here it is '%s'",
		STR_ARG(f->library.s), blas);
	return false;
}

static bool
check_languages(const struct plan *p, struct diag *d)
{
	bool host = strcmp(p->backend, "host") == 0, ok = true;
	bool opencl = strcmp(p->backend, "opencl") == 0;
	for (size_t i = 0; i < p->spec->n_kernels; i++) {
		const struct kernel *k = &p->spec->kernels[i];
		struct place at = k->language.s.n ? k->language.at : k->at;
		if (!opencl)
			ok &= check_blas(k, host ? "openblas" : "cublas", d);
		if (opencl ? is_opencl(k) : is_host_language(k) == host)
			continue;
		ok = false;
		if (opencl)
			diag_error(d, at,
				"'%.*s' is not OpenCL C, which is all that an OpenCL "
				"device runs: give it another device, or a spec of its "
				"own",
				STR_ARG(k->name));
		else if (host)
			diag_error(d, at,
				"'%.*s' is not in C, so the device 'host' does not run "
				"it: leave '--device' out, or keep kernels in C in a "
				"spec of their own",
				STR_ARG(k->name));
		else
			diag_error(d, at,
				"'%.*s' is in C, which runs on the device 'host' and is "
				"not estimated: give '--device host', and keep kernels "
				"for a GPU in a spec of their own",
				STR_ARG(k->name));
	}
	return ok;
}

/* The GPU that is here, or the description that stands in for it. */
static const struct device *
found_device(struct arena *a, struct graph *g, bool model, bool cuda, struct diag *d)
{
	struct str why = {0};
	const struct backend *b = backend_find(STR_LIT("cuda"));
	const struct device *dev = b ? b->probe(a, (struct str){0}, &why) : NULL;
	g->plan.backend = "cuda";
	if (dev && !model)
		return dev;
	if (cuda) {
		diag_error(
			d, (struct place){0}, "no GPU to measure on: %.*s", STR_ARG(why));
		return NULL;
	}
	g->note = model ? "the model backend was asked for" : str_c(a, why);
	if (!dev)
		return described(a, g, DEFAULT_DEVICE, d);
	g->plan.backend = "model";
	return dev;
}

/* --- several ----------------------------------------------------------------------- */

static bool
add_device(struct arena *a, struct graph *g, const struct device *dev)
{
	struct plan *p = &g->plan;
	if (!dev)
		return false;
	if (!p->devices)
		p->devices = arena_news(a, DEVICES_MAX, const struct device *);
	p->devices[p->n_devices++] = dev;
	return true;
}

/* All GPUs that are here, by index until there are no more. */
static bool
add_all(struct arena *a, struct graph *g, struct diag *d)
{
	const struct backend *cuda = backend_find(STR_LIT("cuda"));
	struct str why = {0};
	g->plan.backend = "cuda";
	for (size_t i = 0; i < DEVICES_MAX; i++)
		if (!add_device(a, g, cuda->probe(a, str_fmt(a, "%zu", i), &why)))
			break;
	if (!g->plan.n_devices)
		diag_error(
			d, (struct place){0}, "no GPU to measure on: %.*s", STR_ARG(why));
	return g->plan.n_devices > 0;
}

/* Nothing but its identity may tell one from another. */
static struct str
model_text(struct arena *a, const struct device *dev)
{
	struct device same = *dev;
	same.uuid = same.driver = same.script = (struct str){0};
	return device_write(a, &same);
}

static bool
check_alike(struct arena *a, const struct plan *p, struct diag *d)
{
	for (size_t i = 1; i < p->n_devices; i++) {
		const struct device *x = p->devices[i];
		if (!str_eq(model_text(a, p->devices[0]), model_text(a, x))) {
			diag_error(d, (struct place){0},
				"'%.*s' and '%.*s' are not of one model; tune for each "
				"alone",
				STR_ARG(p->devices[0]->name), STR_ARG(x->name));
			return false;
		}
		for (size_t k = 0; k < i; k++)
			if (x->uuid.n && str_eq(x->uuid, p->devices[k]->uuid)) {
				diag_error(d, (struct place){0},
					"device '%.*s' is named twice", STR_ARG(x->uuid));
				return false;
			}
	}
	return true;
}

static bool
add_list(struct arena *a, struct graph *g, struct str list, bool model, struct diag *d)
{
	struct str name;
	const char *backend = NULL;
	while (str_split(&list, ',', &name)) {
		const char *one = str_c(a, str_trim(name));
		bool ok = strcmp(one, "all") == 0
				  ? add_all(a, g, d)
				  : g->plan.n_devices < DEVICES_MAX &&
					    add_device(a, g,
						    named_device(a, g, one, model, d));
		if (!ok)
			return false;
		if (backend && strcmp(backend, g->plan.backend) != 0) {
			diag_error(d, (struct place){0},
				"'%s': devices that are here, simulated ones and "
				"described "
				"ones do not mix",
				one);
			return false;
		}
		backend = g->plan.backend;
	}
	if (model)
		g->plan.backend = "model";
	return check_alike(a, &g->plan, d);
}

/* The option goes before the spec, several before one. */
static struct str
names_of(const struct graph *g, const struct graph_opts *o)
{
	const struct spec *spec = g->plan.spec;
	if (o->devices)
		return str_of(o->devices);
	if (o->device)
		return str_of(o->device);
	return spec->devices.s.n ? spec->devices.s : spec->device.s;
}

bool
devices_choose(
	struct arena *a, struct graph *g, const struct graph_opts *o, struct diag *d)
{
	bool model = o->backend && strcmp(o->backend, "model") == 0;
	bool cuda = o->backend && strcmp(o->backend, "cuda") == 0;
	struct str names = names_of(g, o);
	bool host = o->backend && strcmp(o->backend, "host") == 0;
	if (o->backend && !model && !cuda && !host) {
		diag_error(d, (struct place){0},
			"unknown backend '%s': cuda, host or model", o->backend);
		return false;
	}
	if (!names.n && !o->backend && devices_host_alone(g->plan.spec))
		host = true;
	if (o->device && o->devices) {
		diag_error(d, (struct place){0},
			"'--device' and '--devices' exclude each other");
		return false;
	}
	bool ok = host ? add_device(a, g, probed(a, g, "host", "host", d))
		  : cuda && !o->devices
			  ? add_device(a, g, found_device(a, g, false, true, d))
		  : names.n ? add_list(a, g, names, model, d)
			    : add_device(a, g, found_device(a, g, model, cuda, d));
	if (ok)
		g->plan.device = g->plan.devices[0];
	return ok && check_languages(&g->plan, d);
}

/* --- problems ---------------------------------------------------------------------- */

static uint64_t
affinity(struct arena *a, const struct plan *p, struct str problem, size_t device)
{
	struct str key = str_fmt(a, "%.*s %zu %.*s", STR_ARG(problem), device,
		STR_ARG(p->devices[device]->uuid));
	return hash_bytes(key).lo;
}

static size_t
place(struct arena *a, const struct plan *p, struct str problem, const size_t *load,
	size_t most)
{
	size_t chosen = p->n_devices;
	uint64_t best = 0;
	for (size_t i = 0; i < p->n_devices; i++) {
		uint64_t x = affinity(a, p, problem, i);
		if (load[i] >= most || (chosen < p->n_devices && x <= best))
			continue;
		chosen = i;
		best = x;
	}
	return chosen;
}

void
devices_shard(struct arena *a, struct plan *p)
{
	size_t *load = arena_news(a, p->n_devices, size_t), problems = 0;
	for (size_t k = 0; k < p->n_kernels; k++)
		problems += p->kernels[k].k->n_sizes;
	size_t most = (problems + p->n_devices - 1) / p->n_devices;
	for (size_t k = 0; k < p->n_kernels; k++) {
		struct plan_kernel *pk = &p->kernels[k];
		pk->device_of = arena_news(a, pk->k->n_sizes, size_t);
		for (size_t z = 0; z < pk->k->n_sizes; z++) {
			struct str problem = str_fmt(a, "%.*s@%.*s", STR_ARG(pk->k->name),
				STR_ARG(pk->k->sizes[z].name));
			pk->device_of[z] = place(a, p, problem, load, most);
			load[pk->device_of[z]]++;
		}
	}
}
