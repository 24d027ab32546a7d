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

@test "init says where C and OpenCL C are described, and asks no compiler" {
	echo '__kernel void k(__global float *p) { *p = 1; }' >blur.cl
	run -2 "$LANEWISE" init blur.cl
	[[ $output == *"init reads CUDA and PTX; for OpenCL C see docs/reference/opencl.md" ]]
	[ -f "$SRCDIR/docs/reference/opencl.md" ] && [ -f "$SRCDIR/docs/reference/host.md" ]
	run -2 "$LANEWISE" init dot.c
	[[ $output == *"init reads CUDA and PTX; for C see docs/reference/host.md" ]]
	[ ! -e lanewise.json ]
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
