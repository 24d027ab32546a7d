#include "npy_text.h"

#include "base/rng.h"
#include "format/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void
reads_what_numpy_writes(void **state)
{
	/* np.save(np.zeros((3, 4), '<f4')), NumPy 1.26, byte by byte */
	static const char saved[] =
		"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, "
		"'shape': (3, 4), }                                                      "
		"    \n";
	struct npy h;
	assert_int_equal(sizeof saved - 1, 128);
	assert_null(npy_read((struct str){saved, sizeof saved - 1}, &h));
	assert_true(str_is(h.descr, "<f4"));
	assert_true(h.order == '<' && h.kind == 'f' && h.bytes == 4 && !h.fortran);
	assert_int_equal(h.count, 12);
	assert_int_equal(h.data_at, 128);
}

static const struct {
	unsigned major;
	const char *dict;
	uint64_t count;
	bool fortran;
} good[] = {
	{1, "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n", 7, false},
	{2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4)}", 24, false},
	{3, "{'shape': (5,),'fortran_order':True,\"descr\":\"<V2\"}   ", 5, false},
	{1, "{'descr': '<i8', 'fortran_order': True, 'shape': (2L, 3L), }", 6, true},
	{1, "{'descr': '<i8', 'fortran_order': True, 'shape': (1, 3), }", 3, false},
	{1, "{'descr': '>f4', 'fortran_order': False, 'shape': (), }", 1, false},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", 0, false},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (281474976710656, 0)}", 0,
		false},
};

static void
reads_headers(void **state)
{
	struct arena a = {0};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct npy h;
		struct str file = npy_text(&a, good[i].major, good[i].dict, "data", 4);
		const char *wrong = npy_read(file, &h);
		if (wrong)
			fail_msg("%s: %s", good[i].dict, wrong);
		assert_int_equal(h.count, good[i].count);
		assert_int_equal(h.fortran, good[i].fortran);
		assert_int_equal(h.data_at, file.n - 4);
	}
	arena_release(&a);
}

static const struct {
	unsigned major;
	const char *dict, *says;
} bad[] = {
	{0, "{}          ", "version that is not 1, 2 or 3"},
	{4, "{}          ", "version that is not 1, 2 or 3"},
	{1, "{}          ", "malformed"},
	{1, "            ", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False}", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3}", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3)} x", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "malformed"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}",
		"malformed"},
	{1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
		"malformed"},
	{1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", "malformed"},
	{1, "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}", "unknown kind"},
	{1, "{'descr': '<f\\x34', 'fortran_order': False, 'shape': (3,)}", "malformed"},
	{1, "{'descr': 'f4', 'fortran_order': False, 'shape': (3,)}", "unknown kind"},
	{1, "{'descr': '<f', 'fortran_order': False, 'shape': (3,)}", "unknown kind"},
	{1, "{'descr': '<f0', 'fortran_order': False, 'shape': (3,)}", "unknown kind"},
	{1, "{'descr': '<f99999', 'fortran_order': False, 'shape': (3,)}",
		"unknown kind"},
	{1, "{'descr': '=f4', 'fortran_order': False, 'shape': (3,)}", "unknown kind"},
	{1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}",
		"holds records"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (281474976710657,)}",
		"too many elements"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
		"too many elements"},
	{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
		"malformed"},
};

static void
says_what_is_wrong(void **state)
{
	struct arena a = {0};
	struct npy h;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *wrong =
			npy_read(npy_text(&a, bad[i].major, bad[i].dict, "", 0), &h);
		if (!wrong || !strstr(wrong, bad[i].says))
			fail_msg("%s: %s", bad[i].dict, wrong ? wrong : "accepted");
	}
	assert_string_equal(npy_read(STR_LIT(""), &h), "is no .npy file");
	assert_string_equal(
		npy_read(STR_LIT("PK\3\4 an archive"), &h), "is no .npy file");
	assert_string_equal(npy_read((struct str){"\x93NUMPY\1\0\xff\xff{} ", 13}, &h),
		"ends within its .npy header");
	assert_string_equal(
		npy_read((struct str){"\x93NUMPY\2\0\xff\xff\xff\xff ", 13}, &h),
		"has a .npy header of more than 1 MiB");
	arena_release(&a);
}

/* Every prefix, and random damage: an answer within the bytes given (each copy has a
 * block of its own, so that a sanitizer sees a byte too far). */
static void
survives_damage(void **state)
{
	struct arena a = {0};
	struct rng r = {.state = 5};
	size_t accepted = 0;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct str file = npy_text(&a, good[i].major, good[i].dict, "", 0);
		for (int round = 0; round < 20000; round++) {
			size_t n = round < (int)file.n ? (size_t)round : file.n;
			char *copy = malloc(n ? n : 1);
			struct npy h;
			memcpy(copy, file.s, n);
			for (uint64_t k = rng_below(&r, 4); k && n; k--)
				copy[rng_below(&r, n)] =
					rng_below(&r, 2)
						? (char)rng_next(&r)
						: "'{}(),:0 9L"[rng_below(&r, 11)];
			if (!npy_read((struct str){copy, n}, &h)) {
				accepted++;
				assert_true(h.data_at <= n && h.bytes >= 1);
				assert_true(h.count <= (uint64_t)1 << 48);
				assert_true(h.bytes <= 1 << 16);
			}
			free(copy);
		}
	}
	assert_true(accepted > 1000);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_numpy_writes),
		cmocka_unit_test(reads_headers),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(survives_damage),
	};
	return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
