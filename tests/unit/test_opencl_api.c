/* The hand-written table of OpenCL against CL/cl.h, where there is one (Debian package
 * opencl-c-headers). */
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define HAVE_CL_H                         1
#define CL_TARGET_OPENCL_VERSION          300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS 1
#include <CL/cl.h>
#endif
#endif

#ifdef HAVE_CL_H
#define OPENCL_API_TYPES
typedef cl_int ocl_int;
typedef cl_uint ocl_uint;
typedef cl_bitfield ocl_bits;
typedef cl_context_properties ocl_property;
typedef cl_platform_id ocl_platform;
typedef cl_device_id ocl_device;
typedef cl_context ocl_context;
typedef cl_command_queue ocl_queue;
typedef cl_mem ocl_memory;
typedef cl_program ocl_program;
typedef cl_kernel ocl_kernel;
typedef cl_event ocl_event;
#endif

#include "backend/opencl_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#ifdef HAVE_CL_H
static void
signatures(void **state)
{
#define X(field, symbol, result, parameters) \
	if (!__builtin_types_compatible_p(__typeof__(&symbol), \
		    __typeof__(((struct opencl_api *)NULL)->field))) \
		fail_msg("%s is declared otherwise in cl.h", #symbol);
	OPENCL_API(X)
	OPENCL_API_LATER(X)
#undef X
}

static void
constants(void **state)
{
#define X(name, vendor, value) \
	if ((int64_t)vendor != (value)) \
		fail_msg("%s is %lld in cl.h, not %lld", #vendor, (long long)vendor, \
			(long long)(value));
	OPENCL_CONSTANTS(X)
#undef X
}
#else
static void
signatures(void **state)
{
	print_message("skipped: CL/cl.h is not here\n");
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
