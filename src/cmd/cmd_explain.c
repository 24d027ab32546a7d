#include "base/asset.h"
#include "base/die.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "simt/rules.h"

#include <stdio.h>

static const struct opt opts[] = {{0}};

static const struct opt_usage usage = {
	.synopsis = "lanewise explain [RULE]",
	.about = "Says what a rule of the gate means: why it is undefined, an example "
		 "that\n"
		 "fires and one that does not, and how to fix it.  Without a rule it "
		 "lists "
		 "them.",
	.after = "Exit status: 0, or 2 when there is no such rule.",
};

static const struct {
	const char *id, *class, *title;
} rules[] = {
#define X(id, name, class, severity, title) {#id, class, title},
	GATE_RULES(X)
#undef X
};

enum { N_RULES = sizeof rules / sizeof rules[0] };

static void
list(void)
{
	for (size_t i = 0; i < N_RULES; i++)
		printf("%s  %-13s  %s\n", rules[i].id, rules[i].class, rules[i].title);
}

static void NORETURN
unknown(struct str rule)
{
	struct str ids[N_RULES];
	for (size_t i = 0; i < N_RULES; i++)
		ids[i] = str_of(rules[i].id);
	struct str near = str_nearest(rule, ids, N_RULES);
	if (near.n)
		die("there is no rule '%.*s' (did you mean '%.*s'?)", STR_ARG(rule),
			STR_ARG(near));
	die("there is no rule '%.*s'; 'lanewise explain' lists them", STR_ARG(rule));
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct str page;
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc > 1)
		opt_fail(&usage, "one rule at a time, not '%s' too", argv[1]);
	if (!argc) {
		list();
		return EXIT_YES;
	}
	for (size_t i = 0; i < N_RULES; i++) {
		if (!str_is(str_of(argv[0]), rules[i].id))
			continue;
		if (asset_find(str_fmt(a, "docs/reference/rules/%s.md", rules[i].id).s,
			    &page))
			printf("%.*s", STR_ARG(page));
		else
			printf("%s (%s): %s\n", rules[i].id, rules[i].class,
				rules[i].title);
		return EXIT_YES;
	}
	unknown(str_of(argv[0]));
}

const struct command cmd_explain = {
	.name = "explain",
	.about = "say what a rule of the gate means",
	.run = run,
};
