#include "backend/host_session.h"

#include "base/dl.h"
#include "model/library.h"

struct host_library {
	int unused;
};

bool
host_library_open(struct session *s, struct loaded *l)
{
	(void)l;
	return host_refuse(s, RESULT_TROUBLE, STR_LIT("no library on the host yet"));
}

void
host_library_launch(const struct loaded *l, void *const *args)
{
	(void)l;
	(void)args;
}
