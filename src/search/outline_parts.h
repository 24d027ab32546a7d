/* The readers of outline.h. */
#ifndef SEARCH_OUTLINE_PARTS_H
#define SEARCH_OUTLINE_PARTS_H

#include "search/outline.h"

/* Each fills the outline; false after a diag_error. */
bool outline_read_t1(
	struct arena *a, struct outline *o, const struct source *src, struct diag *d);
bool outline_read_launchbound(
	struct arena *a, struct outline *o, const struct source *src, struct diag *d);

/* "c1-" and 16 hex digits: SHA-256 over the kernel's name and "name=value" of all
 * parameters, which are in the order of their names. */
struct str launchbound_id(
	struct arena *a, const struct kernel *k, const uint16_t *choice);

/* A member of a kind, or NULL after a diag_error. */
const struct json *outline_need(
	const struct json *of, const char *key, enum json_kind kind, struct diag *d);
/* The next parameter, or NULL after a diag_error. */
struct outline_param *outline_add_param(
	struct outline *o, const struct json *at, struct str name, struct diag *d);
void outline_add_constraint(struct arena *a, struct outline *o, struct str text);
void outline_add_arg(struct arena *a, struct outline *o, const struct outline_arg *arg);

#endif
