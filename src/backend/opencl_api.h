/*
 * OpenCL, as far as it is used: libOpenCL.so.1, the loader of all the runtimes that are
 * installed, opened at run time.  CL/cl.h is not included, so that lanewise builds
 * without it; tests/unit/test_opencl_api.c holds this table against it where it is.
 *
 * Names, signatures and constants: CL/cl.h of OpenCL 3.0; all are in OpenCL 1.2.
 */
#ifndef BACKEND_OPENCL_API_H
#define BACKEND_OPENCL_API_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#ifndef OPENCL_API_TYPES       /* the test defines them from cl.h */
typedef int32_t ocl_int;       /* cl_int: an error code */
typedef uint32_t ocl_uint;     /* cl_uint and enums of 32 bits */
typedef uint64_t ocl_bits;     /* cl_bitfield */
typedef intptr_t ocl_property; /* cl_context_properties */
typedef struct ocl_platform *ocl_platform;
typedef struct ocl_device *ocl_device;
typedef struct ocl_context *ocl_context;
typedef struct ocl_queue *ocl_queue;
typedef struct ocl_memory *ocl_memory;
typedef struct ocl_program *ocl_program;
typedef struct ocl_kernel *ocl_kernel;
typedef struct ocl_event *ocl_event;
#endif

/* X(field, function, result, parameters) */
#define OPENCL_API(X) \
	X(platforms, clGetPlatformIDs, ocl_int, (ocl_uint, ocl_platform *, ocl_uint *)) \
	X(platform_info, clGetPlatformInfo, ocl_int, \
		(ocl_platform, ocl_uint, size_t, void *, size_t *)) \
	X(devices, clGetDeviceIDs, ocl_int, \
		(ocl_platform, ocl_bits, ocl_uint, ocl_device *, ocl_uint *)) \
	X(device_info, clGetDeviceInfo, ocl_int, \
		(ocl_device, ocl_uint, size_t, void *, size_t *)) \
	X(context_create, clCreateContext, ocl_context, \
		(const ocl_property *, ocl_uint, const ocl_device *, \
			void (*)(const char *, const void *, size_t, void *), void *, \
			ocl_int *)) \
	X(queue_create, clCreateCommandQueue, ocl_queue, \
		(ocl_context, ocl_device, ocl_bits, ocl_int *)) \
	X(buffer_create, clCreateBuffer, ocl_memory, \
		(ocl_context, ocl_bits, size_t, void *, ocl_int *)) \
	X(buffer_part, clCreateSubBuffer, ocl_memory, \
		(ocl_memory, ocl_bits, ocl_uint, const void *, ocl_int *)) \
	X(buffer_release, clReleaseMemObject, ocl_int, (ocl_memory)) \
	X(program_create, clCreateProgramWithSource, ocl_program, \
		(ocl_context, ocl_uint, const char **, const size_t *, ocl_int *)) \
	X(program_build, clBuildProgram, ocl_int, \
		(ocl_program, ocl_uint, const ocl_device *, const char *, \
			void (*)(ocl_program, void *), void *)) \
	X(build_info, clGetProgramBuildInfo, ocl_int, \
		(ocl_program, ocl_device, ocl_uint, size_t, void *, size_t *)) \
	X(program_release, clReleaseProgram, ocl_int, (ocl_program)) \
	X(kernel_create, clCreateKernel, ocl_kernel, \
		(ocl_program, const char *, ocl_int *)) \
	X(kernel_info, clGetKernelInfo, ocl_int, \
		(ocl_kernel, ocl_uint, size_t, void *, size_t *)) \
	X(group_info, clGetKernelWorkGroupInfo, ocl_int, \
		(ocl_kernel, ocl_device, ocl_uint, size_t, void *, size_t *)) \
	X(argument_info, clGetKernelArgInfo, ocl_int, \
		(ocl_kernel, ocl_uint, ocl_uint, size_t, void *, size_t *)) \
	X(argument_set, clSetKernelArg, ocl_int, \
		(ocl_kernel, ocl_uint, size_t, const void *)) \
	X(kernel_release, clReleaseKernel, ocl_int, (ocl_kernel)) \
	X(launch, clEnqueueNDRangeKernel, ocl_int, \
		(ocl_queue, ocl_kernel, ocl_uint, const size_t *, const size_t *, \
			const size_t *, ocl_uint, const ocl_event *, ocl_event *)) \
	X(native, clEnqueueNativeKernel, ocl_int, \
		(ocl_queue, void (*)(void *), void *, size_t, ocl_uint, \
			const ocl_memory *, const void **, ocl_uint, const ocl_event *, \
			ocl_event *)) \
	X(map, clEnqueueMapBuffer, void *, \
		(ocl_queue, ocl_memory, ocl_uint, ocl_bits, size_t, size_t, ocl_uint, \
			const ocl_event *, ocl_event *, ocl_int *)) \
	X(unmap, clEnqueueUnmapMemObject, ocl_int, \
		(ocl_queue, ocl_memory, void *, ocl_uint, const ocl_event *, \
			ocl_event *)) \
	X(flush, clFlush, ocl_int, (ocl_queue)) \
	X(finish, clFinish, ocl_int, (ocl_queue)) \
	X(event_info, clGetEventInfo, ocl_int, \
		(ocl_event, ocl_uint, size_t, void *, size_t *)) \
	X(event_time, clGetEventProfilingInfo, ocl_int, \
		(ocl_event, ocl_uint, size_t, void *, size_t *)) \
	X(event_release, clReleaseEvent, ocl_int, (ocl_event))

/* OpenCL 2.1; NULL when the loader is older. */
#define OPENCL_API_LATER(X) \
	X(subgroup_info, clGetKernelSubGroupInfo, ocl_int, \
		(ocl_kernel, ocl_device, ocl_uint, size_t, const void *, size_t, void *, \
			size_t *))

struct opencl_api {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define X(field, function, result, parameters) result(*field) parameters;
	OPENCL_API(X)
	OPENCL_API_LATER(X)
#undef X
};

/* X(ours, CL/cl.h's, value) */
#define OPENCL_CONSTANTS(X) \
	X(OCL_OK, CL_SUCCESS, 0) \
	X(OCL_NO_DEVICE, CL_DEVICE_NOT_FOUND, -1) \
	X(OCL_COMPILER_NOT_AVAILABLE, CL_COMPILER_NOT_AVAILABLE, -3) \
	X(OCL_NO_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE, -4) \
	X(OCL_NO_RESOURCES, CL_OUT_OF_RESOURCES, -5) \
	X(OCL_NO_HOST_MEMORY, CL_OUT_OF_HOST_MEMORY, -6) \
	X(OCL_BUILD_FAILURE, CL_BUILD_PROGRAM_FAILURE, -11) \
	X(OCL_INVALID_BUILD_OPTIONS, CL_INVALID_BUILD_OPTIONS, -43) \
	X(OCL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_NAME, -46) \
	X(OCL_INVALID_ARGUMENT_SIZE, CL_INVALID_ARG_SIZE, -51) \
	X(OCL_INVALID_ARGUMENTS, CL_INVALID_KERNEL_ARGS, -52) \
	X(OCL_INVALID_DIMENSION, CL_INVALID_WORK_DIMENSION, -53) \
	X(OCL_INVALID_GROUP, CL_INVALID_WORK_GROUP_SIZE, -54) \
	X(OCL_INVALID_ITEM, CL_INVALID_WORK_ITEM_SIZE, -55) \
	X(OCL_INVALID_GLOBAL, CL_INVALID_GLOBAL_WORK_SIZE, -63) \
	X(OCL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE, -61) \
	X(OCL_PLATFORM_VERSION, CL_PLATFORM_VERSION, 0x0901) \
	X(OCL_PLATFORM_NAME, CL_PLATFORM_NAME, 0x0902) \
	X(OCL_TYPE_GPU, CL_DEVICE_TYPE_GPU, 4) \
	X(OCL_TYPE_CPU, CL_DEVICE_TYPE_CPU, 2) \
	X(OCL_DEVICE_TYPE, CL_DEVICE_TYPE, 0x1000) \
	X(OCL_DEVICE_UNITS, CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002) \
	X(OCL_DEVICE_GROUP, CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004) \
	X(OCL_DEVICE_ITEMS, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0x1005) \
	X(OCL_DEVICE_MHZ, CL_DEVICE_MAX_CLOCK_FREQUENCY, 0x100C) \
	X(OCL_DEVICE_ALIGN_BITS, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 0x1019) \
	X(OCL_DEVICE_LINE, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 0x101D) \
	X(OCL_DEVICE_CACHE, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0x101E) \
	X(OCL_DEVICE_LOCAL, CL_DEVICE_LOCAL_MEM_SIZE, 0x1023) \
	X(OCL_DEVICE_CAN, CL_DEVICE_EXECUTION_CAPABILITIES, 0x1029) \
	X(OCL_CAN_NATIVE, CL_EXEC_NATIVE_KERNEL, 2) \
	X(OCL_DEVICE_NAME, CL_DEVICE_NAME, 0x102B) \
	X(OCL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS, 0x1030) \
	X(OCL_DRIVER_VERSION, CL_DRIVER_VERSION, 0x102D) \
	X(OCL_PROFILING, CL_QUEUE_PROFILING_ENABLE, 2) \
	X(OCL_READ_WRITE, CL_MEM_READ_WRITE, 1) \
	X(OCL_HOST_POINTER, CL_MEM_USE_HOST_PTR, 8) \
	X(OCL_REGION, CL_BUFFER_CREATE_TYPE_REGION, 0x1220) \
	X(OCL_MAP_READ, CL_MAP_READ, 1) \
	X(OCL_MAP_WRITE, CL_MAP_WRITE, 2) \
	X(OCL_BUILD_LOG, CL_PROGRAM_BUILD_LOG, 0x1183) \
	X(OCL_KERNEL_ARGUMENTS, CL_KERNEL_NUM_ARGS, 0x1191) \
	X(OCL_ARGUMENT_SPACE, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 0x1196) \
	X(OCL_SPACE_LOCAL, CL_KERNEL_ARG_ADDRESS_LOCAL, 0x119C) \
	X(OCL_KERNEL_GROUP, CL_KERNEL_WORK_GROUP_SIZE, 0x11B0) \
	X(OCL_KERNEL_FIXED_GROUP, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 0x11B1) \
	X(OCL_KERNEL_LOCAL, CL_KERNEL_LOCAL_MEM_SIZE, 0x11B2) \
	X(OCL_KERNEL_SUBGROUP, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0x2033) \
	X(OCL_EVENT_STATUS, CL_EVENT_COMMAND_EXECUTION_STATUS, 0x11D3) \
	X(OCL_COMPLETE, CL_COMPLETE, 0) \
	X(OCL_TIME_START, CL_PROFILING_COMMAND_START, 0x1282) \
	X(OCL_TIME_END, CL_PROFILING_COMMAND_END, 0x1283)

#ifndef OPENCL_API_TYPES
enum {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(name, vendor, value) name = (value),
	OPENCL_CONSTANTS(X)
#undef X
};
#endif

/* Opens the loader.  False with a reason ("no OpenCL: ...").  PoCL is told to compute
 * with one thread, unless the environment says otherwise. */
bool opencl_open(struct arena *a, struct opencl_api *api, const char **why);
/*
 * A runtime's threads run where the one that starts them does.  In between, that is on
 * the last processors that this process may use, as many as PoCL has threads.
 */
struct opencl_pin {
	int cpus[CPUS_MAX];
	size_t n;
};
void opencl_pin(struct opencl_pin *p);
void opencl_unpin(const struct opencl_pin *p);
/* "CL_OUT_OF_RESOURCES", or "OpenCL error -9999". */
const char *opencl_error(struct arena *a, ocl_int e);

#endif
