/* One line of a batch: a JSON object whose fields are the flags of 'check'. */
#ifndef CMD_CHECK_LINE_H
#define CMD_CHECK_LINE_H

#include "cmd/check_args.h"
#include "format/json.h"

struct check_line {
	const struct json *id; /* echoed; NULL: none */
	const char *file, *block, *grid;
	struct check_args c;
};

/* False with *why; the id is there even then, when the text is JSON. */
bool check_line_parse(
	struct arena *a, struct str text, struct check_line *out, struct str *why);

#endif
