#include "cmd/doctor_opencl.h"

#include "backend/opencl_probe.h"
#include "base/arena.h"
#include "toolchain/guarded.h"

static void
add(struct arena *a, struct inventory *v, struct inventory_item item)
{
	item.kind = INVENTORY_OPENCL;
	arena_grow(a, v->v, v->n, v->cap);
	v->v[v->n++] = item;
}

/* Lines: "NAME\tDRIVER" of each device, or "\tWHY". */
static void
ask(void *env, struct buf *answer)
{
	struct opencl_api api;
	struct opencl_here *all;
	struct str why;
	const char *reason;
	(void)env;
	if (!opencl_open(answer->a, &api, &reason)) {
		buf_addf(answer, "\t%s\n", reason);
		return;
	}
	size_t n = opencl_list(answer->a, &api, &all, &why);
	if (!n)
		buf_addf(answer, "\t%.*s\n", STR_ARG(why));
	for (size_t i = 0; i < n; i++)
		buf_addf(answer, "%.*s\t%.*s\n", STR_ARG(all[i].as->name),
			STR_ARG(all[i].as->driver));
}

void
doctor_opencl(struct arena *a, struct inventory *v)
{
	static const int64_t deadline_ns = 30 * INT64_C(1000000000);
	struct guarded_result r = guarded_run(a, ask, NULL, deadline_ns);
	struct str rest = r.answer, line, name;
	size_t n = 0;
	if (!r.ok) {
		add(a, v,
			(struct inventory_item){.name = STR_LIT("opencl"),
				.note = r.timed_out ? STR_LIT("an OpenCL runtime does "
							      "not answer")
						    : STR_LIT("an OpenCL runtime crashed "
							      "when it "
							      "was asked")});
		return;
	}
	while (str_line(&rest, &line)) {
		(void)str_split(&line, '\t', &name);
		if (name.n)
			add(a, v,
				(struct inventory_item){.present = true,
					.name = str_fmt(a, "opencl:%zu", n++),
					.version = name,
					.path = line});
		else
			add(a, v,
				(struct inventory_item){
					.name = STR_LIT("opencl"), .note = line});
	}
}
