#include "model/library.h"

#include "base/arena.h"
#include "base/buf.h"

#define GEMM    ":gemm,"
#define DEFAULT "lanewise_reference"

struct str
library_text(struct arena *a, const struct library *v)
{
	struct buf b = {.a = a};
	const struct library_gemm *g = &v->gemm;
	if (v->path.n) {
		buf_addf(&b, "%.*s:%.*s", STR_ARG(v->path), STR_ARG(v->symbol));
		return buf_str(&b);
	}
	buf_addf(&b, "%.*s" GEMM "m=%lld,n=%lld,k=%lld,a=%.*s,b=%.*s,c=%.*s",
		STR_ARG(v->blas), (long long)g->m, (long long)g->n, (long long)g->k,
		STR_ARG(g->a), STR_ARG(g->b), STR_ARG(g->c));
	if (g->ta)
		buf_adds(&b, ",ta=1");
	if (g->tb)
		buf_adds(&b, ",tb=1");
	if (g->alpha != 1)
		buf_addf(&b, ",alpha=%.17g", g->alpha);
	if (g->beta != 0)
		buf_addf(&b, ",beta=%.17g", g->beta);
	return buf_str(&b);
}

bool
library_is_blas(struct str name)
{
	return str_is(name, "cublas") || str_is(name, "openblas");
}

struct str
library_name(const struct library *v)
{
	size_t at = v->path.n;
	while (at && v->path.s[at - 1] != '/')
		at--;
	return v->path.n ? str_sub(v->path, at, v->path.n) : v->blas;
}

static bool
size_parse(struct str s, int64_t *out)
{
	return str_to_i64(s, out) && *out >= 1 && *out <= INT32_MAX;
}

static bool
flag_parse(struct str s, bool *out)
{
	*out = str_is(s, "1");
	return *out || str_is(s, "0");
}

static bool
name_parse(struct str s, struct str *out)
{
	*out = s;
	return s.n > 0;
}

static bool
member_parse(struct str key, struct str value, struct library_gemm *g)
{
	if (str_is(key, "m"))
		return size_parse(value, &g->m);
	if (str_is(key, "n"))
		return size_parse(value, &g->n);
	if (str_is(key, "k"))
		return size_parse(value, &g->k);
	if (str_is(key, "a"))
		return name_parse(value, &g->a);
	if (str_is(key, "b"))
		return name_parse(value, &g->b);
	if (str_is(key, "c"))
		return name_parse(value, &g->c);
	if (str_is(key, "ta"))
		return flag_parse(value, &g->ta);
	if (str_is(key, "tb"))
		return flag_parse(value, &g->tb);
	if (str_is(key, "alpha"))
		return str_to_f64(value, &g->alpha);
	return str_is(key, "beta") && str_to_f64(value, &g->beta);
}

static bool
gemm_parse(struct arena *a, struct str s, struct library_gemm *g, struct str *why)
{
	struct str rest = s, piece;
	*g = (struct library_gemm){.alpha = 1};
	while (str_split(&rest, ',', &piece)) {
		size_t equals = str_find(piece, '=');
		if (member_parse(str_sub(piece, 0, equals),
			    str_sub(piece, equals + 1, piece.n), g))
			continue;
		*why = str_fmt(a, "reference: malformed '%.*s'", STR_ARG(piece));
		return false;
	}
	if (g->m && g->n && g->k && g->a.n && g->b.n && g->c.n)
		return true;
	*why = STR_LIT("reference: a product has m, n, k, a, b and c");
	return false;
}

bool
library_parse(struct arena *a, struct str s, struct library *out, struct str *why)
{
	*out = (struct library){.blas = str_sub(s, 0, str_find(s, ':'))};
	struct str rest = str_sub(s, out->blas.n, s.n);
	if (library_is_blas(out->blas) && str_starts(rest, GEMM))
		return gemm_parse(
			a, str_sub(rest, strlen(GEMM), rest.n), &out->gemm, why);
	out->blas = (struct str){0};
	size_t colon = s.n;
	while (colon && s.s[colon - 1] != ':' && s.s[colon - 1] != '/')
		colon--;
	bool named = colon && s.s[colon - 1] == ':';
	out->path = named ? str_sub(s, 0, colon - 1) : s;
	out->symbol = named ? str_sub(s, colon, s.n) : STR_LIT(DEFAULT);
	if (out->path.n && out->symbol.n && str_find(out->path, '/') < out->path.n)
		return true;
	*why = str_fmt(a,
		"reference '%.*s': expected cublas:gemm,..., openblas:gemm,... or the "
		"path "
		"of a shared object",
		STR_ARG(s));
	return false;
}
