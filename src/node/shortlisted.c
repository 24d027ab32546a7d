#include "node/shortlisted.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "model/library.h"

bool
shortlisted_may_run(struct arena *a, const struct shortlist_member *m, enum admit admit)
{
	struct diag d = {0};
	struct launch l;
	const struct verdict_file *f = verdict_file_read(a, str_c(a, m->verdicts), &d);
	const struct verdict *v = f ? verdict_file_find(f, m->point) : NULL;
	return v && verdict_admitted(v, admit) && launch_parse(m->launch, &l) &&
	       str_eq(launch_text(a, &l), launch_text(a, &v->launch));
}

static const char *
absolute(struct arena *a, struct str path)
{
	return fs_join(a, fs_cwd(a), str_c(a, path));
}

static bool
gone(const struct shortlist_member *m, struct diag *d)
{
	diag_error(d, (struct place){0},
		"'%.*s' is not the machine code that was measured; run again",
		STR_ARG(m->artifact));
	return false;
}

static bool
malformed(const struct shortlist_member *m, struct str why, struct diag *d)
{
	diag_error(d, (struct place){0}, "malformed member of a shortlist, '%.*s': %.*s",
		STR_ARG(m->point), STR_ARG(why));
	return false;
}

/* The machine code, or the shared object, as it was when the list was made. */
static bool
artifact_read(struct arena *a, const struct shortlist_member *m, struct bench_request *q,
	struct diag *d)
{
	char hex[HASH_HEX + 1];
	q->artifact_path = absolute(a, m->artifact);
	q->artifact = fs_read(a, q->artifact_path);
	hash_hex(hash_bytes(q->artifact), hex);
	return str_is(m->artifact_hash, hex) || gone(m, d);
}

/* Who runs it has another working directory. */
static bool
library_of(struct arena *a, const struct shortlist_member *m, struct bench_request *q,
	struct diag *d)
{
	struct library v;
	struct str why;
	if (!library_parse(a, m->library, &v, &why))
		return malformed(m, why, d);
	if (v.path.n)
		v.path = str_of(absolute(a, v.path));
	q->library = library_text(a, &v);
	return true;
}

bool
shortlisted_member(struct arena *a, const struct shortlist_member *m,
	const struct bench_request *common, struct job_member *out, struct diag *d)
{
	struct bench_request *q = &out->request;
	struct str why = {0};
	struct arg *args;
	*out = (struct job_member){.point = m->point,
		.role = m->role,
		.artifact_hash = m->artifact_hash,
		.request = *common};
	bool code = m->artifact.n || m->role != FINAL_REFERENCE;
	if ((code && !artifact_read(a, m, q, d)) ||
		(m->library.n && !library_of(a, m, q, d)))
		return false;
	q->point = m->point;
	q->entry = m->entry;
	q->reference_path = m->reference.n ? absolute(a, m->reference) : NULL;
	if (args_parse(a, m->args, &args, &q->n_args, &why) &&
		launch_parse(m->launch, &q->launch)) {
		q->args = args;
		return true;
	}
	return malformed(m, why.n ? why : m->launch, d);
}
