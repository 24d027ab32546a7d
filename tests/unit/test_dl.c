#include "scratch.h"

#include "base/dl.h"

static void
an_absent_library_is_named_once(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = {"libnone.so.2", "libnone.so", NULL};
	struct dl lib = dl_open(&s->a, names, NULL, 0);
	assert_null(lib.handle);
	assert_string_equal(lib.why, "libnone.so.2 is not here");
}

static void
another_reason_is_told_in_the_words_of_the_loader(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = {"libnone.so.2", "./text.so", NULL};
	fs_write("text.so", STR_LIT("no library"), NULL);
	struct dl lib = dl_open(&s->a, names, NULL, 0);
	assert_null(lib.handle);
	assert_non_null(strstr(lib.why, "text.so"));
	assert_null(strstr(lib.why, "libnone"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(an_absent_library_is_named_once),
		scratch_test(another_reason_is_told_in_the_words_of_the_loader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
