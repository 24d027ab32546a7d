/* Runs a fuzz target over its corpus as an ordinary test, with any compiler.
 *
 *     fuzz_NAME.replay [FILE|DIRECTORY]...
 *
 * Without arguments: the empty input, then $SRCDIR/tests/fuzz/corpus/NAME, which may be
 * absent. Prints the input it is at when the target crashes. One TAP line an input. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char current[4096] = "(empty input)";
static int n_run;

static void
crashed(int sig)
{
	static const char text[] = "\nreplay: the target crashed on ";
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	(void)!write(STDERR_FILENO, current, strlen(current));
	(void)!write(STDERR_FILENO, "\n", 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
fail(const char *what, const char *path)
{
	fprintf(stderr, "replay: cannot %s '%s': %s\n", what, path, strerror(errno));
	exit(2);
}

static void
run(const uint8_t *data, size_t n)
{
	LLVMFuzzerTestOneInput(data, n);
	const char *base = strrchr(current, '/');
	printf("ok %d - %s %s\n", ++n_run, FUZZ_NAME, base ? base + 1 : current);
	fflush(stdout);
}

/* The input lies at the end of an allocation of exactly its size, so that ASan sees every
 * read past it. */
static void
run_file(const char *path, size_t n)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		fail("open", path);
	uint8_t *data = malloc(n ? n : 1);
	if (!data || fread(data, 1, n, f) != n)
		fail("read", path);
	fclose(f);
	snprintf(current, sizeof current, "%s", path);
	run(data, n);
	free(data);
}

static int
visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void
run_path(const char *path)
{
	struct stat st;
	if (stat(path, &st))
		fail("find", path);
	if (!S_ISDIR(st.st_mode)) {
		run_file(path, (size_t)st.st_size);
		return;
	}
	struct dirent **names;
	int n = scandir(path, &names, visible, alphasort);
	if (n < 0)
		fail("list", path);
	for (int i = 0; i < n; i++) {
		char child[4096];
		snprintf(child, sizeof child, "%s/%s", path, names[i]->d_name);
		run_path(child);
		free(names[i]);
	}
	free(names);
}

int
main(int argc, char **argv)
{
	signal(SIGABRT, crashed);
	signal(SIGSEGV, crashed);
	signal(SIGBUS, crashed);
	signal(SIGFPE, crashed);
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	if (argc > 1)
		return 0;

	char corpus[4096];
	const char *srcdir = getenv("SRCDIR");
	snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".",
		FUZZ_NAME);
	run((const uint8_t *)"", 0);
	if (!access(corpus, F_OK))
		run_path(corpus);
	return 0;
}
