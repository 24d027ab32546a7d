#include "base/opt.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void
opt_help(const struct opt_usage *usage, const struct opt *opts)
{
	printf("usage: %s\n\n%s\n", usage->synopsis, usage->about);
	if (opts && opts->name)
		printf("\noptions:\n");
	for (; opts && opts->name; opts++) {
		char left[80];
		int n = snprintf(left, sizeof left, "  %c%c%s --%s%s%s",
			opts->letter ? '-' : ' ', opts->letter ? opts->letter : ' ',
			opts->letter ? "," : " ", opts->name, opts->value ? " " : "",
			opts->value ? opts->value : "");
		printf("%-30s%s%s\n", left,
			n >= 30 ? "\n                              " : "", opts->help);
	}
	printf("  -h, --help                  print this help\n");
	if (usage->after)
		printf("\n%s\n", usage->after);
}

void
opt_fail(const struct opt_usage *usage, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "lanewise: error: ");
	va_start(ap, fmt);
	message_print(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: %s\n", usage->synopsis);
	exit(EXIT_TROUBLE);
}

static const struct opt *
find(const struct opt *opts, struct str name, char letter)
{
	for (; opts->name; opts++)
		if (letter ? opts->letter == letter : str_is(name, opts->name))
			return opts;
	return NULL;
}

static void NORETURN
unknown(const struct opt_usage *usage, const struct opt *opts, struct str name,
	bool is_letter)
{
	struct str names[64];
	size_t n = 0;
	for (; opts->name && n < 64; opts++)
		names[n++] = str_of(opts->name);
	struct str near = str_nearest(name, names, n);
	if (is_letter)
		opt_fail(usage, "unknown option '-%.*s'", STR_ARG(name));
	if (near.n)
		opt_fail(usage, "unknown option '--%.*s' (did you mean '--%.*s'?)",
			STR_ARG(name), STR_ARG(near));
	opt_fail(usage, "unknown option '--%.*s'", STR_ARG(name));
}

static bool
is_digits(const char *v)
{
	return v[0] && v[strspn(v, "0123456789")] == 0;
}

static void
take(struct arena *a, const struct opt_usage *usage, const struct opt *o, const char *v)
{
	int64_t i;
	double f;
	struct opt_list *l;
	switch (o->kind) {
	case OPT_FLAG: *(bool *)o->to = true; return;
	case OPT_STR: *(const char **)o->to = v; return;
	case OPT_INT:
		if (!str_to_i64(str_of(v), &i))
			opt_fail(usage, "option '--%s' wants a whole number%s, not '%s'",
				o->name, is_digits(v) ? " below 2^63" : "", v);
		*(long *)o->to = (long)i;
		return;
	case OPT_REAL:
		if (!str_to_f64(str_of(v), &f))
			opt_fail(usage, "option '--%s' wants a number, not '%s'", o->name,
				v);
		*(double *)o->to = f;
		return;
	case OPT_LIST:
		l = o->to;
		const char **grown = arena_news(a, l->n + 2, const char *);
		for (size_t k = 0; k < l->n; k++)
			grown[k] = l->v[k];
		grown[l->n++] = v;
		l->v = grown;
		return;
	}
}

static bool
is_help(const char *arg)
{
	return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

void
opt_parse(struct arena *a, const struct opt_usage *usage, const struct opt *opts,
	int *argc, char ***argv)
{
	char **v = *argv;
	int kept = 0, i = 0;
	for (; i < *argc; i++) {
		const char *arg = v[i];
		if (strcmp(arg, "--") == 0) {
			i++;
			break;
		}
		if (arg[0] != '-' || arg[1] == 0) {
			v[kept++] = v[i];
			continue;
		}
		if (is_help(arg)) {
			opt_help(usage, opts);
			if (fflush(stdout) != 0)
				die("cannot write to standard output");
			exit(EXIT_YES);
		}
		struct str name = str_of(arg + (arg[1] == '-' ? 2 : 1));
		size_t eq = str_find(name, '=');
		const char *value = eq < name.n ? name.s + eq + 1 : NULL;
		name.n = eq;
		bool is_letter = arg[1] != '-';
		if (is_letter && arg[2]) {
			value = arg + 2 + (arg[2] == '='); /* -fFILE, -f=FILE */
			name.n = 1;
		}
		const struct opt *o =
			find(opts, name, is_letter && name.n ? name.s[0] : 0);
		if (!o)
			unknown(usage, opts, name, is_letter);
		if (o->kind == OPT_FLAG && value)
			opt_fail(usage, "option '--%s' takes no value", o->name);
		if (o->kind != OPT_FLAG && !value) {
			if (i + 1 >= *argc)
				opt_fail(usage, "option '--%s' wants a value", o->name);
			value = v[++i];
		}
		take(a, usage, o, value);
	}
	for (; i < *argc; i++)
		v[kept++] = v[i];
	*argc = kept;
}
