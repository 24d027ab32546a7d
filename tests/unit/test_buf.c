#include "scratch.h"

#include "base/rng.h"

static void
an_empty_buffer_is_a_string(void **state)
{
	struct arena a = {0};
	struct buf b = {.a = &a};
	assert_int_equal(buf_str(&b).n, 0);
	assert_string_equal(buf_c(&b), "");
	buf_addstr(&b, (struct str){0});
	buf_add(&b, NULL, 0);
	assert_string_equal(b.s, "");
	arena_release(&a);
}

/* Random appends of every kind against a plain array. */
static void
appends_keep_every_byte(void **state)
{
	enum { MAX = 200000 };
	struct arena a = {0};
	struct buf b = {.a = &a};
	struct rng r = {3};
	char *want = arena_alloc(&a, MAX + 4096), piece[512];
	size_t n = 0;
	while (n < MAX) {
		size_t k = rng_below(&r, sizeof piece - 1);
		memset(piece, (int)('a' + rng_below(&r, 26)), k);
		piece[k] = 0;
		switch (rng_below(&r, 5)) {
		case 0: buf_add(&b, piece, k); break;
		case 1: buf_adds(&b, piece); break;
		case 2: buf_addstr(&b, (struct str){piece, k}); break;
		case 3: buf_addf(&b, "%s", piece); break;
		default: memset(piece, '-', k); buf_pad(&b, '-', k);
		}
		memcpy(want + n, piece, k);
		n += k;
		assert_int_equal(b.n, n);
		assert_int_equal(b.s[b.n], 0);
	}
	buf_addc(&b, 0);
	assert_int_equal(b.n, n + 1);
	assert_memory_equal(b.s, want, n + 1);
	arena_release(&a);
}

static void
may_append_itself(void **state)
{
	struct arena a = {0};
	struct buf b = {.a = &a};
	buf_adds(&b, "ab");
	for (int i = 0; i < 12; i++)
		buf_addstr(&b, buf_str(&b));
	assert_int_equal(b.n, 2 << 12);
	for (size_t i = 0; i < b.n; i++)
		assert_int_equal(b.s[i], i % 2 ? 'b' : 'a');
	arena_release(&a);
}

static void
formats_across_the_end_of_its_space(void **state)
{
	struct arena a = {0};
	for (size_t before = 100; before < 160; before++) {
		struct buf b = {.a = &a};
		buf_pad(&b, 'x', before);
		buf_addf(&b, "%05d|%s", 42, "end");
		assert_int_equal(b.n, before + 9);
		assert_string_equal(b.s + before, "00042|end");
	}
	arena_release(&a);
}

static void
holds_a_string_until_it_grows(void **state)
{
	struct arena a = {0};
	const char text[] = "one two";
	struct buf b = buf_of(&a, (struct str){text, 3});
	assert_ptr_equal(buf_str(&b).s, text);
	assert_int_equal(b.n, 3);
	buf_addc(&b, '!');
	assert_string_equal(buf_c(&b), "one!");
	assert_string_equal(text, "one two");
	b = buf_of(&a, (struct str){text, 3});
	assert_string_equal(buf_c(&b), "one");
	b = buf_of(&a, (struct str){text, 3});
	b.n = 0;
	buf_addf(&b, "%d", 42);
	assert_string_equal(buf_c(&b), "42");
	assert_string_equal(text, "one two");
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_is_a_string),
		cmocka_unit_test(appends_keep_every_byte),
		cmocka_unit_test(may_append_itself),
		cmocka_unit_test(holds_a_string_until_it_grows),
		cmocka_unit_test(formats_across_the_end_of_its_space),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
