/* What `lanewise space` prints, as text and as JSON. */
#ifndef CMD_SPACE_SHOW_H
#define CMD_SPACE_SHOW_H

#include "format/json.h"
#include "space/space.h"

/* Some candidates of a space, or all. */
struct space_some {
	const struct candidate *v;
	size_t n;
};

void space_show_summary(
	struct arena *a, const struct space *s, const struct space_why *w);
/* How the constraints treat the assignments with these values ("BLOCK=64"). */
void space_show_why(struct arena *a, const struct kernel *k, const char *with,
	const struct space_why *w);
/* A line for each candidate: label, tab, id. */
void space_show_all(struct arena *a, const struct space *s);
void space_show_some(
	struct arena *a, const struct space *s, const struct space_some *some);

void space_put_summary(struct arena *a, struct json_out *o, const struct space *s,
	const struct space_why *w, const struct space_some *some);
void space_put_why(struct json_out *o, const struct kernel *k, const char *with,
	const struct space_why *w);

#endif
