/*
 * The part of TOML 1.0 that tuning specs use, as the nodes of format/json.h: tables,
 * arrays of tables, bare and quoted keys, strings on one line, whole and real numbers,
 * booleans, and arrays over several lines.  Inline tables, dates, dotted keys in
 * assignments and strings over several lines are errors that say so.
 */
#ifndef SEARCH_TOML_H
#define SEARCH_TOML_H

#include "format/json.h"

/* NULL after a diag_error.  src must live as long as the nodes. */
struct json *toml_parse(struct arena *a, const struct source *src, struct diag *d);

#endif
