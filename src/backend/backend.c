#include "backend/backend.h"

const struct backend *const backends[] = {&backend_cuda, NULL};

const struct backend *
backend_find(struct str name)
{
	for (size_t i = 0; backends[i]; i++) {
		if (str_is(name, backends[i]->name))
			return backends[i];
	}
	return NULL;
}
