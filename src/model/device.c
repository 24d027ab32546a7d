#include "model/device.h"

#include "base/arena.h"
#include "base/asset.h"
#include "base/buf.h"
#include "format/json.h"
#include "model/record.h"

#include <stddef.h>

#define SCHEMA "lanewise/device.v1"
#define KIB    1024
#define FAR    ((int64_t)1 << 40) /* larger than any limit; products of two still fit */

enum need {
	REQUIRED,
	DERIVED, /* follows from the compute capability unless given */
	OPTIONAL /* 0: not known */
};

struct field {
	const char *key;
	size_t at;
	enum need need;
	int64_t low, high;
};

#define F(key, need, low, high) \
	{ \
#key, offsetof(struct device, key), need, low, high \
	}

static const struct field fields[] = {
	F(sm_count, REQUIRED, 1, 65536),
	F(warp_size, DERIVED, 32, 32),
	F(max_threads_per_block, DERIVED, 32, 65536),
	F(max_threads_per_sm, DERIVED, 32, 65536),
	F(max_blocks_per_sm, DERIVED, 1, 65536),
	F(registers_per_sm, DERIVED, 1, FAR),
	F(max_registers_per_thread, DERIVED, 1, 65536),
	F(register_alloc_unit, DERIVED, 1, 65536),
	F(shared_per_sm_bytes, DERIVED, 1, FAR),
	F(shared_per_block_bytes, DERIVED, 1, FAR),
	F(shared_per_block_optin_bytes, DERIVED, 1, FAR),
	F(reserved_shared_per_block_bytes, DERIVED, 0, FAR),
	F(l2_bytes, OPTIONAL, 0, FAR),
	F(sm_clock_mhz, REQUIRED, 1, 1000000),
	F(memory_clock_mhz, OPTIONAL, 0, 1000000),
	F(memory_bus_bits, OPTIONAL, 0, 1000000),
	F(fp32_lanes_per_sm, DERIVED, 1, 65536),
	F(max_cluster_blocks, DERIVED, 1, 65536),
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static int64_t *
field_of(struct device *dev, const struct field *f)
{
	return (int64_t *)(void *)((char *)dev + f->at);
}

static int64_t
field_value(const struct device *dev, const struct field *f)
{
	return *(const int64_t *)(const void *)((const char *)dev + f->at);
}

/*
 * CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability";
 * blocks per SM and reserved bytes as in cuda_occupancy.h (CUDA 13.0).
 */
static const struct cc_limits {
	int cc, threads, blocks, shared_kib, optin_kib, reserved_bytes, lanes;
} cc_limits[] = {
	{70, 2048, 32, 96, 96, 0, 64},
	{72, 2048, 32, 96, 96, 0, 64},
	{75, 1024, 16, 64, 64, 0, 64},
	{80, 2048, 32, 164, 163, 1024, 64},
	{86, 1536, 16, 100, 99, 1024, 128},
	{87, 1536, 16, 164, 163, 1024, 128},
	{88, 1536, 16, 100, 99, 1024, 128},
	{89, 1536, 24, 100, 99, 1024, 128},
	{90, 2048, 32, 228, 227, 1024, 128},
	{100, 2048, 32, 228, 227, 1024, 128},
	{101, 1536, 24, 228, 227, 1024, 128},
	{103, 2048, 32, 228, 227, 1024, 128},
	{110, 1536, 24, 228, 227, 1024, 128},
	{120, 1536, 24, 100, 99, 1024, 128},
	{121, 1536, 24, 100, 99, 1024, 128},
};

static const struct cc_limits *
cc_find(int cc)
{
	for (size_t i = 0; i < sizeof cc_limits / sizeof *cc_limits; i++)
		if (cc_limits[i].cc == cc)
			return &cc_limits[i];
	return NULL;
}

bool
device_of_cc(struct arena *a, int major, int minor, struct device *out)
{
	const struct cc_limits *l = cc_find(major * 10 + minor);

	if (!l || minor > 9)
		return false;
	*out = (struct device){
		.name = str_fmt(a, "compute capability %d.%d", major, minor),
		.described = true,
		.cc_major = major,
		.cc_minor = minor,
		.warp_size = 32,
		.max_threads_per_block = 1024,
		.max_block_dim = {1024, 1024, 64},
		.max_grid_dim = {INT32_MAX, 65535, 65535},
		.max_threads_per_sm = l->threads,
		.max_blocks_per_sm = l->blocks,
		.registers_per_sm = 65536,
		.max_registers_per_thread = 255,
		.register_alloc_unit = 256,
		.shared_per_sm_bytes = (int64_t)l->shared_kib * KIB,
		.shared_per_block_bytes = (int64_t)48 * KIB,
		.shared_per_block_optin_bytes = (int64_t)l->optin_kib * KIB,
		.reserved_shared_per_block_bytes = l->reserved_bytes,
		.fp32_lanes_per_sm = l->lanes,
		.max_cluster_blocks = major >= 9 ? 8 : 1, /* the portable size */
	};
	return true;
}

/* --- reading --------------------------------------------------------------------- */

static const char *const other_keys[] = {"schema", "name", "uuid", "driver", "described",
	"script", "backend", "compute_capability", "max_block_dim", "max_grid_dim",
	"memory_bandwidth_gbps",
	"sources" /* where each number comes from: for people */};
enum { N_OTHER_KEYS = sizeof other_keys / sizeof *other_keys };

static void
check_keys(struct record *r)
{
	struct str known[N_FIELDS + N_OTHER_KEYS];

	if (!r->ok)
		return;
	for (size_t i = 0; i < N_FIELDS; i++)
		known[i] = str_of(fields[i].key);
	for (size_t i = 0; i < N_OTHER_KEYS; i++)
		known[N_FIELDS + i] = str_of(other_keys[i]);
	json_each(m, r->v)
	{
		size_t i = 0;
		while (i < N_FIELDS + N_OTHER_KEYS && !str_eq(known[i], m->key))
			i++;
		if (i < N_FIELDS + N_OTHER_KEYS)
			continue;
		struct str near = str_nearest(m->key, known, N_FIELDS + N_OTHER_KEYS);
		diag_error(r->d, json_key_place(m),
			"unknown key '%.*s' of a device%s%.*s%s", STR_ARG(m->key),
			near.n ? " (did you mean '" : "", STR_ARG(near),
			near.n ? "'?)" : "");
		r->ok = false;
		return;
	}
}

static void
read_cc(struct arena *a, struct record *r, struct device *dev)
{
	struct str text = record_str(r, "compute_capability"), rest = text, piece;
	int64_t major, minor;

	if (!r->ok)
		return;
	if (!str_split(&rest, '.', &piece) || !str_to_i64(piece, &major) ||
		!str_to_i64(rest, &minor) || major < 1 || major > 99 || minor < 0 ||
		minor > 9) {
		record_fail(r, "compute_capability",
			"compute_capability '%.*s' is not MAJOR.MINOR, such as \"9.0\"",
			(int)(text.n < 40 ? text.n : 40), text.n ? text.s : "");
		return;
	}
	if (!device_of_cc(a, (int)major, (int)minor, dev)) {
		dev->cc_major = (int)major;
		dev->cc_minor = (int)minor;
	}
}

/* Without limits from the compute capability each has to be written: say why. */
static void
check_complete(struct record *r, const struct device *dev)
{
	for (size_t i = 0; r->ok && !dev->warp_size && i < N_FIELDS; i++)
		if (fields[i].need == DERIVED && !record_has(r, fields[i].key))
			record_fail(r, "compute_capability",
				"the limits of compute capability %d.%d are not known: "
				"write '%s' and every other key",
				dev->cc_major, dev->cc_minor, fields[i].key);
}

static void
read_dims(struct record *r, const char *key, int64_t dims[3])
{
	const struct json *v;
	size_t i = 0;

	/* Absent is fine when the compute capability gave it. */
	if (dims[0] && !record_has(r, key))
		return;
	v = record_array(r, key, JSON_NUMBER);
	if (!v)
		return;
	json_each(e, v)
	{
		if (i < 3 && (!json_is_i64(e, &dims[i]) || dims[i] < 1 || dims[i] > FAR))
			i = 3;
		i++;
	}
	if (i != 3)
		record_fail(r, key, "'%s' must be three positive whole numbers", key);
}

static void
read_fields(struct record *r, struct device *dev, bool bare)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct field *f = &fields[i];
		int64_t *to = field_of(dev, f);
		bool skip = bare || f->need == OPTIONAL || (f->need == DERIVED && *to);

		/* 0 reserved bytes follow from an old compute capability, so test the cc.
		 */
		if (f->need == DERIVED && dev->warp_size && !record_has(r, f->key))
			continue;
		if (!skip || record_has(r, f->key))
			*to = record_i64(
				r, f->key, bare ? 0 : f->low, bare ? FAR : f->high);
	}
}

struct device *
device_get(struct arena *a, const struct json *v, struct diag *d)
{
	struct device *dev = arena_new(a, struct device);
	struct record r = record_open(v, SCHEMA, d);

	check_keys(&r);
	struct str backend =
		record_has(&r, "backend") ? record_str(&r, "backend") : (struct str){0};
	/* No GPU, and no stand-in for one. */
	bool bare = backend.n && !record_has(&r, "compute_capability");
	if (!bare)
		read_cc(a, &r, dev);
	dev->backend = backend;
	dev->name = record_str(&r, "name");
	if (r.ok && !dev->name.n)
		record_fail(&r, "name", "'name' is empty");
	dev->uuid = record_has(&r, "uuid") ? record_str(&r, "uuid") : (struct str){0};
	dev->driver =
		record_has(&r, "driver") ? record_str(&r, "driver") : (struct str){0};
	dev->script =
		record_has(&r, "script") ? record_str(&r, "script") : (struct str){0};
	dev->described = !record_has(&r, "described") || record_bool(&r, "described");
	if (!bare)
		check_complete(&r, dev);
	read_fields(&r, dev, bare);
	read_dims(&r, "max_block_dim", dev->max_block_dim);
	read_dims(&r, "max_grid_dim", dev->max_grid_dim);
	if (!bare || record_has(&r, "memory_bandwidth_gbps"))
		dev->memory_bandwidth_gbps = record_f64(&r, "memory_bandwidth_gbps");
	if (r.ok && !bare &&
		!(dev->memory_bandwidth_gbps > (dev->backend.n ? -1e-9 : 0) &&
			dev->memory_bandwidth_gbps < 1e9))
		record_fail(&r, "memory_bandwidth_gbps",
			"'memory_bandwidth_gbps' must be a positive number of GB/s");
	return r.ok ? dev : NULL;
}

struct device *
device_read(struct arena *a, const char *path, struct diag *d)
{
	return device_get(a, json_parse_file(a, path, d), d);
}

static struct str
shipped_name(struct str path)
{
	return str_sub(path, strlen("devices/"), path.n - strlen(".json"));
}

static bool
is_shipped(struct str path)
{
	return str_starts(path, "devices/") && str_ends(path, ".json");
}

static void
say_shipped(struct arena *a, struct str name, struct diag *d)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < n_assets; i++)
		if (is_shipped(str_of(assets[i].path))) {
			buf_adds(&b, b.n ? ", " : "");
			buf_addstr(&b, shipped_name(str_of(assets[i].path)));
		}
	diag_error(d, (struct place){0},
		"no device description is called '%.*s'; shipped are %s, or give a path "
		"that "
		"ends in .json",
		STR_ARG(name), b.n ? buf_c(&b) : "none");
}

struct device *
device_find(struct arena *a, const char *name, struct diag *d)
{
	struct str s = str_of(name), text;
	struct source *src;

	if (str_has(s, STR_LIT("/")) || str_ends(s, ".json"))
		return device_read(a, name, d);
	if (!asset_find(str_c(a, str_fmt(a, "devices/%s.json", name)), &text)) {
		say_shipped(a, s, d);
		return NULL;
	}
	src = arena_new(a, struct source);
	src->name = str_c(a, str_fmt(a, "devices/%s.json", name));
	src->text = text;
	return device_get(a, json_parse(a, src, d), d);
}

/* --- writing --------------------------------------------------------------------- */

static void
put_dims(struct json_out *o, const char *key, const int64_t dims[3])
{
	json_open_array(o, key, true);
	for (int i = 0; i < 3; i++)
		json_put_i64(o, NULL, dims[i]);
	json_close_array(o);
}

struct str
device_write(struct arena *a, const struct device *dev)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_str(&o, "name", dev->name);
	json_put_str(&o, "uuid", dev->uuid);
	json_put_str(&o, "driver", dev->driver);
	json_put_bool(&o, "described", dev->described);
	if (dev->script.n)
		json_put_str(&o, "script", dev->script);
	if (dev->backend.n)
		json_put_str(&o, "backend", dev->backend);
	if (dev->cc_major)
		json_put_str(&o, "compute_capability",
			str_fmt(a, "%d.%d", dev->cc_major, dev->cc_minor));
	for (size_t i = 0; i < N_FIELDS; i++)
		json_put_i64(&o, fields[i].key, field_value(dev, &fields[i]));
	put_dims(&o, "max_block_dim", dev->max_block_dim);
	put_dims(&o, "max_grid_dim", dev->max_grid_dim);
	if (dev->cc_major || dev->memory_bandwidth_gbps > 0)
		json_put_f64(&o, "memory_bandwidth_gbps", dev->memory_bandwidth_gbps);
	json_close_object(&o);
	return json_done(&o);
}

struct device
device_limits(const struct device *dev)
{
	struct device l = *dev;

	l.name = STR_LIT("limits");
	l.uuid = l.driver = l.script = (struct str){0};
	if (l.cc_major) /* else it says that there is none */
		l.backend = (struct str){0};
	l.described = true;
	l.sm_count = l.sm_clock_mhz = 1;
	l.l2_bytes = l.memory_clock_mhz = l.memory_bus_bits = 0;
	l.memory_bandwidth_gbps = 1;
	return l;
}

/* --- names in expressions -------------------------------------------------------- */

static const struct {
	const char *name, *key;
} aliases[] = {
	{"max_shared", "shared_per_block_optin_bytes"},
	{"max_shared_default", "shared_per_block_bytes"},
	{"shared_per_sm", "shared_per_sm_bytes"},
	{"max_threads", "max_threads_per_block"},
	{"max_registers", "max_registers_per_thread"},
	{"l2", "l2_bytes"},
};

bool
device_value(const struct device *dev, struct str name, struct value *out)
{
	if (str_starts(name, "device."))
		name = str_sub(name, strlen("device."), name.n);
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (str_is(name, aliases[i].name))
			name = str_of(aliases[i].key);
	*out = (struct value){.kind = VALUE_INT};
	for (size_t i = 0; i < N_FIELDS; i++)
		if (str_is(name, fields[i].key)) {
			out->i = field_value(dev, &fields[i]);
			return true;
		}
	if (str_is(name, "cc"))
		out->i = (int64_t)dev->cc_major * 10 + dev->cc_minor;
	else if (str_is(name, "memory_bandwidth_gbps"))
		*out = (struct value){
			.kind = VALUE_REAL, .f = dev->memory_bandwidth_gbps};
	else if (str_is(name, "name"))
		*out = (struct value){.kind = VALUE_STRING, .s = dev->name};
	else
		return false;
	return true;
}
