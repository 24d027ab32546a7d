#!/usr/bin/env bats
# OpenCL C, judged as PTX and measured through a runtime that is here (PoCL in CI).

bats_require_minimum_version 1.5.0
load lib

need_clang() {
	"$LANEWISE" doctor >.doctor
	grep -q '^  ok  opencl ' .doctor || skip "no clang to lower OpenCL C with"
}

need_opencl() {
	need_clang
	command -v ninja >/dev/null || skip "no ninja"
	grep -q '^  ok  opencl:0 ' .doctor ||
		skip "no OpenCL runtime (Debian package pocl-opencl-icd)"
}

# The verdicts of a kernel: "BLOCK=32,TILE=256@1M clean" ...
verdicts() {
	python3 - "$1" <<'EOF'
import glob, json, sys
for f in sorted(glob.glob(f".lanewise/{sys.argv[1]}/gate/*.verdict.json")):
    for v in json.load(open(f))["verdicts"]:
        print(v["point"], v["verdict"])
EOF
}

@test "the flip is refused in OpenCL C as in CUDA, and what is clean is measured" {
	need_opencl
	python
	project reduce-opencl
	sed -i 's/"1M": { "n": 1048576 }/"8K": { "n": 8192 }/; s/\[256, 1024, 4096\]/[256, 1024]/' \
		lanewise.json
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"8 candidates: 2 clean, 6 refused; 2 ranked, 0 failed"* ]]
	[[ $output == *"MEASURED: median of batches"* ]]
	# What runs it may be no GPU: nothing is said that only a GPU has.
	for word in 'compute capability' assembler regs occupancy ' an SM'; do
		[[ $output != *"$word"* ]]
	done
	[[ $output == *"LW003  reduce.cl:42"* ]]
	[[ $output == *"CHAMPION BLOCK=32,TILE="*"measured, outputs verified by oracle"* ]]
	[ "$(ran bench)" -eq 2 ]
	run ninja tune
	[[ $output == *"no work to do"* ]]
}

# One kernel, and what may be wrong with it: MODE.
odd_kernel() {
	cat >k.cl <<'EOF'
#if MODE == 5
#error not this one
#endif
#if MODE == 6
__attribute__((reqd_work_group_size(16, 1, 1)))
#endif
__kernel void
twice(__global const float *in, __global float *out, int n)
{
	int i = get_global_id(0);

#if MODE == 2
	out[(long)i + 100000000] = 1.0f;
#elif MODE == 3
	while (((volatile __global const float *)in)[0] < 1e30f)
		;
#elif MODE == 7
	if (i < n)
		((__global float *)in)[i] = 0.0f;
#endif
	if (i < n)
		out[i] = MODE == 4 && i == 77 ? 0.0f : 2.0f * in[i];
#if MODE == 1
	if (i == 0)
		out[n] = 5.0f;
#endif
}
EOF
	cat >ref.c <<'EOF'
#include "lanewise_oracle.h"
int lanewise_oracle(const struct lanewise_arg *a, int n)
{
	(void)n;
	for (size_t i = 0; i < a[1].count; i++)
		((double *)a[1].data)[i] = 2.0 * ((float *)a[0].data)[i];
	return 0;
}
EOF
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "device": "opencl:0", "kernels": { "twice": {
  "source": "k.cl", "entry": "twice",
  "params": { "MODE": { "values": [0, 1, 2, 3, 4, 5, 6, 7] } },
  "launch": { "block": [32], "grid": ["ceil_div(n, 32)"] },
  "sizes": { "s": { "n": 1000 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n" },
    { "name": "out", "type": "f32*", "count": "n", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ],
  "verify": { "oracle": "ref.c" }, "timeout": 2 } } }
EOF
}

@test "what crashes, hangs or is wrong gets its status, and the run goes on" {
	need_opencl
	odd_kernel
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	for m in 0:ok 1:wrong 2:crashed 3:hung 4:wrong 6:unlaunchable 7:wrong; do
		grep -q "\"status\": \"${m#*:}\"" ".lanewise/twice/bench/MODE=${m%:*}@s.json" ||
			{ cat ".lanewise/twice/bench/MODE=${m%:*}@s.json" && false; }
	done
	grep -q "wrote outside 'out'" .lanewise/twice/bench/MODE=1@s.json
	grep -q "wrote into 'in'" .lanewise/twice/bench/MODE=7@s.json
	grep -q 'reqd_work_group_size' .lanewise/twice/bench/MODE=6@s.json
	[[ $output == *"k.cl:2"* ]]
	[[ $output == *"CHAMPION MODE=0"* ]]
}

@test "OpenCL C is all that an OpenCL device runs, and it has policies of its own" {
	need_opencl
	project reduce
	run "$LANEWISE" graph --device opencl:0
	[ "$status" -eq 2 ]
	[[ $output == *"lanewise.json:"*"'reduce' is not OpenCL C"* ]]
	cd ..
	project reduce-opencl
	run "$LANEWISE" graph --device opencl:99
	[ "$status" -eq 2 ]
	[[ $output == *"no OpenCL device '99' among the"* ]]
	run "$LANEWISE" graph --backend model
	[ "$status" -eq 2 ]
	[[ $output == *"there is no model of one"* ]]
	sed -i 's/"strict"/"release"/' lanewise.json
	run "$LANEWISE" graph
	[ "$status" -eq 2 ]
	[[ $output == *"lanewise.json:"*"OpenCL has no exit_policy"* ]]
}

@test "without a runtime OpenCL C is judged for a described GPU" {
	need_clang
	python
	project reduce-opencl
	tune >/dev/null || true
	verdicts reduce >got
	[ "$(grep -c ' clean$' got)" -eq 3 ]
	[ "$(grep -c ' refused$' got)" -eq 9 ]
	grep ' clean$' got | while read -r point _; do [[ $point == BLOCK=32,* ]]; done
}

@test "what a source includes is a file: a pipe, a device and a folder end in an error" {
	need_clang
	project reduce-opencl
	mkfifo p.h
	mkdir folder
	sed -i '1i #include "p.h"' reduce.cl
	for header in p.h /dev/zero; do
		sed -i "1s|.*|#include \"$header\"|" reduce.cl
		run -2 timeout 60 "$LANEWISE" graph --backend model --device h200
		[[ $output == *"reduce.cl:1:1: error: '$header' is a pipe or a device"* ]]
	done
	sed -i '1s|.*|#include "folder"|' reduce.cl
	run -3 tune
	[[ $output == *"reduce.cl:1:"*"folder"* ]]
}

# A reduction that halves its work-group: right for powers of two, safe for all sizes.
@test "a work-group size that is computed wrongly is clean, and caught by verification" {
	need_opencl
	cat >k.cl <<'EOF'
__kernel void
total(__global const float *in, __global float *out, __local float *part, int n)
{
	int t = get_local_id(0);

	part[t] = get_global_id(0) < n ? in[get_global_id(0)] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int by = get_local_size(0) / 2; by > 0; by /= 2) {
		if (t < by)
			part[t] += part[t + by];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		out[get_group_id(0)] = part[0];
}
EOF
	cat >ref.c <<'EOF'
#include "lanewise_oracle.h"
int lanewise_oracle(const struct lanewise_arg *a, int n)
{
	size_t each = a[0].count / a[1].count;
	(void)n;
	for (size_t i = 0; i < a[0].count; i++)
		((double *)a[1].data)[i / each] += ((float *)a[0].data)[i];
	return 0;
}
EOF
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "device": "opencl:0", "kernels": { "total": {
  "source": "k.cl", "entry": "total",
  "params": { "BLOCK": { "values": [64, 96, 128], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": ["n / BLOCK"], "shared": "BLOCK * 4" },
  "sizes": { "s": { "n": 384 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
    { "name": "out", "type": "f32*", "count": "n / BLOCK", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ],
  "verify": { "oracle": "ref.c" } } } }
EOF
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"3 candidates: 3 clean, 0 refused; 2 ranked, 1 failed"* ]]
	for b in 64:ok 96:wrong 128:ok; do
		grep -q "\"status\": \"${b#*:}\"" ".lanewise/total/bench/BLOCK=${b%:*}@s.json"
	done
}

@test "a kernel that only has the word is no kernel with sub-groups" {
	need_opencl
	cat >sub_group_free.cl <<'EOF'
/* sub_group_all() */
__constant char s[] = "sub_group_all(1)";
int of_my_sub_group(int i)
{
	return i;
}
__kernel void k(__global float *o, int n)
{
	int my_sub_group_count = (n) + ('"' - 34);

	if (of_my_sub_group(get_global_id(0)) < my_sub_group_count)
		o[get_global_id(0)] = s[0];
}
EOF
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "device": "opencl:0", "kernels": { "k": {
  "source": "sub_group_free.cl", "entry": "k", "params": { "B": { "values": [64] } },
  "launch": { "block": ["B"], "grid": ["n / B"] }, "sizes": { "s": { "n": 1024 } },
  "args": [ { "name": "o", "type": "f32*", "count": "n", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ] } } }
EOF
	run -0 "$LANEWISE" tune --no-progress
	[[ $output == *"CHAMPION B=64"* ]]
}

@test "sub-groups are judged as SAFETY.md says; a device whose sub-groups are others does not run them" {
	need_opencl
	cat >k.cl <<'EOF'
__kernel void
sums(__global const float *in, __global float *out, int n)
{
	float v = 0;

	if (BAD ? get_sub_group_local_id() < 16 : get_sub_group_id() < 64)
		v = sub_group_reduce_add(in[get_global_id(0)]);
	if (get_sub_group_local_id() == 0)
		out[get_global_id(0) / 32] = v;
}
EOF
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "device": "opencl:0", "kernels": { "sub": {
  "source": "k.cl", "entry": "sums",
  "params": { "BAD": { "values": [0, 1] }, "GROUP": { "values": [32, 64] } },
  "baseline": { "BAD": 0, "GROUP": 32 },
  "launch": { "block": ["GROUP"], "grid": ["n / GROUP"] },
  "sizes": { "s": { "n": 1024 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
    { "name": "out", "type": "f32*", "count": "n / 32", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ],
  "verify": { "against": "baseline" } } } }
EOF
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[[ $output == *"4 candidates: 2 clean, 2 refused"* ]]
	told=$(tr -s ' \n' ' ' <<<"$output")
	if [ "$status" -eq 0 ]; then
		# PoCL 6: as many work-items as the work-group has.
		grep -q '"status": "ok"' .lanewise/sub/bench/BAD=0,GROUP=32@s.json
		grep -q '"status": "ok"' .lanewise/sub/bench/BAD=0,GROUP=64@s.json ||
			[[ $told == *"unlaunchable: sub-groups have 64 work-items here, the gate judged those of 32"* ]]
	else # PoCL 3.1 has none
		[[ $told == *"the device has no sub-groups (it lists no cl_khr_subgroups)"* ]]
	fi
}
