#include "backend/ref.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arg *
list(struct arena *a, const char *text, size_t *n)
{
	struct arg *v;
	struct str why = {0};
	if (!args_parse(a, str_of(text), &v, n, &why))
		fail_msg("%.*s", STR_ARG(why));
	return v;
}

static const char LIST[] =
	"in=f32*[4]:exact,out=f32*[3]:out,k=u64*[2]:inout/ones,n=i32:4";
static const double OUT[] = {1.5, -2, 1e300};
static const int64_t K[] = {-1, 7};

static struct str
good_file(struct arena *a)
{
	size_t n;
	struct arg *v = list(a, LIST, &n);
	struct buf b = {.a = a};
	buf_addstr(&b, ref_header(a, "oracle", v, n));
	assert_int_equal(b.n % 64, 0);
	buf_add(&b, OUT, sizeof OUT);
	buf_add(&b, K, sizeof K);
	assert_int_equal(ref_data_bytes(v, n), sizeof OUT + sizeof K);
	return buf_str(&b);
}

static bool
open_text(struct arena *a, struct str file, const char *args, struct ref *r,
	struct str *why)
{
	size_t n;
	struct arg *v = list(a, args, &n);
	*why = (struct str){0};
	fs_write("test.ref", file, NULL);
	return ref_open(a, "test.ref", v, n, r, why);
}

static void
round_trip(void **state)
{
	struct arena a = {0};
	struct ref r;
	struct str why;
	assert_true(open_text(&a, good_file(&a), LIST, &r, &why));
	assert_true(str_is(r.by, "oracle"));
	assert_int_equal(r.failed.n, 0);
	assert_int_equal(r.n, 2);
	assert_true(str_is(r.v[0].name, "out") && r.v[0].count == 3);
	assert_memory_equal(r.v[0].data, OUT, sizeof OUT);
	assert_memory_equal(r.v[1].data, K, sizeof K);
	arena_release(&a);
}

static void
other_arguments(void **state)
{
	static const char *const lists[] = {"out=f32*[3]:out",
		"out=f32*[3]:out,k=u64*[3]:out", "out=f64*[3]:out,k=u64*[2]:out",
		"k=u64*[2]:out,out=f32*[3]:out",
		"out=f32*[3]:out,k=u64*[2]:out,z=i8*[1]:out", "n=i32:1"};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct ref r;
		struct str why;
		assert_false(open_text(&a, good_file(&a), lists[i], &r, &why));
		assert_true(str_has(why, STR_LIT("other arguments")));
	}
	arena_release(&a);
}

/* More files than a process may have mapped at once (vm.max_map_count, 65530). */
static void
closed_again(void **state)
{
	struct arena a = {0};
	struct ref r;
	struct str why;
	size_t n;
	struct arg *v = list(&a, LIST, &n);
	fs_write("test.ref", good_file(&a), NULL);
	for (int i = 0; i < 70000; i++) {
		struct arena_mark mark = arena_mark(&a);
		assert_true(ref_open(&a, "test.ref", v, n, &r, &why));
		ref_close(&r);
		assert_null(r.v);
		arena_pop(&a, mark);
	}
	ref_close(&r);
	assert_false(ref_open(&a, "absent.ref", v, n, &r, &why));
	ref_close(&r);
	arena_release(&a);
}

/* Any cut and any flipped byte of the header: refused or read, never out of bounds. */
static void
damaged(void **state)
{
	struct arena a = {0};
	struct str good = good_file(&a);
	struct ref r;
	struct str why;
	for (size_t n = 0; n < good.n; n += n < 260 ? 1 : 7) {
		assert_false(open_text(&a, str_sub(good, 0, n), LIST, &r, &why));
		assert_true(why.n > 0);
	}
	struct buf longer = {.a = &a};
	buf_addstr(&longer, good);
	buf_addc(&longer, 'x');
	assert_false(open_text(&a, buf_str(&longer), LIST, &r, &why));
	for (size_t i = 0; i < good.n; i++) {
		char *bad = arena_copy(&a, good.s, good.n);
		bad[i] ^= 0x11;
		open_text(&a, (struct str){bad, good.n}, LIST, &r, &why);
	}
	arena_release(&a);
}

static void
failures(void **state)
{
	struct arena a = {0};
	struct ref r;
	struct str why;
	assert_true(open_text(&a, ref_failure(&a, "oracle", STR_LIT("it \"crashed\"")),
		LIST, &r, &why));
	assert_string_equal(str_c(&a, r.failed), "it \"crashed\"");
	assert_int_equal(r.n, 0);
	size_t n;
	struct arg *v = list(&a, LIST, &n);
	assert_false(ref_open(&a, "no-such-file", v, n, &r, &why));
	arena_release(&a);
}

static void
widening(void **state)
{
	int8_t i8[] = {-1, 127};
	uint8_t u8[] = {255, 1};
	float f[] = {-0.5f};
	int64_t wide[2];
	double v;
	ref_widen(DTYPE_I8, i8, 2, wide);
	assert_true(wide[0] == -1 && wide[1] == 127);
	ref_widen(DTYPE_U8, u8, 2, wide);
	assert_true(wide[0] == 255 && wide[1] == 1);
	ref_widen(DTYPE_F32, f, 1, &v);
	assert_true(v == -0.5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(other_arguments),
		cmocka_unit_test(closed_again),
		cmocka_unit_test(damaged),
		cmocka_unit_test(failures),
		cmocka_unit_test(widening),
	};
	return cmocka_run_group_tests_name("ref", tests, NULL, NULL);
}
