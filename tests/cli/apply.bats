#!/usr/bin/env bats
# The choice reaches the project's own build, and goes stale when it should.

bats_require_minimum_version 1.5.0
load lib

applied() {
	project reduce
	tune >/dev/null
	run ninja apply
	[ "$status" -eq 0 ]
}

@test "apply writes a header that C and C++ compile, and a record" {
	applied
	[ -f reduce_tuned.h ] && [ -f reduce_tuned.json ]
	grep -q 'lanewise/wisdom.v1' reduce_tuned.json
	grep -qi 'estimated' reduce_tuned.h
	printf '#include "reduce_tuned.h"\nint main(void) { return 0; }\n' >use.c
	cc -std=c11 -Wall -Wextra -Werror -c use.c
	cp use.c use.cc
	c++ -std=c++11 -Wall -Wextra -Werror -c use.cc
	c++ -std=c++17 -Wall -Wextra -Werror -c use.cc
}

@test "check passes at once, and fails when a source changed" {
	applied
	ninja check
	echo '// a change' >>reduce.cu
	run ninja check
	[ "$status" -ne 0 ]
	[[ "$output" == *"STALE"*"reduce.cu"*"lanewise tune, then lanewise apply"* ]]
	# applying again after a tune makes it current
	ninja apply
	ninja check
}

@test "check fails when the spec changed what is tuned" {
	applied
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	run ninja check
	[ "$status" -ne 0 ]
	[[ "$output" == *"STALE"*"spec"* ]]
}

@test "what was edited after its run is not applied" {
	applied
	rm reduce_tuned.*
	echo '// a change' >>reduce.cu
	run "$LANEWISE" apply
	[ "$status" -eq 2 ]
	[[ "$output" == "lanewise: error: kernel 'reduce' was edited after its run: source reduce.cu: "*"run 'lanewise tune' first"* ]]
	[ ! -e reduce_tuned.json ] && [ ! -e reduce_tuned.h ]
	sed -i '$d' reduce.cu
	"$LANEWISE" apply
	cp reduce_tuned.json before
	# The graph has not seen this edit, and the next it has.
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	run "$LANEWISE" apply --check
	[ "$status" -eq 1 ]
	[[ "$output" == *"STALE"*"spec of the kernel: lanewise.json says something else"* ]]
	run "$LANEWISE" apply
	[ "$status" -eq 2 ]
	[[ "$output" == *"edited after its run: lanewise.json says something else of it now"* ]]
	"$LANEWISE" graph --quiet --backend model --device h200
	run "$LANEWISE" apply
	[ "$status" -eq 2 ]
	[[ "$output" == *"edited after its run: spec of the kernel: "* ]]
	cmp before reduce_tuned.json
	# Neither layout nor comments are an edit.
	sed -i 's/\[128, 256\]/[128, 256, 512]/; 1i // a comment' lanewise.json
	"$LANEWISE" graph --quiet --backend model --device h200
	"$LANEWISE" apply
	"$LANEWISE" apply --check
}

@test "a spec that does not fit the kernel is bad input, for apply as for tune" {
	project reduce
	sed -i 's/"entry": "reduce"/"entry": "nothere"/' lanewise.json
	run tune
	[ "$status" -eq 2 ]
	run "$LANEWISE" apply
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:"*"error: no candidate of 'reduce' could be judged: no entry 'nothere'"* ]]
	[ ! -e reduce_tuned.json ] && [ ! -e reduce_tuned.h ]
}

@test "check fails when the device is another one" {
	applied
	"$LANEWISE" graph --quiet --backend model --device a100
	run ninja check
	[ "$status" -ne 0 ]
	[[ "$output" == *"device"*"H200"*"A100"* ]]
}

@test "a measured choice that the gate now refuses is stale, though only estimates are here" {
	applied
	sed -i 's/"kind": "estimated"/"kind": "measured"/; s/"claim": "estimated"/"claim": "observed"/
		s/BLOCK=32,TILE=256/BLOCK=32,TILE=512/' reduce_tuned.json
	run "$LANEWISE" apply --check
	[[ "$output" != *"REFUSED"* ]]
	sed -i 's/BLOCK=32,TILE=512/BLOCK=64,TILE=512/' reduce_tuned.json
	run "$LANEWISE" apply --check
	[ "$status" -eq 1 ]
	[[ "$output" == *"applied at 1M: applied with BLOCK=64,TILE=512, now REFUSED by the gate"* ]]
}

@test "check fails when nothing was applied" {
	project reduce
	tune >/dev/null
	run ninja check
	[ "$status" -ne 0 ]
	[[ "$output" == *"reduce_tuned.json"* ]]
}

@test "applying twice changes nothing" {
	applied
	cp reduce_tuned.h once
	ninja apply
	cmp once reduce_tuned.h
}

@test "only {kernel} may stand in braces" {
	applied
	run "$LANEWISE" apply --header '{kern}.h'
	[ "$status" -eq 2 ]
	[[ "$output" == *"'{kern}.h': only {kernel} may stand in braces"* ]]
	[ ! -e '{kern}.h' ]
	mkdir reduce
	"$LANEWISE" apply --header '{kernel}/{kernel}.h'
	[ -f reduce/reduce.h ]
}

@test "a kernel may include its own tuned header" {
	project reduce
	sed -i '1i #ifndef TILE\n#include "reduce_tuned.h"\n#define TILE REDUCE_1M_TILE\n#endif' reduce.cu
	tune >/dev/null
	ninja apply
	"$LANEWISE" graph --quiet --backend model --device h200
	ninja check
	ninja apply
	ninja check
	# the header is compiled with, all the same
	[ -f .lanewise/in/reduce_tuned.h ]
}

@test "a kernel of which nothing is admissible: 3, and nothing is written" {
	project reduce
	sed -i 's/"values": \[32, 64, 128, 256\]/"values": [64, 128]/; s/"BLOCK": 32/"BLOCK": 64/' lanewise.json
	run -3 tune
	run -3 "$LANEWISE" apply
	[[ "$output" == "lanewise: error: kernel 'reduce' has no admissible candidate; nothing was written"* ]]
	[ ! -e reduce_tuned.h ] && [ ! -e reduce_tuned.json ]
	run -2 "$LANEWISE" apply --check
}

@test "check fails when the header is not that of the record" {
	applied
	sed -i 's/#define REDUCE_1M_BLOCK 32/#define REDUCE_1M_BLOCK 64/' reduce_tuned.h
	run -1 "$LANEWISE" apply --check
	[[ "$output" == *"header: applied with what the record says, now reduce_tuned.h says something else"* ]]
	rm reduce_tuned.h
	run -1 "$LANEWISE" apply --check
	"$LANEWISE" apply --header-only
	"$LANEWISE" apply --check
}
