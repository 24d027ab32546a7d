#include "scratch.h"

#include "base/map.h"
#include "base/rng.h"

static void
an_empty_map_finds_nothing(void **state)
{
	struct arena a = {0};
	struct map m = {.a = &a};
	assert_int_equal(map_find(&m, STR_LIT("x")), MAP_NONE);
	assert_int_equal(map_find(&m, (struct str){0}), MAP_NONE);
	bool added;
	assert_int_equal(map_put(&m, (struct str){0}, &added), 0);
	assert_true(added);
	assert_int_equal(map_find(&m, STR_LIT("")), 0);
	arena_release(&a);
}

/* Against a linear search, through several rehashes. */
static void
remembers_the_order_of_insertion(void **state)
{
	enum { N = 3000 };
	struct arena a = {0};
	struct map m = {.a = &a};
	struct rng r = {11};
	struct str want[N];
	size_t n = 0;
	for (int i = 0; i < 2 * N && n < N; i++) {
		struct str key =
			str_fmt(&a, "k%llu", (unsigned long long)rng_below(&r, N));
		size_t at = 0;
		while (at < n && !str_eq(want[at], key))
			at++;
		bool added;
		assert_int_equal(map_find(&m, key), at < n ? (long)at : MAP_NONE);
		assert_int_equal(map_put(&m, key, i % 2 ? &added : NULL), at);
		if (i % 2)
			assert_int_equal(added, at == n);
		if (at == n)
			want[n++] = key;
	}
	assert_true(n > 1000);
	assert_int_equal(m.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(str_eq(m.keys[i], want[i]));
		assert_int_equal(map_find(&m, want[i]), i);
	}
	arena_release(&a);
}

static void
keys_are_bytes(void **state)
{
	struct arena a = {0};
	struct map m = {.a = &a};
	map_put(&m, STR_LIT("a\0b"), NULL);
	assert_int_equal(map_find(&m, STR_LIT("a\0c")), MAP_NONE);
	assert_int_equal(map_find(&m, STR_LIT("a")), MAP_NONE);
	assert_int_equal(map_find(&m, STR_LIT("a\0b")), 0);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_finds_nothing),
		cmocka_unit_test(remembers_the_order_of_insertion),
		cmocka_unit_test(keys_are_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
