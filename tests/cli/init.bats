#!/usr/bin/env bats
# A starter spec that is accepted as it is.

bats_require_minimum_version 1.5.0
load lib

need_cuda() {
	"$LANEWISE" doctor --json >doctor.json
	grep -A1 -E '"name": "(nvrtc|nvcc|clang)"' doctor.json | grep -q '"present": true' || skip "no compiler for CUDA C++"
}

kernel() {
	cat >k.cu <<'END'
// scale: every element. __global__ void not_this(int x);
#ifndef TILE
#define TILE 128
#endif
extern "C" __global__ void __launch_bounds__(256)
scale(const float *__restrict__ in, float *out, float by, int n)
{
	extern __shared__ float part[];
	int i = blockIdx.x * TILE + threadIdx.x;
	part[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	if (i < n)
		out[i] = part[threadIdx.x] * by;
}
END
}

@test "init reads names, types, uses and macros; space accepts the result" {
	need_cuda
	kernel
	run "$LANEWISE" init k.cu
	[ "$status" -eq 0 ]
	[[ $output == *"lanewise.json: 1 kernel of k.cu"* ]]
	grep -q '"source": "k.cu", "language": "cuda", "entry": "scale"' lanewise.json
	grep -q '"name": "in", "type": "f32\*", "count": "n", "fill": "exact"' lanewise.json
	grep -q '"name": "out", "type": "f32\*", "count": "n", "output": true' lanewise.json
	grep -q '"name": "by", "type": "f32", "value": 1' lanewise.json
	grep -q '"name": "n", "type": "i32", "value": "n"' lanewise.json
	grep -q '"TILE": { "values": \[64, 128, 256\] }' lanewise.json
	grep -q '"BLOCK": { "values": \[32, 64, 128, 256\], "role": "launch" }' lanewise.json
	grep -q '"grid": \["ceil_div(n, TILE)"\], "shared": "BLOCK \* 4"' lanewise.json
	run "$LANEWISE" space
	[ "$status" -eq 0 ]
}

@test "init says the same twice" {
	need_cuda
	kernel
	"$LANEWISE" init k.cu -o a.json
	"$LANEWISE" init k.cu -o b.json
	cmp a.json b.json
}

@test "init does not overwrite, but with --force it does" {
	need_cuda
	kernel
	echo mine >lanewise.json
	run "$LANEWISE" init k.cu
	[ "$status" -eq 2 ]
	[[ $output == *"'lanewise.json' exists"* ]]
	[ "$(cat lanewise.json)" = mine ]
	"$LANEWISE" init k.cu --force
	grep -q scale lanewise.json
}

@test "init finds macros that are defined nowhere" {
	need_cuda
	kernel
	sed '/^#/d' k.cu >bare.cu
	"$LANEWISE" init bare.cu
	grep -q '"TILE": { "values": \[64, 128, 256\] }' lanewise.json
	"$LANEWISE" space
}

@test "init describes every kernel, or the one that --entry names" {
	need_cuda
	cat >two.cu <<'END'
namespace ns {
template <int N> __global__ void fill(int *p) { p[blockIdx.y * N + threadIdx.y] = N; }
template __global__ void fill<4>(int *);
}
__global__ void add(double *a, const double *b, unsigned rows, unsigned cols)
{
	a[threadIdx.x] += b[threadIdx.x] * rows * cols;
}
END
	"$LANEWISE" init two.cu
	grep -q '"entry": "fill"' lanewise.json
	grep -q '"entry": "add"' lanewise.json
	grep -q '"block": \["BLOCK_X", "BLOCK_Y"\]' lanewise.json
	grep -q '"name": "a", "type": "f64\*", "count": "rows \* cols", "inout": true' lanewise.json
	"$LANEWISE" space
	"$LANEWISE" init two.cu --force --entry add
	run ! grep -q '"entry": "fill"' lanewise.json
	run "$LANEWISE" init two.cu --force --entry sub
	[ "$status" -eq 2 ]
	[[ $output == *"has no kernel 'sub'; it has "*add* ]]
}

@test "init numbers the instances of a template" {
	need_cuda
	cat >t.cu <<'END'
template <int N> __global__ void fill(int *p) { p[threadIdx.x] = N; }
template __global__ void fill<4>(int *);
template __global__ void fill<8>(int *);
END
	"$LANEWISE" init t.cu
	grep -q '"fill_1": {' lanewise.json
	grep -q '"fill_2": {' lanewise.json
	grep -q '"entry": "_Z4fillILi4EEvPi"' lanewise.json
	"$LANEWISE" space
}

@test "init takes PTX" {
	cat >k.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 copy_param_0, .param .u64 copy_param_1)
{
	.reg .b64 %rd<6>;
	.reg .b32 %r<3>;
	.reg .f32 %f<2>;
	ld.param.u64 %rd1, [copy_param_0];
	ld.param.u64 %rd2, [copy_param_1];
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd5, %r1, 4;
	add.s64 %rd3, %rd3, %rd5;
	add.s64 %rd4, %rd4, %rd5;
	ld.global.f32 %f1, [%rd3];
	st.global.f32 [%rd4], %f1;
	ret;
}
END
	"$LANEWISE" init k.ptx
	grep -q '"language": "ptx", "entry": "copy"' lanewise.json
	grep -q '"name": "arg0", "type": "f32\*", "count": "n", "fill": "exact"' lanewise.json
	grep -q '"name": "arg1", "type": "f32\*", "count": "n", "output": true' lanewise.json
	"$LANEWISE" space
}

@test "init says what stands in the way" {
	run "$LANEWISE" init
	[ "$status" -eq 2 ]
	run "$LANEWISE" init none.cu
	[ "$status" -eq 2 ]
	[[ $output == *"cannot read 'none.cu'"* ]]
	echo 'not PTX' >k.ptx
	run "$LANEWISE" init k.ptx
	[ "$status" -eq 2 ]
	[[ $output == *"does not begin with .version"* ]]
	mkdir sub
	run "$LANEWISE" init k.ptx -o sub/spec.json
	[ "$status" -eq 2 ]
	[[ $output == *"put the spec beside the source"* ]]
	need_cuda
	echo '__global__ void k(int *p) { *p = oops; }' >bad.cu
	run "$LANEWISE" init bad.cu
	[ "$status" -eq 2 ]
	[[ $output == *"bad.cu"*oops* ]]
	[ ! -e lanewise.json ]
	echo 'int f();' >empty.cu
	run "$LANEWISE" init empty.cu
	[[ $output == *"has no kernel"* ]]
	echo 'struct S { int a, b, c; }; __global__ void k(S s, int *p) { *p = s.a; }' >struct.cu
	run "$LANEWISE" init struct.cu
	[ "$status" -eq 2 ]
	[[ $output == *"is a structure of 12 bytes"* ]]
	run "$LANEWISE" init bad.cu --toolchain nvvm
	[[ $output == *"no toolchain for CUDA C++"* ]]
}

@test "init reads OpenCL C: a spec that is judged, and measured where a runtime is" {
	"$LANEWISE" doctor >.doctor
	grep -q '^  ok  opencl ' .doctor || skip "no clang to lower OpenCL C with"
	cat >blur.cl <<-'END'
		#ifndef STEP
		#define STEP 2
		#endif
		__kernel void
		blur(__global const float *in, __global float *out, __local float *part, uint n)
		{
			size_t t = get_local_id(0);
			part[t] = 0;
			for (int i = 0; i < STEP; i++)
				if (get_global_id(0) + i < n)
					part[t] += in[get_global_id(0) + i];
			barrier(CLK_LOCAL_MEM_FENCE);
			if (get_global_id(0) < n)
				out[get_global_id(0)] = part[t];
		}
	END
	"$LANEWISE" init blur.cl
	grep -q '"source": "blur.cl", "language": "opencl", "entry": "blur"' lanewise.json
	grep -q '"name": "in", "type": "f32\*", "count": "n", "fill": "exact"' lanewise.json
	grep -q '"name": "out", "type": "f32\*", "count": "n", "output": true' lanewise.json
	grep -q '"name": "n", "type": "u32", "value": "n"' lanewise.json
	run ! grep -q '"name": "part"' lanewise.json
	grep -q '"grid": \["ceil_div(n, BLOCK)"\], "shared": "BLOCK \* 4"' lanewise.json
	grep -q '"STEP": { "values": \[1, 2, 4\] }' lanewise.json
	"$LANEWISE" space
	command -v ninja >/dev/null || skip "no ninja"
	if grep -q '^  ok  opencl:0 ' .doctor; then
		grep -q '"device": "opencl:0"' lanewise.json
		sed -i 's/1048576/4096/; s/\[1, 2, 4\]/[2]/; s/\[32, .*512\]/[32]/' lanewise.json
		"$LANEWISE" tune --no-progress >out
		grep -q 'CHAMPION BLOCK=32,STEP=2' out
	fi
	sed 's/^__kernel/__attribute__((reqd_work_group_size(8, 8, 1))) __kernel/' blur.cl >fixed.cl
	"$LANEWISE" init fixed.cl --force
	grep -q '"block": \[8, 8, 1\]' lanewise.json
	echo 'void f(void) {}' >none.cl
	run -2 "$LANEWISE" init none.cl --force
	[[ $output == *"'none.cl' has no kernel: __kernel void"* ]]
}

@test "init reads C: a spec that is measured on the processor" {
	"$LANEWISE" doctor >.doctor
	grep -q '^  ok  cc ' .doctor || skip "no C compiler"
	cat >dot.c <<-'END'
		#include <stddef.h>
		struct pair { int x, y; };
		static float twice(float x) { return 2 * x; }
		int used_by_others(int x) { return x + 1; }
		/* void not_this(int x) {} */
		void
		scale(const float *in, float *restrict out, double *sum, float by, int n)
		{
			for (int i = 0; i < n; i += STEP)
				for (int k = i; k < i + STEP && k < n; k++) {
					out[k] = twice(in[k]) * by;
					sum[0] += in[k];
				}
		}
		void fill(long *p, size_t n)
		{
			for (size_t i = 0; i < n; i++)
				p[i] = 7;
		}
	END
	"$LANEWISE" init dot.c
	grep -q '"source": "dot.c", "language": "c", "entry": "scale"' lanewise.json
	grep -q '"name": "in", "type": "f32\*", "count": "n", "fill": "exact"' lanewise.json
	grep -q '"name": "out", "type": "f32\*", "count": "n", "output": true }' lanewise.json
	grep -q '"name": "sum", "type": "f64\*", "count": "n", "inout": true' lanewise.json
	grep -q '"name": "by", "type": "f32", "value": 1' lanewise.json
	grep -q '"name": "n", "type": "i32", "value": "n"' lanewise.json
	grep -q '"STEP": { "values": \[2, 4, 8\] }' lanewise.json
	# fill does not depend on STEP, but the file does not compile without it
	grep -q '"entry": "fill"' lanewise.json
	grep -q '"STEP": { "values": \[4\] }' lanewise.json
	run ! grep -qE 'launch": \{|used_by_others|not_this|"entry": "twice"' lanewise.json
	"$LANEWISE" space
	command -v ninja >/dev/null || skip "no ninja"
	sed -i 's/1048576/4096/; s/\[2, 4, 8\]/[4, 8]/' lanewise.json
	"$LANEWISE" tune --no-progress >out
	[ "$(grep -c 'CHAMPION STEP=' out)" -eq 2 ]
	"$LANEWISE" init dot.c --force --entry used_by_others
	grep -q '"entry": "used_by_others"' lanewise.json
	echo 'struct s { int x; }; void k(struct s *p, int n) { p[n].x = 1; }' >struct.c
	run -2 "$LANEWISE" init struct.c --force
	[[ $output == *"parameter 1 ('p') of 'k' is of a type that a spec does not have"* ]]
	echo 'static void k(int *p) { *p = 1; }' >static.c
	run -2 "$LANEWISE" init static.c --force
	[[ $output == *"no function that could be a kernel: one that returns void and is not static"* ]]
	run -2 "$LANEWISE" init static.c --force --entry other
	[[ $output == *"'static.c' has no kernel 'other'; it has k"* ]]
}

@test "init's baseline meets its constraints, whatever bounds the kernel has" {
	need_cuda
	for bounds in 8 24 48 96; do
		cat >k.cu <<-END
			__global__ void __launch_bounds__($bounds) one(float *p, int n)
			{
				p[blockIdx.x * blockDim.x + threadIdx.x] = n;
			}
			__global__ void __launch_bounds__($bounds) two(float *p, int n, int m)
			{
				p[(blockIdx.y * blockDim.y + threadIdx.y) * n + threadIdx.x] = m;
			}
			__global__ void __launch_bounds__($bounds) three(float *p, int n)
			{
				p[(threadIdx.z * blockDim.y + threadIdx.y) * n + threadIdx.x] = n;
			}
		END
		"$LANEWISE" init k.cu --force
		"$LANEWISE" space
		[ $bounds -ge 32 ] || run ! grep '"baseline": .*BLOCK": 32' lanewise.json
	done
	# A tile that is no multiple of the block is no constraint.
	cat >k.cu <<-'END'
		#ifndef BLOCK
		#define BLOCK 256
		#endif
		#ifndef TILE
		#define TILE 128
		#endif
		__global__ void k(float *p, int n)
		{
			__shared__ float s[BLOCK];
			s[threadIdx.x] = n;
			p[blockIdx.x * TILE + threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
		}
	END
	"$LANEWISE" init k.cu --force
	run ! grep -q 'TILE % BLOCK' lanewise.json
	"$LANEWISE" space
}

@test "init takes the size of each dimension from what its blocks are compared with" {
	need_cuda
	cat >t.cu <<-'END'
		__global__ void
		transpose(const float *in, float *out, int rows, int cols)
		{
			int x = blockIdx.x * blockDim.x + threadIdx.x;
			int y = blockIdx.y * blockDim.y + threadIdx.y;
			if (y < rows && x < cols)
				out[x * rows + y] = in[y * cols + x];
		}
	END
	"$LANEWISE" init t.cu
	grep -q '"grid": \["ceil_div(cols, BLOCK_X)", "ceil_div(rows, BLOCK_Y)"\]' lanewise.json
}

@test "a macro is a parameter of the kernels that it changes, and of no others" {
	need_cuda
	cat >m.cu <<-'END'
		#ifndef TILE
		#define TILE 128
		#endif
		#ifndef VERBOSE
		#define VERBOSE 1
		#endif
		__device__ int helper(int x) { return x % TILE; }
		__global__ void tiled(int *p, int n) { p[blockIdx.x * TILE] = helper(n); }
		__global__ void plain(int *p, int n) { p[threadIdx.x] = n; }
	END
	"$LANEWISE" init m.cu
	[ "$(grep -c '"TILE": { "values"' lanewise.json)" -eq 1 ]
	run ! grep -q VERBOSE lanewise.json
	grep -q '"baseline": { "BLOCK": 32, "TILE": 128 }' lanewise.json
	grep -q '"baseline": { "BLOCK": 32 }' lanewise.json
	"$LANEWISE" space
	# Needed by the file, though not by this kernel: one value.
	sed -i '/^#/d; s/x % TILE/x % TILE + NEEDED/; s/^__global__ void plain/__device__ int other(int x) { return SPARE * x; }\n&/' m.cu
	"$LANEWISE" init m.cu --force
	grep -q '"SPARE": { "values": \[128\] }' lanewise.json
	[ "$(grep -c '"TILE": { "values": \[64, 128, 256\] }' lanewise.json)" -eq 1 ]
	[ "$(grep -c '"TILE": { "values": \[128\] }' lanewise.json)" -eq 1 ]
	"$LANEWISE" space
}

@test "the specs for C and OpenCL C in the how-to are whole" {
	for i in 1 2; do
		awk -v i=$i '/^```/ { n += inside = /jsonc/; next } inside && n == i' \
			"$SRCDIR/docs/how-to/add-a-kernel.md" >lanewise.json
		grep -q '"schema"' lanewise.json
		touch scale.c scale.cl
		"$LANEWISE" space
	done
}

@test "a pipe is no source, and a missing file says why" {
	mkfifo k.cu
	run timeout 20 "$LANEWISE" init k.cu
	[ "$status" -eq 2 ]
	[[ "$output" == *"a spec needs a file"* ]]
	run "$LANEWISE" init gone.cu
	[ "$status" -eq 2 ]
	[[ "$output" == *"'gone.cu': No such file"* ]]
}
