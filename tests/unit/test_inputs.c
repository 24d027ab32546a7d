#include "scratch.h"

#include "base/hash.h"
#include "node/inputs.h"

static void
reads_a_shared_file_once(void **state)
{
	struct scratch *s = *state;
	struct inputs in = {0};
	inputs_share(&in, &s->a, STR_LIT("one"));
	inputs_share(&in, &s->a, STR_LIT("one"));
	fs_write("one", STR_LIT("bytes"), NULL);
	const struct inputs_file *f = inputs_read(&in, "one");
	assert_non_null(f);
	assert_true(str_is(f->bytes, "bytes"));
	assert_string_equal(f->hex, hash_short(&s->a, STR_LIT("bytes"), HASH_HEX));
	fs_remove("one");
	assert_ptr_equal(inputs_read(&in, "one"), f);
	assert_true(str_is(f->bytes, "bytes"));
	inputs_trim(&in, 0);
	assert_null(inputs_read(&in, "one"));
}

static void
keeps_nothing_else(void **state)
{
	struct scratch *s = *state;
	struct inputs in = {0};
	fs_write("one", STR_LIT("bytes"), NULL);
	assert_null(inputs_read(&in, "one"));
	inputs_share(&in, &s->a, STR_LIT("two"));
	assert_null(inputs_read(&in, "one"));
	assert_null(inputs_read(&in, "two"));
	assert_int_equal(in.kept_bytes, 0);
}

/* A file that is not there yet is looked for again, and empty ones are files. */
static void
does_not_keep_that_a_file_is_absent(void **state)
{
	struct scratch *s = *state;
	struct inputs in = {0};
	inputs_share(&in, &s->a, STR_LIT("one"));
	assert_null(inputs_read(&in, "one"));
	fs_write("one", STR_LIT(""), NULL);
	assert_non_null(inputs_read(&in, "one"));
	inputs_trim(&in, 0);
}

static void
is_bounded(void **state)
{
	struct scratch *s = *state;
	struct inputs in = {0};
	for (int i = 0; i < 100; i++) {
		const char *path = str_fmt(&s->a, "%d", i).s;
		fs_write(path, STR_LIT("0123456789"), NULL);
		inputs_share(&in, &s->a, str_of(path));
	}
	for (int i = 0; i < 100; i++) {
		inputs_trim(&in, 50);
		const struct inputs_file *f = inputs_read(&in, str_fmt(&s->a, "%d", i).s);
		assert_true(str_is(f->bytes, "0123456789"));
		assert_true(in.kept_bytes <= 60);
	}
	fs_write("99", STR_LIT("new"), NULL);
	inputs_trim(&in, in.kept_bytes);
	assert_true(str_is(inputs_read(&in, "99")->bytes, "0123456789"));
	inputs_trim(&in, in.kept_bytes - 1);
	assert_true(str_is(inputs_read(&in, "99")->bytes, "new"));
	inputs_trim(&in, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(reads_a_shared_file_once),
		scratch_test(keeps_nothing_else),
		scratch_test(does_not_keep_that_a_file_is_absent),
		scratch_test(is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
