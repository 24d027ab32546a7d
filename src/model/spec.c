#include "model/spec.h"

#include "base/arena.h"
#include "model/spec_reader.h"

void
read_apply(struct spec_reader *r, const struct json *v, void *to)
{
	spec_read_object(r, WHERE_APPLY, v, to);
}

void
read_launch(struct spec_reader *r, const struct json *v, void *to)
{
	spec_read_object(r, WHERE_LAUNCH, v, to);
}

void
read_measure(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	spec_read_object(r, WHERE_MEASURE, v, &k->measure);
}

void
read_work(struct spec_reader *r, const struct json *v, void *to)
{
	spec_read_object(r, WHERE_WORK, v, to);
}

static void
read_kernel(struct spec_reader *r, const struct json *v, struct kernel *k)
{
	/* Names of files in the folder that holds a folder for each kernel. */
	static const char *const taken[] = {"in", "rules", "cache", "lock", "epoch",
		"sums", "printed", "worker", "launch.json", "device.json", "limits.json",
		"events.jsonl", "report.json", "report.txt", "wall"};
	*k = (struct kernel){.name = v->key,
		.at = json_key_place(v),
		.timeout_s = 30,
		.seed = 1,
		.search = {.seed = 1},
		.measure.margin = 0.005};
	spec_key_plain(r, v, "kernel");
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (str_is(v->key, taken[i]))
			diag_error(r->d, k->at,
				"a kernel cannot be named '%s': rename it", taken[i]);
	spec_read_object(r, WHERE_KERNEL, v, k);
	if (v->kind != JSON_OBJECT)
		return;
	if (!k->sizes) {
		k->sizes = arena_new(r->a, struct size);
		k->sizes[0] = (struct size){.name = STR_LIT("default"), .at = k->at};
		k->n_sizes = 1;
	}
	spec_check_kernel(r, k);
}

void
read_kernels(struct spec_reader *r, const struct json *v, void *to)
{
	struct spec *s = to;
	if (!spec_count_ok(r, v, SPEC_KERNELS_MAX, "kernels"))
		return;
	if (!v->n)
		diag_error(
			r->d, json_place(v), "no kernel is written: add \"NAME\": {...}");
	s->kernels = arena_news(r->a, v->n, struct kernel);
	json_each(m, v) if (spec_goes_on(r))
		read_kernel(r, m, &s->kernels[s->n_kernels++]);
}

struct spec *
spec_parse(struct arena *a, const struct source *src, struct diag *d)
{
	struct spec_reader r = {.a = a, .d = d, .errors_before = d->errors};
	const struct json *v = json_parse(a, src, d);
	if (!v)
		return NULL;
	struct spec *s = arena_new(a, struct spec);
	s->src = src;
	spec_read_object(&r, WHERE_SPEC, v, s);
	return d->errors == r.errors_before ? s : NULL;
}

struct spec *
spec_read(struct arena *a, const char *path, struct diag *d)
{
	const struct source *src = json_source(a, path, d);
	return src ? spec_parse(a, src, d) : NULL;
}

const struct kernel *
spec_kernel(const struct spec *s, struct str name)
{
	for (size_t i = 0; i < s->n_kernels; i++)
		if (str_eq(s->kernels[i].name, name))
			return &s->kernels[i];
	return NULL;
}

const struct kernel *
spec_find_kernel(struct arena *a, const struct spec *s, struct str name, struct diag *d)
{
	enum { FEW = 12 };
	const struct kernel *k = spec_kernel(s, name);
	struct str *names = arena_news(a, s->n_kernels, struct str), near;
	struct buf list = {.a = a};

	if (k)
		return k;
	for (size_t i = 0; i < s->n_kernels; i++) {
		names[i] = s->kernels[i].name;
		if (i < FEW)
			buf_addf(&list, "%s%.*s", i ? ", " : "", STR_ARG(names[i]));
	}
	near = str_nearest(name, names, s->n_kernels);
	if (near.n)
		diag_error(d, (struct place){.src = s->src},
			"there is no kernel '%.*s' (did you mean '%.*s'?)", STR_ARG(name),
			STR_ARG(near));
	else
		diag_error(d, (struct place){.src = s->src},
			"there is no kernel '%.*s'; it has %s%s", STR_ARG(name),
			buf_c(&list), s->n_kernels > FEW ? ", ..." : "");
	return NULL;
}

long
kernel_param(const struct kernel *k, struct str name)
{
	for (size_t i = 0; i < k->n_params; i++)
		if (str_eq(k->params[i].name, name))
			return (long)i;
	return -1;
}
