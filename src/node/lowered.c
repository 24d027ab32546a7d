#include "node/lowered.h"

#include "base/arena.h"

static const char MAGIC[] = "// lanewise/lower-failed.v1";

void
lowered_write_failure(struct buf *b, struct str file, unsigned line, unsigned col,
	struct str message, struct str log)
{
	struct str l = {0};
	buf_addf(b, "%s\n// %.*s:%u:%u: error: ", MAGIC, STR_ARG(file), line, col);
	str_split(&message, '\n', &l);
	buf_addstr(b, l);
	buf_addc(b, '\n');
	while (str_line(&log, &l))
		buf_addf(b, "// %.*s\n", STR_ARG(l));
}

/* "FILE:LINE:COL: error: MESSAGE"; FILE may hold colons. */
static void
place_parse(struct str s, struct finding *out)
{
	const struct str mark = STR_LIT(": error: ");
	size_t i = str_find_text(s, mark);
	if (i == s.n) {
		out->message = s;
		return;
	}
	out->message = str_sub(s, i + mark.n, s.n);
	struct str head = str_sub(s, 0, i);
	uint64_t number[2] = {0, 0};
	for (int k = 1; k >= 0; k--) {
		size_t colon = head.n;
		while (colon && head.s[colon - 1] != ':')
			colon--;
		if (!colon || !str_to_u64(str_sub(head, colon, head.n), &number[k]))
			break;
		head.n = colon - 1;
	}
	out->file = head;
	out->line = number[0] > UINT32_MAX ? 0 : (uint32_t)number[0];
}

bool
lowered_failure(struct arena *a, struct str text, struct finding *out)
{
	struct str rest = text, line;
	if (!str_line(&rest, &line) || !str_is(line, MAGIC))
		return false;
	*out = (struct finding){.rule = STR_LIT("lower"),
		.klass = STR_LIT("error"),
		.kind = VERDICT_ERROR};
	if (str_line(&rest, &line))
		place_parse(str_dup(a, str_sub(line, 3, line.n)), out);
	return true;
}
