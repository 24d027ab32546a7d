#include "base/arena.h"
#include "base/fs.h"
#include "model/candidate.h"
#include "model/spec_reader.h"

#include <inttypes.h>

/* --- files and languages ------------------------------------------------------------ */

static void
default_language(struct spec_reader *r, struct kernel *k, struct name file)
{
	static const struct {
		const char *ext, *language;
	} known[] = {{".cu", "cuda"}, {".ptx", "ptx"}, {".cl", "opencl"}, {".c", "c"},
		{".rs", "rust"}};
	if (k->language.s.n || !file.s.n)
		return;
	k->language.at = file.at;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_ends(file.s, known[i].ext))
			k->language.s = str_of(known[i].language);
	if (!k->language.s.n && !k->command.s.n)
		diag_error(r->d, file.at,
			"the language of '%.*s' is not known by its extension: write "
			"'language'",
			STR_ARG(file.s));
}

/* Every {NAME} of a template is a parameter that the compiler may see, its own among
 * them. */
static void
check_template(struct spec_reader *r, const struct kernel *k, const struct param *p)
{
	struct str rest = p->source.s;
	bool own = false;
	for (;;) {
		size_t open = str_find(rest, '{'), close = str_find(rest, '}');
		if (open == rest.n)
			break;
		struct str name = str_sub(rest, open + 1, close);
		long i = kernel_param(k, name);
		if (close == rest.n || close < open || i < 0 ||
			k->params[i].role == ROLE_LAUNCH)
			diag_error(r->d, p->source.at,
				"'{%.*s}' is no parameter that may pick a source",
				STR_ARG(name));
		own = own || str_eq(name, p->name);
		rest = str_sub(rest, close + 1, rest.n);
	}
	if (!own)
		diag_error(r->d, p->source.at,
			"the template does not mention {%.*s}: every value gives the "
			"same file",
			STR_ARG(p->name));
	for (size_t i = 0; i < p->n_values; i++) {
		struct str v = value_text(r->a, p->values[i]);
		if (str_find(v, '/') < v.n)
			diag_error(r->d, p->at,
				"the value '%.*s' picks a file and may hold no '/'",
				STR_ARG(v));
	}
}

/* Every {NAME} of a flag is a parameter that the compiler may see. */
static void
check_flags(struct spec_reader *r, const struct kernel *k)
{
	for (size_t f = 0; f < k->n_flags; f++) {
		struct str rest = k->flags[f].s;
		while (str_find(rest, '{') < rest.n) {
			size_t open = str_find(rest, '{'), close = str_find(rest, '}');
			struct str name = str_sub(rest, open + 1, close);
			long i = close > open ? kernel_param(k, name) : -1;
			if (close == rest.n || i < 0 ||
				k->params[i].role == ROLE_LAUNCH) {
				diag_error(r->d, k->flags[f].at,
					"'{%.*s}' is no parameter that a flag may hold",
					STR_ARG(name));
				break;
			}
			rest = str_sub(rest, close + 1, rest.n);
		}
	}
}

static void
check_source(struct spec_reader *r, struct kernel *k)
{
	struct name file = k->source;
	const struct param *picks = NULL;
	for (size_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];
		if (p->role != ROLE_SOURCE)
			continue;
		if (picks)
			diag_error(r->d, p->source.at,
				"'%.*s' picks the source already: one template may name "
				"both",
				STR_ARG(picks->name));
		else
			check_template(r, k, p);
		picks = p;
		file = p->source;
	}
	if (!file.s.n)
		diag_error(r->d, k->at, "'source' is missing: the kernel's source file");
	if (str_find(k->source.s, '{') < k->source.s.n)
		diag_error(r->d, k->source.at,
			"a template belongs in the 'source' of the parameter that it "
			"names");
	default_language(r, k, file);
}

static void
check_command(struct spec_reader *r, struct kernel *k)
{
	bool named = k->toolchain.s.n > 0;
	if (k->command.s.n && !named)
		k->toolchain = (struct name){STR_LIT("command"), k->command.at};
	else if (k->command.s.n && !str_is(k->toolchain.s, "command"))
		diag_error(r->d, k->command.at,
			"a 'command' is run by the toolchain 'command', not by '%.*s'",
			STR_ARG(k->toolchain.s));
	else if (!k->command.s.n && str_is(k->toolchain.s, "command"))
		diag_error(r->d, k->toolchain.at,
			"the toolchain 'command' needs a 'command' to run");
}

/* OpenCL C, "Synchronization Functions": all work-items of the group, at the same call; a
 * work-item that has returned is none that is released. */
static void
check_opencl(struct spec_reader *r, const struct kernel *k)
{
	if (!str_is(k->language.s, "opencl"))
		return;
	if (k->exit_release)
		diag_error(r->d, k->language.at,
			"OpenCL has no exit_policy \"release\": a barrier is for all "
			"work-items of the work-group; take it out");
	if (k->site_lenient)
		diag_error(r->d, k->language.at,
			"OpenCL has no site_policy \"lenient\": all work-items wait at "
			"the same barrier; take it out");
}

/* --- launches ----------------------------------------------------------------------- */

static void
refuse_for_c(struct spec_reader *r, const struct kernel *k, const struct expr *e,
	const char *what)
{
	if (e)
		diag_error(r->d, expr_place(e),
			"'%s' is of a GPU's launch: a kernel in C ('%.*s') is one call, "
			"and 'block' the number of processors that it may use",
			what, STR_ARG(k->name));
}

static void
check_launch(struct spec_reader *r, const struct kernel *k)
{
	if (!str_is(k->language.s, "c")) {
		if (!k->block[0])
			diag_error(r->d, k->at, "'launch' is missing: the launch shape");
		return;
	}
	for (int i = 0; i < 3; i++) {
		refuse_for_c(r, k, i ? k->block[i] : NULL, "block");
		refuse_for_c(r, k, k->grid[i], "grid");
		refuse_for_c(r, k, k->cluster[i], "cluster");
	}
	refuse_for_c(r, k, k->shared, "shared");
	if (!k->entry.s.n)
		diag_error(
			r->d, k->at, "'entry' is missing: the C function to be called");
	if (k->n_constants)
		diag_error(r->d, k->at,
			"'constants' are of a GPU's module: a kernel in C has arguments "
			"and parameters");
}

/* --- sizes -------------------------------------------------------------------------- */

static bool
size_has(const struct size *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->keys[i], name))
			return true;
	return false;
}

static void
check_sizes(struct spec_reader *r, const struct kernel *k)
{
	const struct size *first = &k->sizes[0];
	for (size_t i = 0; i < k->n_sizes; i++) {
		const struct size *s = &k->sizes[i];
		for (size_t j = 0; j < s->n; j++) {
			if (kernel_param(k, s->keys[j]) >= 0)
				diag_error(r->d, s->at,
					"'%.*s' is a parameter and a size: rename one",
					STR_ARG(s->keys[j]));
			if (!size_has(first, s->keys[j]))
				diag_error(r->d, s->at,
					"'%.*s' has '%.*s', which '%.*s' lacks",
					STR_ARG(s->name), STR_ARG(s->keys[j]),
					STR_ARG(first->name));
		}
		for (size_t j = 0; j < first->n; j++)
			if (!size_has(s, first->keys[j]))
				diag_error(r->d, s->at,
					"'%.*s' lacks '%.*s', which '%.*s' has",
					STR_ARG(s->name), STR_ARG(first->keys[j]),
					STR_ARG(first->name));
	}
}

/* --- files of data --------------------------------------------------------------------
 */

static bool
names_something(const struct kernel *k, struct str name)
{
	return str_is(name, "size") || kernel_param(k, name) >= 0 ||
	       size_has(&k->sizes[0], name);
}

/* Every {NAME} of a file's template has a value at every point. */
static void
check_data_file(struct spec_reader *r, const struct kernel *k, const struct name *file)
{
	struct str rest = file->s;
	while (str_find(rest, '{') < rest.n || str_find(rest, '}') < rest.n) {
		size_t open = str_find(rest, '{'), close = str_find(rest, '}');
		struct str name = str_sub(rest, open + 1, close);
		if (close == rest.n || close < open || !names_something(k, name)) {
			diag_error(r->d, file->at,
				"'{%.*s}' is no parameter, no name of the sizes, and not "
				"{size}",
				STR_ARG(name));
			return;
		}
		rest = str_sub(rest, close + 1, rest.n);
	}
}

static void
check_data_files(struct spec_reader *r, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_args; i++)
		check_data_file(r, k, &k->args[i].file);
	for (size_t i = 0; i < k->verify.n_npy; i++)
		check_data_file(r, k, &k->verify.npy[i].file);
}

/* --- outputs ------------------------------------------------------------------------ */

/* One file for each output, and for nothing else. */
static void
check_npy(struct spec_reader *r, const struct kernel *k)
{
	const struct verify_spec *s = &k->verify;
	struct str outputs[SPEC_LIST_MAX];
	size_t n = 0;
	for (size_t i = 0; i < k->n_args; i++)
		if (k->args[i].output)
			outputs[n++] = k->args[i].name;
	for (size_t i = 0; i < s->n_npy; i++) {
		size_t at = 0;
		while (at < n && !str_eq(outputs[at], s->npy[i].output))
			at++;
		if (at == n)
			spec_unknown(
				r, s->npy[i].at, "output", s->npy[i].output, outputs, n);
	}
	for (size_t i = 0; i < n && s->npy; i++) {
		size_t at = 0;
		while (at < s->n_npy && !str_eq(outputs[i], s->npy[at].output))
			at++;
		if (at == s->n_npy)
			diag_error(r->d, s->function.at,
				"'npy' has no file for the output '%.*s'",
				STR_ARG(outputs[i]));
	}
}

static void
check_verify(struct spec_reader *r, const struct kernel *k)
{
	bool output = false;
	for (size_t i = 0; i < k->n_args; i++)
		output = output || k->args[i].output;
	if (!k->verify.present)
		return;
	if (!output)
		diag_error(r->d, k->verify.function.at,
			"nothing to verify: no argument has \"output\": true");
	check_npy(r, k);
	if (k->verify.against_baseline && !k->baseline)
		diag_error(r->d, k->verify.function.at,
			"'against' needs a 'baseline': write one");
}

void
spec_check_kernel(struct spec_reader *r, struct kernel *k)
{
	unsigned before = r->d->errors;
	check_source(r, k);
	check_flags(r, k);
	check_command(r, k);
	check_launch(r, k);
	check_opencl(r, k);
	check_sizes(r, k);
	check_data_files(r, k);
	check_verify(r, k);
	spec_check_names(r, k);
	spec_check_reference(r, k);
	/* A baseline is judged by the constraints, which must be sound for that. */
	if (k->baseline && r->d->errors == before)
		spec_check_baseline(r, k);
}
