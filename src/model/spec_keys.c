#include "base/arena.h"
#include "model/spec_reader.h"

#include <stddef.h>

#define K(member) offsetof(struct kernel, member)
#define S(member) offsetof(struct spec, member)
#define V(member) offsetof(struct verify_spec, member)
#define M(member) offsetof(struct measure_spec, member)
#define Q(member) offsetof(struct search_spec, member)
#define A(member) offsetof(struct arg_spec, member)
#define R(member) offsetof(struct reference_spec, member)
#define T(member) offsetof(struct tolerance, member)

/* clang-format off */
static const struct spec_key keys[] = {
	{WHERE_SPEC, "schema", TYPE_STRING, true, 0, read_schema,
	    "`lanewise/spec.v1`"},
	{WHERE_SPEC, "kernels", TYPE_OBJECT, true, 0, read_kernels,
	    "the kernels by name: `{\"reduce\": {...}}`"},
	{WHERE_SPEC, "device", TYPE_STRING, false, S(device), read_word,
	    "what to tune for, when it is not the GPU here: `host` (kernels in C), `opencl:0` (kernels in OpenCL C), `h200`, or a device file"},
	{WHERE_SPEC, "devices", TYPE_STRING, false, S(devices), read_text,
	    "several devices of one model: `0,1`, `all`, UUIDs, names or files; each measures the problems (kernel at a size) that fall to it"},
	{WHERE_SPEC, "launcher", TYPE_STRING, false, S(launcher), read_text,
	    "a command that runs `lower`, `gate` and `compile`, perhaps elsewhere"},
	{WHERE_SPEC, "device_launcher", TYPE_STRING, false, S(device_launcher), read_text,
	    "a command that runs what measures: `srun --gres=gpu:1`"},
	{WHERE_SPEC, "apply", TYPE_OBJECT, false, 0, read_apply,
	    "where `apply` writes the choice"},

	{WHERE_APPLY, "header", TYPE_PATH, false, S(apply_header), read_path,
	    "C and C++ header"},
	{WHERE_APPLY, "json", TYPE_PATH, false, S(apply_json), read_path,
	    "JSON file"},

	{WHERE_KERNEL, "source", TYPE_PATH, false, K(source), read_path,
	    "source file, relative to the spec; required unless a parameter picks it"},
	{WHERE_KERNEL, "language", TYPE_STRING, false, K(language), read_word,
	    "`cuda`, `opencl`, `ptx` or `c`; default: by the source's extension"},
	{WHERE_KERNEL, "toolchain", TYPE_STRING, false, K(toolchain), read_word,
	    "what compiles the source; default: the first one here for the language"},
	{WHERE_KERNEL, "command", TYPE_STRING, false, K(command), read_text,
	    "a command that makes the PTX: `$in`, `$out` and `$defines` are replaced"},
	{WHERE_KERNEL, "entry", TYPE_STRING, false, K(entry), read_word,
	    "the kernel's name in the source; default: the only one there"},
	{WHERE_KERNEL, "include", TYPE_PATHS, false, 0, read_includes,
	    "folders for `#include`, relative to the spec"},
	{WHERE_KERNEL, "flags", TYPE_STRINGS, false, 0, read_flags,
	    "further compiler flags, one word each; `{NAME}` in one is the value of a parameter: `-O{LEVEL}`"},
	{WHERE_KERNEL, "params", TYPE_OBJECT, false, 0, read_params,
	    "the parameters by name, in the order of labels: `{\"TILE\": {...}}`"},
	{WHERE_KERNEL, "constraints", TYPE_EXPRS, false, 0, read_constraints,
	    "what every candidate satisfies"},
	{WHERE_KERNEL, "launch", TYPE_OBJECT, false, 0, read_launch,
	    "the launch shape; required but for a kernel in C"},
	{WHERE_KERNEL, "sizes", TYPE_OBJECT, false, 0, read_sizes,
	    "problem sizes: `{\"1M\": {\"n\": 1048576}}`; default: one, `default`, without names"},
	{WHERE_KERNEL, "args", TYPE_OBJECTS, false, 0, read_args,
	    "the kernel's arguments in order"},
	{WHERE_KERNEL, "constants", TYPE_OBJECT, false, 0, read_constants,
	    "`__constant__` variables to set, by name: `{\"taps\": {...}}`"},
	{WHERE_KERNEL, "reference", TYPE_OBJECT, false, 0, read_reference,
	    "a library function that does the same, to be timed beside the kernel"},
	{WHERE_KERNEL, "baseline", TYPE_OBJECT, false, 0, read_baseline,
	    "the candidate to compare with: a value for every parameter"},
	{WHERE_KERNEL, "verify", TYPE_OBJECT, false, 0, read_verify,
	    "how outputs are checked"},
	{WHERE_KERNEL, "work", TYPE_OBJECT, false, 0, read_work,
	    "what one launch does, for rates and rooflines"},
	{WHERE_KERNEL, "objective", TYPE_STRING, false, K(objective), read_objective,
	    "what is made small: `time` (default), `energy` (joules of a launch, of the finalists), or an expression over `time_s`, `joules`, `bytes`, `flops` (of `work`) and the parameters"},
	{WHERE_KERNEL, "measure", TYPE_OBJECT, false, 0, read_measure,
	    "how times are taken and compared"},
	{WHERE_KERNEL, "search", TYPE_OBJECT, false, 0, read_search,
	    "which candidates are looked at, when not all of them are"},
	{WHERE_KERNEL, "exit_policy", TYPE_STRING, false, 0, read_exit_policy,
	    "`strict` (default): a thread that exited is missing at a barrier; `release`: it is not"},
	{WHERE_KERNEL, "site_policy", TYPE_STRING, false, 0, read_site_policy,
	    "`strict` (default): threads that meet at different barrier instructions are refused; `lenient`: that is a caveat"},
	{WHERE_KERNEL, "admit", TYPE_STRING, false, 0, read_admit,
	    "the worst verdict that is still run: `caveat` (default) or `clean`"},
	{WHERE_KERNEL, "timeout", TYPE_NUMBER, false, K(timeout_s), read_timeout,
	    "seconds one candidate may take; default 30"},
	{WHERE_KERNEL, "seed", TYPE_NUMBER, false, K(seed), read_seed,
	    "of the fills; default 1"},

	{WHERE_PARAM, "values", TYPE_VALUES, true, 0, read_values,
	    "`[32, 64]`, `[\"tree\", \"shuffle\"]`, `[true, false]`, or a range"},
	{WHERE_PARAM, "role", TYPE_STRING, false, 0, read_role,
	    "`compile` (default): `-DNAME=VALUE`; `launch`: the compiler does not see it"},
	{WHERE_PARAM, "source", TYPE_PATH, false, 0, read_param_source,
	    "the value picks the source file: `reduce_{VARIANT}.cu`; then it is no define"},

	{WHERE_VALUES, "range", TYPE_NUMBERS, false, 0, read_range,
	    "`[from, to]` or `[from, to, step]`, both ends included"},
	{WHERE_VALUES, "pow2", TYPE_NUMBERS, false, 0, read_pow2,
	    "`[from, to]`: the powers of two between, ends included"},

	{WHERE_LAUNCH, "block", TYPE_DIMS, true, K(block), read_dims,
	    "threads of a block: x, y, z; of a kernel in C: the processors that it may use"},
	{WHERE_LAUNCH, "grid", TYPE_DIMS, false, K(grid), read_dims,
	    "blocks of the grid; default 1"},
	{WHERE_LAUNCH, "cluster", TYPE_DIMS, false, K(cluster), read_dims,
	    "blocks of a cluster; default 1: no cluster launch"},
	{WHERE_LAUNCH, "shared", TYPE_EXPR, false, K(shared), read_expr,
	    "dynamic shared memory in bytes; default 0"},
	{WHERE_LAUNCH, "cooperative", TYPE_BOOL, false, K(cooperative), read_bool,
	    "a cooperative launch; default false"},
	{WHERE_LAUNCH, "programmatic", TYPE_BOOL, false, K(programmatic), read_bool,
	    "a launch may begin before the one in front of it has ended; default false"},

	{WHERE_ARG, "name", TYPE_STRING, true, 0, read_arg_name,
	    "its name, for messages and oracles"},
	{WHERE_ARG, "type", TYPE_STRING, true, 0, read_arg_type,
	    "`f32`, a scalar, or `f32*`, a buffer; f64 f32 tf32 f16 bf16 e4m3 e5m2 i8 to i64 u8 to u64"},
	{WHERE_ARG, "count", TYPE_EXPR, false, A(count), read_expr,
	    "elements of a buffer; required there"},
	{WHERE_ARG, "fill", TYPE_STRING, false, 0, read_fill,
	    "contents of an input: `exact` (default), `uniform`, `normal`, `cancelling`, `special`, `full`, `iota`, `zeros`, `ones`"},
	{WHERE_ARG, "file", TYPE_PATH, false, 0, read_file,
	    "contents of an input: a `.npy` file, or raw bytes, little endian; `{NAME}` in it is a parameter, a name of the sizes, or `{size}`"},
	{WHERE_ARG, "exponents", TYPE_NUMBERS, false, 0, read_exponents,
	    "of `full`: `[from, to]`, both included; default `[-6, 6]`"},
	{WHERE_ARG, "output", TYPE_BOOL, false, A(output), read_bool,
	    "the kernel writes it, and it is verified; it is poisoned before"},
	{WHERE_ARG, "inout", TYPE_BOOL, false, A(input), read_bool,
	    "the same, but filled before"},
	{WHERE_ARG, "tolerance", TYPE_OBJECT, false, 0, read_arg_tolerance,
	    "of this output, in the place of `verify`'s"},
	{WHERE_ARG, "value", TYPE_EXPR, false, A(value), read_expr,
	    "of a scalar; without it the gate takes it as unknown and nothing can be measured"},

	{WHERE_CONSTANT, "type", TYPE_STRING, true, 0, read_constant_type,
	    "of its elements: `f32`"},
	{WHERE_CONSTANT, "values", TYPE_NUMBERS, true, 0, read_constant_values,
	    "one an element: `[0.25, 0.5, 0.25]`"},

	{WHERE_REFERENCE, "library", TYPE_STRING, true, R(library), read_word,
	    "`cublas`, on the host `openblas`, or a shared object of yours, `x.so`, relative to the spec"},
	{WHERE_REFERENCE, "function", TYPE_STRING, false, R(function), read_identifier,
	    "in the shared object; default `lanewise_reference`"},
	{WHERE_REFERENCE, "gemm", TYPE_OBJECT, false, 0, read_gemm,
	    "the product that the BLAS computes, with matrices in rows: `c = a * b`"},

	{WHERE_GEMM, "m", TYPE_EXPR, true, R(m), read_expr,
	    "rows of c"},
	{WHERE_GEMM, "n", TYPE_EXPR, true, R(n), read_expr,
	    "columns of c"},
	{WHERE_GEMM, "k", TYPE_EXPR, true, R(k), read_expr,
	    "columns of a, rows of b"},
	{WHERE_GEMM, "a", TYPE_STRING, true, R(a), read_identifier,
	    "the argument that is a"},
	{WHERE_GEMM, "b", TYPE_STRING, true, R(b), read_identifier,
	    "the argument that is b"},
	{WHERE_GEMM, "c", TYPE_STRING, true, R(c), read_identifier,
	    "the argument that is c"},
	{WHERE_GEMM, "transpose_a", TYPE_BOOL, false, R(ta), read_bool,
	    "a is stored as k rows of m; default false"},
	{WHERE_GEMM, "transpose_b", TYPE_BOOL, false, R(tb), read_bool,
	    "b is stored as n rows of k; default false"},
	{WHERE_GEMM, "alpha", TYPE_NUMBER, false, R(alpha), read_factor,
	    "`c = alpha * a * b + beta * c`; default 1"},
	{WHERE_GEMM, "beta", TYPE_NUMBER, false, R(beta), read_factor,
	    "see `alpha`; default 0"},

	{WHERE_VERIFY, "oracle", TYPE_PATH, false, V(oracle), read_path,
	    "C file that computes the expected outputs"},
	{WHERE_VERIFY, "function", TYPE_STRING, false, V(function), read_identifier,
	    "in it; default `lanewise_oracle`"},
	{WHERE_VERIFY, "against", TYPE_STRING, false, 0, read_against,
	    "`baseline`: the baseline's outputs are the expected ones"},
	{WHERE_VERIFY, "npy", TYPE_OBJECT, false, 0, read_npy,
	    "`.npy` files that hold the expected outputs: `{\"out\": \"out_{size}.npy\"}`, one for each"},
	{WHERE_VERIFY, "tolerance", TYPE_OBJECT, false, 0, read_tolerances,
	    "what may differ; default: nothing; an argument's own goes before it"},
	{WHERE_VERIFY, "nondeterministic", TYPE_BOOL, false, V(nondeterministic), read_bool,
	    "two runs may differ in their last bits; default false"},
	{WHERE_VERIFY, "reduction", TYPE_EXPR, false, V(reduction), read_expr,
	    "terms of the longest sum of products, by size: `exact` inputs get small enough that it is exact"},

	{WHERE_TOLERANCE, "abs", TYPE_NUMBER, false, T(abs), read_tolerance,
	    "passes when the difference is at most `abs + rel * abs(expected)`, expected in the output's type"},
	{WHERE_TOLERANCE, "rel", TYPE_NUMBER, false, T(rel), read_tolerance,
	    "see `abs`"},
	{WHERE_TOLERANCE, "ulp", TYPE_NUMBER, false, T(ulp), read_ulp,
	    "or within so many units in the last place"},

	{WHERE_WORK, "bytes", TYPE_EXPR, false, K(work_bytes), read_expr,
	    "bytes moved to and from memory"},
	{WHERE_WORK, "flops", TYPE_EXPR, false, K(work_flops), read_expr,
	    "floating-point operations"},

	{WHERE_MEASURE, "cache", TYPE_STRING, false, 0, read_cache,
	    "what the L2 cache holds when a launch begins: `cold` (default): other data; `warm`: what the last launch left"},
	{WHERE_MEASURE, "margin", TYPE_NUMBER, false, M(margin), read_margin,
	    "differences up to this part are ties; default 0.005"},

	{WHERE_SEARCH, "strategy", TYPE_STRING, false, Q(strategy), read_word,
	    "who chooses: a name that `lanewise simulate --list` prints; default: `auto`, when there is a budget or the space is large"},
	{WHERE_SEARCH, "budget", TYPE_BUDGET, false, Q(budget), read_budget,
	    "candidates that may be measured at each size, 200; or a time: `10m`, or the device's, `device:60s`"},
	{WHERE_SEARCH, "seed", TYPE_NUMBER, false, Q(seed), read_seed,
	    "of the strategy; default 1"},
	{WHERE_SEARCH, "batch", TYPE_NUMBER, false, Q(batch), read_batch,
	    "candidates that are looked at together; default: by the budget, 8 to 64"},
};
/* clang-format on */
enum { N_KEYS = sizeof keys / sizeof *keys };

static const char *const where_names[N_WHERES] = {
	[WHERE_SPEC] = "the file",
	[WHERE_APPLY] = "apply",
	[WHERE_KERNEL] = "a kernel",
	[WHERE_LAUNCH] = "launch",
	[WHERE_WORK] = "work",
	[WHERE_MEASURE] = "measure",
	[WHERE_SEARCH] = "search",
	[WHERE_VERIFY] = "verify",
	[WHERE_TOLERANCE] = "a tolerance",
	[WHERE_PARAM] = "a parameter",
	[WHERE_VALUES] = "values, as a range",
	[WHERE_ARG] = "an argument",
	[WHERE_CONSTANT] = "a constant",
	[WHERE_REFERENCE] = "reference",
	[WHERE_GEMM] = "reference.gemm",
};

static const struct {
	const char *name;
	unsigned kinds;
} types[] = {
#define X(id, name, kinds) {name, kinds},
	SPEC_TYPES(X)
#undef X
};

static const struct spec_key *
find_key(enum spec_where where, struct str name)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (keys[i].where == where && str_is(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static void
report_unknown(struct spec_reader *r, enum spec_where where, const struct json *m)
{
	struct str names[N_KEYS];
	size_t n = 0;
	for (size_t i = 0; i < N_KEYS; i++)
		if (keys[i].where == where)
			names[n++] = str_of(keys[i].name);
	for (size_t w = 0; w < N_WHERES && !str_nearest(m->key, names, n).n; w++)
		if (find_key((enum spec_where)w, m->key)) {
			diag_error(r->d, json_key_place(m),
				"'%.*s' is a key of %s, not of %s", STR_ARG(m->key),
				where_names[w], where_names[where]);
			return;
		}
	spec_unknown(r, json_key_place(m), "key", m->key, names, n);
}

static void
report_missing(struct spec_reader *r, enum spec_where where, const struct json *v)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (keys[i].where == where && keys[i].required &&
			!json_get(v, keys[i].name))
			diag_error(r->d, json_key_place(v), "'%s' is missing: %s",
				keys[i].name, keys[i].help);
}

void
spec_read_object(
	struct spec_reader *r, enum spec_where where, const struct json *v, void *to)
{
	if (v->kind != JSON_OBJECT) {
		diag_error(r->d, json_place(v), "%s is an object, not %s",
			where_names[where], json_kind_name(v->kind));
		return;
	}
	json_each(m, v)
	{
		if (!spec_goes_on(r))
			return;
		const struct spec_key *k = find_key(where, m->key);
		if (!k)
			report_unknown(r, where, m);
		else if (!(types[k->type].kinds >> m->kind & 1))
			diag_error(r->d, json_place(m), "'%s' wants %s, not %s", k->name,
				types[k->type].name, json_kind_name(m->kind));
		else
			k->read(r, m, (char *)to + k->at);
	}
	report_missing(r, where, v);
}

void
spec_print_keys(FILE *to)
{
	for (size_t w = 0; w < N_WHERES; w++) {
		fprintf(to,
			"%s### Keys of %s\n\n| key | type | meaning |\n|---|---|---|\n",
			w ? "\n" : "", where_names[w]);
		for (size_t i = 0; i < N_KEYS; i++)
			if (keys[i].where == w)
				fprintf(to, "| `%s`%s | %s | %s |\n", keys[i].name,
					keys[i].required ? " (required)" : "",
					types[keys[i].type].name, keys[i].help);
	}
}
