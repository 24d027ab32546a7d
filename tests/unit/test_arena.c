#include "scratch.h"

#include "base/rng.h"

static void
memory_is_zeroed_and_aligned(void **state)
{
	struct arena a = {0};
	for (size_t n = 0; n < 300; n++) {
		unsigned char *p = arena_alloc(&a, n);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, n);
	}
	arena_release(&a);
	assert_null(a.top);
	assert_int_equal(*(char *)arena_alloc(&a, 1), 0);
	arena_release(&a);
}

/* Blocks filled with their own number keep it, whatever is allocated and popped between.
 */
static void
blocks_do_not_overlap(void **state)
{
	enum { N = 400 };
	struct arena a = {0};
	struct rng r = {7};
	unsigned char *block[N];
	size_t size[N];
	for (size_t i = 0; i < N; i++) {
		size[i] = rng_below(&r, i % 50 == 0 ? 300000 : 500);
		block[i] = i % 3 ? arena_alloc(&a, size[i]) : arena_raw(&a, size[i], 1);
		memset(block[i], (int)(i & 0xff), size[i]);
		struct arena_mark m = arena_mark(&a);
		memset(arena_alloc(&a, rng_below(&r, 200000)), 0, 0);
		arena_pop(&a, m);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < size[i]; j++)
			if (block[i][j] != (i & 0xff))
				fail_msg("block %zu was overwritten at %zu", i, j);
	arena_release(&a);
}

static void
popping_gives_memory_back_zeroed(void **state)
{
	struct arena a = {0};
	char *keep = arena_copy(&a, "keep", 4);
	struct arena_mark m = arena_mark(&a);
	char *first = arena_alloc(&a, 100);
	memset(first, 'x', 100);
	for (int i = 0; i < 1000; i++) /* 1000 x 1 MiB only fits because each is popped */
	{
		arena_pop(&a, m);
		memset(arena_alloc(&a, 1 << 20), 'y', 1 << 20);
	}
	arena_pop(&a, m);
	char *again = arena_alloc(&a, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(again[i], 0);
	assert_string_equal(keep, "keep");
	arena_release(&a);
}

static void
copies_end_with_nul(void **state)
{
	struct arena a = {0};
	char *c = arena_copy(&a, "abc", 2);
	assert_string_equal(c, "ab");
	assert_string_equal(arena_copy(&a, NULL, 0), "");
	arena_release(&a);
}

static void
arrays_grow_and_keep_their_elements(void **state)
{
	struct arena a = {0};
	size_t *v = NULL, n = 0, cap = 0;
	for (size_t i = 0; i < 100000; i++) {
		arena_grow(&a, v, n, cap);
		v[n++] = i;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(v[i], i);
	assert_true(cap < 2 * n + 8);
	arena_release(&a);
}

static void
take_too_many(void *arg)
{
	struct arena a = {0};
	arena_array(&a, SIZE_MAX / 4, 5);
}

static void
take_too_much(void *arg)
{
	struct arena a = {0};
	arena_alloc(&a, SIZE_MAX - 3);
}

static void
overflow_is_out_of_memory(void **state)
{
	struct ended e = scratch_run(*state, take_too_many, NULL);
	assert_int_equal(e.status, 2);
	assert_contains(e.err, "out of memory");
	e = scratch_run(*state, take_too_much, NULL);
	assert_int_equal(e.status, 2);
	assert_contains(e.err, "out of memory");
}

static void
leave(void *ctx)
{
	longjmp(*(jmp_buf *)ctx, 1);
}

/* Two arenas share a cap: it counts what they hold, not what they ever took. */
static void
a_cap_is_never_passed(void **state)
{
	static volatile size_t rounds;
	static struct arena a, b;
	jmp_buf out;
	struct arena_cap cap = {.max_bytes = 1 << 20, .full = leave, .ctx = &out};
	a.cap = b.cap = &cap;
	for (rounds = 0; rounds < 100; rounds++) {
		arena_alloc(&a, 300000);
		arena_alloc(&b, 300000);
		arena_release(&a);
		arena_release(&b);
		assert_int_equal(cap.held_bytes, 0);
	}
	rounds = 0;
	if (!setjmp(out))
		for (;; rounds++)
			arena_alloc(rounds % 2 ? &a : &b, 1000);
	assert_in_range(rounds, 500, 1050);
	assert_in_range(cap.held_bytes, 1 << 19, 1 << 20);
	if (!setjmp(out)) {
		arena_alloc(&a, 1 << 21);
		fail_msg("more than the cap");
	}
	arena_release(&a);
	arena_release(&b);
	assert_int_equal(cap.held_bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(blocks_do_not_overlap),
		cmocka_unit_test(popping_gives_memory_back_zeroed),
		cmocka_unit_test(copies_end_with_nul),
		cmocka_unit_test(arrays_grow_and_keep_their_elements),
		cmocka_unit_test(a_cap_is_never_passed),
		scratch_test(overflow_is_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
