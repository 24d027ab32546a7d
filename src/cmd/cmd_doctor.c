#include "base/arena.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/doctor_opencl.h"
#include "format/json.h"
#include "toolchain/inventory.h"
#include "toolchain/toolchain.h"

static bool as_json;

static const struct opt opts[] = {
	{"json", 0, OPT_FLAG, &as_json, NULL, "print JSON (schema lanewise/doctor.v1)"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise doctor [--json]",
	.about = "Lists what is here of the programs and libraries that lanewise uses, "
		 "in which\n"
		 "version, and for each that is missing what it is for and how to "
		 "install it.\n"
		 "Tries the remote cache, when LANEWISE_REMOTE names one.",
	.after = "Exit status: 0, whatever is missing.",
};

static const char *const kind_names[] = {
	"toolchain", "tool", "host", "gpu", "opencl", "cache"};

static void
print_json(struct arena *a, const struct inventory *inv)
{
	struct json_out o = {.b.a = a};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/doctor.v1");
	json_put_c(&o, "lanewise", LANEWISE_VERSION);
	json_open_array(&o, "items", false);
	for (size_t i = 0; i < inv->n; i++) {
		const struct inventory_item *it = &inv->v[i];
		json_open_object(&o, NULL);
		json_put_c(&o, "kind", kind_names[it->kind]);
		json_put_str(&o, "name", it->name);
		json_put_bool(&o, "present", it->present);
		json_put_str(&o, "version", it->version);
		json_put_str(&o, "path", it->path);
		json_put_str(&o, "note", it->note);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	struct str s = json_done(&o);
	fwrite(s.s, 1, s.n, stdout);
}

static void
print_part(struct str s)
{
	if (s.n)
		fputs("  ", stdout);
	shown_print(stdout, s);
}

static void
print_item(const struct inventory_item *it)
{
	const char *mark = it->present ? "ok" : it->required ? "NO" : "-";
	printf("  %-2s  %-8.*s", mark, STR_ARG(it->name));
	print_part(it->version);
	print_part(it->path);
	if (!it->present)
		print_part(it->note);
	putchar('\n');
}

static void
print_text(const struct inventory *inv)
{
	static const char *const titles[] = {"toolchains, the preferred first", "tools",
		"host", "gpu", "OpenCL devices", "cache"};
	for (size_t kind = 0; kind < sizeof titles / sizeof *titles; kind++) {
		printf("%s%s\n", kind ? "\n" : "", titles[kind]);
		for (size_t i = 0; i < inv->n; i++)
			if (inv->v[i].kind == kind)
				print_item(&inv->v[i]);
	}
}

static const struct inventory_item *
find(const struct inventory *inv, const char *name)
{
	for (size_t i = 0; i < inv->n; i++)
		if (str_is(inv->v[i].name, name))
			return &inv->v[i];
	return NULL;
}

static bool
has(const struct inventory *inv, const char *name)
{
	const struct inventory_item *it = find(inv, name);
	return it && it->present;
}

/* What the parts add up to. */
static void
print_sum(struct arena *a, const struct inventory *inv)
{
	struct toolchain_info info;
	struct str why;
	const struct toolchain *t = toolchain_pick(a, STR_LIT("cuda"), &info, &why);
	printf("\nCUDA C++ is lowered by %s.  Its candidates are %s.  C is %s.  The "
	       "graph "
	       "%s.\n",
		t ? t->name : "nothing that is here: only PTX can be used",
		has(inv, "gpu 0") ? "measured"
				  : "judged and estimated: there is no GPU to measure on",
		has(inv, "cc") ? "measured on the host" : "not compiled: there is no cc",
		has(inv, "ninja") ? "runs" : "does not run: there is no ninja");
}

static int
run(struct arena *a, int argc, char **argv)
{
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc)
		opt_fail(&usage, "it takes no '%s'", argv[0]);
	struct inventory inv = inventory_take(a);
	doctor_opencl(a, &inv);
	inventory_add(a, &inv, cache_remote_probe(a));
	if (as_json) {
		print_json(a, &inv);
	} else {
		print_text(&inv);
		print_sum(a, &inv);
	}
	return 0;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.about = "list what is here and what to install",
	.run = run,
};
