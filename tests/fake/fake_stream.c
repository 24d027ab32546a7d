/* The clock, streams, events, graphs, and what there is to know of the device. */
#include "fake/fake.h"

#include <stdio.h>
#include <stdlib.h>

#define X(field, symbol, optional, parameters) FAKE_EXPORT cu_result symbol parameters;
CUDA_API(X)
#undef X

struct cu_stream {
	struct fake_op *op;
	size_t n, cap, done;
	int64_t tail; /* when the last one ends */
};

struct cu_event {
	bool recorded;
	size_t after; /* ops of the stream in front of it */
	int64_t at;
};

struct cu_graph {
	struct fake_op *op;
	size_t n, cap;
};

struct fake_seen fake_seen;
static struct cu_stream stream; /* there is one */
static struct cu_graph *capture;
static bool capture_failed;
static cu_result sticky;

uint64_t
fake_word(const char *word, uint64_t absent)
{
	const char *at = getenv("LANEWISE_FAKE");
	size_t n = strlen(word);
	while (at && *at) {
		size_t length = strcspn(at, ",");
		if (strncmp(at, word, n) == 0 && (length == n || at[n] == '='))
			return at[n] == '=' ? strtoull(at + n + 1, NULL, 0) : 1;
		at += length + (at[length] == ',');
	}
	return absent;
}

FAKE_EXPORT void
fake_reset(void)
{
	free(stream.op);
	stream = (struct cu_stream){0};
	free(capture ? capture->op : NULL);
	free(capture);
	capture = NULL;
	capture_failed = false;
	sticky = CU_OK;
	fake_memory_reset();
	fake_module_reset();
	fake_seen = (struct fake_seen){.now_ns = 1000000};
}

cu_result
fake_call(int64_t ns)
{
	fake_seen.now_ns += ns;
	return sticky;
}

bool
fake_capturing(void)
{
	return capture != NULL;
}

void
fake_blocks(void)
{
	for (size_t i = stream.done; i < stream.n; i++) {
		if (!stream.op[i].hangs)
			continue;
		fputs("fake: this call would wait for a kernel that never ends\n",
			stderr);
		abort();
	}
}

static void
append(struct fake_op **v, size_t *n, size_t *cap, const struct fake_op *op)
{
	if (*n == *cap) {
		*cap = *cap ? 2 * *cap : 64;
		*v = realloc(*v, *cap * sizeof **v);
	}
	(*v)[(*n)++] = *op;
}

static cu_result
enqueue(const struct fake_op *op)
{
	struct fake_op mine = *op;
	if (op->touches && !fake_touch(op->touches, op->touches_bytes))
		mine.ns += op->cold_ns;
	int64_t start = stream.tail > fake_seen.now_ns ? stream.tail : fake_seen.now_ns;
	mine.end = start + mine.ns + mine.gap;
	stream.tail = mine.end;
	append(&stream.op, &stream.n, &stream.cap, &mine);
	fake_seen.queued += op->plain;
	if (fake_seen.queued > fake_seen.queued_most)
		fake_seen.queued_most = fake_seen.queued;
	return CU_OK;
}

cu_result
fake_queue(struct cu_stream *s, const struct fake_op *op)
{
	if (!s)
		return CU_INVALID_VALUE; /* nobody of us uses the default stream */
	if (!capture)
		return enqueue(op);
	append(&capture->op, &capture->n, &capture->cap, op);
	return CU_OK;
}

/* Does what is due by now. */
static void
progress(void)
{
	while (sticky == CU_OK && stream.done < stream.n) {
		const struct fake_op *op = &stream.op[stream.done];
		if (op->hangs || op->end > fake_seen.now_ns)
			return;
		sticky = op->run(op);
		fake_seen.queued -= op->plain;
		stream.done++;
	}
}

/* The ops in front of `after` are done? */
static cu_result
query(size_t after)
{
	enum { PATIENCE_NS = 20000 };
	cu_result e = fake_call(200);
	progress();
	if (e != CU_OK || sticky != CU_OK)
		return sticky;
	if (stream.done >= after)
		return CU_OK;
	int64_t left = stream.op[stream.done].end - fake_seen.now_ns;
	fake_seen.now_ns += left < PATIENCE_NS && left > 0 ? left : PATIENCE_NS;
	return CU_NOT_READY;
}

/* --- starting, naming --------------------------------------------------------------- */

FAKE_EXPORT cu_result
cuInit(unsigned flags)
{
	static bool started;
	(void)flags;
	if (!started)
		fake_reset();
	started = true;
	return fake_word("devices", 1) ? sticky : CU_NO_DEVICE;
}

FAKE_EXPORT cu_result
cuDriverGetVersion(int *v)
{
	*v = 13000;
	return CU_OK;
}

FAKE_EXPORT cu_result
cuGetErrorName(cu_result e, const char **s)
{
	static const struct {
		int code;
		const char *name;
	} names[] = {
#define X(ours, vendor, value) {value, #vendor},
		CUDA_CONSTANTS(X)
#undef X
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].code != e || strncmp(names[i].name, "CUDA_ERROR", 10) != 0)
			continue;
		*s = names[i].name;
		return CU_OK;
	}
	return CU_INVALID_VALUE;
}

FAKE_EXPORT cu_result
cuGetErrorString(cu_result e, const char **s)
{
	(void)e;
	*s = "as told by the fake";
	return CU_OK;
}

FAKE_EXPORT cu_result
cuDeviceGetCount(int *n)
{
	*n = (int)fake_word("devices", 1);
	return CU_OK;
}

FAKE_EXPORT cu_result
cuDeviceGet(cu_device *d, int i)
{
	*d = i;
	return i < (int)fake_word("devices", 1) ? CU_OK : CU_INVALID_VALUE;
}

FAKE_EXPORT cu_result
cuDeviceGetName(char *s, int n, cu_device d)
{
	(void)d;
	memset(s, 0, (size_t)n);
	memcpy(s, "Fake H200", sizeof "Fake H200");
	return CU_OK;
}

FAKE_EXPORT cu_result
cuDeviceGetUuid_v2(struct cu_uuid *u, cu_device d)
{
	memset(u->bytes, 0xfa, sizeof u->bytes);
	u->bytes[15] = (unsigned char)d;
	return CU_OK;
}

/* As an H200 answers (the L2 cache is small, so that tests are quick). */
FAKE_EXPORT cu_result
cuDeviceGetAttribute(int *v, cu_enum a, cu_device d)
{
	static const struct {
		int a, v;
	} table[] = {
		{CU_ATTR_MAX_THREADS, 1024},
		{CU_ATTR_BLOCK_X, 1024},
		{CU_ATTR_BLOCK_Y, 1024},
		{CU_ATTR_BLOCK_Z, 64},
		{CU_ATTR_GRID_X, 2147483647},
		{CU_ATTR_GRID_Y, 65535},
		{CU_ATTR_GRID_Z, 65535},
		{CU_ATTR_SHARED, 49152},
		{CU_ATTR_WARP, 32},
		{CU_ATTR_CLOCK_KHZ, 1980000},
		{CU_ATTR_SMS, 132},
		{CU_ATTR_MEMORY_KHZ, 3201000},
		{CU_ATTR_BUS_BITS, 6016},
		{CU_ATTR_SM_THREADS, 2048},
		{CU_ATTR_CC_MAJOR, 9},
		{CU_ATTR_CC_MINOR, 0},
		{CU_ATTR_SM_SHARED, 233472},
		{CU_ATTR_SM_REGISTERS, 65536},
		{CU_ATTR_SHARED_OPTIN, 232448},
		{CU_ATTR_SM_BLOCKS, 32},
		{CU_ATTR_SHARED_RESERVED, 1024},
		{CU_ATTR_CLUSTER, 1},
	};
	(void)d;
	*v = 0;
	if (a == CU_ATTR_L2)
		*v = (int)fake_word("l2", 1 << 20);
	if (a == CU_ATTR_VMM)
		*v = !fake_word("novmm", 0);
	if (a == CU_ATTR_MPS)
		*v = (int)fake_word("mps", 0);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		*v = table[i].a == a ? table[i].v : *v;
	return CU_OK;
}

FAKE_EXPORT cu_result
cuDevicePrimaryCtxSetFlags_v2(cu_device d, unsigned flags)
{
	(void)d, (void)flags;
	return fake_call(100);
}

FAKE_EXPORT cu_result
cuDevicePrimaryCtxRetain(cu_context *c, cu_device d)
{
	(void)d;
	*c = (cu_context)(void *)&stream;
	return fake_call(100000);
}

FAKE_EXPORT cu_result
cuCtxSetCurrent(cu_context c)
{
	(void)c;
	return fake_call(100);
}

/* --- streams and events ------------------------------------------------------------- */

FAKE_EXPORT cu_result
cuStreamCreate(cu_stream *s, unsigned flags)
{
	*s = &stream;
	return flags == CU_NON_BLOCKING ? fake_call(1000) : CU_INVALID_VALUE;
}

FAKE_EXPORT cu_result
cuStreamQuery(cu_stream s)
{
	return query(s->n);
}

FAKE_EXPORT cu_result
cuEventCreate(cu_event *e, unsigned flags)
{
	/* A session lives as long as its process; its events are not counted. */
	static struct cu_event pool[64];
	static size_t used;
	(void)flags;
	*e = &pool[used++ % (sizeof pool / sizeof *pool)];
	**e = (struct cu_event){0};
	return fake_call(500);
}

FAKE_EXPORT cu_result
cuEventRecord(cu_event e, cu_stream s)
{
	cu_result r = fake_call(500);
	*e = (struct cu_event){
		true, s->n, s->tail > fake_seen.now_ns ? s->tail : fake_seen.now_ns};
	return r;
}

FAKE_EXPORT cu_result
cuEventQuery(cu_event e)
{
	return e->recorded ? query(e->after) : CU_INVALID_VALUE;
}

FAKE_EXPORT cu_result
cuEventElapsedTime(float *ms, cu_event a, cu_event b)
{
	if (!a->recorded || !b->recorded)
		return CU_INVALID_VALUE;
	if (stream.done < b->after)
		return CU_NOT_READY;
	*ms = (float)((double)(b->at - a->at) * 1e-6);
	return fake_call(200);
}

/* --- graphs ------------------------------------------------------------------------- */

FAKE_EXPORT cu_result
cuStreamBeginCapture_v2(cu_stream s, cu_enum mode)
{
	(void)s;
	if (capture || mode != CU_CAPTURE_THREAD)
		return CU_INVALID_VALUE;
	if (fake_word("nograph", 0))
		return CU_NOT_SUPPORTED;
	capture = calloc(1, sizeof *capture);
	capture_failed = false;
	return fake_call(1000);
}

/* What failed inside has spoilt the whole. */
FAKE_EXPORT cu_result
cuStreamEndCapture(cu_stream s, cu_graph *g)
{
	(void)s;
	*g = NULL;
	if (!capture)
		return CU_INVALID_VALUE;
	*g = capture;
	capture = NULL;
	fake_seen.graphs++;
	if (!capture_failed)
		return fake_call(1000);
	cuGraphDestroy(*g);
	*g = NULL;
	return 901; /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
}

FAKE_EXPORT cu_result
cuGraphDestroy(cu_graph g)
{
	free(g->op);
	free(g);
	fake_seen.graphs--;
	return fake_call(1000);
}

FAKE_EXPORT cu_result
cuGraphInstantiateWithFlags(cu_graph_exec *e, cu_graph g, unsigned long long flags)
{
	struct cu_graph *copy = calloc(1, sizeof *copy);
	(void)flags;
	for (size_t i = 0; i < g->n; i++)
		append(&copy->op, &copy->n, &copy->cap, &g->op[i]);
	*e = (cu_graph_exec)(void *)copy;
	fake_seen.graphs++;
	return fake_call(100000);
}

FAKE_EXPORT cu_result
cuGraphExecDestroy(cu_graph_exec e)
{
	return cuGraphDestroy((cu_graph)(void *)e);
}

FAKE_EXPORT cu_result
cuGraphLaunch(cu_graph_exec e, cu_stream s)
{
	enum { GRAPH_GAP_NS = 300 };
	const struct cu_graph *g = (const struct cu_graph *)(void *)e;
	cu_result r = fake_call(5000);
	(void)s;
	for (size_t i = 0; r == CU_OK && i < g->n; i++) {
		struct fake_op op = g->op[i];
		op.gap = op.gap ? GRAPH_GAP_NS : 0;
		op.plain = false;
		r = enqueue(&op);
	}
	fake_seen.graph_launches++;
	return r;
}

void
fake_capture_spoil(void)
{
	capture_failed = true;
}

#ifndef FAKE_BARE
FAKE_EXPORT cu_result
cuGraphUpload(cu_graph_exec e, cu_stream s)
{
	(void)e, (void)s;
	return fake_call(1000);
}
#endif

/* NVRTC asks for it when there is a driver, and takes no for an answer. */
FAKE_EXPORT cu_result cuGetExportTable(const void **table, const void *id);
cu_result
cuGetExportTable(const void **table, const void *id)
{
	(void)id;
	*table = NULL;
	return CU_NOT_SUPPORTED;
}

/* --- other libraries' work ---------------------------------------------------------- */

struct foreign {
	void (*run)(const void *arg);
	_Alignas(16) unsigned char arg[128];
};

static cu_result
foreign_run(const struct fake_op *op)
{
	struct foreign f;
	memcpy(&f, op->data, sizeof f);
	f.run(f.arg);
	return CU_OK;
}

FAKE_EXPORT int
fake_submit(struct cu_stream *s, void (*run)(const void *arg), const void *arg, size_t n,
	int64_t ns)
{
	struct foreign f = {.run = run};
	struct fake_op op = {.run = foreign_run, .ns = ns, .gap = 1000, .plain = true};
	cu_result e = fake_call(2000);
	if (n > sizeof f.arg)
		abort();
	memcpy(f.arg, arg, n);
	memcpy(op.data, &f, sizeof f);
	return e ? e : fake_queue(s, &op);
}
