#!/usr/bin/env bats
# The lower and compile nodes by themselves, as the graph calls them.

bats_require_minimum_version 1.5.0
load lib

# The first toolchain for CUDA C++ that is here: sets tool and version.
need_toolchain() {
	"$LANEWISE" doctor >doctor.txt
	for tool in nvrtc nvcc clang; do
		version=$(sed -n "s/^  ok  $tool  *\($tool [0-9.]*\).*/\1/p" doctor.txt)
		[ -z "$version" ] || return 0
	done
	skip "no compiler for CUDA C++"
}

assembler() {
	"$LANEWISE" doctor | sed -n 's/^  ok  ptxas  *\(ptxas [0-9.]*\).*/\1/p'
}

kernel() {
	mkdir -p .lanewise/in/sub
	cat >.lanewise/in/sub/part.cuh <<'END'
__device__ inline void meet() { __syncthreads(); }
END
	cat >.lanewise/in/sub/k.cu <<'END'
#include "part.cuh"
extern "C" __global__ void k(float *p)
{
	if (threadIdx.x / 32 == 0)
		meet();
	p[threadIdx.x] = SCALE;
}
END
}

lower() {
	"$LANEWISE" node lower --toolchain "$tool" --version "$version" --cc 90 --name sub/k.cu \
		--source .lanewise/in/sub/k.cu --dep .lanewise/in/sub/part.cuh \
		--include .lanewise/in/sub --define SCALE=2 --lines k.lines -o k.ptx "$@"
}

# gate BLOCK
gate() {
	"$LANEWISE" node gate --ptx k.ptx --kernel k --entry k --exit-policy strict --site-policy strict \
		--device "$SRCDIR/devices/h200.json" --admit caveat --specialization S --dir d \
		--point "C@1|$1,1,1/4,1,1/1,1,1/0|p=f32*[4096]:out" --verdict k.verdict -o k.dd
}

compile() {
	"$LANEWISE" node compile --kernel k --specialization S --ptx k.ptx --cc 90 --entry k \
		--admit caveat --verdict k.verdict --facts k.facts -o k.cubin "$@"
}

@test "lower keeps lines apart from the PTX, under the user's names" {
	need_toolchain
	kernel
	lower
	grep -q '^\.visible \.entry k(' k.ptx
	run ! grep -Eq '^[[:space:]]*\.(loc|file)|\.debug' k.ptx
	grep -q '^lanewise/lines.v1$' k.lines
	grep -Eq '^file [0-9]+ sub/k.cu$' k.lines
	run ! grep -Fq "$PWD" k.ptx k.lines
	run ! grep -q '\.lanewise' k.lines
}

@test "a comment moves lines, not the PTX" {
	need_toolchain
	kernel
	lower
	mv k.ptx old.ptx
	sed -i '2i // one line more\n' .lanewise/in/sub/k.cu
	mv k.lines old.lines
	lower
	cmp k.ptx old.ptx
	run ! cmp -s k.lines old.lines
}

@test "a source that does not compile is data" {
	need_toolchain
	kernel
	sed -i 's/SCALE/oops/' .lanewise/in/sub/k.cu
	lower
	[ "$(sed -n 1p k.ptx)" = '// lanewise/lower-failed.v1' ]
	sed -n 2p k.ptx | grep -Eq '^// sub/k.cu:6:[0-9]+: error: .*oops'
	[ ! -s k.lines ]
	run ! grep -Fq "$PWD" k.ptx
}

@test "another compiler than the graph was written for is refused" {
	need_toolchain
	kernel
	run "$LANEWISE" node lower --toolchain "$tool" --version "$tool 1.0" --cc 90 --name k.cu \
		--source .lanewise/in/sub/k.cu --lines k.lines -o k.ptx
	[ "$status" -eq 2 ]
	[[ $output == *"the graph was written for '$tool 1.0'; 'lanewise graph' writes it for this one"* ]]
	[ ! -e k.ptx ]
	lower
	gate 32
	run compile --assembler 'ptxas 1.0'
	[ "$status" -eq 2 ]
	[ ! -e k.cubin ]
}

@test "what is admitted is compiled, with facts" {
	need_toolchain
	kernel
	lower
	gate 32
	pin=$(assembler)
	compile --assembler "${pin:-none}"
	grep -q '"status": "ok"' k.facts
	if [ -n "$pin" ]; then
		[ "$(head -c 4 k.cubin)" = "$(printf '\177ELF')" ]
		grep -q '"artifact": "cubin"' k.facts
		grep -Eq '"registers": [1-9]' k.facts
		grep -q '"barriers": 1' k.facts
	fi
	compile --assembler none
	cmp k.cubin k.ptx
	grep -q '"artifact": "ptx"' k.facts
	grep -q '"registers": -1' k.facts
	grep -q '"static_shared_bytes": 0' k.facts
}

@test "what is refused is not compiled, not even out of the cache" {
	need_toolchain
	kernel
	lower
	run compile --assembler none
	[ "$status" -eq 2 ]
	[[ $output == *"'k/S': the gate has not judged it: not compiled"* ]]
	gate 32
	"$LANEWISE" node --cache cache compile --kernel k --specialization S --ptx k.ptx --cc 90 \
		--entry k --admit caveat --verdict k.verdict --facts k.facts -o k.cubin \
		--assembler none
	rm k.cubin k.facts
	gate 64
	run "$LANEWISE" node --cache cache compile --kernel k --specialization S --ptx k.ptx \
		--cc 90 --entry k --admit caveat --verdict k.verdict --facts k.facts -o k.cubin \
		--assembler none
	[ "$status" -eq 2 ]
	[[ $output == *"'k/S': refused by the gate: not compiled"* ]]
	[ ! -e k.cubin ] && [ ! -e k.facts ]
	compile --assembler none --allow-unsafe
	[ -s k.cubin ]
}

@test "PTX that ptxas rejects is data" {
	need_toolchain
	pin=$(assembler)
	[ -n "$pin" ] || skip "no ptxas"
	kernel
	lower
	gate 32
	sed -i 's/^\([[:space:]]*\)ret;/\1membar.nowhere;\n\1ret;/' k.ptx
	compile --assembler "$pin"
	grep -q '"status": "failed"' k.facts
	grep -q '"reason": "ptxas: line ' k.facts
	[ -e k.cubin ] && [ ! -s k.cubin ]
}
