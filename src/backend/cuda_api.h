/*
 * The CUDA driver API, as far as it is used: libcuda.so.1, opened at run time.  cuda.h is
 * not included, so that lanewise builds without a toolkit; tests/unit/test_cuda_api.c
 * holds every line of this table against cuda.h where there is one.
 *
 * Source of names, signatures and constants: cuda.h of CUDA 13.0.  The suffixes (_v2) are
 * the symbols that cuda.h maps the plain names to.
 */
#ifndef BACKEND_CUDA_API_H
#define BACKEND_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#ifndef CUDA_API_TYPES                 /* the test defines them from cuda.h */
typedef int cu_result;                 /* CUresult */
typedef int cu_device;                 /* CUdevice */
typedef int cu_enum;                   /* any enum that is passed by value */
typedef unsigned long long cu_pointer; /* CUdeviceptr */
typedef unsigned long long cu_memory;  /* CUmemGenericAllocationHandle */
typedef struct cu_context *cu_context;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;
typedef struct cu_graph *cu_graph;
typedef struct cu_graph_exec *cu_graph_exec;

struct cu_uuid {
	unsigned char bytes[16];
};

/* CUlaunchAttribute: only those that are used; the union is padded to 64 bytes. */
struct cu_launch_attribute {
	cu_enum id;
	char pad[4];
	union {
		char pad[64];
		int cooperative;
		int programmatic; /* programmaticStreamSerializationAllowed */
		struct {
			unsigned x, y, z;
		} cluster;
	} value;
};

struct cu_launch { /* CUlaunchConfig */
	unsigned grid_x, grid_y, grid_z;
	unsigned block_x, block_y, block_z;
	unsigned shared_bytes;
	cu_stream stream;
	struct cu_launch_attribute *attributes;
	unsigned n_attributes;
};

struct cu_location { /* CUmemLocation */
	cu_enum type;
	int id;
};

struct cu_memory_kind { /* CUmemAllocationProp */
	cu_enum type;
	cu_enum handle_types;
	struct cu_location location;
	void *win32;
	unsigned char compression, rdma;
	unsigned short usage;
	unsigned char reserved[4];
};

struct cu_access { /* CUmemAccessDesc */
	struct cu_location location;
	cu_enum flags;
};
#define CU_UUID        struct cu_uuid
#define CU_LAUNCH      struct cu_launch
#define CU_MEMORY_KIND struct cu_memory_kind
#define CU_ACCESS      struct cu_access
#define CU_ENUM(T)     cu_enum
#endif

/* X(field, symbol, optional, parameters) */
#define CUDA_API(X) \
	X(init, cuInit, 0, (unsigned flags)) \
	X(driver_version, cuDriverGetVersion, 0, (int *v)) \
	X(error_name, cuGetErrorName, 0, (cu_result e, const char **s)) \
	X(error_text, cuGetErrorString, 0, (cu_result e, const char **s)) \
	X(device_count, cuDeviceGetCount, 0, (int *n)) \
	X(device_get, cuDeviceGet, 0, (cu_device * d, int i)) \
	X(device_name, cuDeviceGetName, 0, (char *s, int n, cu_device d)) \
	X(device_uuid, cuDeviceGetUuid_v2, 0, (CU_UUID * u, cu_device d)) \
	X(device_attribute, cuDeviceGetAttribute, 0, \
		(int *v, CU_ENUM(CUdevice_attribute) a, cu_device d)) \
	X(context_flags, cuDevicePrimaryCtxSetFlags_v2, 0, \
		(cu_device d, unsigned flags)) \
	X(context_retain, cuDevicePrimaryCtxRetain, 0, (cu_context * c, cu_device d)) \
	X(context_set, cuCtxSetCurrent, 0, (cu_context c)) \
	X(module_load, cuModuleLoadDataEx, 0, \
		(cu_module * m, const void *image, unsigned n, \
			CU_ENUM(CUjit_option) * options, void **values)) \
	X(module_unload, cuModuleUnload, 0, (cu_module m)) \
	X(module_global, cuModuleGetGlobal_v2, 0, \
		(cu_pointer * p, size_t * bytes, cu_module m, const char *name)) \
	X(module_function, cuModuleGetFunction, 0, \
		(cu_function * f, cu_module m, const char *name)) \
	X(function_set, cuFuncSetAttribute, 0, \
		(cu_function f, CU_ENUM(CUfunction_attribute) a, int v)) \
	X(function_get, cuFuncGetAttribute, 0, \
		(int *v, CU_ENUM(CUfunction_attribute) a, cu_function f)) \
	X(function_param, cuFuncGetParamInfo, 1, \
		(cu_function f, size_t i, size_t * offset, size_t * bytes)) \
	X(memory_info, cuMemGetInfo_v2, 0, (size_t * free, size_t * total)) \
	X(memory_alloc, cuMemAlloc_v2, 0, (cu_pointer * p, size_t bytes)) \
	X(memory_free, cuMemFree_v2, 0, (cu_pointer p)) \
	X(memory_host, cuMemHostAlloc, 0, (void **p, size_t bytes, unsigned flags)) \
	X(memory_granularity, cuMemGetAllocationGranularity, 1, \
		(size_t * bytes, const CU_MEMORY_KIND *k, \
			CU_ENUM(CUmemAllocationGranularity_flags) o)) \
	X(memory_reserve, cuMemAddressReserve, 1, \
		(cu_pointer * p, size_t bytes, size_t align, cu_pointer at, \
			unsigned long long flags)) \
	X(memory_create, cuMemCreate, 1, \
		(cu_memory * h, size_t bytes, const CU_MEMORY_KIND *k, \
			unsigned long long flags)) \
	X(memory_map, cuMemMap, 1, \
		(cu_pointer p, size_t bytes, size_t offset, cu_memory h, \
			unsigned long long flags)) \
	X(memory_access, cuMemSetAccess, 1, \
		(cu_pointer p, size_t bytes, const CU_ACCESS *d, size_t n)) \
	X(memory_unmap, cuMemUnmap, 1, (cu_pointer p, size_t bytes)) \
	X(memory_release, cuMemRelease, 1, (cu_memory h)) \
	X(memory_unreserve, cuMemAddressFree, 1, (cu_pointer p, size_t bytes)) \
	X(copy_out, cuMemcpyDtoH_v2, 0, (void *to, cu_pointer from, size_t n)) \
	X(copy_in_async, cuMemcpyHtoDAsync_v2, 0, \
		(cu_pointer to, const void *from, size_t n, cu_stream s)) \
	X(copy_out_async, cuMemcpyDtoHAsync_v2, 0, \
		(void *to, cu_pointer from, size_t n, cu_stream s)) \
	X(copy_async, cuMemcpyDtoDAsync_v2, 0, \
		(cu_pointer to, cu_pointer from, size_t n, cu_stream s)) \
	X(set_bytes, cuMemsetD8Async, 0, \
		(cu_pointer p, unsigned char v, size_t n, cu_stream s)) \
	X(stream_create, cuStreamCreate, 0, (cu_stream * s, unsigned flags)) \
	X(stream_query, cuStreamQuery, 0, (cu_stream s)) \
	X(capture_begin, cuStreamBeginCapture_v2, 0, \
		(cu_stream s, CU_ENUM(CUstreamCaptureMode) mode)) \
	X(capture_end, cuStreamEndCapture, 0, (cu_stream s, cu_graph * g)) \
	X(graph_instantiate, cuGraphInstantiateWithFlags, 0, \
		(cu_graph_exec * e, cu_graph g, unsigned long long flags)) \
	X(graph_launch, cuGraphLaunch, 0, (cu_graph_exec e, cu_stream s)) \
	X(graph_destroy, cuGraphDestroy, 0, (cu_graph g)) \
	X(graph_exec_destroy, cuGraphExecDestroy, 0, (cu_graph_exec e)) \
	X(graph_upload, cuGraphUpload, 1, (cu_graph_exec e, cu_stream s)) \
	X(event_create, cuEventCreate, 0, (cu_event * e, unsigned flags)) \
	X(event_record, cuEventRecord, 0, (cu_event e, cu_stream s)) \
	X(event_query, cuEventQuery, 0, (cu_event e)) \
	X(event_elapsed, cuEventElapsedTime, 0, (float *ms, cu_event a, cu_event b)) \
	X(launch, cuLaunchKernelEx, 0, \
		(const CU_LAUNCH *l, cu_function f, void **params, void **extra))

struct cuda_api {
	/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(field, symbol, optional, parameters) cu_result(*field) parameters;
	CUDA_API(X)
#undef X
};

/* X(our name, cuda.h's name, value) */
#define CUDA_CONSTANTS(X) \
	X(CU_OK, CUDA_SUCCESS, 0) \
	X(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE, 1) \
	X(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY, 2) \
	X(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE, 100) \
	X(CU_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE, 200) \
	X(CU_NO_BINARY, CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
	X(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX, 218) \
	X(CU_UNSUPPORTED_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
	X(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND, 500) \
	X(CU_NOT_READY, CUDA_ERROR_NOT_READY, 600) \
	X(CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
	X(CU_OUT_OF_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) \
	X(CU_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
	X(CU_HARDWARE_STACK, CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
	X(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED, 719) \
	X(CU_COOPERATIVE_TOO_LARGE, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
	X(CU_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED, 801) \
	X(CU_INVALID_CLUSTER, CUDA_ERROR_INVALID_CLUSTER_SIZE, 912) \
	X(CU_ATTR_MAX_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
	X(CU_ATTR_BLOCK_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2) \
	X(CU_ATTR_BLOCK_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3) \
	X(CU_ATTR_BLOCK_Z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4) \
	X(CU_ATTR_GRID_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5) \
	X(CU_ATTR_GRID_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6) \
	X(CU_ATTR_GRID_Z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7) \
	X(CU_ATTR_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
	X(CU_ATTR_WARP, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
	X(CU_ATTR_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) \
	X(CU_ATTR_SMS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
	X(CU_ATTR_MEMORY_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) \
	X(CU_ATTR_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37) \
	X(CU_ATTR_L2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) \
	X(CU_ATTR_SM_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39) \
	X(CU_ATTR_CC_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
	X(CU_ATTR_CC_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
	X(CU_ATTR_SM_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, \
		81) \
	X(CU_ATTR_SM_REGISTERS, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, \
		82) \
	X(CU_ATTR_SHARED_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, \
		97) \
	X(CU_ATTR_VMM, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) \
	X(CU_ATTR_SM_BLOCKS, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106) \
	X(CU_ATTR_SHARED_RESERVED, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, \
		111) \
	X(CU_ATTR_CLUSTER, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120) \
	X(CU_ATTR_MPS, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 133) \
	X(CU_FUNC_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
	X(CU_FUNC_STATIC_SHARED, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
	X(CU_FUNC_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
	X(CU_FUNC_BIG_CLUSTER, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14) \
	X(CU_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2) \
	X(CU_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4) \
	X(CU_LAUNCH_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, \
		6) \
	X(CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER, 5) \
	X(CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
	X(CU_SCHED_SPIN, CU_CTX_SCHED_SPIN, 1) \
	X(CU_NON_BLOCKING, CU_STREAM_NON_BLOCKING, 1) \
	X(CU_CAPTURE_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1) \
	X(CU_MEMORY_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED, 1) \
	X(CU_MEMORY_ON_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE, 1) \
	X(CU_MEMORY_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3) \
	X(CU_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)

#ifndef CUDA_API_TYPES
enum {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(name, vendor, value) name = (value),
	CUDA_CONSTANTS(X)
#undef X
};
#endif

/* Opens the driver and calls cuInit.  False with a reason ("no NVIDIA driver: ..."). */
bool cuda_open(struct arena *a, struct cuda_api *api, const char **why);
/* "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)" */
const char *cuda_error(struct arena *a, const struct cuda_api *api, cu_result e);

#endif
