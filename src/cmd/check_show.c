#include "cmd/check_show.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/shown.h"
#include "report/show.h"

#include <inttypes.h>
#include <string.h>

static void
print(struct buf *b)
{
	fwrite(buf_c(b), 1, b->n, stdout);
}

static void
add_source(struct buf *b, struct excerpts *e, const struct finding *f)
{
	struct str line = excerpts_line(e, f->file, f->line);

	if (!line.n)
		return;
	buf_addf(b, "    %5u | ", (unsigned)f->line);
	shown_add_lines(b, line);
	buf_addc(b, '\n');
}

static void
add_witness(struct buf *b, const struct witness *w)
{
	if (!w->present)
		return;
	buf_adds(b, "    ");
	shown_add(b, w->note);
	buf_addc(b, '\n');
	buf_addf(b, "    in block %" PRIu64 ",%" PRIu64 ",%" PRIu64, w->cta[0], w->cta[1],
		w->cta[2]);
	if (w->n_blocks)
		buf_addf(b, " (it holds for %" PRIu64 " block%s of the grid)",
			w->n_blocks, str_plural(w->n_blocks));
	buf_addc(b, '\n');
	for (size_t i = 0; i < w->n_warps; i++)
		buf_addf(b, "      warp %2u  %s\n", (unsigned)w->warps[i].warp,
			w->warps[i].lanes);
}

static void
add_finding(struct buf *b, struct excerpts *e, const struct finding *f)
{
	if (f->line) {
		shown_add(b, f->file);
		buf_addf(b, ":%u: ", (unsigned)f->line);
	} else if (f->ptx_line) {
		buf_addf(b, "PTX line %u: ", (unsigned)f->ptx_line);
	}
	buf_addf(b, "%s: ", verdict_name(f->kind));
	shown_add(b, f->message);
	buf_addf(b, " [%.*s %.*s]\n", STR_ARG(f->rule), STR_ARG(f->klass));
	add_source(b, e, f);
	add_witness(b, &f->witness);
}

static bool
has_gap(const struct witness *w)
{
	for (size_t i = 1; i < w->n_warps; i++)
		if (w->warps[i].warp != w->warps[i - 1].warp + 1)
			return true;
	return false;
}

/* Copies of one source line, as an unrolled loop has them, say the same; the first may
 * say for which arguments. */
static bool
is_repeat(const struct finding *a, const struct finding *b)
{
	return a->line && a->line == b->line && a->kind == b->kind &&
	       str_eq(a->file, b->file) && str_eq(a->rule, b->rule) &&
	       str_eq(str_sub(a->message, 0, b->message.n), b->message);
}

static bool
is_repeated(const struct verdict *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_repeat(&v->findings[k], &v->findings[i]))
			return true;
	return false;
}

static void
add_repeats(struct buf *b, const struct verdict *v, size_t i)
{
	size_t n = 0;

	for (size_t k = i + 1; k < v->n_findings; k++)
		n += is_repeat(&v->findings[i], &v->findings[k]);
	if (n)
		buf_addf(b, "    the same at %zu more instruction%s of this line\n", n,
			str_plural(n));
}

static bool
is_shown(const struct verdict *v, char mark)
{
	for (size_t i = 0; i < v->n_findings; i++)
		for (size_t k = 0; k < v->findings[i].witness.n_warps; k++)
			if (strchr(v->findings[i].witness.warps[k].lanes, mark))
				return true;
	return false;
}

static void
add_legend(struct buf *b, const struct verdict *v)
{
	const char *lead = "lanes: ";

	for (const struct lane_letter *l = lane_letters; l->mark; l++) {
		if (!is_shown(v, l->mark))
			continue;
		buf_addf(b, "%s%c %s", lead, l->mark, l->means);
		lead = ", ";
	}
	if (*lead == ',')
		buf_addc(b, '\n');
}

void
check_show(struct excerpts *e, const struct check_kernel *k, const struct verdict *v)
{
	struct buf b = {.a = e->a};
	bool gaps = false;

	buf_addf(&b, "%s: %.*s, block %.*s, grid %.*s\n", verdict_name(v->kind),
		STR_ARG(k->f->name), STR_ARG(dim_text(e->a, v->launch.block)),
		STR_ARG(dim_text(e->a, v->launch.grid)));
	for (size_t i = 0; i < v->n_findings; i++) {
		const struct finding *f = &v->findings[i];

		if (is_repeated(v, i))
			continue;
		add_finding(&b, e, f);
		add_repeats(&b, v, i);
		gaps = gaps || has_gap(&f->witness);
	}
	add_legend(&b, v);
	if (gaps)
		buf_adds(&b, "       of warps that look alike two are shown\n");
	print(&b);
}

void
check_show_unknown(
	struct arena *a, const struct check_kernel *k, const struct gate_query *q)
{
	struct buf b = {.a = a};

	for (uint32_t i = 0; i < k->f->n_params; i++)
		if (q->args[i].kind == GATE_ARG_UNKNOWN)
			buf_addf(&b, "%s%u", b.n ? ", " : "", i);
	if (b.n)
		printf("not known: argument %s; --arg N=VALUE (ptr for a pointer) may "
		       "decide it\n",
			buf_c(&b));
}

void
check_show_count(const struct verdict *v, size_t n)
{
	size_t count[4] = {0};
	const char *sep = ": ";

	for (size_t i = 0; i < n; i++)
		count[v[i].kind]++;
	printf("%zu launches", n);
	for (unsigned k = 0; k < 4; k++) {
		if (!count[k])
			continue;
		printf("%s%zu %s", sep, count[k], verdict_name((enum verdict_kind)k));
		sep = ", ";
	}
	printf("\n");
}

int
check_status(enum verdict_kind k)
{
	switch (k) {
	case VERDICT_CLEAN: return EXIT_YES;
	case VERDICT_CAVEAT: return EXIT_UNSURE;
	case VERDICT_REFUSED: return EXIT_NO;
	case VERDICT_ERROR: break;
	}
	return EXIT_TROUBLE;
}
