/* The first error that is reported, as a text instead of on stderr. */
#ifndef CMD_CHECK_CAPTURE_H
#define CMD_CHECK_CAPTURE_H

#include "base/diag.h"

struct arena;

struct capture {
	struct diag d; /* for whom reports */
	char text[1024];
};

/* Pass &c.d on, then end it; c must stay where it is between the two. */
void capture_begin(struct capture *c);
/* The first line of what was said, without its newline. */
struct str capture_end(struct arena *a, struct capture *c);

#endif
