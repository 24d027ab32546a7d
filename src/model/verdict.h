/*
 * What the gate says about one (PTX, launch shape, arguments): schema
 * lanewise/verdict.v1.
 *
 * clean: every barrier and collective is reached convergently.  refused: a witness shows
 * one that is not.  caveat: cannot be decided, with the reason.  error: the gate could
 * not judge (a parse failure, an unknown entry); never a pass.
 */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include "format/json.h"
#include "model/launch.h"

/* Worst wins: in the order of severity. */
enum verdict_kind { VERDICT_CLEAN, VERDICT_CAVEAT, VERDICT_REFUSED, VERDICT_ERROR };

/* The worst verdict that still runs. */
enum admit { ADMIT_CAVEAT, ADMIT_CLEAN };

/* The lanes of one warp: 32 characters and a NUL.
 * lane_letters[], or ' ': was never launched. */
struct lane_map {
	uint32_t warp;
	char lanes[33];
};

struct lane_letter {
	char mark;
	const char *means;
};

extern const struct lane_letter lane_letters[]; /* ends with mark 0 */

struct witness {
	bool present;
	uint64_t cta[3];        /* a block it happens in */
	uint64_t n_blocks;      /* blocks of the grid it holds for; 0: unknown */
	struct lane_map *warps; /* the warps that matter, at most 32 */
	size_t n_warps;
	struct str note; /* "warp 0 waits at line 12; warps 1..7 have exited" */
};

struct finding {
	struct str rule;  /* "LW001" */
	struct str klass; /* barrier named-barrier collective mask exit capacity site
			     undecided */
	enum verdict_kind
		kind;      /* what it makes of the verdict: CAVEAT, REFUSED or ERROR */
	struct str file;   /* source file, empty when the PTX has no line information */
	uint32_t line;     /* source line, 0 when unknown */
	uint32_t ptx_line; /* 1-based line of the PTX; 0: no instruction (capacity) */
	struct str message;
	struct witness witness;
};

struct verdict {
	enum verdict_kind kind;
	struct str point; /* "BLOCK=64,TILE=128@1M" in the graph; empty for `check` */
	struct launch launch;
	struct finding *findings;
	size_t n_findings;
};

const char *verdict_name(enum verdict_kind k);
const char *admit_name(enum admit a);
/* "caveat" and the empty word are the default; what names nothing is the stricter one. */
enum admit admit_of(struct str word);
/* May it be compiled and run?  What is refused may not; node/rows.h says what
 * --allow-unsafe makes of it. */
bool verdict_admitted(const struct verdict *v, enum admit admit);
bool verdict_kind_find(struct str name, enum verdict_kind *out);
void verdict_write(struct json_out *o, const char *key, const struct verdict *v);
/* From a JSON object that verdict_write wrote; false after a diag_error. */
bool verdict_read(
	struct arena *a, const struct json *v, struct verdict *out, struct diag *d);

/* One finding: an object without a key, as verdict_write puts it, and back. */
void finding_write(struct json_out *o, const struct finding *f);
bool finding_read(
	struct arena *a, const struct json *v, struct finding *out, struct diag *d);

/* All points of one specialization: what the gate node writes. */
struct verdict_file {
	struct str kernel;
	struct str entry;            /* as in the PTX */
	int64_t static_shared_bytes; /* of the entry, from the PTX; -1: could not be
					parsed */
	struct verdict *v;
	size_t n;
};
struct str verdict_file_write(struct arena *a, const struct verdict_file *f);
/* v may be NULL; NULL after a diag_error. */
struct verdict_file *verdict_file_get(
	struct arena *a, const struct json *v, struct diag *d);
struct verdict_file *verdict_file_read(struct arena *a, const char *path, struct diag *d);
const struct verdict *verdict_file_find(const struct verdict_file *f, struct str point);

#endif
