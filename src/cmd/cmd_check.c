#include "base/arena.h"
#include "base/fs.h"
#include "cmd/check_args.h"
#include "cmd/check_batch.h"
#include "cmd/check_show.h"
#include "cmd/cmd.h"
#include "report/sarif.h"

static struct check_args common;
static struct opt_list blocks, grids;
static const char *batch;
static bool as_json, as_sarif;

static const struct opt opts[] = {
	CHECK_ARGS_ENTRY(common),
	{"block", 'b', OPT_LIST, &blocks, "X[,Y[,Z]]",
		"threads of a block (required; may repeat)"},
	{"grid", 'g', OPT_LIST, &grids, "X[,Y[,Z]]",
		"blocks of the grid (required): one for all, or one for each --block"},
	CHECK_ARGS_OPTS(common),
	{"batch", 0, OPT_STR, &batch, "FILE",
		"judge the launches that FILE (- for standard input) lists as JSON "
		"lines"},
	{"json", 0, OPT_FLAG, &as_json, NULL,
		"print lanewise/verdict.v1, of several blocks lanewise/verdicts.v1"},
	{"sarif", 0, OPT_FLAG, &as_sarif, NULL, "print SARIF 2.1.0"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise check FILE.ptx --block X,Y,Z --grid X,Y,Z [options]\n"
		    "       lanewise check --batch FILE",
	.about = "Says whether every barrier and every warp collective of a kernel is "
		 "reached\n"
		 "convergently at a launch shape and with these arguments.  Needs no "
		 "GPU.\n"
		 "What is not given is unknown: the answer then holds for every value.  "
		 "Arguments\n"
		 "go by position, since PTX does not keep their names.  FILE.ptx - is "
		 "standard\n"
		 "input.\n"
		 "\n"
		 "A line of a batch is an object with the fields file, entry, block, "
		 "grid, cluster,\n"
		 "shared, cooperative, cc, args, exit_policy, site_policy and id; its "
		 "answer has the\n"
		 "line's number, the id, and either the verdict as \"result\" or an "
		 "\"error\".",
	.after = "Examples:\n"
		 "  lanewise check reduce.ptx --block 64 --grid 1024 --arg 2=65536\n"
		 "  lanewise check k.ptx -b 32,8 -g 64 -a 2=bytes:0000803f -a 0=ptr "
		 "--json\n"
		 "  lanewise check k.ptx -b 64 -g 16 -b 128 -g 8 -a 1=1024 --sarif\n"
		 "  echo '{\"file\": \"k.ptx\", \"block\": 64, \"grid\": 16, \"args\": "
		 "{\"1\": 1024}}' |\n"
		 "    lanewise check --batch -\n"
		 "\n"
		 "Exit status, of the worst verdict: 0 clean, 1 refused, 3 caveat (not "
		 "decided), 2\n"
		 "trouble (the PTX cannot be read, no such entry, a wrong option or "
		 "batch line).",
};

static void NORETURN
fail(struct str why)
{
	opt_fail(&usage, "--%.*s", STR_ARG(why));
}

static struct launch *
parse_shapes(struct arena *a)
{
	struct launch *l = arena_news(a, blocks.n + 1, struct launch);
	struct str why = {0};

	if (grids.n > 1 && grids.n != blocks.n)
		opt_fail(&usage,
			"%zu --grid for %zu --block: one for all, or one for each",
			grids.n, blocks.n);
	for (size_t i = 0; i < blocks.n || !i; i++) {
		const char *block = blocks.n ? blocks.v[i] : NULL;
		const char *grid = grids.n > 1 ? grids.v[i] : grids.n ? grids.v[0] : NULL;

		if (!check_dim(a, "block", block, &l[i].block, &why) ||
			!check_dim(a, "grid", grid, &l[i].grid, &why))
			fail(why);
	}
	return l;
}

static int
run_batch(struct arena *a, int argc)
{
	if (argc || blocks.n || grids.n || as_json || as_sarif || check_args_any(&common))
		opt_fail(&usage, "--batch takes everything from its lines");
	return check_batch(a, batch);
}

static void
print(struct str s)
{
	fwrite(s.s, 1, s.n, stdout);
}

static void
print_json(
	struct arena *a, const struct check_kernel *k, const struct verdict *v, size_t n)
{
	if (n > 1) {
		struct verdict_file f = {.kernel = k->f->name,
			.entry = k->f->name,
			.static_shared_bytes =
				(int64_t)(k->f->shared_bytes + k->m->shared_bytes),
			.n = n};

		f.v = arena_news(a, n, struct verdict);
		memcpy(f.v, v, n * sizeof *v);
		print(verdict_file_write(a, &f));
		return;
	}
	struct json_out o = {.b = {.a = a}};

	verdict_write(&o, NULL, v);
	print(json_done(&o));
}

static void
print_sarif(
	struct arena *a, const struct check_kernel *k, const struct verdict *v, size_t n)
{
	struct sarif_run r = {k->path, fs_cwd(a), k->f->name, k->f->line, v, n};
	struct excerpts e = excerpts_begin(a, k->path);

	print(sarif_text(a, &r, &e));
}

static void
print_text(struct arena *a, const struct check_kernel *k, const struct gate_query *q,
	const struct verdict *v, size_t n)
{
	struct excerpts e = excerpts_begin(a, k->path);
	bool unsure = false;

	for (size_t i = 0; i < n; i++) {
		check_show(&e, k, &v[i]);
		unsure = unsure || v[i].kind == VERDICT_CAVEAT;
	}
	if (unsure)
		check_show_unknown(a, k, q);
	if (n > 1)
		check_show_count(v, n);
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct gate_query q;
	struct str why = {0};
	enum verdict_kind worst = VERDICT_CLEAN;

	opt_parse(a, &usage, opts, &argc, &argv);
	if (batch)
		return run_batch(a, argc);
	if (argc != 1)
		opt_fail(
			&usage, argc ? "one PTX file at a time" : "a PTX file is needed");
	if (as_json && as_sarif)
		opt_fail(&usage, "--json or --sarif, not both");
	struct launch *l = parse_shapes(a);
	struct check_kernel k = check_open(a, argv[0], common.entry);
	struct verdict *v = arena_news(a, blocks.n, struct verdict);
	if (!check_query(a, &common, &k, &q, &why))
		fail(why);
	for (size_t i = 0; i < blocks.n; i++) {
		q.launch.block = l[i].block;
		q.launch.grid = l[i].grid;
		v[i] = gate_check(a, k.k, &q);
		worst = v[i].kind > worst ? v[i].kind : worst;
	}
	if (as_json)
		print_json(a, &k, v, blocks.n);
	else if (as_sarif)
		print_sarif(a, &k, v, blocks.n);
	else
		print_text(a, &k, &q, v, blocks.n);
	return check_status(worst);
}

const struct command cmd_check = {
	"check", "judge launches of a kernel in a PTX file", run, false};
