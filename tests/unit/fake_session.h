/*
 * The CUDA session on the fake driver (tests/fake/fake.h), each test in a process of its
 * own, since a fault is for life.
 */
#ifndef TESTS_UNIT_FAKE_SESSION_H
#define TESTS_UNIT_FAKE_SESSION_H

#include "backend/backend.h"
#include "backend/fill.h"
#include "backend/session.h"
#include "fake/fake.h"
#include "unit/scratch.h"

#include <dlfcn.h>

/* In the child, where cmocka's asserts do not work. */
#define CHECK(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
			_exit(1); \
		} \
	} while (0)

struct on_fake {
	struct arena a;
	struct session *s;
	struct fault f;
	struct fake_seen *seen;
};

/* What a test runs with. */
struct fake_setup {
	void (*body)(struct on_fake *t);
	const char *words; /* LANEWISE_FAKE */
	bool bare_driver, bare_nvml, no_nvml, no_cublas;
};

static inline const char *
fake_file(struct arena *a, const char *name)
{
	const char *set = getenv("LANEWISE");
	char *program = fs_dirname(a, set ? set : "./lanewise");
	return fs_join(a, fs_join(a, program, "tests/fake"), name);
}

static inline void
fake_load(struct arena *a, const char *name)
{
	if (!dlopen(fake_file(a, name), RTLD_NOW | RTLD_GLOBAL)) {
		fprintf(stderr, "%s (make fake)\n", dlerror());
		_exit(1);
	}
}

static inline void
fake_child(void *arg)
{
	const struct fake_setup *setup = arg;
	struct on_fake t;
	memset(&t, 0, sizeof t);
	/* cmocka's handlers would go on with the other tests, here. */
	signal(SIGABRT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	setenv("LANEWISE_FAKE", setup->words ? setup->words : "", 1);
	fake_load(&t.a, setup->bare_driver ? "bare/libcuda.so.1" : "libcuda.so.1");
	if (!setup->no_nvml)
		fake_load(&t.a, setup->bare_nvml ? "bare/libnvidia-ml.so.1"
						 : "libnvidia-ml.so.1");
	if (!setup->no_cublas)
		fake_load(&t.a, "libcublas.so.13");
	t.seen = dlsym(RTLD_DEFAULT, "fake_seen");
	CHECK(t.seen);
	setup->body(&t);
	_exit(0);
}

static inline void
fake_test(void **state, struct fake_setup setup)
{
	struct ended e = scratch_run(*state, fake_child, &setup);
	if (e.status != 0)
		fail_msg("status %d, signal %d: %s%s", e.status, e.signal, e.out, e.err);
}

static inline bool
fake_open(struct on_fake *t)
{
	struct str why;
	struct device *dev = backend_cuda.probe(&t->a, (struct str){0}, &why);
	if (!dev) {
		t->f = (struct fault){RESULT_TROUBLE, why, false};
		return false;
	}
	t->s = cuda_session.open(&t->a, dev, &t->f);
	return t->s != NULL;
}

static inline void
fake_opened(struct on_fake *t)
{
	if (fake_open(t))
		return;
	fprintf(stderr, "open: %.*s\n", STR_ARG(t->f.reason));
	_exit(1);
}

/* A kernel "k" that behaves so. */
static inline struct bench_request *
fake_request(struct on_fake *t, const char *behaviour, const char *args)
{
	struct bench_request *q = arena_new(&t->a, struct bench_request);
	struct arg *v;
	struct str why;
	CHECK(args_parse(&t->a, str_of(args), &v, &q->n_args, &why));
	q->args = v;
	q->artifact = str_fmt(&t->a, "fake\nkernel k %s\n", behaviour);
	q->entry = STR_LIT("k");
	q->seed = 1;
	q->launch = (struct launch){{32, 1, 1}, {4, 1, 1}, {1, 1, 1}, 0, false, false};
	return q;
}

static inline const char *
fake_args(struct on_fake *t, unsigned n)
{
	return str_fmt(&t->a, "in=f32*[%u]:exact,out=f32*[%u]:out,n=i32:%u", n, n, n).s;
}

static inline struct loaded *
fake_loaded(struct on_fake *t, const struct bench_request *q)
{
	struct loaded *l = cuda_session.load(t->s, &t->a, q, &t->f);
	if (l)
		return l;
	fprintf(stderr, "load: %.*s\n", STR_ARG(t->f.reason));
	_exit(1);
}

static inline bool
fake_run(struct on_fake *t, struct loaded *l)
{
	return cuda_session.refill(t->s, l, 0xff, &t->f) &&
	       cuda_session.run(
		       t->s, l, cuda_session.now(t->s) + INT64_C(5000000000), &t->f) &&
	       cuda_session.guards(t->s, l, &t->f);
}

/* The fault that was told: status, whether it is fatal, words of its reason. */
static inline void
fake_says(struct on_fake *t, enum result_status status, bool fatal, const char *words)
{
	const char *reason = str_c(&t->a, t->f.reason);
	if (t->f.status != status || t->f.fatal != fatal || !strstr(reason, words)) {
		fprintf(stderr, "not %s, fatal %d, '%s': %s, fatal %d, '%s'\n",
			result_status_name(status), fatal, words,
			result_status_name(t->f.status), t->f.fatal, reason);
		_exit(1);
	}
	t->f = (struct fault){0};
}

static inline float *
fake_floats(struct on_fake *t, struct loaded *l, size_t arg, unsigned n)
{
	float *v = arena_news(&t->a, n, float);
	CHECK(cuda_session.fetch(t->s, l, arg, v, &t->f));
	return v;
}

/* What an input holds. */
static inline float *
fake_filled(struct on_fake *t, const struct bench_request *q, size_t i)
{
	float *v = arena_news(&t->a, q->args[i].count, float);
	fill_all(&q->args[i], fill_stream(q->seed, i), 0, q->args[i].count, v);
	return v;
}

#endif
