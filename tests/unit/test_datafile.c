#include "npy_text.h"
#include "scratch.h"

#include "backend/datafile.h"
#include "backend/fill.h"
#include "backend/ref.h"
#include "base/hash.h"
#include "base/rng.h"

#include <math.h>

/* --- what fits ---------------------------------------------------------------------- */

static const char *
read_as(struct arena *a, const char *descr, enum dtype t, enum datafile_use use)
{
	struct datafile f;
	struct str why;
	char data[64] = {0};
	size_t bytes = (size_t)(descr[2] - '0');
	struct str file = npy_row(a, descr, 3, data, 3 * bytes);
	return datafile_read(a, "x.npy", file, t, 3, use, &f, &why) ? NULL
								    : str_c(a, why);
}

/* The whole table: which descriptions each type takes. */
static void
types_fit_or_not(void **state)
{
	static const char *const descrs[] = {"<f8", "<f4", "<f2", "<V2", "|V1", "<f1",
		"|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "|b1", "<c8",
		"<V4"};
	static const struct {
		const char *input, *expected; /* indices of descrs as letters */
	} fits[N_DTYPES] = {
		[DTYPE_F64] = {"a", "abc"},
		[DTYPE_F32] = {"b", "abc"},
		[DTYPE_TF32] = {"b", "abc"},
		[DTYPE_F16] = {"c", "abc"},
		[DTYPE_BF16] = {"dh", "abcdh"},
		[DTYPE_E4M3] = {"efg", "abcefg"},
		[DTYPE_E5M2] = {"efg", "abcefg"},
		[DTYPE_I8] = {"k", "ghiklmn"},
		[DTYPE_I16] = {"l", "ghiklmn"},
		[DTYPE_I32] = {"m", "ghiklmn"},
		[DTYPE_I64] = {"n", "ghiklmn"},
		[DTYPE_U8] = {"g", "ghiklmn"},
		[DTYPE_U16] = {"h", "ghiklmn"},
		[DTYPE_U32] = {"i", "ghiklmn"},
		[DTYPE_U64] = {"j", "ghij"},
	};
	struct arena a = {0};
	for (unsigned t = 0; t < N_DTYPES; t++) {
		for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
			char letter = (char)('a' + i);
			bool input =
				!read_as(&a, descrs[i], (enum dtype)t, DATAFILE_INPUT);
			bool want =
				!read_as(&a, descrs[i], (enum dtype)t, DATAFILE_EXPECTED);
			if (input != (strchr(fits[t].input, letter) != NULL) ||
				want != (strchr(fits[t].expected, letter) != NULL))
				fail_msg("%s for %s", descrs[i],
					dtype_name((enum dtype)t));
		}
	}
	assert_string_equal(read_as(&a, "<f8", DTYPE_F32, DATAFILE_INPUT),
		"'x.npy' holds '<f8', which is no f32: save it as '<f4'");
	assert_string_equal(read_as(&a, "<i4", DTYPE_BF16, DATAFILE_EXPECTED),
		"'x.npy' holds '<i4', which is no bf16: save it as '<V2'");
	assert_string_equal(read_as(&a, ">f4", DTYPE_F32, DATAFILE_INPUT),
		"'x.npy' is big endian: save it with astype(x.dtype.newbyteorder('<'))");
	arena_release(&a);
}

static void
lengths_are_checked(void **state)
{
	struct arena a = {0};
	struct datafile f;
	struct str why;
	float data[6] = {0};
	struct str six = npy_row(&a, "<f4", 6, data, 24);
	assert_true(
		datafile_read(&a, "x.npy", six, DTYPE_F32, 6, DATAFILE_INPUT, &f, &why));
	assert_false(
		datafile_read(&a, "x.npy", six, DTYPE_F32, 5, DATAFILE_INPUT, &f, &why));
	assert_string_equal(str_c(&a, why), "'x.npy' has 6 elements, not 5");
	six.n--;
	assert_false(
		datafile_read(&a, "x.npy", six, DTYPE_F32, 6, DATAFILE_INPUT, &f, &why));
	assert_string_equal(str_c(&a, why), "'x.npy' is not as long as its header says");
	struct str raw = {(const char *)data, 24};
	assert_true(
		datafile_read(&a, "x.bin", raw, DTYPE_F32, 6, DATAFILE_INPUT, &f, &why));
	assert_true(f.stored == DTYPE_F32 && f.data == (const void *)data);
	assert_false(
		datafile_read(&a, "x.bin", raw, DTYPE_F16, 6, DATAFILE_INPUT, &f, &why));
	assert_string_equal(
		str_c(&a, why), "'x.bin' has 24 bytes, and 6 elements of f16 are 12");
	assert_false(datafile_read(
		&a, "x.bin", raw, DTYPE_F32, 6, DATAFILE_EXPECTED, &f, &why));
	assert_string_equal(str_c(&a, why), "'x.bin' is no .npy file");
	struct str fortran = npy_text(&a, 1,
		"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", data, 24);
	assert_false(datafile_read(
		&a, "x.npy", fortran, DTYPE_F32, 6, DATAFILE_INPUT, &f, &why));
	assert_string_equal(str_c(&a, why),
		"'x.npy' is in Fortran order: save it with np.ascontiguousarray()");
	arena_release(&a);
}

/* Expected values keep what the output's type would lose. */
static void
expected_values_are_wide(void **state)
{
	struct arena a = {0};
	struct datafile f;
	struct str why;
	double third[2] = {1.0 / 3, -1e300}, out[2];
	uint8_t bytes[2] = {200, 0};
	int64_t wide[2];
	struct str file = npy_row(&a, "<f8", 2, third, 16);
	assert_true(datafile_read(
		&a, "x.npy", file, DTYPE_E4M3, 2, DATAFILE_EXPECTED, &f, &why));
	ref_widen(f.stored, f.data, 2, out);
	assert_memory_equal(out, third, 16);
	file = npy_row(&a, "|u1", 2, bytes, 2);
	assert_true(datafile_read(
		&a, "x.npy", file, DTYPE_I32, 2, DATAFILE_EXPECTED, &f, &why));
	ref_widen(f.stored, f.data, 2, wide);
	assert_true(wide[0] == 200 && wide[1] == 0);
	arena_release(&a);
}

static void
survives_damage(void **state)
{
	struct arena a = {0};
	struct rng r = {.state = 9};
	double data[4] = {0};
	struct str file = npy_row(&a, "<f8", 4, data, sizeof data);
	for (int round = 0; round < 50000; round++) {
		struct arena_mark mark = arena_mark(&a);
		size_t n = rng_below(&r, 3) ? file.n : (size_t)rng_below(&r, file.n);
		char *copy = malloc(n ? n : 1);
		struct datafile f;
		struct str why;
		memcpy(copy, file.s, n);
		for (uint64_t k = rng_below(&r, 3); k && n; k--)
			copy[rng_below(&r, n)] = (char)rng_next(&r);
		enum dtype t = (enum dtype)rng_below(&r, N_DTYPES);
		if (datafile_read(&a, "x.npy", (struct str){copy, n}, t, 4,
			    (enum datafile_use)rng_below(&r, 2), &f, &why)) {
			double wide[4];
			ref_widen(f.stored, f.data, 4, wide);
		}
		free(copy);
		arena_pop(&a, mark);
	}
	arena_release(&a);
}

/* --- inputs --------------------------------------------------------------------------
 */

static struct arg
from_file(struct arena *a, enum dtype t, uint64_t count, const char *path)
{
	struct arg v = {.name = STR_LIT("in"), .type = t, .pointer = true, .input = true};
	v.fill = FILL_FILE;
	v.count = count;
	v.file = str_of(path);
	v.file_hash = str_of(hash_short(a, fs_read(a, path), 16));
	return v;
}

static void
buffers_are_what_files_hold(void **state)
{
	enum { N = 300000 };
	struct scratch *s = *state;
	uint16_t *half = arena_news(&s->a, N, uint16_t),
		 *got = arena_news(&s->a, N, uint16_t);
	for (size_t i = 0; i < N; i++)
		half[i] = (uint16_t)rng_at(1, i);
	fs_write("h.npy", npy_row(&s->a, "<f2", N, half, 2 * N), NULL);
	fs_write("h.raw", (struct str){(char *)half, 2 * N}, NULL);
	struct arg v = from_file(&s->a, DTYPE_F16, N, "h.npy");
	fill_all(&v, 7, 0, N, got);
	assert_memory_equal(got, half, 2 * N);
	v = from_file(&s->a, DTYPE_F16, N, "h.raw");
	fill_all(&v, 7, 1000, N - 1000, got);
	assert_memory_equal(got, half + 1000, 2 * (N - 1000));
}

/* What is called tf32 has ten bits, wherever it comes from. */
static void
tf32_is_rounded(void **state)
{
	struct scratch *s = *state;
	float full[3] = {0.1f, 1 + 0x1p-11f, 3}, got[3];
	fs_write("x.npy", npy_row(&s->a, "<f4", 3, full, sizeof full), NULL);
	struct arg v = from_file(&s->a, DTYPE_TF32, 3, "x.npy");
	fill_all(&v, 1, 0, 3, got);
	for (int i = 0; i < 3; i++) {
		uint64_t want = dtype_convert(DTYPE_TF32, (double)full[i], false);
		assert_true((double)got[i] == dtype_decode(DTYPE_TF32, &want));
	}
	assert_true(got[1] == 1 && got[0] != full[0]);
}

static void
fill_it(void *arg)
{
	float to[64];
	fill_all(arg, 1, 0, 6, to);
}

static void
other_files_end_the_process(void **state)
{
	struct scratch *s = *state;
	float data[6] = {0};
	fs_write("x.raw", (struct str){(char *)data, 24}, NULL);
	struct arg v = from_file(&s->a, DTYPE_F32, 6, "x.raw");
	assert_int_equal(scratch_run(s, fill_it, &v).status, 0);
	data[3] = 1;
	fs_write("x.raw", (struct str){(char *)data, 24}, NULL);
	struct ended e = scratch_run(s, fill_it, &v);
	assert_int_equal(e.status, 2);
	assert_contains(e.err,
		"'x.raw' is not the file that the graph was written for; run "
		"'lanewise graph'");
	v = from_file(&s->a, DTYPE_F64, 6, "x.raw");
	e = scratch_run(s, fill_it, &v);
	assert_int_equal(e.status, 2);
	assert_contains(
		e.err, "argument 'in': 'x.raw' has 24 bytes, and 6 elements of f64");
	fs_remove("x.raw");
	e = scratch_run(s, fill_it, &v);
	assert_int_equal(e.status, 2);
	assert_contains(e.err, "cannot read 'x.raw'");
	fs_mkdirs("x.raw");
	e = scratch_run(s, fill_it, &v);
	assert_contains(e.err, "cannot read 'x.raw': it is no file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_fit_or_not),
		cmocka_unit_test(lengths_are_checked),
		cmocka_unit_test(expected_values_are_wide),
		cmocka_unit_test(survives_damage),
		scratch_test(buffers_are_what_files_hold),
		scratch_test(tf32_is_rounded),
		scratch_test(other_files_end_the_process),
	};
	return cmocka_run_group_tests_name("datafile", tests, NULL, NULL);
}
