/*
 * Facts in a cubin: an ELF64 file, little endian, whose .nv.info sections hold
 * attributes.
 *
 * The format is not documented by the vendor.  What is read here was compared with `ptxas
 * -v` of CUDA 13.0 for sm_75 to sm_120 (tests/unit/test_cubin.c repeats it where ptxas is
 * present); names of attributes are those that cuobjdump prints.  Any bytes are safe:
 * every offset is checked, and work is linear in the size of the file.
 */
#ifndef TOOLCHAIN_CUBIN_H
#define TOOLCHAIN_CUBIN_H

#include "model/facts.h"

/* Attributes: id, name.  Values are u32 unless noted; {sym, v} are two u32. */
#define CUBIN_ATTRIBUTES(X) \
	X(0x05, MAX_THREADS)  /* x, y, z: .maxntid */ \
	X(0x10, REQNTID)      /* x, y, z: .reqntid */ \
	X(0x11, FRAME_SIZE)   /* {sym, bytes}, in .nv.info */ \
	X(0x2f, REGCOUNT)     /* {sym, registers}, in .nv.info */ \
	X(0x4c, NUM_BARRIERS) /* u8: highest barrier + 1; absent: none */ \
	X(0x55, ANNOTATIONS)  /* array of {kind, pc}; kind 1: a spill */

enum cubin_attribute {
#define X(id, name) CUBIN_##name = (id),
	CUBIN_ATTRIBUTES(X)
#undef X
};

/* Architecture of the code, 90 for sm_90; 0 if it is not a cubin. */
int cubin_arch(struct str bytes);

/*
 * Registers, shared, stack, spills, barriers, constant and code bytes, max threads of one
 * entry (name as in the PTX).  False with a reason if the bytes are no cubin or the entry
 * is not in it; *f is then as it was.  Fields that the file does not hold are left alone.
 */
bool cubin_facts(struct arena *a, struct str bytes, struct str entry, struct facts *f,
	struct str *why);

#endif
