/* A user's reference: copies the first buffer to the second. */
#include "fake/fake.h"

struct lanewise_arg {
	const char *name;
	const char *type;
	size_t count;
	void *data;
	int is_output;
};

FAKE_EXPORT int lanewise_reference(const struct lanewise_arg *args, int n, void *stream);
FAKE_EXPORT int refuse(const struct lanewise_arg *args, int n, void *stream);
cu_result cuMemcpyDtoDAsync_v2(cu_pointer to, cu_pointer from, size_t n, cu_stream s);

int
lanewise_reference(const struct lanewise_arg *args, int n, void *stream)
{
	int elements;
	if (n != 3 || args[0].is_output || !args[1].is_output ||
		strcmp(args[2].type, "i32") != 0)
		return 1;
	memcpy(&elements, args[2].data, sizeof elements);
	return cuMemcpyDtoDAsync_v2((cu_pointer)(uintptr_t)args[1].data,
		(cu_pointer)(uintptr_t)args[0].data, (size_t)elements * 4, stream);
}

int
refuse(const struct lanewise_arg *args, int n, void *stream)
{
	(void)args, (void)n, (void)stream;
	return 42;
}
