#include "scratch.h"

#include "node/sums.h"

static void
add(struct scratch *s, struct sums_queue *q, const char *path)
{
	struct buf b = {.a = &s->a};
	fs_write(path, STR_LIT("right"), NULL);
	sums_line(&b, path, STR_LIT("right"));
	sums_queue_add(q, SUMS_FILE, buf_str(&b));
}

static void
queued_lines_are_appended_at_the_end(void **state)
{
	struct scratch *s = *state;
	struct sums_queue q = {.lines.a = &s->a};
	add(s, &q, ".lanewise/k/one");
	add(s, &q, ".lanewise/k/two");
	assert_false(fs_exists(SUMS_FILE));
	sums_queue_flush(&q);
	assert_int_equal(sums_check(&s->a, SUMS_FILE), 0);
	fs_write(".lanewise/k/one", STR_LIT("wrong"), NULL);
	fs_write(".lanewise/k/two", STR_LIT("wrong"), NULL);
	assert_int_equal(sums_check(&s->a, SUMS_FILE), 2);
	assert_false(fs_exists(".lanewise/k/one"));
	struct str before = fs_read(&s->a, SUMS_FILE);
	sums_queue_flush(&q);
	assert_true(str_eq(fs_read(&s->a, SUMS_FILE), before));
}

static void
many_lines_do_not_wait(void **state)
{
	struct scratch *s = *state;
	struct sums_queue q = {.lines.a = &s->a};
	for (int i = 0; i < 200; i++) {
		add(s, &q, ".lanewise/k/one");
		assert_true(q.lines.n < 8 << 10);
	}
	assert_true(fs_read(&s->a, SUMS_FILE).n > 4 << 10);
}

static void
each_file_gets_its_own_lines(void **state)
{
	struct scratch *s = *state;
	struct sums_queue q = {.lines.a = &s->a};
	sums_queue_add(&q, "a", STR_LIT("1\n"));
	sums_queue_add(&q, "b", STR_LIT("2\n"));
	sums_queue_add(&q, "b", STR_LIT("3\n"));
	sums_queue_add(&q, "a", STR_LIT("4\n"));
	sums_queue_flush(&q);
	assert_true(str_is(fs_read(&s->a, "a"), "1\n4\n"));
	assert_true(str_is(fs_read(&s->a, "b"), "2\n3\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(queued_lines_are_appended_at_the_end),
		scratch_test(many_lines_do_not_wait),
		scratch_test(each_file_gets_its_own_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
