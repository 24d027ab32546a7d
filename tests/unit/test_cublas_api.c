/* The hand-written table of cuBLAS against the vendor's header, where there is one. */
#if defined(__has_include)
#if __has_include("/usr/local/cuda/include/cublas_v2.h")
#define HAVE_CUBLAS_H 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "/usr/local/cuda/include/cublas_v2.h"
#pragma GCC diagnostic pop
#endif
#endif

#ifdef HAVE_CUBLAS_H
#define CUBLAS_API_TYPES
typedef cublasStatus_t blas_status;
typedef cublasHandle_t blas_handle;
#define BLAS_STREAM  cudaStream_t
#define BLAS_ENUM(T) T
#endif

#include "backend/cublas_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAVE_CUBLAS_H
static void
signatures(void **state)
{
#define X(field, symbol, optional, result, parameters) \
	if (!__builtin_types_compatible_p(__typeof__(&symbol), \
		    __typeof__(((struct cublas_api *)NULL)->field))) \
		fail_msg("%s is declared otherwise in cublas_api.h", #symbol);
	CUBLAS_API(X)
#undef X
}

static void
constants(void **state)
{
#define X(name, vendor, value) \
	if ((int)vendor != value) \
		fail_msg("%s is %d there, not %d", #vendor, (int)vendor, value);
	CUBLAS_CONSTANTS(X)
#undef X
}
#else
static void
signatures(void **state)
{
	print_message("skipped: cublas_v2.h is not here\n");
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
	return cmocka_run_group_tests_name("cublas_api", tests, NULL, NULL);
}
