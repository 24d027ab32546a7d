#include "cmd/check_kernel.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

const struct ptx_module *
check_read(struct arena *a, const char *path, struct diag *d, struct str *why)
{
	struct source *src = arena_new(a, struct source);

	const char *endless = path ? fs_endless(path) : NULL;

	src->name = path ? arena_copy(a, path, strlen(path)) : "<stdin>";
	if (endless)
		*why = str_fmt(a,
			"cannot read '%s': it is %s (standard input is read as '-')",
			path, endless);
	else if (!fs_try_read_most(a, path, PTX_TEXT_MAX, &src->text))
		*why = str_fmt(a, "cannot read '%s': %s", src->name,
			errno == EFBIG ? "more than 64 MiB of PTX" : strerror(errno));
	return why->n ? NULL : ptx_parse(a, src, d);
}

bool
check_prepare(struct arena *a, const struct ptx_module *m, struct str entry,
	struct check_kernel *out, struct str *why)
{
	struct str reason = {0};
	struct gate_kernel *k = gate_prepare(a, m, entry, &reason);

	if (!k) {
		*why = str_fmt(a, "%s: %.*s", m->src->name, STR_ARG(reason));
		return false;
	}
	*out = (struct check_kernel){m->src->name, m, NULL, k};
	out->f = ptx_find_func(m, gate_entry_name(k));
	return true;
}

struct check_kernel
check_open(struct arena *a, const char *path, const char *entry)
{
	struct check_kernel k;
	struct diag d = {0};
	struct str why = {0};
	bool in = strcmp(path, "-") == 0;
	const struct ptx_module *m = check_read(a, in ? NULL : path, &d, &why);

	if (!m && !why.n)
		exit(EXIT_TROUBLE);
	if (!m || !check_prepare(a, m, str_of(entry), &k, &why))
		die("%.*s", STR_ARG(why));
	return k;
}

void
check_keep_memory(void)
{
#ifdef __GLIBC__
	/* Else each launch gives its last pages back and faults them in again, which is
	 * a third of the time of a small kernel. */
	enum { KEPT_BYTES = 16 << 20 };
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
#endif
}
