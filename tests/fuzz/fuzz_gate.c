/*
 * Any bytes as PTX, judged at one launch: no crash, no unbounded run, the same answer
 * twice and after printing; and what is said of unknown arguments holds for known ones.
 *
 * A first line "//launch BLOCK/GRID/CLUSTER/SHARED ARGS [release]", with the launch and
 * the arguments as in tests/gate/launches.txt ("1=04000000,2=..." or "-"), says which
 * launch.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ENTRIES_MAX = 2, ARGS_MAX = 8, BYTES_MAX = 8, TEXT_MAX = 1 << 18 };

struct question {
	struct gate_arg args[ARGS_MAX];
	unsigned char bytes[ARGS_MAX][BYTES_MAX];
	struct gate_query q;
};

static FILE *
nowhere(void)
{
	static FILE *f;
	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "3=04000000" */
static void
read_arg(struct question *q, struct str s)
{
	unsigned i = s.n > 2 && s.s[1] == '=' ? (unsigned)(s.s[0] - '0') : ARGS_MAX;
	size_t n = s.n / 2 - 1;
	if (i >= ARGS_MAX || s.n % 2 || n > BYTES_MAX)
		return;
	for (size_t k = 0; k < n; k++) {
		int hi = hex(s.s[2 + 2 * k]), lo = hex(s.s[3 + 2 * k]);
		if (hi < 0 || lo < 0)
			return;
		q->bytes[i][k] = (unsigned char)(hi << 4 | lo);
	}
	q->args[i] = (struct gate_arg){GATE_ARG_BYTES, q->bytes[i], n};
}

static void
read_question(struct str text, struct question *q)
{
	struct str line = {0}, word = {0}, arg;
	*q = (struct question){
		.q = {.launch = {{64, 1, 1}, {2, 1, 1}, {1, 1, 1}, 0, false}}};
	q->q.args = q->args;
	q->q.n_args = ARGS_MAX;
	if (!str_starts(text, "//launch ") || !str_line(&text, &line))
		return;
	line = str_sub(line, 9, line.n);
	if (str_split(&line, ' ', &word))
		launch_parse(word, &q->q.launch);
	if (str_split(&line, ' ', &word))
		while (str_split(&word, ',', &arg))
			read_arg(q, arg);
	q->q.exit_release = str_is(line, "release");
}

static struct verdict
judge(struct arena *a, const struct ptx_module *m, struct str entry,
	const struct gate_query *q)
{
	struct str why = {0};
	struct gate_kernel *k = gate_prepare(a, m, entry, &why);
	if (!k)
		BUG("'%.*s': %.*s", STR_ARG(entry), STR_ARG(why));
	struct verdict v = gate_check(a, k, q);
	if ((v.kind == VERDICT_CLEAN) != (v.n_findings == 0))
		BUG("a verdict without a finding, or the other way round");
	return v;
}

static struct str
text_of(struct arena *a, const struct verdict *v)
{
	struct json_out o = {.b = {.a = a}};
	verdict_write(&o, NULL, v);
	return json_done(&o);
}

/* A verdict that was written is read again as it was. */
static void
check_written(struct arena *a, struct str text)
{
	struct source src = {"verdict", text};
	struct diag d = {.to = nowhere()};
	struct verdict v;
	const struct json *j = json_parse(a, &src, &d);
	if (!j || !verdict_read(a, j, &v, &d) || !str_eq(text_of(a, &v), text))
		BUG("not read again:\n%.*s", STR_ARG(text));
}

static void
check_printed(struct arena *a, const struct ptx_module *m, struct str entry,
	const struct gate_query *q, const struct verdict *v)
{
	struct diag d = {.to = nowhere()};
	struct source src = {"printed", ptx_print(a, m)};
	const struct ptx_module *again = ptx_parse(a, &src, &d);
	if (!again)
		BUG("printed text is not understood:\n%.*s", STR_ARG(src.text));
	if (judge(a, again, entry, q).kind != v->kind)
		BUG("another verdict after printing:\n%.*s", STR_ARG(src.text));
}

static void
check_entry(struct arena *a, const struct ptx_module *m, struct str entry,
	const struct question *known, unsigned how)
{
	struct gate_query given = known->q, unknown = known->q;
	unknown.n_args = 0;
	unknown.no_conditions = true;
	given.no_conditions = how % 8 != 0; /* the search takes most of the time */
	struct verdict v = judge(a, m, entry, &given);
	struct str text = text_of(a, &v);
	check_written(a, text);
	if (how % 3 == 0) {
		struct verdict w = judge(a, m, entry, &given);
		if (!str_eq(text_of(a, &w), text))
			BUG("two answers:\n%.*s\n%.*s", STR_ARG(text),
				STR_ARG(text_of(a, &w)));
	}
	if (how % 3 == 1)
		check_printed(a, m, entry, &given, &v);
	if (how % 3 == 2) {
		struct verdict w = judge(a, m, entry, &unknown);
		if ((v.kind == VERDICT_REFUSED && w.kind == VERDICT_CLEAN) ||
			(v.kind == VERDICT_CLEAN && w.kind == VERDICT_REFUSED))
			BUG("%s with arguments, %s without", verdict_name(v.kind),
				verdict_name(w.kind));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct diag d = {.to = nowhere()};
	struct source src = {"fuzz.ptx", {(const char *)data, n}};
	struct question q;
	const struct ptx_module *m = n < TEXT_MAX ? ptx_parse(&a, &src, &d) : NULL;
	unsigned entries = 0, how = n ? data[n / 2] + data[n / 3] : 0;
	read_question(src.text, &q);
	for (uint32_t f = 0; m && f < m->n_funcs && entries < ENTRIES_MAX; f++) {
		if (!m->funcs[f].entry || !m->funcs[f].defined)
			continue;
		check_entry(&a, m, m->funcs[f].name, &q, how + entries++);
	}
	arena_release(&a);
	return 0;
}
