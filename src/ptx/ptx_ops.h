/*
 * The words of PTX as tables: operations, modifiers, types, special registers.
 * One line each is all that a new opcode or modifier needs.
 *
 * An operation is the longest dotted prefix of an opcode that the table knows, after
 * ".cta" was dropped from barriers ("barrier.cta.sync.aligned" is BARRIER_SYNC) and
 * "bar" was written out ("bar.sync" is "barrier.sync" + aligned, PTX ISA "bar").
 * What follows the prefix are modifiers.  An opcode that is not here is UNKNOWN: it
 * keeps its operands and is never a reason to refuse a file.
 *
 * Source of names and operand orders: PTX ISA 9.0 (docs.nvidia.com/cuda/
 * parallel-thread-execution), chapter 9 and 10.
 */
#ifndef PTX_OPS_H
#define PTX_OPS_H

/*
 * What an operation is to someone who asks "who runs this, and who waits for whom?".
 *
 * ALU		result depends on the operands only
 * LOAD		reads memory (or a texture) into registers
 * STORE	writes memory, no result
 * ATOM		read-modify-write with a result that no other thread may get
 * BARRIER	CTA barrier: barrier.sync, .arrive, .red (16 of them, by id)
 * CLUSTER	barrier.cluster.arrive / .wait
 * COLLECTIVE	the lanes of a warp (membermask, or all of it when .aligned) meet
 * WARPGROUP	four warps meet: wgmma, setmaxnreg
 * ACTIVEMASK	snapshot of the active lanes, no meeting
 * BRANCH	bra
 * SWITCH	brx.idx through a .branchtargets table
 * CALL RET EXIT TRAP
 * MBARRIER	counted asynchronous barrier in shared memory, per thread
 * ASYNC	starts or waits for asynchronous work, per thread
 * FENCE	memory ordering, no meeting
 * HINT		no effect on values or control: nanosleep, prefetch, pmevent, brkpt
 * OTHER	UNKNOWN and what has no better home
 */
enum ptx_nature {
	PTX_N_OTHER,
	PTX_N_ALU,
	PTX_N_LOAD,
	PTX_N_STORE,
	PTX_N_ATOM,
	PTX_N_BARRIER,
	PTX_N_CLUSTER,
	PTX_N_COLLECTIVE,
	PTX_N_WARPGROUP,
	PTX_N_ACTIVEMASK,
	PTX_N_BRANCH,
	PTX_N_SWITCH,
	PTX_N_CALL,
	PTX_N_RET,
	PTX_N_EXIT,
	PTX_N_TRAP,
	PTX_N_MBARRIER,
	PTX_N_ASYNC,
	PTX_N_FENCE,
	PTX_N_HINT,
};

/* clang-format off */
/*
 * X(operation, spelling, nature, results): results is how many leading operands are
 * written, unless the first operand turns out to be an address (then none is).
 */
#define PTX_OPS(X)                                                                       \
	X(UNKNOWN, "", OTHER, 1)                                                         \
	/* synchronisation */                                                            \
	X(BARRIER_SYNC, "barrier.sync", BARRIER, 0)                                      \
	X(BARRIER_ARRIVE, "barrier.arrive", BARRIER, 0)                                  \
	X(BARRIER_RED, "barrier.red", BARRIER, 1)                                        \
	X(BAR_WARP_SYNC, "barrier.warp.sync", COLLECTIVE, 0)                             \
	X(CLUSTER_ARRIVE, "barrier.cluster.arrive", CLUSTER, 0)                          \
	X(CLUSTER_WAIT, "barrier.cluster.wait", CLUSTER, 0)                              \
	X(SHFL, "shfl", COLLECTIVE, 1)                                                   \
	X(VOTE, "vote", COLLECTIVE, 1)                                                   \
	X(MATCH, "match", COLLECTIVE, 1)                                                 \
	X(REDUX, "redux", COLLECTIVE, 1)                                                 \
	X(ELECT, "elect", COLLECTIVE, 1)                                                 \
	X(ACTIVEMASK, "activemask", ACTIVEMASK, 1)                                       \
	/* matrices: aligned over a warp or a warpgroup */                               \
	X(WMMA_LOAD, "wmma.load", COLLECTIVE, 1)                                         \
	X(WMMA_STORE, "wmma.store", COLLECTIVE, 0)                                       \
	X(WMMA_MMA, "wmma.mma", COLLECTIVE, 1)                                           \
	X(MMA, "mma", COLLECTIVE, 1)                                                     \
	X(LDMATRIX, "ldmatrix", COLLECTIVE, 1)                                           \
	X(STMATRIX, "stmatrix", COLLECTIVE, 0)                                           \
	X(MOVMATRIX, "movmatrix", COLLECTIVE, 1)                                         \
	X(WGMMA_FENCE, "wgmma.fence", WARPGROUP, 0)                                      \
	X(WGMMA_MMA, "wgmma.mma_async", WARPGROUP, 1)                                    \
	X(WGMMA_COMMIT, "wgmma.commit_group", WARPGROUP, 0)                              \
	X(WGMMA_WAIT, "wgmma.wait_group", WARPGROUP, 0)                                  \
	X(SETMAXNREG, "setmaxnreg", WARPGROUP, 0)                                        \
	X(TCGEN05_ALLOC, "tcgen05.alloc", COLLECTIVE, 0)                                 \
	X(TCGEN05_DEALLOC, "tcgen05.dealloc", COLLECTIVE, 0)                             \
	X(TCGEN05_PERMIT, "tcgen05.relinquish_alloc_permit", COLLECTIVE, 0)              \
	X(TCGEN05_LD, "tcgen05.ld", COLLECTIVE, 1)                                       \
	X(TCGEN05_ST, "tcgen05.st", COLLECTIVE, 0)                                       \
	X(TCGEN05_WAIT, "tcgen05.wait", COLLECTIVE, 0)                                   \
	X(TCGEN05_MMA, "tcgen05.mma", ASYNC, 0)                                          \
	X(TCGEN05_CP, "tcgen05.cp", ASYNC, 0)                                            \
	X(TCGEN05_SHIFT, "tcgen05.shift", ASYNC, 0)                                      \
	X(TCGEN05_COMMIT, "tcgen05.commit", MBARRIER, 0)                                 \
	X(TCGEN05_FENCE, "tcgen05.fence", FENCE, 0)                                      \
	/* control */                                                                    \
	X(BRA, "bra", BRANCH, 0)                                                         \
	X(BRX_IDX, "brx.idx", SWITCH, 0)                                                 \
	X(CALL, "call", CALL, 1)                                                         \
	X(RET, "ret", RET, 0)                                                            \
	X(EXIT, "exit", EXIT, 0)                                                         \
	X(TRAP, "trap", TRAP, 0)                                                         \
	X(BRKPT, "brkpt", HINT, 0)                                                       \
	/* integer */                                                                    \
	X(ADD, "add", ALU, 1)                                                            \
	X(SUB, "sub", ALU, 1)                                                            \
	X(MUL, "mul", ALU, 1)                                                            \
	X(MAD, "mad", ALU, 1)                                                            \
	X(MUL24, "mul24", ALU, 1)                                                        \
	X(MAD24, "mad24", ALU, 1)                                                        \
	X(SAD, "sad", ALU, 1)                                                            \
	X(DIV, "div", ALU, 1)                                                            \
	X(REM, "rem", ALU, 1)                                                            \
	X(ABS, "abs", ALU, 1)                                                            \
	X(NEG, "neg", ALU, 1)                                                            \
	X(MIN, "min", ALU, 1)                                                            \
	X(MAX, "max", ALU, 1)                                                            \
	X(POPC, "popc", ALU, 1)                                                          \
	X(CLZ, "clz", ALU, 1)                                                            \
	X(BFIND, "bfind", ALU, 1)                                                        \
	X(FNS, "fns", ALU, 1)                                                            \
	X(BREV, "brev", ALU, 1)                                                          \
	X(BFE, "bfe", ALU, 1)                                                            \
	X(BFI, "bfi", ALU, 1)                                                            \
	X(SZEXT, "szext", ALU, 1)                                                        \
	X(BMSK, "bmsk", ALU, 1)                                                          \
	X(DP4A, "dp4a", ALU, 1)                                                          \
	X(DP2A, "dp2a", ALU, 1)                                                          \
	X(ADDC, "addc", ALU, 1)                                                          \
	X(SUBC, "subc", ALU, 1)                                                          \
	X(MADC, "madc", ALU, 1)                                                          \
	/* floating point */                                                             \
	X(FMA, "fma", ALU, 1)                                                            \
	X(RCP, "rcp", ALU, 1)                                                            \
	X(SQRT, "sqrt", ALU, 1)                                                          \
	X(RSQRT, "rsqrt", ALU, 1)                                                        \
	X(SIN, "sin", ALU, 1)                                                            \
	X(COS, "cos", ALU, 1)                                                            \
	X(LG2, "lg2", ALU, 1)                                                            \
	X(EX2, "ex2", ALU, 1)                                                            \
	X(TANH, "tanh", ALU, 1)                                                          \
	X(TESTP, "testp", ALU, 1)                                                        \
	X(COPYSIGN, "copysign", ALU, 1)                                                  \
	/* compare, select, logic, shift, move */                                        \
	X(SETP, "setp", ALU, 1)                                                          \
	X(SET, "set", ALU, 1)                                                            \
	X(SELP, "selp", ALU, 1)                                                          \
	X(SLCT, "slct", ALU, 1)                                                          \
	X(AND, "and", ALU, 1)                                                            \
	X(OR, "or", ALU, 1)                                                              \
	X(XOR, "xor", ALU, 1)                                                            \
	X(NOT, "not", ALU, 1)                                                            \
	X(CNOT, "cnot", ALU, 1)                                                          \
	X(LOP3, "lop3", ALU, 1)                                                          \
	X(SHF, "shf", ALU, 1)                                                            \
	X(SHL, "shl", ALU, 1)                                                            \
	X(SHR, "shr", ALU, 1)                                                            \
	X(PRMT, "prmt", ALU, 1)                                                          \
	X(MOV, "mov", ALU, 1)                                                            \
	X(CVT, "cvt", ALU, 1)                                                            \
	X(CVT_PACK, "cvt.pack", ALU, 1)                                                  \
	X(CVTA, "cvta", ALU, 1)                                                          \
	X(ISSPACEP, "isspacep", ALU, 1)                                                  \
	X(MAPA, "mapa", ALU, 1)                                                          \
	X(GETCTARANK, "getctarank", ALU, 1)                                              \
	X(ISTYPEP, "istypep", ALU, 1)                                                    \
	X(CREATEPOLICY, "createpolicy", ALU, 1)                                          \
	X(ALLOCA, "alloca", ALU, 1)                                                      \
	X(STACKSAVE, "stacksave", ALU, 1)                                                \
	X(STACKRESTORE, "stackrestore", HINT, 0)                                         \
	/* memory */                                                                     \
	X(LD, "ld", LOAD, 1)                                                             \
	X(LDU, "ldu", LOAD, 1)                                                           \
	X(ST, "st", STORE, 0)                                                            \
	X(ST_ASYNC, "st.async", ASYNC, 0)                                                \
	X(ST_BULK, "st.bulk", STORE, 0)                                                  \
	X(ATOM, "atom", ATOM, 1)                                                         \
	X(RED, "red", STORE, 0)                                                          \
	X(RED_ASYNC, "red.async", ASYNC, 0)                                              \
	X(MULTIMEM_LD, "multimem.ld_reduce", LOAD, 1)                                    \
	X(MULTIMEM_ST, "multimem.st", STORE, 0)                                          \
	X(MULTIMEM_RED, "multimem.red", STORE, 0)                                        \
	X(TEX, "tex", LOAD, 1)                                                           \
	X(TLD4, "tld4", LOAD, 1)                                                         \
	X(TXQ, "txq", LOAD, 1)                                                           \
	X(SULD, "suld", LOAD, 1)                                                         \
	X(SUST, "sust", STORE, 0)                                                        \
	X(SURED, "sured", STORE, 0)                                                      \
	X(SUQ, "suq", LOAD, 1)                                                           \
	X(MEMBAR, "membar", FENCE, 0)                                                    \
	X(FENCE, "fence", FENCE, 0)                                                      \
	X(PREFETCH, "prefetch", HINT, 0)                                                 \
	X(PREFETCHU, "prefetchu", HINT, 0)                                               \
	X(APPLYPRIORITY, "applypriority", HINT, 0)                                       \
	X(DISCARD, "discard", STORE, 0)                                                  \
	X(NANOSLEEP, "nanosleep", HINT, 0)                                               \
	X(PMEVENT, "pmevent", HINT, 0)                                                   \
	/* asynchronous work */                                                          \
	X(CP_ASYNC, "cp.async", ASYNC, 0)                                                \
	X(CP_ASYNC_COMMIT, "cp.async.commit_group", ASYNC, 0)                            \
	X(CP_ASYNC_WAIT, "cp.async.wait_group", ASYNC, 0)                                \
	X(CP_ASYNC_WAIT_ALL, "cp.async.wait_all", ASYNC, 0)                              \
	X(CP_ASYNC_MBARRIER, "cp.async.mbarrier.arrive", MBARRIER, 0)                    \
	X(CP_BULK, "cp.async.bulk", ASYNC, 0)                                            \
	X(CP_BULK_COMMIT, "cp.async.bulk.commit_group", ASYNC, 0)                        \
	X(CP_BULK_WAIT, "cp.async.bulk.wait_group", ASYNC, 0)                            \
	X(CP_REDUCE_BULK, "cp.reduce.async.bulk", ASYNC, 0)                              \
	X(MBARRIER_INIT, "mbarrier.init", MBARRIER, 0)                                   \
	X(MBARRIER_INVAL, "mbarrier.inval", MBARRIER, 0)                                 \
	X(MBARRIER_EXPECT, "mbarrier.expect_tx", MBARRIER, 0)                            \
	X(MBARRIER_COMPLETE, "mbarrier.complete_tx", MBARRIER, 0)                        \
	X(MBARRIER_ARRIVE, "mbarrier.arrive", MBARRIER, 1)                               \
	X(MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop", MBARRIER, 1)                     \
	X(MBARRIER_TEST, "mbarrier.test_wait", MBARRIER, 1)                              \
	X(MBARRIER_TRY, "mbarrier.try_wait", MBARRIER, 1)                                \
	X(MBARRIER_PENDING, "mbarrier.pending_count", ALU, 1)                            \
	X(GRIDDEP_WAIT, "griddepcontrol.wait", ASYNC, 0)                                 \
	X(GRIDDEP_LAUNCH, "griddepcontrol.launch_dependents", ASYNC, 0)                  \
	X(CLC_TRY, "clusterlaunchcontrol.try_cancel", ASYNC, 0)                          \
	X(CLC_QUERY, "clusterlaunchcontrol.query_cancel", ALU, 1)                        \
	X(TENSORMAP_REPLACE, "tensormap.replace", STORE, 0)                              \
	X(TENSORMAP_CP, "tensormap.cp_fenceproxy", COLLECTIVE, 0)                        \
	/* SIMD within a word: PTX ISA 9.7.18 "video instructions" */                    \
	X(VADD, "vadd", ALU, 1)                                                          \
	X(VSUB, "vsub", ALU, 1)                                                          \
	X(VABSDIFF, "vabsdiff", ALU, 1)                                                  \
	X(VMIN, "vmin", ALU, 1)                                                          \
	X(VMAX, "vmax", ALU, 1)                                                          \
	X(VSHL, "vshl", ALU, 1)                                                          \
	X(VSHR, "vshr", ALU, 1)                                                          \
	X(VMAD, "vmad", ALU, 1)                                                          \
	X(VSET, "vset", ALU, 1)                                                          \
	X(VADD2, "vadd2", ALU, 1)                                                        \
	X(VSUB2, "vsub2", ALU, 1)                                                        \
	X(VAVRG2, "vavrg2", ALU, 1)                                                      \
	X(VABSDIFF2, "vabsdiff2", ALU, 1)                                                \
	X(VMIN2, "vmin2", ALU, 1)                                                        \
	X(VMAX2, "vmax2", ALU, 1)                                                        \
	X(VSET2, "vset2", ALU, 1)                                                        \
	X(VADD4, "vadd4", ALU, 1)                                                        \
	X(VSUB4, "vsub4", ALU, 1)                                                        \
	X(VAVRG4, "vavrg4", ALU, 1)                                                      \
	X(VABSDIFF4, "vabsdiff4", ALU, 1)                                                \
	X(VMIN4, "vmin4", ALU, 1)                                                        \
	X(VMAX4, "vmax4", ALU, 1)                                                        \
	X(VSET4, "vset4", ALU, 1)

/* X(type, bits, class): b bits, u unsigned, s signed, f floating, p predicate, o opaque.
 * Packed types are class b with the bits of the whole register. */
#define PTX_TYPES(X)                                                                     \
	X(b8, 8, 'b') X(b16, 16, 'b') X(b32, 32, 'b') X(b64, 64, 'b') X(b128, 128, 'b')  \
	X(u8, 8, 'u') X(u16, 16, 'u') X(u32, 32, 'u') X(u64, 64, 'u')                    \
	X(s8, 8, 's') X(s16, 16, 's') X(s32, 32, 's') X(s64, 64, 's')                    \
	X(f16, 16, 'f') X(f32, 32, 'f') X(f64, 64, 'f') X(bf16, 16, 'f') X(tf32, 32, 'f')\
	X(f16x2, 32, 'b') X(bf16x2, 32, 'b') X(f32x2, 64, 'b')                           \
	X(u16x2, 32, 'b') X(s16x2, 32, 'b') X(u8x4, 32, 'b') X(s8x4, 32, 'b')            \
	X(e4m3, 8, 'f') X(e5m2, 8, 'f') X(e4m3x2, 16, 'b') X(e5m2x2, 16, 'b')            \
	X(e2m1, 4, 'f') X(e2m3, 6, 'f') X(e3m2, 6, 'f')                                  \
	X(e2m1x2, 8, 'b') X(e2m3x2, 16, 'b') X(e3m2x2, 16, 'b')                          \
	X(e4m3x4, 32, 'b') X(e5m2x4, 32, 'b') X(e2m1x4, 16, 'b')                         \
	X(e2m3x4, 32, 'b') X(e3m2x4, 32, 'b')                                            \
	X(ue8m0, 8, 'f') X(ue4m3, 8, 'f') X(ue8m0x2, 16, 'b')                            \
	X(b1, 1, 'b') X(u4, 4, 'u') X(s4, 4, 's') X(u2, 2, 'u') X(s2, 2, 's')            \
	X(pred, 1, 'p') X(texref, 64, 'o') X(samplerref, 64, 'o') X(surfref, 64, 'o')

/* Comparisons of setp, set, vset: u suffix is "or unordered". */
#define PTX_CMPS(X)                                                                      \
	X(EQ, "eq") X(NE, "ne") X(LT, "lt") X(LE, "le") X(GT, "gt") X(GE, "ge")          \
	X(LO, "lo") X(LS, "ls") X(HI, "hi") X(HS, "hs")                                  \
	X(EQU, "equ") X(NEU, "neu") X(LTU, "ltu") X(LEU, "leu") X(GTU, "gtu")            \
	X(GEU, "geu") X(NUM, "num") X(NAN, "nan")

/* The operation inside the operation: setp's second, bar.red's and atom's reduction,
 * vote's and match's question, shfl's pattern, shf's direction, prmt's mode. */
#define PTX_SUBS(X)                                                                      \
	X(AND, "and") X(OR, "or") X(XOR, "xor") X(POPC, "popc") X(ADD, "add")            \
	X(MIN, "min") X(MAX, "max") X(INC, "inc") X(DEC, "dec") X(EXCH, "exch")          \
	X(CAS, "cas") X(ALL, "all") X(ANY, "any") X(UNI, "uni") X(BALLOT, "ballot")      \
	X(UP, "up") X(DOWN, "down") X(BFLY, "bfly") X(IDX, "idx")                        \
	X(LEFT, "l") X(RIGHT, "r")                                                       \
	X(F4E, "f4e") X(B4E, "b4e") X(RC8, "rc8") X(ECL, "ecl") X(ECR, "ecr")            \
	X(RC16, "rc16")                                                                  \
	X(FINITE, "finite") X(INFINITE, "infinite") X(NUMBER, "number")                  \
	X(NOTANUMBER, "notanumber") X(NORMAL, "normal") X(SUBNORMAL, "subnormal")

#define PTX_ROUNDS(X)                                                                    \
	X(RN, "rn") X(RZ, "rz") X(RM, "rm") X(RP, "rp") X(RNA, "rna") X(RS, "rs")        \
	X(RNI, "rni") X(RZI, "rzi") X(RMI, "rmi") X(RPI, "rpi")

/* State spaces; none is generic for memory operations. */
#define PTX_SPACES(X)                                                                    \
	X(REG, "reg") X(GLOBAL, "global") X(SHARED, "shared") X(CONST, "const")          \
	X(LOCAL, "local") X(PARAM, "param") X(TEX, "tex") X(CLUSTER, "shared::cluster")

/* Memory ordering. */
#define PTX_SEMS(X)                                                                      \
	X(WEAK, "weak") X(VOLATILE, "volatile") X(RELAXED, "relaxed")                    \
	X(ACQUIRE, "acquire") X(RELEASE, "release") X(ACQ_REL, "acq_rel") X(SC, "sc")    \
	X(MMIO, "mmio")

#define PTX_SCOPES(X) X(CTA, "cta") X(CLUSTER, "cluster") X(GPU, "gpu") X(SYS, "sys")

/* X(flag, spelling): one bit each of ptx_form.flags. */
#define PTX_FLAGS(X)                                                                     \
	X(SYNC, "sync") X(ALIGNED, "aligned") X(NOINC, "noinc")                          \
	X(WIDE, "wide") X(HI, "hi") X(LO, "lo")                                          \
	X(SAT, "sat") X(FTZ, "ftz") X(APPROX, "approx") X(FULL, "full")                  \
	X(CC, "cc") X(UNI, "uni") X(NC, "nc") X(TO, "to") X(EXT, "ext")                  \
	X(CLAMP, "clamp") X(WRAP, "wrap") X(SHIFTAMT, "shiftamt")                        \
	X(ABS, "abs") X(NAN, "NaN") X(XORSIGN, "xorsign") X(SATFINITE, "satfinite")      \
	X(RELU, "relu") X(TRANS, "trans") X(INC, "inc") X(DEC, "dec")                    \
	X(BULK, "bulk") X(READ, "read") X(ENTRY_PARAM, "param::entry")                   \
	X(FUNC_PARAM, "param::func") X(PARITY, "parity") X(EXPECT_TX, "expect_tx")       \
	X(NOCOMPLETE, "noComplete") X(UNIFIED, "unified")

/* X(register, name after '%', components): components is 1, or 3 for .x .y .z (.w). */
#define PTX_SREGS(X)                                                                     \
	X(UNKNOWN, "", 1)                                                                \
	X(TID, "tid", 3) X(NTID, "ntid", 3) X(CTAID, "ctaid", 3)                         \
	X(NCTAID, "nctaid", 3) X(LANEID, "laneid", 1) X(WARPID, "warpid", 1)             \
	X(NWARPID, "nwarpid", 1) X(SMID, "smid", 1) X(NSMID, "nsmid", 1)                 \
	X(GRIDID, "gridid", 1)                                                           \
	X(LANEMASK_EQ, "lanemask_eq", 1) X(LANEMASK_LE, "lanemask_le", 1)                \
	X(LANEMASK_LT, "lanemask_lt", 1) X(LANEMASK_GE, "lanemask_ge", 1)                \
	X(LANEMASK_GT, "lanemask_gt", 1)                                                 \
	X(CLOCK, "clock", 1) X(CLOCK_HI, "clock_hi", 1) X(CLOCK64, "clock64", 1)         \
	X(GLOBALTIMER, "globaltimer", 1) X(GLOBALTIMER_LO, "globaltimer_lo", 1)          \
	X(GLOBALTIMER_HI, "globaltimer_hi", 1)                                           \
	X(CLUSTERID, "clusterid", 3) X(NCLUSTERID, "nclusterid", 3)                      \
	X(CLUSTER_CTAID, "cluster_ctaid", 3) X(CLUSTER_NCTAID, "cluster_nctaid", 3)      \
	X(CLUSTER_CTARANK, "cluster_ctarank", 1)                                         \
	X(CLUSTER_NCTARANK, "cluster_nctarank", 1)                                       \
	X(IS_EXPLICIT_CLUSTER, "is_explicit_cluster", 1)                                 \
	X(DYNAMIC_SMEM, "dynamic_smem_size", 1) X(TOTAL_SMEM, "total_smem_size", 1)      \
	X(AGGR_SMEM, "aggr_smem_size", 1)                                                \
	X(RESERVED_SMEM_BEGIN, "reserved_smem_offset_begin", 1)                          \
	X(RESERVED_SMEM_END, "reserved_smem_offset_end", 1)                              \
	X(RESERVED_SMEM_CAP, "reserved_smem_offset_cap", 1)                              \
	X(GRAPH_EXEC, "current_graph_exec", 1)

/* clang-format on */

enum ptx_op {
#define X(id, text, nature, results) PTX_##id,
	PTX_OPS(X)
#undef X
		PTX_OP_COUNT
};

enum ptx_type {
	PTX_T_NONE,
#define X(id, bits, class) PTX_T_##id,
	PTX_TYPES(X)
#undef X
};

enum ptx_cmp {
	PTX_CMP_NONE,
#define X(id, text) PTX_CMP_##id,
	PTX_CMPS(X)
#undef X
};

enum ptx_sub {
	PTX_SUB_NONE,
#define X(id, text) PTX_SUB_##id,
	PTX_SUBS(X)
#undef X
};

enum ptx_round {
	PTX_ROUND_NONE,
#define X(id, text) PTX_ROUND_##id,
	PTX_ROUNDS(X)
#undef X
};

enum ptx_space {
	PTX_SPACE_NONE,
#define X(id, text) PTX_SPACE_##id,
	PTX_SPACES(X)
#undef X
};

enum ptx_sem {
	PTX_SEM_NONE,
#define X(id, text) PTX_SEM_##id,
	PTX_SEMS(X)
#undef X
};

enum ptx_scope {
	PTX_SCOPE_NONE,
#define X(id, text) PTX_SCOPE_##id,
	PTX_SCOPES(X)
#undef X
};

enum ptx_flag_bit {
#define X(id, text) PTX_FBIT_##id,
	PTX_FLAGS(X)
#undef X
};

enum ptx_sreg {
#define X(id, text, components) PTX_SREG_##id,
	PTX_SREGS(X)
#undef X
};

/* The name of a table row, for messages. */
const char *ptx_type_name(enum ptx_type t);
const char *ptx_space_name(enum ptx_space s);
const char *ptx_sreg_name(enum ptx_sreg r);

/* Width of a value of the type; 0 for PTX_T_NONE. */
static inline unsigned
ptx_type_bits(enum ptx_type t)
{
	static const unsigned char bits[] = {0,
#define X(id, bits, class) bits,
		PTX_TYPES(X)
#undef X
	};
	return bits[t];
}

/* Class letter of the type: b u s f p o; 0 for PTX_T_NONE. */
static inline char
ptx_type_class(enum ptx_type t)
{
	static const char classes[] = {0,
#define X(id, bits, class) class,
		PTX_TYPES(X)
#undef X
	};
	return classes[t];
}

#endif
