/* Diagnostics as text, for tests that compare what the user would read. */
#ifndef TESTS_UNIT_CAPTURED_H
#define TESTS_UNIT_CAPTURED_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct captured {
	struct arena a;
	struct diag d;
	char *text;
	size_t n;
};

static inline int
captured_setup(void **state)
{
	struct captured *c = calloc(1, sizeof *c);
	c->d.to = open_memstream(&c->text, &c->n);
	*state = c;
	return 0;
}

static inline int
captured_teardown(void **state)
{
	struct captured *c = *state;
	fclose(c->d.to);
	free(c->text);
	arena_release(&c->a);
	free(c);
	return 0;
}

/* What was reported since the last call. */
static inline const char *
captured_take(struct captured *c)
{
	fflush(c->d.to);
	const char *s = arena_copy(&c->a, c->text, c->n);
	rewind(c->d.to);
	fflush(c->d.to);
	c->d.errors = 0;
	return s;
}

static inline void
assert_says(struct captured *c, const char *expected)
{
	const char *said = captured_take(c);
	if (!strstr(said, expected))
		fail_msg("expected \"%s\" in:\n%s", expected, said);
}

static inline struct source *
captured_source(struct captured *c, const char *text)
{
	struct source *src = arena_new(&c->a, struct source);
	*src = (struct source){"t.json", str_of(text)};
	return src;
}

#define captured_test(f) \
	cmocka_unit_test_setup_teardown(f, captured_setup, captured_teardown)

#endif
