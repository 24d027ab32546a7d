/* Functions whose body is elsewhere: nobody here knows whom they wait for. */
#include "ptx/parse.h"

/* What the driver provides to every module: none of them waits for another thread.  (PTX
 * Writer's Guide to Interoperability, System Calls; __assertfail does not return.)  And
 * printf() of OpenCL C, which clang leaves as it is (OpenCL C 3.0, 6.15.14). */
static bool
is_system_call(struct str name)
{
	return str_is(name, "vprintf") || str_is(name, "malloc") ||
	       str_is(name, "free") || str_is(name, "printf");
}

void
ptx_find_opaque(struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		struct ptx_func *f = &m->funcs[i];
		f->opaque = !m->funcs[f->body].defined && !f->noreturn &&
			    !is_system_call(f->name);
	}
}
