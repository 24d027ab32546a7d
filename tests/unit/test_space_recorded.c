/* The spaces of tests/spaces, whose sizes others have recorded: see the README there. */
#include "captured.h"

#include "base/fs.h"
#include "space/space.h"

#include <inttypes.h>
#include <sys/resource.h>

static const char *
file_of(struct captured *c, struct str name)
{
	const char *root = getenv("SRCDIR");
	return str_fmt(&c->a, "%s/tests/spaces/%.*s", root ? root : ".", STR_ARG(name)).s;
}

static const struct space *
space_of(struct captured *c, struct str name)
{
	const char *file = file_of(c, str_fmt(&c->a, "%.*s.json", STR_ARG(name)));
	const struct spec *s = spec_read(&c->a, file, &c->d);
	const struct space *space =
		s ? space_build(&c->a, &s->kernels[0], NULL, &c->d) : NULL;
	if (!space)
		fail_msg("%s", captured_take(c));
	return space;
}

/* Candidates here and there are found where they stand. */
static void
check_places(const struct space *s)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	uint64_t at;
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t place = s->count / 1000 * i + i % s->count;
		if (place >= s->count)
			break;
		assert_int_equal(space_nth(s, place, choice), 1);
		assert_int_equal(space_find(s, choice, &at), 1);
		assert_true(at == place);
	}
}

/* As many as are counted, each after the one before it. */
static void
check_walk(const struct space *s)
{
	struct space_walk w;
	uint16_t before[SPEC_PARAMS_MAX];
	uint64_t n = 0;
	space_walk_start(&w, s);
	for (; space_next(&w); n++) {
		unsigned p = n ? w.changed : 0;
		assert_true(!n || w.choice[p] > before[p]);
		assert_true(!n || memcmp(w.choice, before, p * sizeof *before) == 0);
		memcpy(before, w.choice, sizeof before);
	}
	assert_true(n == s->count);
}

static void
all_have_as_many_candidates_as_recorded(void **state)
{
	struct captured *c = *state;
	struct str rest = fs_read(&c->a, file_of(c, STR_LIT("counts.tsv"))), line;
	size_t n = 0;
	while (str_line(&rest, &line)) {
		struct str name, raw, count;
		uint64_t expected_raw, expected;
		if (str_starts(line, "#"))
			continue;
		assert_true(str_split(&line, '\t', &name) &&
			    str_split(&line, '\t', &raw) &&
			    str_split(&line, '\t', &count));
		assert_true(
			str_to_u64(raw, &expected_raw) && str_to_u64(count, &expected));
		const struct space *s = space_of(c, name);
		if (s->count != expected || s->raw != expected_raw)
			fail_msg("%.*s: %" PRIu64 " of %" PRIu64, STR_ARG(name), s->count,
				s->raw);
		check_places(s);
		if (s->count <= SPACE_CANDIDATES_MAX)
			check_walk(s);
		n++;
	}
	assert_int_equal(n, 25);
}

/* 149 million candidates, which nobody lists. */
static void
a_large_space_takes_little_memory(void **state)
{
	struct captured *c = *state;
	struct rusage u;
	uint16_t choice[SPEC_PARAMS_MAX];
	const struct space *s = space_of(c, STR_LIT("atf_gaussian_conv_4096"));
	const uint64_t *v = space_sample(&c->a, s, 1, 10000);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(space_nth(s, v[i], choice), 1);
#ifdef __SANITIZE_ADDRESS__
	skip(); /* its own memory would be counted */
#endif
	getrusage(RUSAGE_SELF, &u);
	assert_in_range(u.ru_maxrss, 1, 100000); /* KiB */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(a_large_space_takes_little_memory),
		captured_test(all_have_as_many_candidates_as_recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
