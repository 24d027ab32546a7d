#!/usr/bin/env bats
# The edit matrix: which nodes run after which edit, by kind. A node that only looked its
# answer up in the cache is told apart ("bench 8 cached").
#
# Measured by a scripted device, one process at a time and without the worker, whose memory
# would make results differ in what they say of the anchor.

bats_require_minimum_version 1.5.0
load lib

# 2 specializations, 4 candidates, 8 points; TILE=16 is the fastest, 32 far behind.
write_project() {
	cat >k.cu <<'END'
#include "used.h"
// Adds STEP to what a tile holds.
extern "C" __global__ void k(const float *in, float *out, int n)
{
	__shared__ float part[TILE];
	int t = threadIdx.x;
	int i = blockIdx.x * blockDim.x + t;

	for (int j = t; j < TILE; j += blockDim.x)
		part[j] = in[(i + j) % n];
	__syncthreads();
	if (i < n) {
		float got = part[t % TILE];
		out[i] = got + STEP;
	}
}
END
	echo '#define STEP 2.0f' >used.h
	echo '#define OTHER 1' >unrelated.h
	cat >ref.c <<'END'
#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	size_t n;
	double *out = lanewise_out_f32(args, n_args, "out", &n);

	for (size_t i = 0; out && i < n; i++)
		out[i] = 1;
	return !out;
}
END
	cat >lanewise.json <<'END'
{
	"schema": "lanewise/spec.v1",
	"kernels": {
		"k": {
			"source": "k.cu", "language": "cuda", "entry": "k",
			"params": {
				"BLOCK": { "values": [64, 128], "role": "launch" },
				"TILE": { "values": [16, 32] }
			},
			"flags": ["-DMODE=1"],
			"constraints": ["BLOCK >= TILE"],
			"launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"] },
			"sizes": { "S": { "n": 1000 }, "L": { "n": 5000 } },
			"args": [
				{ "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
				{ "name": "out", "type": "f32*", "count": "n", "output": true },
				{ "name": "n", "type": "i32", "value": "n" }
			],
			"baseline": { "BLOCK": 64, "TILE": 16 },
			"verify": { "oracle": "ref.c", "tolerance": { "abs": 0 } }
		}
	}
}
END
	script h200 '20000 + 500 * TILE + BLOCK'
}

script() { # script DEVICE TIME
	echo "{\"schema\": \"lanewise/sim.v1\", \"device\": \"$1\", \"time_ns\": \"$2\"}" >sim.json
}

simulate() {
	"$LANEWISE" tune --device sim.json --no-progress --no-worker -j1 >out 2>err ||
		{ cat out err; return 1; }
}

# "bench 4, lower 2 cached, rank 1": all but 'print', which only copies the report to the
# terminal when it changed.
counts() {
	[ -f .lanewise/events.jsonl ] || return 0
	sed -n 's/^{"node": "\([a-z]*\)".*"status": "\([a-z-]*\)".*/\1 \2/p' .lanewise/events.jsonl |
		grep -v '^print ' | sort | uniq -c |
		awk '{printf "%s%s %s%s", (NR > 1 ? ", " : ""), $2, $1, ($3 == "cached" ? " cached" : "")}'
}

# row NAME EDIT EXPECTED: on a copy of the tuned project, which keeps its times.
row() {
	local got
	rm -rf copy && cp -a base copy && cd copy
	forget
	eval "$2"
	simulate
	got=$(counts)
	[ "$got" = "$3" ] || {
		printf '%s\n  want: %s\n  got:  %s\n' "$1" "$3" "$got"
		wrong=1
	}
	[[ "$(ninja report results)" == *"no work to do"* ]] ||
		{ echo "$1: afterwards there is something to do"; wrong=1; }
	cd ..
}

spec() { sed -i "$1" lanewise.json; }

tuned() {
	mkdir base && cd base
	write_project
	simulate
	[ "$(counts)" = "$1" ] || { counts; false; }
	cd ..
	wrong=
}

# The oracle is made while the cache is looked up, as all that is never stored.
whole="bench 8, collect 2, compile 2, final 2, gate 2, lower 2, rank 1, reference 2, report 1, results 1, shortlist 2, stage 1"
# Everything that hangs on the machine code.
code="bench 8, collect 2, compile 2, final 2, gate 2, lower 2, rank 1, report 1, results 1, shortlist 2, stage 2"
# The text changed, the PTX did not: line numbers for the report, hashes for the pins.
text="lower 2, report 1, results 1, stage 2"
# Nothing is another, but the words of the spec, which an applied choice is checked against.
pins="results 1, stage 1"

@test "edits of sources" {
	tuned "$whole"
	row "nothing" true ""
	row "a new time" 'touch k.cu used.h ref.c lanewise.json' "stage 3"
	row "comment" "sed -i 's,// Adds.*,// Else.,' k.cu" "$text"
	row "comment that moves lines" "sed -i '1i // one more' k.cu" "$text"
	row "whitespace" "sed -i 's/float got = /float  got  =  /' k.cu" "$text"
	row "unrelated header" "echo '#define OTHER 2' >unrelated.h" ""
	row "used header" "echo '#define STEP 3.0f' >used.h" "$code"
	row "used header, a comment" "echo '#define STEP 2.0f // two' >used.h" "$text"
	row "body, other PTX" "sed -i 's/got + STEP/got * STEP/' k.cu" "$code"
	row "body, same PTX" "sed -i 's/got/taken/g' k.cu" "$text"
	row "body, other PTX of one specialization" "sed -i 's/got + STEP/got + (TILE == 32 ? 9.0f : STEP)/' k.cu" \
		"bench 4, collect 1, compile 1, final 2, gate 1, lower 2, rank 1, report 1, results 1, shortlist 2, stage 2"
	row "oracle, a comment" "echo '// more' >>ref.c" "oracle 1, report 1, stage 1"
	[ -z "$wrong" ]
}

@test "edits of the spec" {
	tuned "$whole"
	row "comment" "spec '1i // hello'" ""
	row "-D that nothing reads" "spec 's/MODE=1/MODE=2/'" "lower 2, results 1, stage 1"
	row "-D that the kernel reads" "spec 's/MODE=1/STEP=4.0f/'; echo >used.h" "$code"
	row "new value" "spec 's/\[16, 32\]/[16, 32, 64]/'" \
		"bench 4, collect 1, compile 1, gate 1, lower 1, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "new launch value" "spec 's/\[64, 128\]/[64, 128, 256]/'" \
		"bench 4, collect 2, final 2, gate 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "removed value, which was in the finals" "spec 's/\[16, 32\]/[16]/'" \
		"final 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "removed launch value" "spec 's/\[64, 128\]/[64]/'" \
		"collect 2, final 2, gate 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "values in another order" "spec 's/\[16, 32\]/[32, 16]/'" \
		"rank 1, report 1, results 1, shortlist 2, stage 1"
	row "constraint that takes one candidate" "spec 's/BLOCK >= TILE/BLOCK >= TILE and (TILE < 32 or BLOCK < 128)/'" \
		"collect 1, final 2, gate 1, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "constraint, same candidates" "spec 's/BLOCK >= TILE/BLOCK >= TILE + 0/'" "$pins"
	row "launch expression" "spec 's/ceil_div(n, BLOCK)/ceil_div(n, BLOCK) + 1/'" \
		"bench 8, collect 2, final 2, gate 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "launch expression, same value" "spec 's/ceil_div(n, BLOCK)/ceil_div(n + 0, BLOCK)/'" "$pins"
	row "value of an argument" "spec 's/\"value\": \"n\"/\"value\": \"n - 1\"/'" \
		"bench 8, final 2, gate 2, rank 1, reference 2, results 1, shortlist 2, stage 1"
	row "value of a size" "spec 's/5000/6000/'" \
		"bench 4, collect 2, final 1, gate 2, rank 1, reference 1, report 1, results 1, shortlist 2, stage 1"
	row "new size" "spec 's/\"L\": { \"n\": 5000 }/&, \"XL\": { \"n\": 7000 }/'" \
		"bench 4, collect 2, final 1, gate 2, rank 1, reference 1, report 1, results 1, shortlist 3, stage 1"
	row "tolerance" "spec 's/\"abs\": 0/\"abs\": 0.5/'" "bench 8, final 2"
	row "timeout" "spec 's/\"verify\":/\"timeout\": 50, &/'" "bench 8 cached, final 2 cached"
	row "declared work" "spec 's/\"verify\":/\"work\": { \"bytes\": \"8 * n\" }, &/'" \
		"rank 1, report 1, results 1, shortlist 2, stage 1"
	[ -z "$wrong" ]
}

@test "another device" {
	tuned "$whole"
	again="bench 8, collect 2, final 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	row "another board, same limits" "script h200 '20000 + 500 * TILE + 2 * BLOCK'" "$again"
	row "another model, same limits" "script h100 '20000 + 500 * TILE + BLOCK'" "$again"
	row "another architecture" "script a100 '20000 + 500 * TILE + BLOCK'" \
		"bench 8, collect 2, compile 2, final 2, gate 2, lower 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	[ -z "$wrong" ]
}

# fake NAME REAL: NAME on PATH is REAL, but says it is of the version in the file NAME.
fake() {
	mkdir -p bin
	"$2" --version | sed -n 's/.*\(version [0-9.]*\|V[0-9.]*\).*/\1/p' | head -1 >"bin/$1.is"
	cp "bin/$1.is" "bin/$1.says"
	cat >"bin/$1" <<-END
		#!/bin/sh
		[ "\$1" = --version ] || exec '$2' "\$@"
		'$2' --version | sed "s/\$(cat '$PWD/bin/$1.is')/\$(cat '$PWD/bin/$1.says')/"
	END
	chmod +x "bin/$1"
}

@test "an upgraded compiler lowers again, and what makes the same stops there" {
	clang=$("$LANEWISE" doctor | sed -n 's/^  ok  clang .* //p')
	[ -n "$clang" ] || skip "no clang"
	fake clang++-30 "$clang"
	PATH=$PWD/bin:$PATH
	write_project_with() { write_project; spec 's/"language": "cuda"/&, "toolchain": "clang"/'; }
	mkdir base && cd base && write_project_with && simulate && cd ..
	wrong=
	row "nothing" true ""
	row "new compiler, same PTX" "sed -i 's/\$/9/' ../bin/clang++-30.says" "lower 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	[ -z "$wrong" ]
}

@test "an upgraded assembler compiles again, and what makes the same stops there" {
	ptxas=$("$LANEWISE" doctor | sed -n 's/^  ok  ptxas .* //p')
	[ -n "$ptxas" ] || skip "no ptxas"
	fake ptxas "$ptxas"
	PATH=$PWD/bin:$PATH
	mkdir base && cd base && write_project && simulate && cd ..
	wrong=
	row "nothing" true ""
	row "new assembler, same machine code" "sed -i 's/\$/9/' ../bin/ptxas.says" "compile 2, rank 1, report 1, results 1, shortlist 2, stage 1"
	[ -z "$wrong" ]
}

@test "what the spec no longer has is removed, and comes back out of the cache" {
	tuned "$whole"
	cd base
	run find .lanewise/k -name '*TILE=32*'
	[ "${#lines[@]}" -eq 11 ]
	spec 's/\[16, 32\]/[16]/; s/, "L": { "n": 5000 }//'
	simulate
	[ -z "$(find .lanewise/k -name '*TILE=32*' -o -name '*@L*' -o -name 'L.json')" ]
	[ "$(find .lanewise/k/ref -name '*.ref' | wc -l)" -eq 1 ]
	forget
	spec 's/\[16\]/[16, 32]/; s/"S": { "n": 1000 }/&, "L": { "n": 5000 }/'
	simulate
	[[ "$(counts)" == "bench 6 cached, collect 2, compile 1 cached, final 2 cached, gate "*"lower 1 cached"* ]] ||
		{ counts; false; }
	# A kernel's folder goes with it.
	spec 's/"k": {/"other": {/'
	simulate
	[ ! -e .lanewise/k ] && [ -d .lanewise/other/bench ]
	# What is not the graph's is left alone.
	[ -d .lanewise/cache ] && [ -f .lanewise/device.json ]
}

@test "a header that moved is not found at its old place" {
	tuned "$whole"
	cd base
	mkdir inc
	sed 's/2.0f/7.0f/' used.h >inc/used.h
	rm used.h
	spec 's/"flags": .*/"include": ["inc"],/'
	forget
	simulate
	[ ! -e .lanewise/in/used.h ]
	[ "$(ran compile)" -eq 2 ]
	grep -q 0f40E00000 .lanewise/k/ptx/TILE=16.ptx
}
