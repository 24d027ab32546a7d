#include "scratch.h"

#include "base/clock.h"
#include "base/proc.h"

static void
reads_back_what_it_wrote(void **state)
{
	struct scratch *s = *state;
	bool changed;
	struct str bytes = STR_LIT("a\0b\nc");
	fs_write("deep/er/f", bytes, &changed);
	assert_true(changed);
	struct str got = fs_read(&s->a, "deep/er/f");
	assert_true(str_eq(got, bytes));
	assert_int_equal(got.s[got.n], 0);
	fs_write("empty", (struct str){0}, NULL);
	assert_int_equal(fs_read(&s->a, "empty").n, 0);
}

static void
equal_bytes_keep_the_time(void **state)
{
	bool changed;
	fs_write("f", STR_LIT("one"), NULL);
	int64_t before = fs_mtime_ns("f");
	assert_true(before > 0);
	clock_sleep_ns(20000000);
	fs_write("f", STR_LIT("one"), &changed);
	assert_false(changed);
	assert_true(fs_mtime_ns("f") == before);
	fs_write("f", STR_LIT("two"), &changed); /* the same length */
	assert_true(changed);
	assert_true(fs_mtime_ns("f") > before);
	assert_true(fs_mtime_ns("absent") == 0);
}

static void
refusals_say_why(void **state)
{
	struct scratch *s = *state;
	struct str out;
	assert_false(fs_try_read(&s->a, "absent", &out));
	assert_int_equal(errno, ENOENT);
	assert_false(fs_try_read(&s->a, ".", &out));
	assert_int_equal(errno, EISDIR);
	fs_write("file", STR_LIT("x"), NULL);
	assert_false(fs_try_write("file/below", STR_LIT("y"), NULL));
	assert_int_equal(errno, ENOTDIR);
	char *name = arena_alloc(&s->a, 5000);
	memset(name, 'n', 4998);
	assert_false(fs_try_write(name, STR_LIT("y"), NULL));
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(mkdir("folder", 0777), 0);
	assert_false(fs_try_write("folder", STR_LIT("y"), NULL));
	const char **names;
	assert_int_equal(fs_list(&s->a, ".", &names), 2); /* nothing was left behind */
}

static void
read_absent(void *arg)
{
	struct arena a = {0};
	fs_read(&a, "no/such");
}

static void
reading_what_is_not_there_ends_the_program(void **state)
{
	struct ended e = scratch_run(*state, read_absent, NULL);
	assert_int_equal(e.status, 2);
	assert_string_equal(e.err,
		"lanewise: error: cannot read 'no/such': No such file or directory\n");
}

static void
what_never_ends_is_not_read(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = {"pipe", "link", "zero", "/dev/zero"};
	struct str text;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("pipe", "link"), 0);
	assert_int_equal(symlink("/dev/zero", "zero"), 0);
	alarm(20);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		errno = 0;
		assert_false(fs_try_read(&s->a, names[i], &text));
		assert_string_equal(fs_reason(), "it is a pipe or a device, not a file");
	}
	alarm(0);
	assert_false(fs_try_read(&s->a, "none", &text));
	assert_string_equal(fs_reason(), "No such file or directory");
}

static void
write_too_much(void *arg)
{
	char big[20000];
	bool changed;
	memset(big, 'b', sizeof big);
	scratch_limit_files(8192);
	if (fs_try_write("f", (struct str){big, sizeof big}, &changed))
		_exit(1);
	if (errno != EFBIG)
		_exit(3);
	fs_write("f", (struct str){big, sizeof big}, NULL); /* must not return */
	_exit(4);
}

static void
a_full_disk_leaves_the_old_file(void **state)
{
	struct scratch *s = *state;
	fs_write("f", STR_LIT("old"), NULL);
	struct ended e = scratch_run(s, write_too_much, NULL);
	assert_int_equal(e.status, 2);
	assert_contains(e.err, "cannot write 'f': File too large");
	assert_string_equal(scratch_text(s, "f"), "old");
	const char **names;
	assert_int_equal(
		fs_list(&s->a, ".", &names), 3); /* .err .out f: no temporary file */
}

static void
write_for_ever(void *arg)
{
	static char big[1 << 18];
	proc_die_with_parent(); /* also when the test fails */
	for (int i = 0;; i ^= 1) {
		memset(big, i ? 'B' : 'A', sizeof big);
		fs_write("f", (struct str){big, i ? sizeof big : sizeof big / 2}, NULL);
	}
}

static void
assert_whole(struct scratch *s)
{
	struct str got = fs_read(&s->a, "f");
	assert_true(got.n == 1 << 18 || got.n == 1 << 17);
	for (size_t i = 0; i < got.n; i++)
		if (got.s[i] != (got.n == 1 << 18 ? 'B' : 'A'))
			fail_msg("byte %zu of %zu is '%c'", i, got.n, got.s[i]);
}

/* Three writers of one file, killed at any moment: it is always one of the two texts. */
static void
killed_writers_leave_a_whole_file(void **state)
{
	struct scratch *s = *state;
	for (int round = 0; round < 15; round++) {
		pid_t pid[3];
		for (int i = 0; i < 3; i++) {
			pid[i] = fork();
			if (pid[i] == 0)
				write_for_ever(NULL);
		}
		while (!fs_exists("f"))
			clock_sleep_ns(100000);
		for (int i = 0; i < 20; i++) {
			struct arena_mark m = arena_mark(&s->a);
			assert_whole(s);
			arena_pop(&s->a, m);
		}
		for (int i = 0; i < 3; i++) {
			int status;
			kill(pid[i], SIGKILL);
			assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
			assert_int_equal(
				WTERMSIG(status), SIGKILL); /* none died by itself */
		}
		struct arena_mark m = arena_mark(&s->a);
		assert_whole(s);
		arena_pop(&s->a, m);
		fs_remove("f");
	}
}

/* A temporary file that a dead process of our number left is no obstacle. */
static void
old_temporary_files_do_not_block(void **state)
{
	struct scratch *s = *state;
	const char *stale = str_fmt(&s->a, "f.%x.tmp", (unsigned)getpid()).s;
	FILE *f = fopen(stale, "w");
	fclose(f);
	assert_int_equal(chmod(stale, 0), 0);
	fs_write("f", STR_LIT("new"), NULL);
	assert_string_equal(scratch_text(s, "f"), "new");
	assert_true(fs_exists(stale));
}

static void
programs_are_found(void **state)
{
	struct scratch *s = *state;
	fs_write("bin/tool", STR_LIT("#!/bin/sh\n"), NULL);
	assert_null(fs_which(&s->a, "bin/tool"));
	assert_int_equal(chmod("bin/tool", 0755), 0);
	setenv("PATH", "absent:bin:/usr/bin", 1);
	assert_string_equal(fs_which(&s->a, "tool"), "bin/tool");
	assert_string_equal(fs_which(&s->a, "./bin/tool"), "./bin/tool");
	assert_null(fs_which(&s->a, "no-such-tool"));
	assert_null(fs_which(&s->a, "./bin"));
	fs_write("bin/data", STR_LIT("x"), NULL);
	assert_null(fs_which(&s->a, "data"));
	unsetenv("PATH");
	assert_null(fs_which(&s->a, "tool"));
}

static void
append_lines(void *arg)
{
	char line[200];
	memset(line, *(char *)arg, sizeof line);
	line[sizeof line - 1] = '\n';
	for (int i = 0; i < 300; i++)
		if (!fs_try_append("log/lines", (struct str){line, sizeof line}))
			_exit(1);
	_exit(0);
}

static void
appended_lines_do_not_mix(void **state)
{
	struct scratch *s = *state;
	char letter[4] = {'a', 'b', 'c', 'd'};
	pid_t pid[4];
	for (int i = 0; i < 4; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			append_lines(&letter[i]);
	}
	for (int i = 0; i < 4; i++) {
		int status;
		waitpid(pid[i], &status, 0);
		assert_int_equal(status, 0);
	}
	struct str rest = fs_read(&s->a, "log/lines"), line;
	size_t n = 0;
	for (; str_line(&rest, &line); n++) {
		assert_int_equal(line.n, 199);
		for (size_t i = 1; i < line.n; i++)
			assert_int_equal(line.s[i], line.s[0]);
	}
	assert_int_equal(n, 1200);
	assert_false(fs_try_append("/dev/full", STR_LIT("x\n")));
}

static void
paths_are_text(void **state)
{
	struct scratch *s = *state;
	static const char *const normal[][2] = {{"a/./b//c", "a/b/c"}, {"a/../b", "b"},
		{"..", ".."}, {"../../x", "../../x"}, {"a/../../x", "../x"},
		{"a/..", "."}, {"", "."}, {".", "."}, {"/", "/"}, {"/..", "/"},
		{"/a/../../b", "/b"}, {"a/b/", "a/b"}, {"...", "..."}};
	for (size_t i = 0; i < sizeof normal / sizeof normal[0]; i++)
		assert_string_equal(fs_normal(&s->a, normal[i][0]), normal[i][1]);
	static const char *const relative[][3] = {{"a/b", "a/c", "../c"}, {".", "x", "x"},
		{"a", "a", "."}, {"a/b", "a", ".."}, {"/a/b", "/c", "../../c"},
		{"/", "/x", "x"}, {"a", "ab", "../ab"}, {".", "../x", "../x"},
		{"a", "../x", "../../x"}};
	for (size_t i = 0; i < sizeof relative / sizeof relative[0]; i++)
		assert_string_equal(fs_relative(&s->a, relative[i][0], relative[i][1]),
			relative[i][2]);
	assert_string_equal(fs_join(&s->a, "a", "b"), "a/b");
	assert_string_equal(fs_join(&s->a, "a/", "b"), "a/b");
	assert_string_equal(fs_join(&s->a, ".", "b"), "b");
	assert_string_equal(fs_join(&s->a, "", "b"), "b");
	assert_string_equal(fs_join(&s->a, "a", "/b"), "/b");
	assert_string_equal(fs_dirname(&s->a, "a/b/c"), "a/b");
	assert_string_equal(fs_dirname(&s->a, "c"), ".");
	assert_string_equal(fs_dirname(&s->a, "/c"), "/");
	assert_string_equal(fs_basename("a/b"), "b");
	assert_string_equal(fs_basename("b"), "b");
	char real[4096];
	assert_string_equal(fs_cwd(&s->a), realpath(s->dir, real));
}

static void
lists_in_byte_order(void **state)
{
	struct scratch *s = *state;
	const char **names;
	static const char *const want[] = {".hidden", "B", "a", "a.b", "z"};
	for (size_t i = 5; i-- > 0;)
		fs_write(str_fmt(&s->a, "d/%s", want[i]).s, STR_LIT("x"), NULL);
	assert_int_equal(fs_list(&s->a, "d", &names), 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(names[i], want[i]);
	assert_int_equal(fs_list(&s->a, "absent", &names), 0);
	fs_remove("d/z");
	fs_remove("d/z"); /* absent is fine */
	assert_int_equal(fs_list(&s->a, "d", &names), 4);
	assert_true(fs_is_dir("d"));
	assert_false(fs_is_dir("d/a"));
}

static void
try_lock(void *arg)
{
	_exit(fs_lock("x/lock", false) < 0 ? 7 : 0);
}

static void
a_lock_has_one_holder(void **state)
{
	struct scratch *s = *state;
	int fd = fs_lock("x/lock", false);
	assert_true(fd >= 0);
	assert_int_equal(scratch_run(s, try_lock, NULL).status, 7);
	close(fd);
	assert_int_equal(scratch_run(s, try_lock, NULL).status, 0);
	assert_true(fs_lock("x/lock", true) >= 0); /* the child's ended with it */
}

static void
put_into_nothing(void *arg)
{
	fs_put(arg, STR_LIT("x"));
	_exit(0);
}

/* A slip in a name that the user gave makes no folder. */
static void
a_named_file_needs_its_folder(void **state)
{
	struct scratch *s = *state;
	char path[] = "absent/deep/file", beside[] = "file";
	struct ended e = scratch_run(s, put_into_nothing, path);

	assert_int_equal(e.status, 2);
	assert_string_equal(e.err,
		"lanewise: error: cannot write 'absent/deep/file': there is no folder "
		"'absent/deep'; make it first\n");
	assert_false(fs_exists("absent"));
	fs_mkdirs("absent/deep");
	assert_int_equal(scratch_run(s, put_into_nothing, path).status, 0);
	assert_int_equal(scratch_run(s, put_into_nothing, beside).status, 0);
	fs_need_place("/x");
}

static void
write_named(void *arg)
{
	struct arena a = {0};
	fs_write(fs_need_file(&a, arg), STR_LIT("new"), NULL);
	_exit(0);
}

static void
put_says(struct scratch *s, void (*run)(void *), char *path, const char *why)
{
	struct ended e = scratch_run(s, run, path);
	char line[200];

	snprintf(
		line, sizeof line, "lanewise: error: cannot write '%s': %s\n", path, why);
	assert_int_equal(e.status, 2);
	assert_string_equal(e.err, line);
}

static void
a_named_file_takes_the_place_of_files_alone(void **state)
{
	static const char nowhere[] =
		"it is a link that leads to no file (No such file or directory); remove "
		"it";
	struct scratch *s = *state;
	struct stat st;
	char pipe[] = "pipe", to_pipe[] = "to-pipe", dir[] = "dir", lost[] = "lost",
	     link[] = "link";

	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(symlink(pipe, to_pipe), 0);
	assert_int_equal(symlink("absent", lost), 0);
	assert_int_equal(symlink("file", link), 0);
	fs_mkdirs(dir);
	fs_write("file", STR_LIT("old"), NULL);
	put_says(s, write_named, pipe, "it is a pipe or a device, not a file");
	put_says(s, write_named, to_pipe, "it is a pipe or a device, not a file");
	put_says(s, write_named, dir, "it is a folder, not a file");
	put_says(s, write_named, lost, nowhere);
	put_says(s, put_into_nothing, lost, nowhere);
	assert_int_equal(scratch_run(s, write_named, link).status, 0);
	assert_true(str_is(fs_read(&s->a, "file"), "new"));
	assert_true(lstat(pipe, &st) == 0 && S_ISFIFO(st.st_mode));
	assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(reads_back_what_it_wrote),
		scratch_test(equal_bytes_keep_the_time),
		scratch_test(refusals_say_why),
		scratch_test(reading_what_is_not_there_ends_the_program),
		scratch_test(what_never_ends_is_not_read),
		scratch_test(a_full_disk_leaves_the_old_file),
		scratch_test(killed_writers_leave_a_whole_file),
		scratch_test(old_temporary_files_do_not_block),
		scratch_test(programs_are_found),
		scratch_test(a_named_file_needs_its_folder),
		scratch_test(a_named_file_takes_the_place_of_files_alone),
		scratch_test(appended_lines_do_not_mix),
		scratch_test(paths_are_text),
		scratch_test(lists_in_byte_order),
		scratch_test(a_lock_has_one_holder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
