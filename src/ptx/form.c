#include "ptx/form.h"

struct word {
	const char *text;
	unsigned value;
};

static const struct word cmps[] = {
#define X(id, text) {text, PTX_CMP_##id},
	PTX_CMPS(X)
#undef X
		{0}};
static const struct word subs[] = {
#define X(id, text) {text, PTX_SUB_##id},
	PTX_SUBS(X)
#undef X
		{0}};
static const struct word rounds[] = {
#define X(id, text) {text, PTX_ROUND_##id},
	PTX_ROUNDS(X)
#undef X
		{0}};
static const struct word spaces[] = {
#define X(id, text) {text, PTX_SPACE_##id},
	PTX_SPACES(X)
#undef X
		{"shared::cta", PTX_SPACE_SHARED},
	{0}};
static const struct word sems[] = {
#define X(id, text) {text, PTX_SEM_##id},
	PTX_SEMS(X)
#undef X
		{0}};
static const struct word scopes[] = {
#define X(id, text) {text, PTX_SCOPE_##id},
	PTX_SCOPES(X)
#undef X
		{0}};
static const struct word flags[] = {
#define X(id, text) {text, PTX_FBIT_##id},
	PTX_FLAGS(X)
#undef X
		{0}};
static const struct word types[] = {
#define X(id, bits, class) {#id, PTX_T_##id},
	PTX_TYPES(X)
#undef X
		{0}};
static const struct word sregs[] = {
#define X(id, text, components) {text, PTX_SREG_##id},
	PTX_SREGS(X)
#undef X
		{0}};

static const struct {
	const char *text;
	enum ptx_op op;
	enum ptx_nature nature;
	unsigned results;
} ops[] = {
#define X(id, text, nature, results) {text, PTX_##id, PTX_N_##nature, results},
	PTX_OPS(X)
#undef X
};

static bool
word_find(const struct word *w, struct str s, unsigned *value)
{
	for (; w->text; w++)
		if (s.n && w->text[0] == s.s[0] && str_is(s, w->text)) {
			*value = w->value;
			return true;
		}
	return false;
}

enum ptx_type
ptx_type_of(struct str name)
{
	unsigned v = PTX_T_NONE;
	word_find(types, name, &v);
	return (enum ptx_type)v;
}

enum ptx_space
ptx_space_of(struct str name)
{
	unsigned v = PTX_SPACE_NONE;
	word_find(spaces, name, &v);
	return (enum ptx_space)v;
}

enum ptx_sreg
ptx_sreg_of(struct str name)
{
	unsigned v = PTX_SREG_UNKNOWN;
	word_find(sregs, name, &v);
	return (enum ptx_sreg)v;
}

const char *
ptx_type_name(enum ptx_type t)
{
	return t == PTX_T_NONE ? "" : types[t - 1].text;
}

const char *
ptx_space_name(enum ptx_space s)
{
	return s == PTX_SPACE_NONE ? "" : spaces[s - 1].text;
}

const char *
ptx_sreg_name(enum ptx_sreg r)
{
	return sregs[r].text;
}

/* Operations whose modifiers name an operation inside; elsewhere ".max" is no such. */
static bool
has_sub(enum ptx_op op, enum ptx_nature nature)
{
	return nature == PTX_N_COLLECTIVE || nature == PTX_N_BARRIER ||
	       nature == PTX_N_ATOM || nature == PTX_N_STORE || nature == PTX_N_ASYNC ||
	       op == PTX_SETP || op == PTX_SET || op == PTX_SHF || op == PTX_PRMT ||
	       op == PTX_TESTP || op == PTX_MULTIMEM_LD;
}

static bool
has_cmp(enum ptx_op op)
{
	return op == PTX_SETP || op == PTX_SET || op == PTX_VSET || op == PTX_VSET2 ||
	       op == PTX_VSET4;
}

static void
add_space(struct ptx_form *f, enum ptx_space s)
{
	if (f->space == PTX_SPACE_NONE)
		f->space = s;
	else if (f->space2 == PTX_SPACE_NONE)
		f->space2 = s;
}

static void
add_modifier(struct ptx_form *f, struct str s)
{
	unsigned v;
	if (word_find(types, s, &v)) {
		if (f->n_types < 4)
			f->type[f->n_types++] = (enum ptx_type)v;
	} else if (s.n == 2 && s.s[0] == 'v' &&
		   (s.s[1] == '2' || s.s[1] == '4' || s.s[1] == '8'))
		f->vec = (unsigned)(s.s[1] - '0');
	else if (has_cmp(f->op) && word_find(cmps, s, &v))
		f->cmp = (enum ptx_cmp)v;
	else if (has_sub(f->op, f->nature) && f->sub == PTX_SUB_NONE &&
		 word_find(subs, s, &v))
		f->sub = (enum ptx_sub)v;
	else if (word_find(rounds, s, &v))
		f->round = (enum ptx_round)v;
	else if (word_find(spaces, s, &v))
		add_space(f, (enum ptx_space)v);
	else if (word_find(sems, s, &v))
		f->sem = (enum ptx_sem)v;
	else if (word_find(scopes, s, &v))
		f->scope = (enum ptx_scope)v;
	else if (word_find(flags, s, &v))
		f->flags |= (uint64_t)1 << v;
	else
		f->odd++;
	if (str_is(s, "param::entry") || str_is(s, "param::func"))
		add_space(f, PTX_SPACE_PARAM);
}

/* Bytes of `text` that the name covers, with ".cta" of barriers allowed for; 0 if none.
 */
static size_t
prefix_length(struct str text, const char *name)
{
	size_t n = strlen(name), skip = 0;
	struct str t = text;
	if (str_starts(text, "bar.") && strncmp(name, "barrier.", 8) == 0) {
		name += 3 + 4, n -= 3 + 4;
		t = str_sub(text, 3, text.n), skip = 3;
	} else if (str_starts(text, "barrier.") && strncmp(name, "barrier.", 8) == 0) {
		name += 7, n -= 7;
		t = str_sub(text, 7, text.n), skip = 7;
	}
	if (skip && str_starts(t, ".cta."))
		t = str_sub(t, 4, t.n), skip += 4;
	if (!n || t.n < n || memcmp(t.s, name, n) != 0)
		return 0;
	if (t.n > n && t.s[n] != '.' && t.s[n] != ':')
		return 0;
	return skip + n;
}

static size_t
find_op(struct ptx_form *f)
{
	size_t best = 0;
	f->results = 1;
	for (size_t i = 1; i < sizeof ops / sizeof ops[0]; i++) {
		if (!f->text.n || ops[i].text[0] != f->text.s[0])
			continue;
		size_t n = prefix_length(f->text, ops[i].text);
		if (n > best) {
			best = n;
			f->op = ops[i].op;
			f->nature = ops[i].nature;
			f->results = ops[i].results;
		}
	}
	return best ? best : str_find(f->text, '.');
}

struct ptx_form
form_decode(struct str text)
{
	struct ptx_form f = {.text = text, .vec = 1};
	struct str rest = text, word = {0};
	size_t n = find_op(&f);
	rest = str_sub(text, n, text.n);
	str_split(&rest, '.', &word);
	f.odd += word.n > 0; /* "::ld" of tcgen05.wait::ld */
	while (str_split(&rest, '.', &word))
		add_modifier(&f, word);
	if (str_starts(text, "bar.") &&
		(f.nature == PTX_N_BARRIER || f.nature == PTX_N_OTHER))
		f.flags |= (uint64_t)1 << PTX_FBIT_ALIGNED;
	return f;
}
