#include "backend/cuda_api.h"

#include "base/arena.h"
#include "base/dl.h"
#include "base/str.h"

const char *
cuda_error(struct arena *a, const struct cuda_api *api, cu_result e)
{
	const char *name = NULL, *text = NULL;
	if (api->error_name(e, &name) != CU_OK || !name)
		return str_fmt(a, "CUDA error %d", e).s;
	if (api->error_text(e, &text) != CU_OK || !text)
		return name;
	return str_fmt(a, "%s (%s)", name, text).s;
}

bool
cuda_open(struct arena *a, struct cuda_api *api, const char **why)
{
	static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
	const struct dl_symbol table[] = {
#define X(field, symbol, optional, parameters) {#symbol, &api->field, optional},
		CUDA_API(X)
#undef X
	};
	struct dl lib = dl_open(a, names, table, sizeof table / sizeof *table);
	if (!lib.handle) {
		*why = str_fmt(a, "no NVIDIA driver: %s", lib.why).s;
		return false;
	}
	cu_result e = api->init(0);
	if (e == CU_OK)
		return true;
	*why = str_fmt(a, "the NVIDIA driver does not start: %s", cuda_error(a, api, e))
		       .s;
	return false;
}
