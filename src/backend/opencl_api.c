#include "backend/opencl_api.h"

#include "base/arena.h"
#include "base/dl.h"
#include "base/str.h"

#include <stdlib.h>

static const char THREADS[] = "POCL_MAX_PTHREAD_COUNT";

static size_t
n_threads(void)
{
	const char *set = getenv(THREADS);
	uint64_t n;
	return set && str_to_u64(str_of(set), &n) && n > 0 && n < CPUS_MAX ? (size_t)n
									   : 1;
}

void
opencl_pin(struct opencl_pin *p)
{
	size_t n = n_threads();
	p->n = cpu_allowed(p->cpus);
	if (n < p->n)
		(void)cpu_bind(p->cpus + p->n - n, n);
}

void
opencl_unpin(const struct opencl_pin *p)
{
	if (p->n)
		(void)cpu_bind(p->cpus, p->n);
}

bool
opencl_open(struct arena *a, struct opencl_api *api, const char **why)
{
	static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
	const struct dl_symbol table[] = {
#define X(field, function, result, parameters) {#function, &api->field, false},
		OPENCL_API(X)
#undef X
#define X(field, function, result, parameters) {#function, &api->field, true},
			OPENCL_API_LATER(X)
#undef X
	};
	/* Of a machine that others use too, one core is as much as can be had
	 * undisturbed.
	 */
	(void)setenv(THREADS, "1", 0);
	struct dl lib = dl_open(a, names, table, sizeof table / sizeof *table);
	if (!lib.handle)
		*why = str_fmt(a,
			"no OpenCL: %s; on Debian: apt-get install pocl-opencl-icd",
			lib.why)
			       .s;
	return lib.handle != NULL;
}

const char *
opencl_error(struct arena *a, ocl_int e)
{
#define X(name, vendor, value) {value, #vendor},
	static const struct {
		int64_t value;
		const char *name;
	} names[] = {OPENCL_CONSTANTS(X)};
#undef X
	for (size_t i = 0; e < 0 && i < sizeof names / sizeof *names; i++)
		if (names[i].value == e)
			return names[i].name;
	return str_fmt(a, "OpenCL error %d", (int)e).s;
}
