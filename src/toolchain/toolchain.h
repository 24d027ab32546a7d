/*
 * Toolchains lower a source to PTX, or to a shared object for the processors of this
 * machine.  One file each, one line in toolchains[].
 */
#ifndef TOOLCHAIN_TOOLCHAIN_H
#define TOOLCHAIN_TOOLCHAIN_H

#include "base/diag.h"
#include "base/str.h"

struct toolchain_info {
	bool present;
	struct str version; /* "nvrtc 13.0": one word a pin can carry; goes into cache
			       keys */
	struct str path;    /* program or library file it was found as; may be absolute */
	struct str why;     /* when absent: what was looked for, what to install */
	int max_cc;         /* newest compute capability it can emit, e.g. 121; 0: any */
};

struct lower_request {
	struct str source; /* the text */
	const char *name;  /* path shown in diagnostics and line info, relative */
	const char *path;  /* where the text is on disk (a staged copy or the original) */
	const char *const *defines;  /* "TILE=128", NULL-terminated lists */
	const char *const *includes; /* folders, relative to the cwd */
	const char *const *flags;
	const char *command; /* toolchain "command": $in $out $defines are replaced */
	/* Of what is native: what is called, and with which types (model/signature.h). */
	struct str entry, signature;
	int cc; /* 90: compute capability to compile for */
	int64_t timeout_ns;
};

struct lower_result {
	bool ok;
	/* With line information as the compiler wrote it; or the bytes of a shared
	 * object.
	 */
	struct str ptx;
	struct str log; /* the compiler's words: errors when !ok, warnings otherwise */
	/* First error mapped to a place in the user's text, when it could be parsed. */
	struct str err_file;
	unsigned err_line, err_col;
	struct str err_message;
	bool transient; /* a crash, a deadline: trying again may go otherwise */
};

struct toolchain {
	const char *name;      /* "nvrtc" */
	const char *languages; /* space-separated: "cuda" */
	const char *about;
	bool native; /* makes shared objects, not PTX */
	struct toolchain_info (*probe)(struct arena *a);
	/* False (after die-like trouble was put into *r.log) only when the tool itself
	 * could not run; a source that does not compile is r->ok = false and true. */
	bool (*lower)(
		struct arena *a, const struct lower_request *q, struct lower_result *r);
};

extern const struct toolchain *const toolchains[]; /* in order of preference */

const struct toolchain *toolchain_find(struct str name);
/* The first present toolchain for a language; NULL with a reason (what to install). */
const struct toolchain *toolchain_pick(struct arena *a, struct str language,
	struct toolchain_info *info, struct str *why);
/* Does it take sources of this language? */
bool toolchain_speaks(const struct toolchain *t, struct str language);
/* All names, for "did you mean". */
size_t toolchain_names(const struct str **names);

/* The assembler: ptxas when present. */
struct toolchain_info ptxas_probe(struct arena *a);

#endif
