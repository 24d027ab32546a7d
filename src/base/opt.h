/*
 * Command-line options as a table, which is also the help text.
 *
 *     static const struct opt opts[] = {
 *         {"file", 'f', OPT_STR, &file, "FILE", "read FILE instead of lanewise.json"},
 *         {"json", 0, OPT_FLAG, &json, NULL, "print JSON"},
 *         {0}};
 *     opt_parse(&cmd_usage, opts, &argc, &argv);
 *
 * Both "--file X" and "--file=X" work; "--" ends options; what is not an option is
 * compacted into argv[0..argc).  -h and --help print usage and exit 0.  A wrong option
 * prints the nearest one and exits 2.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum opt_kind {
	OPT_FLAG, /* bool: set to true */
	OPT_STR,  /* const char * */
	OPT_LIST, /* struct opt_list: may repeat */
	OPT_INT,  /* long */
	OPT_REAL, /* double */
};

struct opt_list {
	const char **v; /* NULL-terminated, points into argv */
	size_t n;
};

struct opt {
	const char *name; /* long name, without dashes; NULL ends the table */
	char letter;      /* or 0 */
	enum opt_kind kind;
	void *to;
	const char *value; /* name of the value in help; NULL for flags */
	const char *help;
};

struct opt_usage {
	const char
		*synopsis; /* "lanewise space [SPEC] [KERNEL] [options]" (lines by \n) */
	const char *about; /* a paragraph or two */
	const char *after; /* examples, exit status; may be NULL */
};

/* argv excludes the program name and the sub-command. */
void opt_parse(struct arena *a, const struct opt_usage *usage, const struct opt *opts,
	int *argc, char ***argv);
/* Prints "lanewise: error: MESSAGE" with the synopsis, and exits 2. */
void opt_fail(const struct opt_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

#endif
