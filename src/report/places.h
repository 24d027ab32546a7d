/*
 * From a line of PTX to the user's own source: the line map of the specialization
 * (PROJECT/K/ptx/S.lines) and the staged source (PROJECT/in/FILE), each read once.  What
 * is not there leaves the place unknown; a report never fails for that.
 */
#ifndef REPORT_PLACES_H
#define REPORT_PLACES_H

#include "base/map.h"
#include "perf/ranking.h"
#include "ptx/lines.h"

struct place_of {
	struct str file; /* empty: unknown */
	uint32_t line;
	struct str called_from; /* "reduce.cu:40" when it was inlined there; else empty */
};

struct places {
	struct arena *a;
	const char *dir;         /* ".lanewise" */
	struct map maps;         /* of line maps, by path */
	struct ptx_lines *lines; /* n 0: none */
	size_t cap_lines;
	struct map files; /* of sources, by name */
	struct source *sources;
	size_t cap_sources;
};

struct places places_begin(struct arena *a, const char *dir);
/* The finding's own file and line when it has them, else through the line map. */
struct place_of places_find(struct places *p, struct str kernel,
	struct str specialization, const struct finding *f);
/* The text with every "PTX line N" that the line map knows replaced by "FILE:LINE". */
struct str places_words(
	struct places *p, struct str kernel, struct str specialization, struct str text);
/* Every finding of a ranking in these terms: file, line, message, note of the witness. */
void places_settle(struct places *p, struct ranking *r);
/* A line of a staged source; false if there is none. */
bool places_line(struct places *p, struct str file, uint32_t line, struct str *out);

#endif
