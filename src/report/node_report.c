/*
 * report: the rankings of all kernels as text and JSON.
 *
 * Line maps and staged sources are thousands of files and only name places, so they are
 * not on the command line: the node finds them below --project-dir by kernel,
 * specialization and file name.  The graph declares them as inputs of the edge; nothing
 * of it is cached.
 */
#include "base/arena.h"
#include "node/node.h"
#include "report/report.h"

enum { RANK, PROJECT_DIR, TEXT };

static const struct node_word words[] = {
	[RANK] = {"rank", NODE_INPUT, true, true},
	[PROJECT_DIR] = {"project-dir", NODE_NOTE, true, false},
	[TEXT] = {"text", NODE_OUTPUT, true, false},
	{0},
};

static struct ranking *
read_one(struct node_call *c, const struct node_file *f, struct diag *d)
{
	struct source *src = arena_new(c->a, struct source);

	*src = (struct source){f->path, f->bytes};
	return ranking_read(c->a, json_parse(c->a, src, d), d);
}

static bool
compute(struct node_call *c, struct diag *d)
{
	size_t n = c->n[RANK];
	struct ranking **v = arena_news(c->a, n, struct ranking *);
	struct report r;

	for (size_t i = 0; i < n; i++) {
		v[i] = read_one(c, &c->file[RANK][i], d);
		if (!v[i])
			return false;
	}
	r = report_build(c->a, v, n, str_c(c->a, node_word(c, PROJECT_DIR)));
	c->out = buf_of(c->a, report_json(c->a, &r));
	buf_addstr(&c->extra[TEXT], report_text(c->a, &r, REPORT_TOP));
	c->detail = str_fmt(c->a, "exit status %d", r.exit_status);
	return true;
}

const struct node node_report = {
	.name = "report",
	.about = "write the report of all kernels",
	.revision = 3,
	.words = words,
	.local = true,
	.compute = compute,
};
