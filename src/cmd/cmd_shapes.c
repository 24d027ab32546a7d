#include "base/arena.h"
#include "cmd/check_args.h"
#include "cmd/check_show.h"
#include "cmd/cmd.h"
#include "report/shapes.h"

#include <inttypes.h>

enum { BLOCKS_MAX = 1 << 16, CONDITIONS_MAX = 8 };

static struct check_args common;
static const char *grid_text;
static struct opt_list shape_texts;
static long n_threads, from, to, step;
static bool as_json;

static const struct opt opts[] = {
	CHECK_ARGS_ENTRY(common),
	{"grid", 'g', OPT_STR, &grid_text, "X[,Y[,Z]]",
		"blocks of the grid, the same for every block size (default 1)"},
	{"threads", 't', OPT_INT, &n_threads, "N",
		"instead: as many blocks as N threads take, rounded up"},
	{"from", 0, OPT_INT, &from, "N", "the first block size (default 1)"},
	{"to", 0, OPT_INT, &to, "N", "the last one (default 1024)"},
	{"step", 0, OPT_INT, &step, "N", "every N-th one (default 1)"},
	{"shape", 's', OPT_LIST, &shape_texts, "X[,Y[,Z]]",
		"instead: this block, also as 16x16 (may repeat)"},
	CHECK_ARGS_OPTS(common),
	{"json", 0, OPT_FLAG, &as_json, NULL, "print lanewise/shapes.v1"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise shapes FILE.ptx [--grid X,Y,Z | --threads N] [options]",
	.about = "Says for which block sizes a kernel is clean, as ranges, and what is "
		 "wrong with\n"
		 "the others.  Needs no GPU.  Each size is judged as 'lanewise check' "
		 "does it;\n"
		 "arguments that are not given are unknown.  FILE.ptx - is standard "
		 "input.",
	.after = "Examples:\n"
		 "  lanewise shapes reduce.ptx --threads 65536 --arg 2=65536\n"
		 "  lanewise shapes k.ptx --from 32 --step 32 --grid 64\n"
		 "  lanewise shapes k.ptx -s 16x16 -s 32x8 -s 8x8x4 --grid 64,64\n"
		 "\n"
		 "Exit status: 0 some size is clean; 1 none is; 3 none is, but some are "
		 "not\n"
		 "decided; 2 trouble (the PTX cannot be read, no such entry, a wrong "
		 "option).",
};

/* ---- which blocks ---- */

static void
list_blocks(struct arena *a, struct dim *out)
{
	struct str why = {0};

	if (from || to || step)
		opt_fail(&usage, "--from, --to and --step do not go with --shape");
	for (size_t i = 0; i < shape_texts.n; i++)
		if (!check_dim(a, "shape", shape_texts.v[i], &out[i], &why))
			opt_fail(&usage, "--%.*s", STR_ARG(why));
}

static void
range_defaults(void)
{
	if (from < 0 || to < 0 || step < 0)
		opt_fail(&usage, "--from, --to and --step are positive");
	from = from ? from : 1;
	to = to ? to : from > 1024 ? from : 1024;
	step = step ? step : 1;
	if (to < from)
		opt_fail(&usage, "--to %ld is less than --from %ld", to, from);
	if ((to - from) / step >= BLOCKS_MAX)
		opt_fail(&usage, "%ld block sizes; at most %d at a time",
			(to - from) / step + 1, BLOCKS_MAX);
}

static struct shapes
which_blocks(struct arena *a)
{
	struct shapes s = {.a = a};
	struct dim *v;

	if (shape_texts.n) {
		v = arena_news(a, shape_texts.n, struct dim);
		list_blocks(a, v);
		s.n_blocks = shape_texts.n;
	} else {
		range_defaults();
		s.step = (uint64_t)step;
		s.n_blocks = (size_t)((to - from) / step + 1);
		v = arena_news(a, s.n_blocks, struct dim);
		for (size_t i = 0; i < s.n_blocks; i++)
			v[i] = (struct dim){(uint64_t)from + i * s.step, 1, 1};
	}
	s.blocks = v;
	return s;
}

static void
parse_grid(struct arena *a, struct dim *grid)
{
	struct str why = {0};

	if (grid_text && n_threads)
		opt_fail(&usage, "--grid or --threads, not both");
	if (n_threads < 0)
		opt_fail(&usage, "--threads: %ld is negative", n_threads);
	if (!check_dim(a, "grid", grid_text ? grid_text : "1", grid, &why))
		opt_fail(&usage, "--%.*s", STR_ARG(why));
}

/* ---- judging ---- */

static void
set_block(struct gate_query *q, struct dim block)
{
	q->launch.block = block;
	if (n_threads)
		q->launch.grid.x = ((uint64_t)n_threads - 1) / dim_volume(block) + 1;
}

/* What was left out, for the block that stands for a group. */
static void
add_conditions(struct shapes *s, const struct check_kernel *k, struct gate_query q)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < CONDITIONS_MAX; i++) {
		struct shape_group *g = &s->v[i];

		if (g->kind != VERDICT_CAVEAT)
			continue;
		set_block(&q, s->blocks[g->at[0]]);
		struct verdict v = gate_check(s->a, k->k, &q);
		if (v.n_findings && str_eq(v.findings[0].rule, g->blame.rule))
			g->blame.message = v.findings[0].message;
		n++;
	}
}

static void
judge(struct shapes *s, const struct check_kernel *k, const struct gate_query *given)
{
	struct arena scratch = {0};
	struct gate_query q = *given;

	q.no_conditions = true;
	check_keep_memory();
	arena_alloc(&scratch, 1); /* a chunk that stays over all launches */
	struct arena_mark mark = arena_mark(&scratch);
	for (size_t i = 0; i < s->n_blocks; i++) {
		set_block(&q, s->blocks[i]);
		struct verdict v = gate_check(&scratch, k->k, &q);
		shapes_add(s, i, &v);
		arena_pop(&scratch, mark);
	}
	arena_release(&scratch);
	shapes_sort(s);
	add_conditions(s, k, *given);
}

static int
status(const struct shapes *s)
{
	int worst = EXIT_NO;

	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].kind == VERDICT_CLEAN)
			return EXIT_YES;
		if (s->v[i].kind == VERDICT_CAVEAT)
			worst = EXIT_UNSURE;
		if (s->v[i].kind == VERDICT_ERROR)
			return EXIT_TROUBLE;
	}
	return worst;
}

/* ---- showing ---- */

static void
print_json(struct arena *a, const struct shapes *s, const struct check_kernel *k,
	const struct gate_query *q)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/shapes.v1");
	json_put_str(&o, "entry", k->f->name);
	if (n_threads) {
		json_put_null(&o, "grid");
		json_put_i64(&o, "threads", n_threads);
	} else {
		json_put_str(&o, "grid", dim_text(a, q->launch.grid));
		json_put_null(&o, "threads");
	}
	if (s->step)
		json_put_i64(&o, "step", (int64_t)s->step);
	json_put_i64(&o, "count", (int64_t)s->n_blocks);
	shapes_write(&o, s);
	json_close_object(&o);
	struct str text = json_done(&o);
	fwrite(text.s, 1, text.n, stdout);
}

static void
print_text(struct arena *a, const struct shapes *s, const struct check_kernel *k,
	const struct gate_query *q)
{
	struct buf b = {.a = a};
	bool unsure = false;

	buf_addf(&b, "%.*s: ", STR_ARG(k->f->name));
	if (!s->step)
		buf_addf(&b, "%zu block%s", s->n_blocks, str_plural(s->n_blocks));
	else
		buf_addf(&b, "blocks %ld..%ld", from, to);
	if (s->step > 1)
		buf_addf(&b, " in steps of %ld", step);
	if (n_threads)
		buf_addf(&b, ", as many as %ld threads take\n", n_threads);
	else
		buf_addf(&b, ", grid %.*s\n", STR_ARG(dim_text(a, q->launch.grid)));
	shapes_text(&b, s);
	fwrite(b.s, 1, b.n, stdout);
	for (size_t i = 0; i < s->n; i++)
		unsure = unsure || s->v[i].kind == VERDICT_CAVEAT;
	if (unsure)
		check_show_unknown(a, k, q);
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct gate_query q;
	struct str why = {0};
	struct dim grid;

	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc != 1)
		opt_fail(
			&usage, argc ? "one PTX file at a time" : "a PTX file is needed");
	struct shapes s = which_blocks(a);
	parse_grid(a, &grid);
	struct check_kernel k = check_open(a, argv[0], common.entry);
	if (!check_query(a, &common, &k, &q, &why))
		opt_fail(&usage, "--%.*s", STR_ARG(why));
	q.launch.grid = grid;
	judge(&s, &k, &q);
	if (as_json)
		print_json(a, &s, &k, &q);
	else
		print_text(a, &s, &k, &q);
	return status(&s);
}

const struct command cmd_shapes = {
	.name = "shapes",
	.about = "say for which block sizes a kernel is clean",
	.run = run,
};
