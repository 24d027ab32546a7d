#include "backend/host_session.h"

#include "backend/image.h"
#include "model/signature.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
host_refuse(struct session *s, enum result_status status, struct str reason)
{
	*s->call.f = (struct fault){status, reason, false};
	return false;
}

bool
host_fault(struct session *s, enum result_status status, struct str reason)
{
	*s->call.f = (struct fault){status, reason, true};
	return false;
}

/* --- open --------------------------------------------------------------------------- */

static struct session *
session_open(struct arena *a, const struct device *dev, struct fault *f)
{
	struct session *s = arena_new(a, struct session);
	struct cpu cpu = cpu_here(a);
	long page = sysconf(_SC_PAGESIZE);

	s->a = a;
	s->call = (struct call){a, f};
	if (!str_eq(str_sub(dev->uuid, 4, 4 + cpu.identity.n), cpu.identity)) {
		host_refuse(s, RESULT_TROUBLE,
			STR_LIT("this is another processor than the graph was written "
				"for; run 'lanewise graph'"));
		return NULL;
	}
	s->n_allowed = cpu_allowed(s->allowed);
	s->l2_bytes = (uint64_t)dev->l2_bytes;
	host_pools_begin(s, page > 0 ? (size_t)page : 4096);
	host_guard_make(s);
	s->busy_clock = host_clock_choose();
	return s;
}

/* --- a candidate -------------------------------------------------------------------- */

static void
unload(struct session *s, struct loaded *l)
{
	struct fault unheard;

	s->call = (struct call){l->a, &unheard};
	if (l->object)
		dlclose(l->object);
	if (l->fd >= 0)
		close(l->fd);
	pool_drop(&l->pool);
}

static bool
unloadable(struct session *s, struct str reason)
{
	return host_refuse(s, RESULT_UNLOADABLE, reason);
}

/* A file in memory: it is these bytes, whatever becomes of the file on disk, and no
 * other object has its name as long as it is open. */
static int
object_file(const struct loaded *l)
{
	int fd = (int)syscall(SYS_memfd_create, "kernel", 1U /* MFD_CLOEXEC */);
	struct str rest = l->q->artifact;

	while (fd >= 0 && rest.n) {
		ssize_t n = write(fd, rest.s, rest.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		rest = str_sub(rest, (size_t)n, rest.n);
	}
	return fd;
}

struct opening {
	const char *path;
	void *object;
};

/* Constructors run: code of the user's. */
static void
open_object(void *arg)
{
	struct opening *o = arg;

	o->object = dlopen(o->path, RTLD_NOW | RTLD_LOCAL);
}

static bool
object_open(struct session *s, struct loaded *l)
{
	struct opening o = {0};

	if (!image_is_native(l->q->artifact))
		return unloadable(s, STR_LIT("the shared object is damaged"));
	l->fd = object_file(l);
	if (l->fd < 0)
		return host_refuse(s, RESULT_TROUBLE,
			str_fmt(s->call.a, "no memory for the shared object: %s",
				strerror(errno)));
	o.path = str_fmt(l->a, "/proc/self/fd/%d", l->fd).s;
	if (!host_guarded(s, "while it was loaded", open_object, &o))
		return false;
	l->object = o.object;
	if (!l->object)
		return unloadable(
			s, str_fmt(s->call.a, "it cannot be loaded: %s", dlerror()));
	void *found = dlsym(l->object, HOST_SYMBOL);
	if (!found)
		return unloadable(s, STR_LIT("it has no function '" HOST_SYMBOL "'"));
	memcpy(&l->function, &found, sizeof l->function);
	return true;
}

static bool
values_known(struct session *s, const struct bench_request *q)
{
	for (size_t i = 0; i < q->n_args; i++)
		if (!q->args[i].pointer && !q->args[i].known)
			return host_refuse(s, RESULT_UNLAUNCHABLE,
				str_fmt(s->call.a,
					"argument '%.*s' has no value; give it one in "
					"the spec",
					STR_ARG(q->args[i].name)));
	return q->n_constants == 0 ||
	       host_refuse(s, RESULT_UNLAUNCHABLE,
		       STR_LIT("'constants' are of a GPU's module; a kernel in C has "
			       "arguments and -D"));
}

static struct loaded *
load(struct session *s, struct arena *a, const struct bench_request *q, struct fault *f)
{
	struct loaded *l = arena_new(a, struct loaded);

	*l = (struct loaded){.a = a, .q = q, .fd = -1};
	l->threads = (size_t)dim_volume(q->launch.block);
	s->call = (struct call){a, f};
	if (values_known(s, q) && host_bind(s, l->threads) &&
		(q->library.n ? host_library_open(s, l) : object_open(s, l)) &&
		(l->pool = pool_get(&s->mainmem.pools, q))) {
		host_params(s, l, 1);
		return l;
	}
	struct fault told = *f;
	unload(s, l);
	*f = told;
	return NULL;
}

void
host_params(const struct session *s, struct loaded *l, unsigned copies)
{
	size_t n = l->q->n_args;

	if (l->params_copies >= copies)
		return;
	l->params = arena_news(l->a, copies * n + 1, void *);
	l->params_copies = copies;
	for (unsigned c = 0; c < copies; c++)
		for (size_t i = 0; i < n; i++)
			/* A value that a kernel cannot change: it is passed by value. */
			l->params[c * n + i] =
				l->q->args[i].pointer
					? mainmem_buffer(&s->mainmem, l->pool, i)
						  ->copy[c]
						  .at
					: (void *)(uintptr_t)&l->q->args[i].bits;
}

void
host_launch(const struct loaded *l, unsigned copy)
{
	void *const *args = l->params + (l->q ? copy * l->q->n_args : 0);

	if (l->library)
		host_library_launch(l, args);
	else
		l->function(args);
}

/* --- runs --------------------------------------------------------------------------- */

static bool
refill(struct session *s, struct loaded *l, unsigned char poison, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return mainmem_restore(&s->mainmem, l->pool, 1) &&
	       mainmem_poison(&s->mainmem, l->pool, poison);
}

static void
run_once(void *arg)
{
	host_launch(arg, 0);
}

static bool
run(struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	(void)deadline_ns;
	s->call = (struct call){l->a, f};
	l->pool->used = true;
	host_library_ready(l);
	return host_bind(s, l->threads) && host_guarded(s, "it crashed", run_once, l) &&
	       host_library_answer(s, l);
}

static bool
guards(struct session *s, struct loaded *l, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return pool_check(&s->mainmem.pools, l->pool);
}

static bool
fetch(struct session *s, struct loaded *l, size_t arg, void *to, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return mainmem_read(&s->mainmem, l->pool, arg, to);
}

static bool
batch_time(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out, struct fault *f)
{
	(void)deadline_ns;
	s->call = (struct call){l->a, f};
	return host_batch(s, l, b, out);
}

static double
empty_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	(void)l;
	(void)mode;
	return host_floor(s);
}

/* --- the device --------------------------------------------------------------------- */

static void
state(struct session *s, struct arena *a, struct device_state *out)
{
	struct noise n;

	noise_look(a, &s->noise, &n);
	*out = session_untold(noise_text(a, &s->noise, &n));
}

const struct session_ops host_session = {.open = session_open,
	.load = load,
	.unload = unload,
	.refill = refill,
	.run = run,
	.guards = guards,
	.fetch = fetch,
	.graphs = session_no_graphs,
	.time = batch_time,
	.floor = empty_floor,
	.state = state,
	.now = session_now,
	.sleep = session_sleep};
