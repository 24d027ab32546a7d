/*
 * Code of the user's that runs in an executor, a kernel in C, can make any system call.
 * What is caught of its mistakes ends the executor; a signal that it sends to its parent
 * or to everybody would end more, and a parent that it traces is stopped.
 */
#ifndef WORKER_CONFINE_H
#define WORKER_CONFINE_H

/* From now on this process sends signals to itself alone: another is a SIGSYS of its own,
 * and so is tracing (ptrace), also in what it starts.  Where the kernel has no such
 * filters, nothing. */
void confine_signals(void);

#endif
