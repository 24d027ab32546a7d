#include "captured.h"

#include "toolchain/cuscan.h"

#include "base/rng.h"

static struct scan
scan(struct captured *c, const char *text)
{
	return source_scan(&c->a, str_of(text), STR_LIT("cuda"));
}

static void
reads_declarations(void **state)
{
	struct captured *c = *state;
	struct scan s = scan(c,
		"extern \"C\" __global__ __launch_bounds__(64 * (1 + 1), 2) void\n"
		"k(const float *__restrict__ in, float4* out, unsigned int n,\n"
		"  const double alpha, unsigned char flags[], size_t, bool /* ( */ b,\n"
		"  float *const p, std::int64_t m = 3, Pair<int, float> q)\n{}\n");
	assert_int_equal(s.n_kernels, 1);
	const struct scan_kernel *k = &s.kernels[0];
	assert_true(str_is(k->name, "k"));
	static const struct {
		const char *name;
		bool pointer, constant, known;
		enum dtype type;
		unsigned width;
	} want[] = {
		{"in", true, true, true, DTYPE_F32, 1},
		{"out", true, false, true, DTYPE_F32, 4},
		{"n", false, false, true, DTYPE_U32, 1},
		{"alpha", false, true, true, DTYPE_F64, 1},
		{"flags", true, false, true, DTYPE_U8, 1},
		{"", false, false, true, DTYPE_U64, 1},
		{"b", false, false, true, DTYPE_U8, 1},
		{"p", true, false, true, DTYPE_F32, 1},
		{"m", false, false, true, DTYPE_I64, 1},
	};
	assert_int_equal(k->n_params, 10);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct scan_param *p = &k->params[i];
		print_message("%zu %s\n", i, want[i].name);
		assert_true(str_is(p->name, want[i].name));
		assert_int_equal(p->pointer, want[i].pointer);
		assert_int_equal(p->constant, want[i].constant);
		assert_int_equal(p->known, want[i].known);
		assert_int_equal(p->type, want[i].type);
		assert_int_equal(p->width, want[i].width);
	}
	assert_ptr_equal(scan_find(&s, STR_LIT("k"), 10), k);
	assert_null(scan_find(&s, STR_LIT("k"), 9));
}

static void
knows_narrow_floats(void **state)
{
	static const struct {
		const char *name;
		enum dtype type;
		unsigned width;
	} want[] = {{"half", DTYPE_F16, 1}, {"__nv_bfloat162", DTYPE_BF16, 2},
		{"__nv_fp8_e4m3", DTYPE_E4M3, 1}, {"__nv_fp8x4_e4m3", DTYPE_E4M3, 4},
		{"__nv_fp8_e5m2", DTYPE_E5M2, 1}, {"__nv_fp8x4_e5m2", DTYPE_E5M2, 4}};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct captured *c = *state;
		struct str text =
			str_fmt(&c->a, "__global__ void k(%s *x) {}", want[i].name);
		struct scan s = scan(c, str_c(&c->a, text));
		assert_int_equal(s.n_kernels, 1);
		assert_true(s.kernels[0].params[0].known);
		assert_int_equal(s.kernels[0].params[0].type, want[i].type);
		assert_int_equal(s.kernels[0].params[0].width, want[i].width);
	}
}

static void
reads_opencl(void **state)
{
	struct captured *c = *state;
	struct scan s = source_scan(&c->a,
		STR_LIT("__attribute__((reqd_work_group_size(16, 4, 1))) kernel void\n"
			"a(__global const float4 *restrict in, local int *part, ulong "
			"n)\n"
			"{ }\n"
			"__kernel __attribute__((noinline)) void b(__constant uchar2 *t) "
			"{ }"),
		STR_LIT("opencl"));
	assert_int_equal(s.n_kernels, 2);
	const struct scan_kernel *k = &s.kernels[0];
	assert_true(str_is(k->name, "a") && k->n_params == 3);
	assert_int_equal(k->reqd[0], 16);
	assert_int_equal(k->reqd[1], 4);
	assert_int_equal(k->reqd[2], 1);
	assert_true(str_is(k->params[0].name, "in") && k->params[0].constant);
	assert_int_equal(k->params[0].type, DTYPE_F32);
	assert_int_equal(k->params[0].width, 4);
	assert_true(str_is(k->params[1].name, "part") && k->params[1].pointer);
	assert_int_equal(k->params[2].type, DTYPE_U64);
	assert_int_equal(s.kernels[1].reqd[0], 0);
	assert_int_equal(s.kernels[1].params[0].type, DTYPE_U8);
	assert_int_equal(s.kernels[1].params[0].width, 2);
}

static void
reads_functions_of_c(void **state)
{
	static const struct {
		const char *name;
		bool loaded, stored;
	} want[] = {{"r", true, false}, {"w", false, true}, {"u", true, true},
		{"s", true, true}, {"i", true, true}, {"m", false, true},
		{"e", true, false}, {"none", false, false}};
	struct captured *c = *state;
	struct scan s = source_scan(&c->a,
		STR_LIT("#define F(x) void f(x) { \\\n  }\n"
			"extern \"C\" {\n"
			"struct p { int (*call)(int); };\n"
			"int table[] = {1, 2};\n"
			"void declared(int x);\n"
			"void *pointer(void) { return 0; }\n"
			"static inline void hidden(int x) { (void)x; }\n"
			"int main(void) { return 0; }\n"
			"void main2(void) { }\n"
			"__attribute__((noinline)) void\n"
			"k(const float *r, float w[], int *u, long *s, int *i, float "
			"*m,\n"
			"  int *e, int *none)\n"
			"{\n"
			"	w[u[0]] = r[1];\n"
			"	u[1] += 1; s[0] <<= 2; i[3]++; m[1][w2(1)] = 0;\n"
			"	if (e[0] == 1) { }\n"
			"}\n}\n"),
		STR_LIT("c"));
	static const char *const names[] = {"pointer", "hidden", "main", "main2", "k"};
	assert_int_equal(s.n_kernels, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(str_is(s.kernels[i].name, names[i]));
		assert_int_equal(s.kernels[i].open, i > 2);
	}
	const struct scan_kernel *k = &s.kernels[4];
	assert_int_equal(k->n_params, sizeof want / sizeof *want);
	for (size_t i = 0; i < k->n_params; i++) {
		print_message("%s\n", want[i].name);
		assert_true(str_is(k->params[i].name, want[i].name));
		assert_int_equal(k->params[i].loaded, want[i].loaded);
		assert_int_equal(k->params[i].stored, want[i].stored);
	}
}

static void
skips_comments_and_literals(void **state)
{
	struct scan s =
		scan(*state, "// __global__ void a(int x);\n/* __global__ void b(); */\n"
			     "const char *t = \"__global__ void c(int)\\\"\";\n"
			     "__global__ void d(void);\n#ifndef A // x\n#define A 1\n");
	assert_int_equal(s.n_kernels, 1);
	assert_true(str_is(s.kernels[0].name, "d"));
	assert_int_equal(s.kernels[0].n_params, 0);
	assert_int_equal(s.n_macros, 1);
}

static void
finds_guarded_macros(void **state)
{
	struct scan s =
		scan(*state, "#ifndef GUARD_H\n#define GUARD_H\n"
			     "#ifndef TILE\n# define TILE 128\n#endif\n"
			     "#define FIXED 3\n"
			     "#ifndef N\nint x;\n#define N 4\n#endif\n"
			     "  #  ifndef HEX\n\n#define HEX 0x10 // sixteen\n#endif\n"
			     "#ifndef F\n#define F(x) 1\n#endif\n"
			     "#ifndef E\n#define E (TILE / 2)\n#endif\n");
	assert_int_equal(s.n_macros, 2);
	assert_true(str_is(s.macros[0].name, "TILE"));
	assert_int_equal(s.macros[0].value, 128);
	assert_true(str_is(s.macros[1].name, "HEX"));
	assert_int_equal(s.macros[1].value, 16);
}

static void
sizes_dynamic_shared_memory(void **state)
{
	assert_int_equal(
		scan(*state, "extern __shared__ double2 s[];").dynamic_shared_bytes, 16);
	assert_int_equal(
		scan(*state, "extern __shared__ unsigned char s[];").dynamic_shared_bytes,
		1);
	assert_int_equal(
		scan(*state, "extern __shared__ T s[];").dynamic_shared_bytes, 0);
	assert_int_equal(scan(*state, "__shared__ float s[32];").dynamic_shared_bytes, 0);
}

static void
names_without_their_mangling(void **state)
{
	static const char *const pairs[][2] = {
		{"reduce", "reduce"},
		{"_Z6reducePfi", "reduce"},
		{"_Z6reduceILi3EEvPi", "reduce"},
		{"_ZN2ns1kEPf", "k"},
		{"_ZN2ns4fillILi4EEEvPi", "fill"},
		{"_ZN12_GLOBAL__N_13fooEv", "foo"},
		{"_ZL5localPf", "local"},
		{"_Z", "_Z"},
		{"_Z999999999k", "_Z999999999k"},
		{"_Zxyz", "_Zxyz"},
		{"", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_true(str_is(mangled_base(str_of(pairs[i][0])), pairs[i][1]));
}

/* Half-written and scrambled source must only be survived. */
static void
survives_anything(void **state)
{
	static const char text[] = "#ifndef T\n#define T 1\n__global__ "
				   "__launch_bounds__((1)) void k(const float *a, "
				   "int b[3] = {1}) { \"x\\\"\" '\\'' /* */ // \n extern "
				   "__shared__ float s[]; }";
	struct captured *c = *state;
	struct rng r = {7};
	for (int i = 0; i < 20000; i++) {
		struct arena_mark mark = arena_mark(&c->a);
		size_t n = rng_below(&r, sizeof text);
		char *s = malloc(n + !n);
		memcpy(s, text, n);
		for (uint64_t k = rng_below(&r, 6); n && k > 0; k--)
			s[rng_below(&r, n)] = text[rng_below(&r, sizeof text - 1)];
		source_scan(&c->a, (struct str){s, n},
			i % 2 ? STR_LIT("cuda") : STR_LIT("c"));
		mangled_base((struct str){s, n});
		free(s);
		arena_pop(&c->a, mark);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(reads_declarations),
		captured_test(knows_narrow_floats),
		captured_test(reads_opencl),
		captured_test(reads_functions_of_c),
		captured_test(skips_comments_and_literals),
		captured_test(finds_guarded_macros),
		captured_test(sizes_dynamic_shared_memory),
		captured_test(names_without_their_mangling),
		captured_test(survives_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
