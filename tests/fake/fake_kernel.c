#include "fake/fake_kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* A store outside of memory is what a device makes of it. */
static cu_result
store(cu_pointer p, float v)
{
	if (!fake_accessible(p, sizeof v))
		return CU_ILLEGAL_ADDRESS;
	memcpy((void *)(uintptr_t)p, &v, sizeof v);
	return CU_OK;
}

static float
load(cu_pointer p)
{
	float v;
	memcpy(&v, (const void *)(uintptr_t)p, sizeof v);
	return v;
}

static int
count(const struct fake_work *w, size_t i)
{
	return (int)(uint32_t)w->value[i];
}

/* n elements times a factor. */
static cu_result
scale(const struct fake_work *w, int n, float factor)
{
	if (!fake_accessible(w->value[0], (size_t)n * 4))
		return CU_ILLEGAL_ADDRESS;
	for (int i = 0; i < n; i++) {
		cu_result e = store(w->value[1] + (cu_pointer)i * 4,
			load(w->value[0] + (cu_pointer)i * 4) * factor);
		if (e != CU_OK)
			return e;
	}
	return CU_OK;
}

static cu_result
copy(const struct fake_work *w)
{
	return scale(w, count(w, 2), 1);
}

static cu_result
constant(const struct fake_work *w)
{
	return scale(w, count(w, 2), load(w->constant));
}

/* Copies, and writes v at out[at]. */
static cu_result
copy_and(const struct fake_work *w, int64_t at, float v)
{
	cu_result e = copy(w);
	return e ? e : store(w->value[1] + (cu_pointer)(at * 4), v);
}

static cu_result
wrong_last(const struct fake_work *w)
{
	return copy_and(w, count(w, 2) - 1, 1e9f);
}

static cu_result
short_copy(const struct fake_work *w)
{
	return scale(w, count(w, 2) - 1, 1);
}

static cu_result
beyond(const struct fake_work *w)
{
	return copy_and(w, count(w, 2), 0);
}

static cu_result
before(const struct fake_work *w)
{
	return copy_and(w, -1, 0);
}

static cu_result
far(const struct fake_work *w)
{
	return copy_and(w, count(w, 2) + (16 << 20), 0);
}

static cu_result
random_last(const struct fake_work *w)
{
	static float runs;
	return copy_and(w, count(w, 2) - 1, ++runs);
}

static cu_result
damage(const struct fake_work *w)
{
	cu_result e = copy(w);
	return e ? e : store(w->value[0], load(w->value[0]) + 1);
}

static cu_result
add(const struct fake_work *w)
{
	cu_result e = CU_OK;
	for (int i = 0; e == CU_OK && i < count(w, 1); i++) {
		cu_pointer p = w->value[0] + (cu_pointer)i * 4;
		e = store(p, load(p) + 1);
	}
	return e;
}

static cu_result
sum(const struct fake_work *w)
{
	int n = count(w, 2), each = (n + (int)w->blocks - 1) / (int)w->blocks;
	cu_result e = CU_OK;
	for (int b = 0; e == CU_OK && b < (int)w->blocks; b++) {
		float s = 0;
		for (int i = b * each; i < n && i < (b + 1) * each; i++)
			s += load(w->value[0] + (cu_pointer)i * 4);
		e = store(w->value[1] + (cu_pointer)b * 4, s);
	}
	return e;
}

static cu_result
product(const struct fake_work *w)
{
	int m = count(w, 3), n = count(w, 4), k = count(w, 5);
	cu_result e = CU_OK;
	for (int i = 0; e == CU_OK && i < m * n; i++) {
		float s = 0;
		for (int j = 0; j < k; j++)
			s += load(w->value[0] + (cu_pointer)(i / n * k + j) * 4) *
			     load(w->value[1] + (cu_pointer)(j * n + i % n) * 4);
		e = store(w->value[2] + (cu_pointer)i * 4, s);
	}
	return e;
}

static cu_result
nothing(const struct fake_work *w)
{
	(void)w;
	return CU_OK;
}

/* --- lanewise's own ----------------------------------------------------------------- */

/* The device's clock runs at 1980 MHz; the sample is taken when the spinning ends. */
static cu_result
clock_sample(const struct fake_op *op, const struct fake_work *w)
{
	uint64_t v[3] = {(uint64_t)op->end, (uint64_t)op->end * 198 / 100, 7};
	memcpy((void *)(uintptr_t)w->value[0], v, sizeof v);
	return CU_OK;
}

static cu_result
word_sum(const struct fake_work *w)
{
	const uint32_t *word = (const uint32_t *)(uintptr_t)w->value[0];
	uint64_t s;
	memcpy(&s, (const void *)(uintptr_t)w->value[2], sizeof s);
	if (!fake_accessible(w->value[0], w->value[1] * 4))
		return CU_ILLEGAL_ADDRESS;
	for (uint64_t i = 0; i < w->value[1]; i++)
		s += (word[i] ^ i << 32) * UINT64_C(0x9E3779B97F4A7C15);
	memcpy((void *)(uintptr_t)w->value[2], &s, sizeof s);
	return CU_OK;
}

/* ------------------------------------------------------------------------------------ */

enum { EMPTY, CLOCK, WORD_SUM, HANG, UNCAPTURABLE };

/* output: the parameter that is all it writes to, as a function of what it reads; 0:
 * there is no such one. */
static const struct {
	const char *name;
	cu_result (*run)(const struct fake_work *w);
	size_t output;
} behaviours[] = {
	[EMPTY] = {"empty", nothing, 0},
	[CLOCK] = {"clock", nothing, 0},
	[WORD_SUM] = {"word-sum", word_sum, 0},
	[HANG] = {"hang", nothing, 0},
	[UNCAPTURABLE] = {"uncapturable", copy, 1},
	{"copy", copy, 1},
	{"constant", constant, 1},
	{"wrong-last", wrong_last, 1},
	{"short", short_copy, 1},
	{"beyond", beyond, 1},
	{"before", before, 1},
	{"far", far, 1},
	{"random", random_last, 0},
	{"damage", damage, 0},
	{"add", add, 0},
	{"sum", sum, 1},
	{"product", product, 2},
};

int
fake_behaviour(const char *name)
{
	for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
		if (strcmp(name, behaviours[i].name) == 0)
			return (int)i;
	}
	fprintf(stderr, "fake: there is no behaviour '%s'\n", name);
	abort();
}

static uint64_t changes = 1;

void
fake_changed(void)
{
	changes++;
}

/* Is what this launch writes there already?  If not, it will be. */
static bool
is_written(const struct fake_work *w)
{
	enum { SLOTS = 256 };
	static struct {
		struct fake_work by;
		uint64_t changes;
	} slot[SLOTS];
	size_t output = behaviours[w->k->behaviour].output;
	if (!output)
		return false;
	size_t i = (size_t)(w->value[output] / 256 * UINT64_C(0x9e3779b97f4a7c15) >> 56);
	bool same = slot[i].changes == changes && memcmp(&slot[i].by, w, sizeof *w) == 0;
	slot[i].by = *w;
	slot[i].changes = changes;
	return same;
}

static cu_result
work_run(const struct fake_op *op)
{
	struct fake_work w;
	memcpy(&w, op->data, sizeof w);
	if (w.k->fail)
		return w.k->fail;
	if (w.k->behaviour == CLOCK)
		return clock_sample(op, &w);
	if (w.k->behaviour == WORD_SUM)
		return word_sum(&w);
	if (is_written(&w))
		return CU_OK;
	if (!behaviours[w.k->behaviour].output)
		fake_changed();
	return behaviours[w.k->behaviour].run(&w);
}

_Static_assert(sizeof(struct fake_work) <= FAKE_PAYLOAD, "a launch fits an op");

cu_result
fake_kernel_submit(struct cu_stream *s, const struct fake_work *w, struct fake_op *op)
{
	const struct fake_kernel *k = w->k;
	if (k->behaviour == UNCAPTURABLE && fake_capturing()) {
		fake_capture_spoil();
		return 900; /* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED */
	}
	op->run = work_run;
	op->ns = k->ns < 0 ? op->ns : k->ns;
	op->cold_ns = k->cold_ns;
	op->hangs = k->behaviour == HANG;
	op->plain = true;
	if (k->behaviour == CLOCK)
		op->ns = (int64_t)w->value[1];
	if (k->behaviour == WORD_SUM) {
		op->touches_bytes = (size_t)w->value[1] * 4;
		fake_seen.flushes += op->touches_bytes > fake_word("l2", 1 << 20);
	} else if (k->n_params > 2 && k->bytes[2] == 4) {
		op->touches_bytes = (size_t)count(w, 2) * 8;
	}
	op->touches = op->touches_bytes ? w->value[0] : 0;
	memcpy(op->data, w, sizeof *w);
	return fake_queue(s, op);
}
