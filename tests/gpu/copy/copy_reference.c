/*
 * The driver's own copy from device memory to device memory, as a reference:
 *
 *     cc -shared -fPIC -I../../../templates -o copy_reference.so copy_reference.c
 */
#include "lanewise_reference.h"

#include <dlfcn.h>

typedef int copy_fn(
	unsigned long long to, unsigned long long from, size_t n, void *stream);

int
lanewise_reference(const struct lanewise_arg *args, int n_args, void *stream)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	copy_fn *copy;

	if (!driver || n_args != 3 || args[0].count != args[1].count)
		return 1;
	*(void **)&copy = dlsym(driver, "cuMemcpyDtoDAsync_v2");
	return copy ? copy((unsigned long long)args[1].data,
			      (unsigned long long)args[0].data, args[0].count * 4, stream)
		    : 1;
}
