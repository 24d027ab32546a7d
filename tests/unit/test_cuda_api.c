/* The hand-written table of the driver API against the vendor's header, where there is
 * one. */
#if defined(__has_include)
#if __has_include("/usr/local/cuda/include/cuda.h")
#define HAVE_CUDA_H 1
#include "/usr/local/cuda/include/cuda.h"
#endif
#endif

#ifdef HAVE_CUDA_H
#define CUDA_API_TYPES
typedef CUresult cu_result;
typedef CUdevice cu_device;
typedef CUdeviceptr cu_pointer;
typedef CUmemGenericAllocationHandle cu_memory;
typedef CUcontext cu_context;
typedef CUmodule cu_module;
typedef CUfunction cu_function;
typedef CUstream cu_stream;
typedef CUevent cu_event;
typedef CUgraph cu_graph;
typedef CUgraphExec cu_graph_exec;
#define CU_UUID        CUuuid
#define CU_LAUNCH      CUlaunchConfig
#define CU_MEMORY_KIND CUmemAllocationProp
#define CU_ACCESS      CUmemAccessDesc
#define CU_ENUM(T)     T
#endif

#include "backend/cuda_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#ifdef HAVE_CUDA_H
static void
signatures(void **state)
{
#define X(field, symbol, optional, parameters) \
	if (!__builtin_types_compatible_p( \
		    __typeof__(&symbol), __typeof__(((struct cuda_api *)NULL)->field))) \
		fail_msg("%s is declared otherwise in cuda.h", #symbol);
	CUDA_API(X)
#undef X
}

static void
constants(void **state)
{
#define X(name, vendor, value) \
	if ((int)vendor != value) \
		fail_msg("%s is %d in cuda.h, not %d", #vendor, (int)vendor, value);
	CUDA_CONSTANTS(X)
#undef X
}
#else
static void
signatures(void **state)
{
	print_message("skipped: cuda.h is not here\n");
	skip();
}

static void
constants(void **state)
{
	skip();
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures),
		cmocka_unit_test(constants),
	};
	return cmocka_run_group_tests_name("cuda_api", tests, NULL, NULL);
}
