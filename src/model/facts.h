/*
 * What the compiler says of one specialization: schema lanewise/facts.v1.  Which compiler
 * it was is a pin and does not stand here: another one that makes the same of it leaves
 * the file as it is, and nothing is measured again.
 * -1 is "not known" everywhere; zero is a fact.
 */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include "format/json.h"

struct facts {
	/* "ptxas -v", "cubin", "ptx" (nothing was compiled), "none" (host code) */
	struct str source;
	struct str entry;
	int64_t registers; /* per thread */
	int64_t static_shared_bytes;
	int64_t local_bytes; /* stack frame per thread */
	int64_t spill_store_bytes;
	int64_t spill_load_bytes;
	int64_t barriers; /* named barriers used */
	int64_t constant_bytes;
	int64_t code_bytes;
	int64_t max_threads; /* .maxntid product, or -1 */
	struct str artifact; /* "cubin", "ptx" or "object": what to load */
	struct str status;   /* "ok" or "failed" */
	struct str reason;   /* if failed: the compiler's words */
};

struct str facts_write(struct arena *a, const struct facts *f);
void facts_put(struct json_out *o, const char *key, const struct facts *f);
/* From an object that facts_put wrote (v may be NULL: false, nothing printed). */
bool facts_get(const struct json *v, struct facts *f, struct diag *d);
struct facts *facts_read(struct arena *a, const char *path, struct diag *d);
/* Every number -1. */
struct facts facts_none(void);

#endif
