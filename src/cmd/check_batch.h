/*
 * Many launches at once: JSON lines in, JSON lines out, in order (docs/reference/cli.md
 * and verdict.md).  A line that is wrong has an answer that says so; nothing in a line
 * ends the program.
 */
#ifndef CMD_CHECK_BATCH_H
#define CMD_CHECK_BATCH_H

struct arena;

/* path "-": standard input.  The exit status: EXIT_TROUBLE when a line was wrong, else
 * that of the worst verdict. */
int check_batch(struct arena *a, const char *path);

#endif
