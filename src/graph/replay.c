#include "graph/replay.h"

#include "backend/backend.h"
#include "base/arena.h"
#include "cache/key.h"
#include "cache/store.h"
#include "format/json.h"
#include "graph/printer.h"
#include "model/record.h"

#include <stdlib.h>

static const char *
cache_root(void)
{
	const char *elsewhere = getenv("LANEWISE_CACHE");
	return elsewhere && *elsewhere ? elsewhere : CACHE_DIR;
}

static struct str
key_of(struct arena *a, const struct spec *spec, const char *name)
{
	struct buf key = {.a = a};
	key_begin(&key, "replay", 1);
	key_param(&key, "spec", str_of(name));
	for (size_t i = 0; i < spec->n_kernels; i++)
		key_param(&key, "kernel", spec->kernels[i].name);
	return buf_str(&key);
}

/* --- keeping ----------------------------------------------------------------------- */

static void
put_device(struct arena *a, struct json_out *o, const struct device *dev)
{
	struct diag d = {0};
	struct source *src = arena_new(a, struct source);
	*src = (struct source){"device", device_write(a, dev)};
	const struct json *v = json_parse(a, src, &d);
	if (v)
		record_copy(o, NULL, v);
}

static struct str
replay_text(struct arena *a, const struct plan *p)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/replay.v1");
	json_put_c(&o, "backend", p->backend);
	json_open_array(&o, "devices", false);
	for (size_t i = 0; i < p->n_devices; i++)
		put_device(a, &o, p->devices[i]);
	json_close_array(&o);
	json_put_str(&o, "assembler", p->assembler);
	json_put_str(&o, "compiler", p->compiler);
	json_put_i64(&o, "epoch", p->epoch);
	json_open_object(&o, "kernels");
	for (size_t i = 0; i < p->n_kernels; i++) {
		json_open_object(&o, str_c(a, p->kernels[i].k->name));
		json_put_c(&o, "toolchain", p->kernels[i].toolchain->name);
		json_put_str(&o, "version", p->kernels[i].toolchain_version);
		json_close_object(&o);
	}
	json_close_object(&o);
	json_close_object(&o);
	return json_done(&o);
}

void
replay_keep(struct arena *a, const struct plan *p, const char *spec)
{
	struct store_part part = {STR_LIT("replay"), replay_text(a, p)}, *old;
	struct str key = key_of(a, p->spec, spec);
	size_t n;
	if (store_get(a, cache_root(), key, &old, &n) && n == 1 &&
		str_eq(old[0].bytes, part.bytes))
		return;
	store_put(a, cache_root(), key, &part, 1);
}

/* --- taking ------------------------------------------------------------------------ */

static bool
take_devices(struct arena *a, struct plan *p, const struct json *v, struct diag *d)
{
	if (!v || v->kind != JSON_ARRAY || !v->n || v->n > DEVICES_MAX)
		return false;
	p->devices = arena_news(a, v->n, const struct device *);
	json_each(one, v)
	{
		const struct device *dev = device_get(a, one, d);
		if (!dev)
			return false;
		p->devices[p->n_devices++] = dev;
	}
	p->device = p->devices[0];
	return true;
}

/* Its texts become lines of the graph and of what is printed. */
static bool
all_plain(const struct plan *p)
{
	if (str_has_control(p->assembler) || str_has_control(p->compiler))
		return false;
	for (size_t i = 0; i < p->n_devices; i++)
		if (str_has_control(p->devices[i]->name) ||
			str_has_control(p->devices[i]->uuid) ||
			str_has_control(p->devices[i]->driver))
			return false;
	json_each(one, p->replay)
	{
		if (str_has_control(json_get_str(one, "toolchain")) ||
			str_has_control(json_get_str(one, "version")))
			return false;
	}
	return true;
}

static bool
take(struct arena *a, struct plan *p, struct str text, struct diag *d)
{
	struct source *src = arena_new(a, struct source);
	*src = (struct source){"the cache's replay", text};
	const struct json *v = json_parse(a, src, d);
	if (!v || !str_is(json_get_str(v, "schema"), "lanewise/replay.v1") ||
		!take_devices(a, p, json_get(v, "devices"), d))
		return false;
	p->backend = str_c(a, json_get_str(v, "backend"));
	p->assembler = json_get_str(v, "assembler");
	p->compiler = json_get_str(v, "compiler");
	p->epoch = (long)json_get_i64(v, "epoch", 0);
	p->replay = json_get(v, "kernels");
	return backend_find(str_of(p->backend)) && p->replay && all_plain(p);
}

bool
replay_take(struct arena *a, struct plan *p, const char *spec, struct diag *d)
{
	struct store_part *parts;
	size_t n;
	if (!store_get(a, cache_root(), key_of(a, p->spec, spec), &parts, &n)) {
		diag_error(d, (struct place){0},
			"--replay: the cache has no measurements of '%s'; bring the "
			"cache "
			"of the machine that measured ('lanewise cache import FILE')",
			spec);
		return false;
	}
	if (n == 1 && take(a, p, parts[0].bytes, d))
		return true;
	diag_error(d, (struct place){0},
		"--replay: what the cache says of '%s' is not for this lanewise; measure "
		"again",
		spec);
	return false;
}
