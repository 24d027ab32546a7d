/*
 * collect: verdicts, facts and results of one specialization in one file, so that `rank`
 * reads a file a specialization instead of one a point.
 *
 * The result files follow from the verdicts, and Ninja's dyndep file says the same, so
 * they are not on the command line.  A result that is missing is trouble, never a
 * candidate left out.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "node/node.h"
#include "node/rows.h"

enum { VERDICT, KERNEL, SPECIALIZATION, DIR, ADMIT, UNSAFE };

static const struct node_word words[] = {
	[VERDICT] = {"verdict", NODE_INPUT, true, false},
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[SPECIALIZATION] = {"specialization", NODE_PARAM, true, false},
	[DIR] = {"dir", NODE_NOTE, true, false},
	[ADMIT] = {"admit", NODE_PARAM, false, false},
	[UNSAFE] = {"unsafe", NODE_FLAG, false, false},
	{0},
};

static const char *
file_in(struct node_call *c, const char *sub, struct str name, const char *ext)
{
	return str_c(c->a, str_fmt(c->a, "%.*s/%s/%.*s%s", STR_ARG(node_word(c, DIR)),
				   sub, STR_ARG(name), ext));
}

/* Points come out of a file: none may lead out of the folder. */
static bool
is_plain(struct str point)
{
	return point.n && point.s[0] != '.' && str_find(point, '/') == point.n;
}

static bool
add_result(struct node_call *c, struct rows *rows, struct str point, struct diag *d)
{
	size_t i = rows->n_results++, at = str_find(point, '@');
	const struct result *r;

	if (!is_plain(point)) {
		diag_error(d, (struct place){0}, "collect: malformed point '%.*s'",
			STR_ARG(point));
		return false;
	}
	r = result_read(c->a, file_in(c, "bench", point, ".json"), d);
	if (!r)
		return false;
	if (!str_eq(r->size, str_sub(point, at + 1, point.n)) ||
		!str_eq(r->kernel, rows->kernel)) {
		diag_error(d, (struct place){0},
			"%s: this is a result of kernel '%.*s' at size '%.*s'; remove it "
			"and "
			"build again",
			file_in(c, "bench", point, ".json"), STR_ARG(r->kernel),
			STR_ARG(r->size));
		return false;
	}
	rows->points[i] = point;
	rows->results[i] = *r;
	return true;
}

static bool
add_results(struct node_call *c, struct rows *rows, struct diag *d)
{
	rows->points = arena_news(c->a, rows->n_verdicts, struct str);
	rows->results = arena_news(c->a, rows->n_verdicts, struct result);
	for (size_t i = 0; i < rows->n_verdicts; i++)
		if (rows_admit(rows, &rows->verdicts[i]) &&
			!add_result(c, rows, rows->verdicts[i].point, d))
			return false;
	return true;
}

/* Facts of machine code that nothing admitted asks for may be old: they are left out. */
static bool
add_facts(struct node_call *c, struct rows *rows, struct diag *d)
{
	const char *path = file_in(c, "cubin", rows->specialization, ".facts.json");
	const struct facts *f;

	if (!rows->n_results || !fs_exists(path))
		return true;
	f = facts_read(c->a, path, d);
	if (!f)
		return false;
	rows->facts = *f;
	rows->has_facts = true;
	return true;
}

static void
add_artifact(struct node_call *c, struct rows *rows)
{
	char *hex = arena_array(c->a, HASH_HEX + 1, 1);
	struct hash h;

	if (!rows->n_results ||
		!hash_file(file_in(c, "cubin", rows->specialization, ".cubin"), &h))
		return;
	hash_hex(h, hex);
	rows->artifact = str_of(hex);
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct verdict_file *f = verdict_file_read(c->a, node_file(c, VERDICT)->path, d);
	struct rows rows = {
		.kernel = node_word(c, KERNEL),
		.specialization = node_word(c, SPECIALIZATION),
		.admit = admit_of(node_word(c, ADMIT)),
		.unsafe = node_flag(c, UNSAFE) || str_ends(node_word(c, DIR), "/unsafe"),
	};

	if (!f)
		return false;
	rows.static_shared_bytes = f->static_shared_bytes;
	rows.verdicts = f->v;
	rows.n_verdicts = f->n;
	if (!add_results(c, &rows, d) || !add_facts(c, &rows, d))
		return false;
	add_artifact(c, &rows);
	buf_addstr(&c->out, rows_write(c->a, &rows));
	c->detail = str_fmt(
		c->a, "%zu verdicts, %zu results", rows.n_verdicts, rows.n_results);
	return true;
}

const struct node node_collect = {
	.name = "collect",
	.about = "gather verdicts, facts and results of one specialization",
	.revision = 2,
	.words = words,
	.local = true,
	.compute = compute,
};
