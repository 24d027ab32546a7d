/* Language "ptx": the source is PTX already and passes through. */
#include "base/arena.h"
#include "ptx/foreign.h"
#include "toolchain/errlog.h"
#include "toolchain/ptxtext.h"

static bool
next_word(struct str *rest, struct str *word)
{
	*rest = str_trim(*rest);
	while (str_starts(*rest, "//") || str_starts(*rest, "/*")) {
		bool line = str_starts(*rest, "//");
		size_t i = 2;
		while (i < rest->n &&
			(line ? rest->s[i] != '\n'
			      : !(rest->s[i] == '/' && rest->s[i - 1] == '*')))
			i++;
		*rest = str_trim(str_sub(*rest, i + 1, rest->n));
	}
	size_t n = 0;
	while (n < rest->n && !strchr(" \t\r\n;", rest->s[n]))
		n++;
	*word = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n, rest->n);
	return n > 0;
}

static bool
is_binary(struct str t)
{
	return str_find(t, 0) < t.n;
}

static const char *
kind_of_text(struct str t)
{
	const char *foreign = foreign_text(t);

	if (foreign)
		return foreign;
	return is_binary(t) ? "it is binary"
			    : "it does not begin with .version and .target";
}

bool
ptx_text_check(struct arena *a, struct str text, struct str *why)
{
	struct str rest = text, word;
	if (!is_binary(text) && next_word(&rest, &word) && str_is(word, ".version") &&
		next_word(&rest, &word) && next_word(&rest, &word) &&
		str_is(word, ".target"))
		return true;
	*why = str_fmt(a, "this is not PTX: %s", kind_of_text(text));
	return false;
}

static struct toolchain_info
ptx_probe(struct arena *a)
{
	(void)a;
	return (struct toolchain_info){.present = true, .version = STR_LIT("ptx 1")};
}

static bool
ptx_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	r->ok = ptx_text_check(a, q->source, &r->log);
	if (r->ok)
		r->ptx = q->source;
	else
		log_explain(a, q, r->log.s, r);
	return true;
}

const struct toolchain toolchain_ptx = {
	.name = "ptx",
	.languages = "ptx",
	.about = "PTX that exists already",
	.probe = ptx_probe,
	.lower = ptx_lower,
};
