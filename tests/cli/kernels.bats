#!/usr/bin/env bats
# Several kernels in one spec, other languages than CUDA, and folders.

bats_require_minimum_version 1.5.0
load lib

two_kernels() {
	mkdir -p "$1" && cd "$1" || exit 1
	mkdir -p src/inc
	cat >src/inc/add.h <<'EOF'
#define ADD(a, b) ((a) + (b))
EOF
	cat >src/k.cu <<'EOF'
#include "inc/add.h"
extern "C" __global__ void scale(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = p[i] * A;
}
extern "C" __global__ void offset(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = ADD(p[i], B);
}
EOF
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "kernels": {
  "scale": { "source": "src/k.cu", "entry": "scale",
    "params": { "A": { "values": [1, 2] }, "B": { "values": [0] },
      "BLOCK": { "values": [64, 128], "role": "launch" } },
    "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"] },
    "sizes": { "s": { "n": 1000 }, "m": { "n": 100000 } },
    "args": [ { "name": "p", "type": "f32*", "count": "n", "inout": true },
      { "name": "n", "type": "i32", "value": "n" } ] },
  "offset": { "source": "src/k.cu", "entry": "offset",
    "params": { "A": { "values": [1] }, "B": { "values": [1, 2, 3] } },
    "launch": { "block": [128], "grid": ["ceil_div(n, 128)"] },
    "sizes": { "s": { "n": 1000 } },
    "args": [ { "name": "p", "type": "f32*", "count": "n", "inout": true },
      { "name": "n", "type": "i32", "value": "n" } ] } } }
EOF
}

@test "two kernels of one source are tuned apart and reported together" {
	two_kernels p
	tune >out
	grep -q 'scale at s' out
	grep -q 'scale at m' out
	grep -q 'offset at s' out
	[ "$(ran lower)" -eq 5 ]
	[ "$(ran estimate)" -eq 11 ]
	# each kernel's variables are its own
	grep -q '^entry = scale' .lanewise/scale/build.ninja
	grep -q '^entry = offset' .lanewise/offset/build.ninja
	grep -q '"entry": "offset"' .lanewise/offset/gate/*.verdict.json
}

@test "--kernel tunes one of them only" {
	two_kernels p
	tune --kernel offset >out
	run ! grep -q 'scale' out
	[ "$(ran lower)" -eq 3 ]
	run tune --kernel nothing
	[ "$status" -eq 2 ]
}

@test "a header in a folder below is staged and re-lowers both" {
	two_kernels p
	tune >/dev/null
	forget
	sed -i 's/((a) + (b))/((a) - (b))/' src/inc/add.h
	tune >/dev/null
	[ "$(ran stage)" -ge 1 ]
	[ "$(ran lower)" -eq 5 ]
	[ "$(ran gate)" -eq 5 ] # both kernels are in each PTX
}

@test "a project in a folder with an odd name" {
	two_kernels 'a b$c:d'
	tune >out
	grep -q 'offset at s' out
	run ninja tune
	[[ "$output" == *"no work to do"* ]]
}

@test "the spec of another folder is tuned in its own folder" {
	(two_kernels p)
	tune p/lanewise.json >out
	[ -d p/.lanewise ]
	[ ! -e .lanewise ]
	grep -q 'offset at s' out
}

@test "ready PTX is tuned without a compiler" {
	two_kernels p
	"$LANEWISE" graph --quiet --backend model --device h200
	ninja .lanewise/scale/ptx/A=2,B=0.ptx
	mkdir ../q && cp .lanewise/scale/ptx/A=2,B=0.ptx ../q/k.ptx && cd ../q
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "kernels": { "scale": { "source": "k.ptx", "entry": "scale",
  "params": { "BLOCK": { "values": [32, 64], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"] },
  "sizes": { "s": { "n": 1000 } },
  "args": [ { "name": "p", "type": "f32*", "count": "n", "inout": true },
    { "name": "n", "type": "i32", "value": "n" } ] } } }
EOF
	tune >out
	grep -q '2 candidates: 2 clean' out
	[ "$(ran lower)" -eq 1 ]
}

@test "any command that writes PTX is a toolchain" {
	two_kernels p
	"$LANEWISE" graph --quiet --backend model --device h200
	ninja .lanewise/scale/ptx/A=2,B=0.ptx
	mkdir ../q && cp .lanewise/scale/ptx/A=2,B=0.ptx ../q/made.ptx && cd ../q
	cat >mycc <<'EOF'
#!/bin/sh
echo "$@" >>calls
cp "$1" "$2"
EOF
	chmod +x mycc
	cat >lanewise.json <<'EOF'
{ "schema": "lanewise/spec.v1", "kernels": { "scale": {
  "source": "made.ptx", "entry": "scale", "command": "./mycc $in $out $defines",
  "params": { "T": { "values": [1, 2] } },
  "launch": { "block": [64], "grid": ["ceil_div(n, 64)"] },
  "sizes": { "s": { "n": 1000 } },
  "args": [ { "name": "p", "type": "f32*", "count": "n", "inout": true },
    { "name": "n", "type": "i32", "value": "n" } ] } } }
EOF
	tune >out
	grep -q '2 candidates: 2 clean' out
	[ "$(sort -u calls | wc -l)" -eq 2 ]
	grep -q 'T=2' calls
}

@test "a language that no toolchain knows is said once, with a way out" {
	project reduce
	sed -i 's/"language": "cuda"/"language": "rust"/' lanewise.json
	run -2 "$LANEWISE" graph --device h200
	[[ $output == *"lanewise.json:"*": error: no toolchain knows the language 'rust': give a 'command'"* ]]
	[[ $output != *"no toolchain"*"no toolchain"* ]]
}
