/*
 * For tests that touch the world: an empty folder of their own as the current one, and
 * functions run in a process of their own, because they end it (die) or are killed.
 */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct scratch {
	struct arena a;
	char dir[256];
};

static inline int
scratch_setup(void **state)
{
	const char *base = getenv("TMPDIR");
	struct scratch *s = calloc(1, sizeof *s);
	snprintf(s->dir, sizeof s->dir, "%s/lanewise-test-XXXXXX", base ? base : "/tmp");
	*state = s;
	return mkdtemp(s->dir) && chdir(s->dir) == 0 ? 0 : -1;
}

static inline int
scratch_forget(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static inline int
scratch_teardown(void **state)
{
	struct scratch *s = *state;
	int bad = chdir("/") | nftw(s->dir, scratch_forget, 16, FTW_DEPTH | FTW_PHYS);
	arena_release(&s->a);
	free(s);
	return bad;
}

#define scratch_test(f) \
	cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/* The text of a file, "(absent)" if there is none. */
static inline const char *
scratch_text(struct scratch *s, const char *path)
{
	struct str text;
	return fs_try_read(&s->a, path, &text) ? text.s : "(absent)";
}

struct ended {
	int status;      /* exit status, -1 when killed */
	int signal;      /* that killed it, or 0 */
	const char *out; /* what it printed */
	const char *err;
};

/* Runs f(arg) in a child; what it prints goes to files in the current folder. */
static inline struct ended
scratch_run(struct scratch *s, void (*f)(void *), void *arg)
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (!freopen(".out", "w", stdout) || !freopen(".err", "w", stderr))
			_exit(126);
		setvbuf(stderr, NULL, _IONBF,
			0); /* as it is by default: abort() flushes nothing */
		f(arg);
		fflush(NULL);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (struct ended){
		.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.out = scratch_text(s, ".out"),
		.err = scratch_text(s, ".err"),
	};
}

/* No file may grow past n bytes from now on: a full disk without a disk. */
static inline void
scratch_limit_files(size_t n)
{
	struct rlimit r = {n, n};
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &r) != 0)
		_exit(126);
}

#define assert_contains(text, part) \
	do { \
		const char *text_ = (text), *part_ = (part); \
		if (!strstr(text_, part_)) \
			fail_msg("expected \"%s\" in:\n%s", part_, text_); \
	} while (0)

#endif
