/* Processor time of making spaces: for each spec the time to read it, to count its space,
 * and to list all candidates with their ids; one process, one thread. See space.sh. */
#include "space/space.h"
#include "base/arena.h"
#include "model/candidate_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double
cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
list(struct arena *a, const struct space *s)
{
	struct candidate *v = space_candidates(a, s);
	uint64_t *ids = arena_news(a, s->count, uint64_t);
	struct candidate_text *text = candidate_text_new(a, s->kernel, CANDIDATE_ID);
	for (size_t i = 0; i < s->count; i++)
		ids[i] = candidate_text_id(text, v[i].choice, 0);
}

static void
measure(const char *path, double *total)
{
	struct arena a = {0};
	struct diag d = {0};
	double start = cpu_s();
	const struct spec *spec = spec_read(&a, path, &d);
	double read = cpu_s();
	const struct space *s =
		spec ? space_build(&a, &spec->kernels[0], NULL, &d) : NULL;
	double counted = cpu_s();
	if (!s)
		exit(2);
	bool lists = s->count <= SPACE_CANDIDATES_MAX;
	if (lists)
		list(&a, s);
	double listed = cpu_s();
	printf("%-24.*s %10" PRIu64 " %9.2f %9.2f", STR_ARG(spec->kernels[0].name),
		s->count, (read - start) * 1e3, (counted - read) * 1e3);
	if (lists)
		printf(" %9.2f\n", (listed - counted) * 1e3);
	else
		printf("         -\n");
	*total += listed - start;
	arena_release(&a);
}

int
main(int argc, char **argv)
{
	double total = 0;
	struct rusage u;
	printf("%-24s %10s %9s %9s %9s   ms CPU\n", "space", "candidates", "read",
		"count", "list, ids");
	for (int i = 1; i < argc; i++)
		measure(argv[i], &total);
	getrusage(RUSAGE_SELF, &u);
	printf("total %.4f s CPU, at most %ld MiB resident\n", total, u.ru_maxrss >> 10);
	return 0;
}
