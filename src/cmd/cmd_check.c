#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "format/json.h"
#include "gate/gate.h"
#include "model/device.h"

#include <errno.h>
#include <inttypes.h>

static const char *entry_name = "", *block_text, *grid_text, *cluster_text,
		  *cc_text = "9.0";
static const char *policy_text = "strict";
static long shared_bytes;
static bool cooperative, as_json;
static struct opt_list arg_texts;

static const struct opt opts[] = {
	{"entry", 'e', OPT_STR, &entry_name, "NAME",
		"the kernel, mangled or as in the source (default: the only one)"},
	{"block", 'b', OPT_STR, &block_text, "X[,Y[,Z]]",
		"threads of a block (required)"},
	{"grid", 'g', OPT_STR, &grid_text, "X[,Y[,Z]]", "blocks of the grid (required)"},
	{"cluster", 0, OPT_STR, &cluster_text, "X[,Y[,Z]]", "blocks of a cluster"},
	{"shared", 0, OPT_INT, &shared_bytes, "BYTES", "dynamic shared memory"},
	{"cooperative", 0, OPT_FLAG, &cooperative, NULL, "a cooperative launch"},
	{"cc", 0, OPT_STR, &cc_text, "N.N",
		"compute capability whose launch limits hold (default 9.0)"},
	{"arg", 'a', OPT_LIST, &arg_texts, "N=VALUE",
		"argument N, from 0: a number, bytes:HEX, ptr or unknown (the default)"},
	{"exit-policy", 0, OPT_STR, &policy_text, "strict|release",
		"an exited thread is missing at a barrier (default), or a caveat"},
	{"json", 0, OPT_FLAG, &as_json, NULL, "print lanewise/verdict.v1"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise check FILE.ptx --block X,Y,Z --grid X,Y,Z [options]",
	.about = "Says whether every barrier and every warp collective of a kernel is "
		 "reached\n"
		 "convergently at one launch shape and with these arguments.  Needs no "
		 "GPU.\n"
		 "What is not given is unknown: the answer then holds for every value.  "
		 "Arguments\n"
		 "go by position, since PTX does not keep their names.",
	.after = "Examples:\n"
		 "  lanewise check reduce.ptx --block 64 --grid 1024 --arg 2=65536\n"
		 "  lanewise check k.ptx -b 32,8 -g 64 -a 2=bytes:0000803f -a 0=ptr "
		 "--json\n"
		 "\n"
		 "Exit status: 0 clean, 1 refused, 3 caveat (not decided), 2 trouble "
		 "(the PTX\n"
		 "cannot be read, no such entry, a wrong option).",
};

/* ---- arguments ---- */

/* The parameters of an entry are named ENTRY_param_N. */
static bool
find_param(
	const struct ptx_module *m, const struct ptx_func *f, struct str name, size_t *at)
{
	uint64_t n;

	if (str_to_u64(name, &n) && n < f->n_params) {
		*at = n;
		return true;
	}
	for (uint32_t i = 0; i < f->n_params; i++)
		if (str_eq(m->vars[f->params + i].name, name)) {
			*at = i;
			return true;
		}
	return false;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void
parse_hex(struct arena *a, const struct ptx_var *v, struct str name, struct str hex,
	struct gate_arg *out)
{
	unsigned char *p = arena_alloc(a, hex.n / 2 + 1);

	if (hex.n % 2)
		opt_fail(&usage, "--arg %.*s: bytes need two hex digits each",
			STR_ARG(name));
	for (size_t i = 0; i < hex.n; i += 2) {
		int hi = hex_digit(hex.s[i]), lo = hex_digit(hex.s[i + 1]);

		if (hi < 0 || lo < 0)
			opt_fail(&usage, "--arg %.*s: '%.*s' is no hex", STR_ARG(name),
				STR_ARG(str_sub(hex, i, i + 2)));
		p[i / 2] = (unsigned char)(hi << 4 | lo);
	}
	if (hex.n / 2 != v->bytes)
		opt_fail(&usage, "--arg %.*s: %zu bytes for a parameter of %" PRIu64,
			STR_ARG(name), hex.n / 2, v->bytes);
	*out = (struct gate_arg){GATE_ARG_BYTES, p, hex.n / 2};
}

static void
store_bits(struct arena *a, uint64_t bits, size_t n, struct gate_arg *out)
{
	unsigned char *p = arena_alloc(a, n);

	for (size_t i = 0; i < n && i < 8; i++)
		p[i] = (unsigned char)(bits >> (8 * i));
	*out = (struct gate_arg){GATE_ARG_BYTES, p, n};
}

/* Every width of a float is taken from the parameter; integers are read as integers even
 * for float parameters of the type .b32, which CUDA does not emit. */
static void
parse_number(struct arena *a, const struct ptx_var *v, struct str name, struct str text,
	struct gate_arg *out)
{
	bool is_float = ptx_type_class(v->type) == 'f';
	int64_t i;
	uint64_t u, bits = 0;
	double x;

	if (v->array || v->bytes > 8)
		opt_fail(&usage,
			"--arg %.*s: a parameter of %" PRIu64
			" bytes is given as bytes:HEX",
			STR_ARG(name), v->bytes);
	if (!is_float && str_to_i64(text, &i)) {
		unsigned b = (unsigned)v->bytes * 8;
		bool fits =
			b >= 64 || (i >= -(INT64_C(1) << (b - 1)) && i < INT64_C(1) << b);

		if (!fits)
			opt_fail(&usage, "--arg %.*s: %.*s does not fit in %u bits",
				STR_ARG(name), STR_ARG(text), b);
		store_bits(a, (uint64_t)i, v->bytes, out);
	} else if (!is_float && v->bytes == 8 && str_to_u64(text, &u)) {
		store_bits(a, u, 8, out);
	} else if (str_to_f64(text, &x) && (is_float || v->bytes == 4 || v->bytes == 8)) {
		enum dtype t = v->bytes == 8   ? DTYPE_F64
			       : v->bytes == 4 ? DTYPE_F32
					       : DTYPE_F16;

		if (!is_float)
			opt_fail(&usage, "--arg %.*s: the parameter is an integer (.%s)",
				STR_ARG(name), ptx_type_name(v->type));
		if (!dtype_encode(t, x, &bits))
			opt_fail(&usage, "--arg %.*s: %.*s is out of range",
				STR_ARG(name), STR_ARG(text));
		store_bits(a, bits, v->bytes, out);
	} else {
		opt_fail(&usage,
			"--arg %.*s: '%.*s' is no number, bytes:HEX, ptr or unknown",
			STR_ARG(name), STR_ARG(text));
	}
}

static void
parse_arg(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const char *text, struct gate_arg *args)
{
	struct str s = str_of(text);
	size_t eq = str_find(s, '='), at;
	struct str name = str_sub(s, 0, eq), value = str_sub(s, eq + 1, s.n);

	if (eq == s.n)
		opt_fail(&usage, "--arg %s: N=VALUE is needed", text);
	if (!find_param(m, f, name, &at))
		opt_fail(&usage,
			"--arg: '%.*s' has no parameter '%.*s': PTX does not keep their "
			"names; it has %u, so write %s",
			STR_ARG(f->name), STR_ARG(name), f->n_params,
			f->n_params > 1    ? "0=VALUE for the first, 1=VALUE for the next"
			: f->n_params == 1 ? "0=VALUE"
					   : "none");
	if (str_is(value, "unknown"))
		args[at] = (struct gate_arg){.kind = GATE_ARG_UNKNOWN};
	else if (str_is(value, "ptr"))
		args[at] = (struct gate_arg){.kind = GATE_ARG_POINTER};
	else if (str_starts(value, "bytes:"))
		parse_hex(a, &m->vars[f->params + at], name, str_sub(value, 6, value.n),
			&args[at]);
	else
		parse_number(a, &m->vars[f->params + at], name, value, &args[at]);
}

/* ---- options ---- */

static struct dim
parse_dim(const char *flag, const char *text)
{
	struct dim d;

	if (!text)
		opt_fail(&usage, "--%s is needed", flag);
	if (!dim_parse(str_of(text), &d))
		opt_fail(&usage, "--%s: '%s' is not X[,Y[,Z]]", flag, text);
	return d;
}

static struct launch
parse_launch(void)
{
	struct launch l = {.cluster = {1, 1, 1}, .cooperative = cooperative};

	l.block = parse_dim("block", block_text);
	l.grid = parse_dim("grid", grid_text);
	if (cluster_text)
		l.cluster = parse_dim("cluster", cluster_text);
	if (shared_bytes < 0)
		opt_fail(&usage, "--shared: %ld is negative", shared_bytes);
	l.shared_bytes = (uint64_t)shared_bytes;
	return l;
}

static bool
parse_policy(void)
{
	bool release = strcmp(policy_text, "release") == 0;
	if (!release && strcmp(policy_text, "strict") != 0)
		opt_fail(&usage, "--exit-policy: '%s' is neither strict nor release",
			policy_text);
	return release;
}

static void
parse_cc(struct arena *a, struct device *dev)
{
	struct str s = str_of(cc_text), major = str_sub(s, 0, str_find(s, '.'));
	struct str minor = str_sub(s, major.n + 1, s.n);
	int64_t x, y = 0;

	if (!str_to_i64(major, &x) || (minor.n && !str_to_i64(minor, &y)) || x < 0 ||
		x > 99 || y < 0 || y > 9 || !device_of_cc(a, (int)x, (int)y, dev))
		opt_fail(&usage,
			"--cc: the limits of '%s' are not known; 9.0 is an example",
			cc_text);
}

/* ---- showing ---- */

static void
show_source(struct arena *a, const struct finding *f)
{
	struct str text;

	if (!f->line || !fs_try_read(a, str_c(a, f->file), &text))
		return;
	struct source src = {str_c(a, f->file), text};
	struct str line = source_line(&src, f->line);
	if (line.n)
		printf("    %5u | %.*s\n", (unsigned)f->line, STR_ARG(line));
}

static void
show_witness(const struct witness *w)
{
	if (!w->present)
		return;
	printf("    %.*s\n", STR_ARG(w->note));
	printf("    in block %" PRIu64 ",%" PRIu64 ",%" PRIu64, w->cta[0], w->cta[1],
		w->cta[2]);
	if (w->n_blocks)
		printf(" (it holds for %" PRIu64 " block%s of the grid)", w->n_blocks,
			w->n_blocks == 1 ? "" : "s");
	printf("\n");
	for (size_t i = 0; i < w->n_warps; i++)
		printf("      warp %2u  %s\n", (unsigned)w->warps[i].warp,
			w->warps[i].lanes);
}

static void
show_finding(struct arena *a, const struct finding *f)
{
	const char *word = f->kind == VERDICT_REFUSED  ? "refused"
			   : f->kind == VERDICT_CAVEAT ? "caveat"
						       : "error";

	if (f->line)
		printf("%.*s:%u: ", STR_ARG(f->file), (unsigned)f->line);
	else if (f->ptx_line)
		printf("PTX line %u: ", (unsigned)f->ptx_line);
	printf("%s: %.*s [%.*s %.*s]\n", word, STR_ARG(f->message), STR_ARG(f->rule),
		STR_ARG(f->klass));
	show_source(a, f);
	show_witness(&f->witness);
}

static void
show(struct arena *a, const struct gate_kernel *k, const struct verdict *v)
{
	bool maps = false;

	printf("%s: %.*s, block %.*s, grid %.*s\n", verdict_name(v->kind),
		STR_ARG(gate_entry_name(k)), STR_ARG(dim_text(a, v->launch.block)),
		STR_ARG(dim_text(a, v->launch.grid)));
	for (size_t i = 0; i < v->n_findings; i++) {
		show_finding(a, &v->findings[i]);
		maps = maps || v->findings[i].witness.n_warps;
	}
	if (maps)
		printf("lanes: W waits here, . never comes, x has exited, o waits "
		       "elsewhere, "
		       "? not decided\n");
}

/* What could make more of a caveat. */
static void
show_unknown(struct arena *a, const struct ptx_func *f, const struct gate_arg *args)
{
	struct buf b = {.a = a};

	for (uint32_t i = 0; i < f->n_params; i++)
		if (args[i].kind == GATE_ARG_UNKNOWN)
			buf_addf(&b, "%s%u", b.n ? ", " : "", i);
	if (b.n)
		printf("not known: argument %s; --arg N=VALUE (ptr for a pointer) may "
		       "decide it\n",
			buf_c(&b));
}

static int
exit_status(enum verdict_kind k)
{
	switch (k) {
	case VERDICT_CLEAN: return EXIT_YES;
	case VERDICT_CAVEAT: return EXIT_UNSURE;
	case VERDICT_REFUSED: return EXIT_NO;
	case VERDICT_ERROR: break;
	}
	return EXIT_TROUBLE;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct device dev;
	struct str text, why = {0};

	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc != 1)
		opt_fail(
			&usage, argc ? "one PTX file at a time" : "a PTX file is needed");
	struct gate_query q = {.launch = parse_launch(), .exit_release = parse_policy()};
	parse_cc(a, &dev);
	q.limits = &dev;
	if (!fs_try_read(a, argv[0], &text))
		die("cannot read '%s': %s", argv[0], strerror(errno));
	if (str_starts(text, "\177ELF"))
		die("'%s' is an ELF file (a cubin?); the gate reads PTX", argv[0]);
	struct source src = {argv[0], text};
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	if (!m)
		return EXIT_TROUBLE;
	struct gate_kernel *k = gate_prepare(a, m, str_of(entry_name), &why);
	if (!k)
		die("%s: %.*s", argv[0], STR_ARG(why));
	const struct ptx_func *f = ptx_find_func(m, gate_entry_name(k));
	struct gate_arg *args = arena_news(a, f->n_params + 1, struct gate_arg);
	for (size_t i = 0; i < arg_texts.n; i++)
		parse_arg(a, m, f, arg_texts.v[i], args);
	q.args = args;
	q.n_args = f->n_params;
	struct verdict v = gate_check(a, k, &q);
	if (as_json) {
		struct json_out o = {.b = {.a = a}};

		verdict_write(&o, NULL, &v);
		struct str s = json_done(&o);
		fwrite(s.s, 1, s.n, stdout);
	} else {
		show(a, k, &v);
		if (v.kind == VERDICT_CAVEAT)
			show_unknown(a, f, args);
	}
	return exit_status(v.kind);
}

const struct command cmd_check = {
	"check", "judge one launch of a kernel in a PTX file", run, false};
