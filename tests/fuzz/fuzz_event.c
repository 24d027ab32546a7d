/* Any bytes as an event log: every line is an event or is skipped, in silence. */
#include "base/arena.h"
#include "graph/progress.h"
#include "node/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct progress p = {.a = &a};
	struct str rest = {(const char *)data, n}, line;
	size_t lines = 0, done = 0;
	while (str_line(&rest, &line)) {
		struct event e;
		lines++;
		if (event_parse(&a, line, &e) && !e.node.n)
			abort();
		progress_event(&p, line);
	}
	for (int i = 0; i < N_STAGES; i++) {
		done += p.done[i];
		if (p.cached[i] + p.failed[i] > p.done[i])
			abort();
	}
	if (done > lines || p.problems.n > lines)
		abort();
	for (size_t i = 0; i < p.problems.n; i++)
		if (!(p.best[i].ns >= 0))
			abort();
	arena_release(&a);
	return 0;
}
