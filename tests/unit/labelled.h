/*
 * Launches with the verdict that is right, as tests/gate/launches.txt lists them, one a
 * line: kernel, launch, known arguments (position=bytes), verdict, verdicts that a sound
 * but incomplete gate may give, verdict when threads that exited no longer count, source
 * lines that may be blamed, and behind # why.
 */
#ifndef TESTS_UNIT_LABELLED_H
#define TESTS_UNIT_LABELLED_H

#include "base/arena.h"
#include "base/fs.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ARGS_MAX = 32 };

struct label {
	struct str kernel, args, lines, accept;
	struct launch launch;
	enum verdict_kind expected, release;
};

struct labels {
	struct label *v;
	size_t n, cap;
};

/* A file of tests/, from wherever the test runs. */
static inline const char *
tests_path(struct arena *a, const char *name)
{
	const char *dir = getenv("SRCDIR");

	return str_c(a, str_fmt(a, "%s/tests/%s", dir ? dir : ".", name));
}

static inline struct str
label_word(struct str *rest)
{
	struct str w = {0};

	while (rest->n && rest->s[0] == ' ')
		*rest = str_sub(*rest, 1, rest->n);
	w = str_sub(*rest, 0, str_find(*rest, ' '));
	*rest = str_sub(*rest, w.n, rest->n);
	return w;
}

static inline enum verdict_kind
label_kind(struct str *rest)
{
	enum verdict_kind k = VERDICT_ERROR;

	assert_true(verdict_kind_find(label_word(rest), &k));
	return k;
}

static inline struct labels
labels_read(struct arena *a, const char *path)
{
	struct labels all = {0};
	struct str text, line;

	assert_true(fs_try_read(a, path, &text));
	while (str_line(&text, &line)) {
		struct label l = {0};

		if (!line.n || line.s[0] == '#')
			continue;
		l.kernel = label_word(&line);
		assert_true(launch_parse(label_word(&line), &l.launch));
		l.args = label_word(&line);
		l.expected = label_kind(&line);
		l.accept = label_word(&line);
		l.release = label_kind(&line);
		l.lines = label_word(&line);
		arena_grow(a, all.v, all.n, all.cap);
		all.v[all.n++] = l;
	}
	return all;
}

static inline unsigned
label_nibble(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* "1=03000000,2=..." */
static inline void
label_args(struct arena *a, struct str text, struct gate_arg args[ARGS_MAX])
{
	struct str one;

	if (str_is(text, "-"))
		return;
	while (str_split(&text, ',', &one)) {
		size_t eq = str_find(one, '=');
		struct str hex = str_sub(one, eq + 1, one.n);
		unsigned char *p = arena_alloc(a, hex.n / 2 + 1);
		int64_t at = 0;

		assert_true(str_to_i64(str_sub(one, 0, eq), &at) && at < ARGS_MAX);
		for (size_t i = 0; i < hex.n / 2; i++)
			p[i] = (unsigned char)(label_nibble(hex.s[2 * i]) << 4 |
					       label_nibble(hex.s[2 * i + 1]));
		args[at] = (struct gate_arg){GATE_ARG_BYTES, p, hex.n / 2};
	}
}

static inline struct verdict
label_check(
	struct arena *a, const struct label *l, const struct gate_kernel *k, bool release)
{
	struct gate_arg args[ARGS_MAX] = {0};
	struct gate_query q = {.launch = l->launch,
		.args = args,
		.n_args = ARGS_MAX,
		.exit_release = release};

	label_args(a, l->args, args);
	return gate_check(a, k, &q);
}

static inline bool
label_lists(struct str list, struct str w)
{
	struct str one;

	while (str_split(&list, ',', &one))
		if (str_eq(one, w))
			return true;
	return false;
}

static inline bool
label_accepts(const struct label *l, enum verdict_kind got)
{
	return got == l->expected || label_lists(l->accept, str_of(verdict_name(got)));
}

static inline bool
is_opposite(enum verdict_kind a, enum verdict_kind b)
{
	return (a == VERDICT_CLEAN && b == VERDICT_REFUSED) ||
	       (a == VERDICT_REFUSED && b == VERDICT_CLEAN) || b == VERDICT_ERROR;
}

/* Is a line blamed that may be, where a refusal was expected and given? */
static inline bool
label_blames(struct arena *a, const struct label *l, const struct verdict *v)
{
	if (v->kind != VERDICT_REFUSED || l->expected != VERDICT_REFUSED ||
		str_is(l->lines, "-"))
		return true;
	for (size_t i = 0; i < v->n_findings; i++)
		if (v->findings[i].kind == VERDICT_REFUSED &&
			label_lists(l->lines,
				str_fmt(a, "%u", (unsigned)v->findings[i].line)))
			return true;
	return false;
}

static inline struct str
label_text(struct arena *a, const struct label *l)
{
	return str_fmt(a, "%.*s %.*s args %.*s", STR_ARG(l->kernel),
		STR_ARG(launch_text(a, &l->launch)), STR_ARG(l->args));
}

#endif
