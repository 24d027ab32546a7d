/*
 * What a compiler said, mapped back to the user's text.
 *
 * Understood (all executed or read in the tools' sources; docs/reference/toolchains.md):
 *
 *     k.cu(3): error: MESSAGE                 NVRTC, nvcc (EDG); a caret line follows
 *     k.cu:3:45: error: MESSAGE               clang, gcc
 *     k.cl:3: error: MESSAGE                  the same without columns
 *     ptxas k.ptx, line 7; error   : MESSAGE  ptxas
 *     error[E0425]: MESSAGE / --> k.rs:3:5    rustc
 *     nvcc fatal   : MESSAGE                  no place, nor in "clang: error: MESSAGE"
 *                                             and "error: MESSAGE"
 */
#ifndef TOOLCHAIN_ERRLOG_H
#define TOOLCHAIN_ERRLOG_H

#include "base/str.h"
#include "toolchain/toolchain.h"

struct log_error {
	struct str file;    /* empty: no place */
	unsigned line, col; /* 1-based; 0: not said */
	struct str message;
};

/* The first error with a place, else the first error; false if there is none. */
bool log_find_error(struct str log, struct log_error *out);

/* Every `from` replaced; from must not be empty. */
struct str text_replace(struct arena *a, struct str text, struct str from, struct str to);

/*
 * Fills r->err_* from r->log, and takes paths of this machine out of the log: the staged
 * copy is called by the user's name of it.  When nothing in the log is an error, the
 * message is `what` ("nvcc: exit status 1").
 */
void log_explain(struct arena *a, const struct lower_request *q, const char *what,
	struct lower_result *r);

/* The name a user knows a file by: without the cwd and without ".lanewise/in/". */
struct str log_user_name(struct arena *a, struct str path);

#endif
