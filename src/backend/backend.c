#include "backend/backend.h"

#include "backend/sim.h"

const struct backend *const backends[] = {
	&backend_cuda, &backend_opencl, &backend_host, &backend_sim, NULL};

const struct backend *
backend_find(struct str name)
{
	for (size_t i = 0; backends[i]; i++) {
		if (str_is(name, backends[i]->name))
			return backends[i];
	}
	return NULL;
}

const struct backend *
backend_of(const struct device *dev)
{
	const struct backend *named = backend_find(dev->backend);
	if (named)
		return named;
	return dev->script.n ? &backend_sim : &backend_cuda;
}
