#include "base/arena.h"
#include "base/die.h"
#include "base/str.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* One line a command, in the order of the help. */
#define COMMANDS(X) \
	X(tune) \
	X(graph) \
	X(report) \
	X(show) \
	X(apply) \
	X(wisdom) \
	X(check) \
	X(ci) \
	X(certify) \
	X(shapes) \
	X(explain) \
	X(space) \
	X(simulate) \
	X(convert) \
	X(init) \
	X(cache) \
	X(doctor) \
	X(worker) \
	X(node) \
	X(executor)

#define X(name) extern const struct command cmd_##name;
COMMANDS(X)
#undef X

static const struct command *const commands[] = {
#define X(name) &cmd_##name,
	COMMANDS(X)
#undef X
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void
help(void)
{
	printf("usage: lanewise COMMAND [options]\n\n"
	       "Finds the fastest launch and specialization of a GPU kernel that is safe "
	       "to run.\n\n"
	       "commands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!commands[i]->hidden)
			printf("  %-8s %s\n", commands[i]->name, commands[i]->about);
	printf("\n'lanewise COMMAND --help' tells more.  "
	       "'lanewise --version' prints the version.\n");
}

static void NORETURN
unknown(struct str name)
{
	struct str names[N_COMMANDS];
	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i] = str_of(commands[i]->name);
	struct str near = str_nearest(name, names, N_COMMANDS);
	if (near.n)
		die("unknown command '%.*s' (did you mean '%.*s'?)", STR_ARG(name),
			STR_ARG(near));
	die("unknown command '%.*s'; 'lanewise --help' lists them", STR_ARG(name));
}

static const struct command *
find(struct str name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (str_is(name, commands[i]->name))
			return commands[i];
	unknown(name);
}

/* 'lanewise help tune' is 'lanewise tune --help'. */
static int
help_for(struct arena *a, struct str name)
{
	char option[] = "--help";
	char *argv[] = {option, NULL};
	return find(name)->run(a, 1, argv);
}

static int
dispatch(struct arena *a, int argc, char **argv)
{
	struct str name = str_of(argc > 1 ? argv[1] : "--help");
	if (str_is(name, "--version")) {
		printf("lanewise %s\n", LANEWISE_VERSION);
		return EXIT_YES;
	}
	if (str_is(name, "--help") || str_is(name, "-h") || str_is(name, "help")) {
		if (argc > 2 && str_is(name, "help"))
			return help_for(a, str_of(argv[2]));
		help();
		return argc > 1 ? EXIT_YES : EXIT_TROUBLE;
	}
	return find(name)->run(a, argc - 2, argv + 2);
}

/* A stream that the caller closed is opened the wrong way round, so that no file of ours
 * gets its number and using it is the error that it was. */
static void
occupy_closed_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			exit(EXIT_TROUBLE);
}

int
main(int argc, char **argv)
{
	struct arena a = {0};
	occupy_closed_streams();
	/* A file over the limit (ulimit -f) is an error like a full disk, not a death. */
	signal(SIGXFSZ, SIG_IGN);
	int status = dispatch(&a, argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout))
		die("cannot write to standard output");
	arena_release(&a);
	return status;
}
