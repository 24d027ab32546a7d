#include "base/arena.h"
#include "report/escape.h"
#include "report/publish.h"

enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_NOTICE, N_LEVELS };
enum { SHOWN = 10 };

static const char *const level_names[] = {
	[LEVEL_ERROR] = "error", [LEVEL_WARNING] = "warning", [LEVEL_NOTICE] = "notice"};

static enum level
level_of(const struct issue *x)
{
	if (x->fails)
		return LEVEL_ERROR;
	return x->kind == ISSUE_CAVEAT ? LEVEL_NOTICE : LEVEL_WARNING;
}

static struct str
title_of(struct arena *a, const struct issue *x)
{
	return str_fmt(a, "%s %.*s in %.*s", issue_kind_name(x->kind), STR_ARG(x->rule),
		STR_ARG(x->kernel->kernel));
}

static void
annotation(struct buf *b, enum level level, const struct issue *x)
{
	buf_addf(b, "::%s file=", level_names[level]);
	workflow_property(b, x->file);
	if (x->line)
		buf_addf(b, ",line=%u", (unsigned)x->line);
	buf_adds(b, ",title=");
	workflow_property(b, title_of(b->a, x));
	buf_adds(b, "::");
	workflow_message(b, x->message);
	buf_addc(b, '\n');
}

struct str
publish_github(struct arena *a, const struct publication *p)
{
	struct issues issues = issues_of(a, p);
	struct buf b = {.a = a};
	size_t n[N_LEVELS] = {0};

	for (size_t i = 0; i < issues.n; i++) {
		enum level level = level_of(&issues.v[i]);

		/* The last one says how many there are. */
		if (++n[level] < SHOWN)
			annotation(&b, level, &issues.v[i]);
	}
	for (int l = 0; l < N_LEVELS; l++)
		if (n[l] >= SHOWN)
			buf_addf(&b, "::%s title=lanewise::%zu more in the job summary\n",
				level_names[l], n[l] - SHOWN + 1);
	return buf_str(&b);
}
