#include "cmd/check_batch.h"

#include "base/fs.h"
#include "cmd/check_cache.h"
#include "cmd/check_line.h"
#include "cmd/check_show.h"
#include "model/record.h"

#include <errno.h>

enum { LINE_BYTES_MAX = 1 << 20 };

struct batch {
	FILE *in;
	struct arena a; /* of one line */
	struct check_cache cache;
	size_t line;
	bool wrong; /* some line was */
	enum verdict_kind worst;
};

/* False at the end; *too_long: the line is cut. */
static bool
read_line(struct batch *b, struct str *out, bool *too_long)
{
	struct buf text = {.a = &b->a};
	int c = getc(b->in);

	*too_long = false;
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(b->in)) {
		if (text.n < LINE_BYTES_MAX)
			buf_addc(&text, (char)c);
		else
			*too_long = true;
	}
	*out = (struct str){buf_c(&text), text.n};
	b->line++;
	return true;
}

static bool
judge(struct batch *b, const struct check_line *l, struct verdict *v, struct str *why)
{
	struct gate_query q;
	const struct check_kernel *k =
		check_cache_find(&b->cache, l->file, l->c.entry, why);

	if (!k || !check_query(&b->a, &l->c, k, &q, why) ||
		!check_dim(&b->a, "block", l->block, &q.launch.block, why) ||
		!check_dim(&b->a, "grid", l->grid, &q.launch.grid, why))
		return false;
	*v = gate_check(&b->a, k->k, &q);
	if (v->kind > b->worst)
		b->worst = v->kind;
	return true;
}

static void
answer(struct batch *b, struct str text, bool too_long)
{
	struct json_out o = {.b = {.a = &b->a}, .compact = true};
	struct check_line l = {0};
	struct verdict v;
	struct str why = {0};
	bool ok = false;

	if (too_long)
		why = STR_LIT("the line is longer than 1 MiB");
	else if (check_line_parse(&b->a, text, &l, &why))
		ok = judge(b, &l, &v, &why);
	json_open_object(&o, NULL);
	json_put_i64(&o, "line", (int64_t)b->line);
	if (l.id)
		record_copy(&o, "id", l.id);
	if (ok)
		verdict_write(&o, "result", &v);
	else
		json_put_str(&o, "error", why);
	json_close_object(&o);
	b->wrong = b->wrong || !ok;
	struct str s = json_done(&o);
	fwrite(s.s, 1, s.n, stdout);
	/* Whoever asks line by line waits for it. */
	if (fflush(stdout) != 0)
		die("cannot write to standard output");
}

int
check_batch(struct arena *a, const char *path)
{
	struct batch *b = arena_new(a, struct batch);
	bool too_long;
	struct str text;

	check_keep_memory();
	b->in = strcmp(path, "-") == 0 ? stdin
		: fs_is_dir(path)      ? NULL
				       : fopen(path, "r");
	if (!b->in)
		die("cannot read '%s': %s", path,
			strerror(fs_is_dir(path) ? EISDIR : errno));
	while (read_line(b, &text, &too_long)) {
		if (str_trim(text).n)
			answer(b, text, too_long);
		arena_pop(&b->a, (struct arena_mark){0});
	}
	if (ferror(b->in))
		die("cannot read '%s'", path);
	if (b->in != stdin)
		fclose(b->in);
	arena_release(&b->a);
	check_cache_end(&b->cache);
	return b->wrong ? EXIT_TROUBLE : check_status(b->worst);
}
