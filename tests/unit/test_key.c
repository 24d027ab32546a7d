#include "scratch.h"

#include "base/hash.h"
#include "base/map.h"
#include "cache/key.h"

static struct str
text_of(struct arena *a, const char *const *pieces)
{
	struct buf b = {.a = a};
	key_begin(&b, "lower", 3);
	for (; *pieces; pieces += 3) {
		struct str value = str_of(pieces[2]);
		if (pieces[0][0] == 'p')
			key_param(&b, pieces[1], value);
		else
			key_input(&b, pieces[1],
				pieces[0][0] == 'i' ? hash_short(a, value, HASH_HEX)
						    : NULL);
	}
	return buf_str(&b);
}

static void
is_readable(void **state)
{
	struct scratch *s = *state;
	const char *const pieces[] = {"p", "define", "TILE=128", "p", "flag", "a\\b\nc",
		"i", "source", "", "-", "dep", "", NULL};
	assert_true(str_is(text_of(&s->a, pieces),
		"lanewise-key 1\n"
		"node lower 3\n"
		"param define TILE=128\n"
		"param flag a\\\\b\\nc\n"
		"input source xxh128:99aa06d3014798d86001c324468d497f\n"
		"input dep absent\n"));
}

/* Every list of up to three of these pieces makes a text of its own. */
static void
different_pieces_make_different_texts(void **state)
{
	static const char *const piece[][3] = {{"p", "a", ""}, {"p", "a", " "},
		{"p", "a", "x"}, {"p", "b", "x"}, {"p", "a", "x\nparam a y"},
		{"p", "a", "y"}, {"p", "a", "x\\nparam a y"}, {"p", "a", "\\"},
		{"p", "a", "\\\\"}, {"p", "a", "\n"}, {"p", "a", "\\n"},
		{"p", "a", "x\n"}, {"p", "a", "x\r"}, {"p", "a", "\nparam b x"},
		{"p", "a", "\ninput a absent"}, {"i", "a", ""}, {"-", "a", ""},
		{"i", "a", "x"}, {"i", "b", "x"}, {"p", "a", "absent"},
		{"p", "a", "xxh128:99aa06d3014798d86001c324468d497f"}};
	enum { N = sizeof piece / sizeof piece[0] };
	struct scratch *s = *state;
	struct map seen = {.a = &s->a};
	size_t n = 0;
	for (size_t i = 0; i <= N; i++)
		for (size_t j = 0; j <= (i < N ? N : 0); j++)
			for (size_t k = 0; k <= (j < N && i < N ? N : 0); k++) {
				const char *list[10] = {0};
				memcpy(list, i < N ? piece[i] : (const char *[3]){0},
					sizeof piece[0]);
				if (i < N && j < N)
					memcpy(list + 3, piece[j], sizeof piece[0]);
				if (i < N && j < N && k < N)
					memcpy(list + 6, piece[k], sizeof piece[0]);
				map_put(&seen, text_of(&s->a, list), NULL);
				n++;
			}
	assert_int_equal(n, 1 + N + N * N + N * N * N);
	assert_int_equal(seen.n, n);
}

static void
the_node_and_its_revision_count(void **state)
{
	struct scratch *s = *state;
	struct buf a = {.a = &s->a}, b = {.a = &s->a}, c = {.a = &s->a};
	key_begin(&a, "lower", 1);
	key_begin(&b, "lower", 2);
	key_begin(&c, "gate", 1);
	assert_false(str_eq(buf_str(&a), buf_str(&b)));
	assert_false(str_eq(buf_str(&a), buf_str(&c)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(is_readable),
		scratch_test(different_pieces_make_different_texts),
		scratch_test(the_node_and_its_revision_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
