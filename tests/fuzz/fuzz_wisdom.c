/* Any text as wisdom: it is read, or refused with one error or more; what was read is
 * written and read back equal, and a header of it has no foreign text outside of string
 * literals and comments. */
#include "apply/apply.h"
#include "apply/wisdom_show.h"
#include "base/arena.h"
#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* No header has a line that begins so, but in a literal or comment that was left. */
static void
check_header(struct arena *a, struct str text)
{
	enum { CODE, LITERAL, COMMENT } in = CODE;
	struct buf code = {.a = a};

	for (size_t i = 0; i < text.n; i++) {
		const char *s = text.s + i;
		unsigned char c = (unsigned char)*s;
		if (in == CODE && s[0] == '/' && s[1] == '*')
			in = COMMENT;
		else if (in == COMMENT && s[0] == '*' && s[1] == '/')
			in = CODE;
		else if (in == CODE && c == '"')
			in = LITERAL;
		else if (in == LITERAL && c == '\\')
			i++;
		else if (in == LITERAL && (c == '\n' || c >= 0x7f))
			abort();
		else if (in == LITERAL && c == '"')
			in = CODE;
		else if (in == CODE)
			buf_addc(&code, (char)c);
		if (in == CODE && (c >= 0x7f || (s[0] == '?' && s[1] == '?')))
			abort();
	}
	/* Corpora have this word in texts. */
	if (in != CODE || str_has(buf_str(&code), STR_LIT("evil")))
		abort();
}

static void
use(struct arena *a, const struct wisdom *w, struct diag *d)
{
	struct str text = wisdom_write(a, w);
	struct wisdom again = {.a = a}, one = {.a = a};
	struct source src = {"again", text};

	if (!wisdom_parse(&again, &src, d) || !str_eq(text, wisdom_write(a, &again)))
		abort();
	wisdom_table(a, w);
	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->v[i].kernel, w->v[0].kernel))
			wisdom_add(&one, &w->v[i]);
	if (one.n)
		check_header(a, apply_header(a, &one, "x.h"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static FILE *nowhere;
	if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
		return 0;
	struct arena a = {0};
	struct diag d = {.to = nowhere};
	struct wisdom w = {.a = &a};
	struct source src = {"fuzz", {(const char *)data, n}};
	bool read = wisdom_parse(&w, &src, &d);

	if (read == (d.errors > 0))
		abort();
	if (read)
		use(&a, &w, &d);
	arena_release(&a);
	return 0;
}
