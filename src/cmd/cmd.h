/* A sub-command is a value; the list is in main.c. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>

struct arena;

struct command {
	const char *name;
	const char *about; /* one line */
	/* argv excludes the program name and the sub-command; returns the exit status. */
	int (*run)(struct arena *a, int argc, char **argv);
	bool hidden; /* for the graph, not for people */
};

#endif
