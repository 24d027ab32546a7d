#include "toolchain/inventory.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/cpu.h"
#include "base/dl.h"
#include "base/fs.h"
#include "base/proc.h"
#include "toolchain/guarded.h"
#include "toolchain/ptxas.h"

void
inventory_add(struct arena *a, struct inventory *v, struct inventory_item item)
{
	arena_grow(a, v->v, v->n, v->cap);
	v->v[v->n++] = item;
}

static void
add_info(struct arena *a, struct inventory *v, enum inventory_kind kind, const char *name,
	struct toolchain_info info)
{
	inventory_add(a, v,
		(struct inventory_item){.kind = kind,
			.name = str_of(name),
			.present = info.present,
			.version = info.version,
			.path = info.path,
			.note = info.why});
}

/* The next number of a version, cut off *rest. */
static int64_t
next_number(struct str *rest)
{
	struct str piece;
	int64_t v;
	if (!str_split(rest, '.', &piece) || !str_to_i64(piece, &v))
		return 0;
	return v;
}

/* Is a dotted version at least `least`?  "1.11.1" >= "1.10"; suffixes (".git") are
 * ignored. */
static bool
version_at_least(struct str version, struct str least)
{
	while (least.n) {
		int64_t want = next_number(&least), have = next_number(&version);
		if (have != want)
			return have > want;
	}
	return true;
}

/* First line of what `PROGRAM --version` prints. */
static struct str
version_line(struct arena *a, const char *program)
{
	const char *argv[] = {program, "--version", NULL};
	struct proc_result r =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 30000000000});
	struct str rest = r.out, line = {0};
	if (r.started && r.status == 0)
		str_line(&rest, &line);
	return str_trim(line);
}

static void
add_ninja(struct arena *a, struct inventory *v)
{
	struct inventory_item item = {
		.kind = INVENTORY_TOOL, .name = STR_LIT("ninja"), .required = true};
	char *program = fs_which(a, "ninja");
	if (program) {
		item.path = str_of(program);
		item.version = version_line(a, program);
		item.present = version_at_least(item.version, STR_LIT("1.10"));
	}
	if (!program)
		item.note = STR_LIT(
			"no ninja on PATH; install it: apt-get install ninja-build, "
			"or: pip install ninja");
	else if (!item.present)
		item.note = STR_LIT("too old: 1.10 or newer is needed");
	inventory_add(a, v, item);
}

static void
add_compiler(struct arena *a, struct inventory *v)
{
	struct inventory_item item = {.kind = INVENTORY_TOOL, .name = STR_LIT("cc")};
	char *program = fs_which(a, "cc");
	if (program) {
		item.path = str_of(program);
		item.version = version_line(a, program);
		item.present = item.version.n > 0;
	}
	if (!item.present)
		item.note =
			STR_LIT("no C compiler: oracles (\"verify\") cannot be built; "
				"install it: apt-get install gcc");
	inventory_add(a, v, item);
}

/* The processors are a device, too: for kernels in C. */
static void
add_host(struct arena *a, struct inventory *v)
{
	struct cpu cpu = cpu_here(a);
	int allowed[CPUS_MAX];
	size_t n = cpu_allowed(allowed);
	inventory_add(a, v,
		(struct inventory_item){.kind = INVENTORY_HOST,
			.name = STR_LIT("host"),
			.present = n > 0,
			.version = str_fmt(a, "%.*s, %zu CPU%s", STR_ARG(cpu.name), n,
				str_plural(n)),
			.note = STR_LIT("the kernel does not tell which processors may "
					"be used")});
}

/* --- the GPU --- */

/* CUDA driver API 13.0; the same since 2.0.  Results are CUresult. */
struct driver {
	int (*init)(unsigned);
	int (*version)(int *);
	int (*count)(int *);
	int (*name)(char *, int, int);
};

static void
add_devices(const struct driver *d, struct buf *answer)
{
	int n = 0;
	int e = d->init(0);
	if (e == 0)
		e = d->count(&n);
	if (e != 0)
		buf_addf(answer, "error %d\n", e);
	for (int i = 0; i < n; i++) {
		char name[256] = "";
		if (d->name(name, sizeof name - 1, i) == 0)
			buf_addf(answer, "device %s\n", name);
	}
}

/* Lines: "none WHY", or "driver 13.0", "path FILE", "device NAME" ..., "error CODE". */
static void
ask_driver(void *env, struct buf *answer)
{
	struct driver d;
	static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
	const struct dl_symbol table[] = {
		{"cuInit", &d.init, false},
		{"cuDriverGetVersion", &d.version, false},
		{"cuDeviceGetCount", &d.count, false},
		{"cuDeviceGetName", &d.name, false},
	};
	int v = 0;
	void *f;
	(void)env;
	struct dl lib = dl_open(answer->a, names, table, sizeof table / sizeof *table);
	if (!lib.handle) {
		buf_adds(answer, "none\n");
		return;
	}
	memcpy(&f, &d.version, sizeof f);
	d.version(&v);
	buf_addf(answer, "driver %d.%d\n", v / 1000, v % 1000 / 10);
	buf_addf(answer, "path %s\n", dl_file(answer->a, f));
	add_devices(&d, answer);
}

static struct str
after(struct str line, const char *word)
{
	return str_sub(line, strlen(word), line.n);
}

static void
read_devices(struct arena *a, struct inventory *v, struct str answer)
{
	struct inventory_item none = {.kind = INVENTORY_GPU, .name = STR_LIT("gpu")};
	struct str line;
	int n = 0;
	none.note = STR_LIT(
		"the driver finds no GPU: candidates are judged and estimated, not "
		"measured");
	while (str_line(&answer, &line)) {
		if (str_starts(line, "error "))
			none.note = str_fmt(a,
				"the driver does not start (CUDA error %.*s): is the "
				"kernel module loaded?",
				STR_ARG(after(line, "error ")));
		if (str_starts(line, "device "))
			inventory_add(a, v,
				(struct inventory_item){.kind = INVENTORY_GPU,
					.present = true,
					.name = str_fmt(a, "gpu %d", n++),
					.version = after(line, "device ")});
	}
	if (!n)
		inventory_add(a, v, none);
}

static void
add_gpu(struct arena *a, struct inventory *v)
{
	static const int64_t deadline_ns = 30 * INT64_C(1000000000);
	struct guarded_result r = guarded_run(a, ask_driver, NULL, deadline_ns);
	struct inventory_item driver = {.kind = INVENTORY_GPU, .name = STR_LIT("driver")};
	struct str rest = r.answer, line;
	while (str_line(&rest, &line)) {
		if (str_starts(line, "driver "))
			driver.version =
				str_fmt(a, "CUDA %.*s", STR_ARG(after(line, "driver ")));
		if (str_starts(line, "path "))
			driver.path = after(line, "path ");
	}
	driver.present = driver.version.n > 0;
	if (!r.ok)
		driver.note =
			r.timed_out ? STR_LIT("the GPU driver does not answer")
				    : STR_LIT("the GPU driver crashed when it was asked");
	else if (!driver.present)
		driver.note =
			STR_LIT("no libcuda.so.1: install the NVIDIA driver; without it "
				"candidates are judged and estimated, not measured");
	inventory_add(a, v, driver);
	if (driver.present)
		read_devices(a, v, r.answer);
}

struct inventory
inventory_take(struct arena *a)
{
	struct inventory v = {0};
	for (const struct toolchain *const *t = toolchains; *t; t++)
		add_info(a, &v, INVENTORY_TOOLCHAIN, (*t)->name, (*t)->probe(a));
	add_info(a, &v, INVENTORY_TOOL, "ptxas", ptxas_probe(a));
	add_ninja(a, &v);
	add_compiler(a, &v);
	add_host(a, &v);
	add_gpu(a, &v);
	return v;
}
