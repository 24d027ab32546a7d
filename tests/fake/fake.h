/*
 * A CUDA driver, an NVML and a cuBLAS without a GPU, for tests: libcuda.so.1,
 * libnvidia-ml.so.1 and libcublas.so.13 in BUILD/tests/fake.  In BUILD/tests/fake/bare
 * are a driver and an NVML without any of the symbols that we can do without.
 *
 *     echo 'kernel * sum ns=auto' >kernels.txt        for examples/reduce
 *     LANEWISE_FAKE_KERNELS=$PWD/kernels.txt \
 *         LD_LIBRARY_PATH=BUILD/tests/fake lanewise tune     (tests/cli/fake.bats)
 *
 * Device memory is host memory; areas that are reserved and not mapped are out of bounds
 * as on a device.  A stream is a queue: work is done when its time has come on a clock of
 * the fake's own, which every call moves on a little and every query that finds work
 * unfinished a lot.  So what the host forgets to wait for is not there, and times do not
 * depend on the machine.
 *
 * Modules.  A text that begins with "fake" says what its kernels do, a line each:
 *
 *     kernel NAME BEHAVIOUR [params=8,8,4] [ns=5000] [cold=1000]
 *                           [refuse=CODE] [fail=CODE]
 *     constant NAME BYTES
 *     error CODE WORDS      the module does not load; WORDS are the compiler's
 *
 * Of every other module (cubin, PTX) the kernels are those of the file that
 * LANEWISE_FAKE_KERNELS names, in the same form; a NAME of "*" is any kernel, and ns=auto
 * a time between 5 and 10 us that depends on the module and the block.
 *
 * A launch that would write again what is there is not done again, so that batches of
 * thousands are quick.
 *
 * Behaviours.  Parameters are (float *in, float *out, int n) but where said otherwise:
 *
 *     copy        out[i] = in[i]
 *     constant    out[i] = in[i] * c, c the module's constant "taps"
 *     wrong-last  copy, but for the last element
 *     short       copy, without the last element
 *     beyond      copy, and one element after the last; before: one before the first
 *     far         copy, and one element 64 MiB behind the end: error 700
 *     random      every run writes something else
 *     damage      copy, and changes in[0]
 *     add         (float *io, int n)  io[i] += 1
 *     sum         out[b] = the sum of the b-th of gridDim parts of in
 *     product     (float *a, float *b, float *c, int m, int n, int k)  c = a * b in rows
 *     empty       nothing; its parameters are params= alone
 *     hang        never ends
 *     uncapturable   copy, but not while a graph is captured
 *
 * cold= is added to a launch that finds its first buffer pushed out of the L2 cache.
 * refuse= is what the launch returns, fail= what the device reports afterwards.
 *
 * LANEWISE_FAKE is a list of words, separated by commas:
 *
 *     memory=BYTES (1 GiB)  l2=BYTES (1 MiB)   devices=N (1)
 *     novmm       no guard pages       nograph    no stream can be captured
 *     nohelper    PTX of lanewise's own does not load
 *     mps  mig    the device is shared so  others  processes besides this one use it
 *     hidden      this process is not in the list of processes
 *     reasons=N   NVML's clocks event reasons  nonvml  NVML does not start
 */
#ifndef TESTS_FAKE_FAKE_H
#define TESTS_FAKE_FAKE_H

#include "backend/cuda_api.h"

#include <string.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

/* What happened since the last fake_reset(), for tests: dlsym(RTLD_DEFAULT, "fake_seen").
 */
struct fake_seen {
	int64_t now_ns;
	struct cu_launch launch; /* the last one that was not a helper's */
	int cooperative, programmatic;
	unsigned cluster[3];
	int64_t launches, graph_launches, flushes;
	int64_t queued, queued_most; /* plain launches not done yet */
	size_t used_bytes;           /* device memory */
	unsigned modules, graphs;    /* that are loaded, that exist */
};
extern FAKE_EXPORT struct fake_seen fake_seen;
/* All memory, errors and settings as at the start; LANEWISE_FAKE is read again. */
FAKE_EXPORT void fake_reset(void);
/* Work of a library's: run(arg) on the device, arg is copied (at most 128 bytes). */
FAKE_EXPORT int fake_submit(struct cu_stream *s, void (*run)(const void *arg),
	const void *arg, size_t n, int64_t ns);

/* A word of LANEWISE_FAKE: its number, or 1; `absent` when it is not there. */
uint64_t fake_word(const char *word, uint64_t absent);

/* --- within libcuda.so.1 --- */

enum { FAKE_PARAMS = 16, FAKE_PAYLOAD = 192 };

struct fake_op {
	cu_result (*run)(const struct fake_op *op);
	int64_t ns, gap, end;
	bool hangs, plain;
	/* Memory that it uses; it takes cold_ns longer when that is not in the L2. */
	cu_pointer touches;
	size_t touches_bytes;
	int64_t cold_ns;
	_Alignas(16) unsigned char data[FAKE_PAYLOAD];
};

/* What a call answers first: the sticky error, or CU_OK after moving the clock on. */
cu_result fake_call(int64_t ns);
/* Appends to the stream, or to the graph that is captured. */
cu_result fake_queue(struct cu_stream *s, const struct fake_op *op);
bool fake_capturing(void);
/* Of calls that wait for the device: ends the program when it never will be done. */
void fake_blocks(void);
/* Is all of it mapped, or plain device memory? */
bool fake_accessible(cu_pointer p, size_t n);
bool fake_is_pinned(const void *p);
void fake_memory_reset(void);
void fake_module_reset(void);
/* Uses memory: was it in the L2?  What was used before is pushed towards its end. */
bool fake_touch(cu_pointer p, size_t n);
/* Memory was written to, by what is no kernel. */
void fake_changed(void);
/* The capture that goes on cannot be ended well. */
void fake_capture_spoil(void);

#endif
