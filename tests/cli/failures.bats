#!/usr/bin/env bats
# What goes wrong is data, or a clear error; never a lost run.

bats_require_minimum_version 1.5.0
load lib

@test "a candidate that does not compile gets a status, the rest a champion" {
	project reduce
	sed -i '1i #if TILE == 256\n#error "no 256"\n#endif' reduce.cu
	tune >out || [ $? -eq 1 ]
	grep -q 'no 256' out
	grep -q 'reduce.cu:2' out
	grep -Eqi 'champion|best' out
	[ "$(ran gate)" -eq 3 ]
	# and once it is mended, only its own chain runs
	forget
	sed -i '2s/.*//' reduce.cu
	tune >out || [ $? -eq 1 ]
	run ! grep -q 'no 256' out
	[ "$(ran compile)" -eq 1 ]
}

@test "a source that never compiles ends with no admissible candidate" {
	project reduce
	echo 'int broken(' >>reduce.cu
	run tune
	[ "$status" -eq 3 ]
	[[ "$output" == *"reduce.cu:"* ]]
	[[ "$output" == *"reduce at 1M: no champion"*"both admitted and working (exit status 3)"* ]]
}

@test "a missing source is an error in the spec, exit 2, and nothing is written" {
	project reduce
	rm reduce.cu
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:"*"reduce.cu"* ]]
	[ ! -f build.ninja ]
}

@test "a missing oracle is an error in the spec, also where nothing can be verified" {
	project reduce
	rm reduce_ref.c
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:"*"reduce_ref.c"* ]]
}

@test "arguments that are not the kernel's are never judged as if they were" {
	project reduce
	sed -i '/"name": "n"/d; s/"output": true },/"output": true }/' lanewise.json
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"the kernel has 3 parameters, 'args' in the spec 2"* ]]
	[[ "$output" == *"lanewise.json:"*":15: error: no candidate of 'reduce' could be judged"* ]]
	run "$LANEWISE" report
	[ "$status" -eq 2 ]
}

@test "an entry that is in no candidate is an error in the spec, with those that are" {
	project reduce
	sed -i 's/"entry": "reduce"/"entry": "redcue"/' lanewise.json
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:6:59: error: "*"no entry 'redcue'; the module has 'reduce'"* ]]
	run "$LANEWISE" ci --device h200 --fail-on none
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:6:59: error: "* ]]
	# of one specialization alone it is data, as other candidates go on
	sed -i 's/"redcue"/"reduce"/' lanewise.json
	sed -i '1i #if TILE == 256\n#define reduce redcue\n#endif' reduce.cu
	tune >out 2>&1 || [ $? -eq 1 ]
	grep -q "no entry 'reduce'; the module has" out
	run ! grep -q 'error: no candidate' out
}

@test "an argument of another type is no argument of the kernel" {
	project reduce
	sed -i 's/"type": "i32",  "value": "n"/"type": "f32",  "value": "n"/' lanewise.json
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:17:9: error: "*"argument 2, 'n', is f32 in the spec"* ]]
}

@test "a refusal shows its source without the indentation that all lines have" {
	project reduce
	tune >out || true
	# whichever of the two barriers the compiler puts first
	grep -qxE '    >    (36|42) \|         __syncthreads\(\);        /. .*' out
	grep -qxE '         (37|43) \| \}' out
}

@test "a missing spec names init and leaves nothing behind" {
	run "$LANEWISE" tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise init"* ]]
	[ ! -e .lanewise ]
}

@test "a source that vanishes after the graph was written is the same error" {
	project reduce
	tune
	rm reduce.cu
	run ninja tune
	[ "$status" -ne 0 ]
	[[ "$output" == *"lanewise.json:"*"reduce.cu"* ]]
}

@test "a damaged dyndep file is repaired by the front end" {
	project reduce
	tune
	dd=$(ls .lanewise/reduce/gate/*.dd | head -1)
	echo 'ninja_dyndep_version = 1
build half' >"$dd"
	tune
	ninja tune
	sed -i 's/@1M/@1N/' "$dd" # well-formed, but there is no such file
	tune
	ninja tune
}

@test "a damaged file of the graph is made again" {
	project reduce
	tune >../whole || [ $? -eq 1 ]
	for f in rank.json rows/TILE=128.json gate/TILE=128.verdict.json \
		cubin/TILE=128.facts.json bench/BLOCK=32,TILE=128@1M.json; do
		printf '{"schema": ' >".lanewise/reduce/$f"
		tune >../mended || [ $? -eq 1 ]
		cmp ../whole ../mended
	done
}

@test "a damaged file is named when Ninja runs alone" {
	project reduce
	tune
	printf '{' >.lanewise/reduce/rows/TILE=128.json
	run ninja tune
	[ "$status" -ne 0 ]
	[[ "$output" == *"'.lanewise/reduce/rows/TILE=128.json' is damaged; remove it"* ]]
}

@test "a damaged report says what to remove" {
	project reduce
	tune
	: >.lanewise/report.json
	run "$LANEWISE" report
	[ "$status" -eq 2 ]
	[[ "$output" == *"remove '.lanewise/report.json' and run 'lanewise tune'"* ]]
}

@test "a NINJA_STATUS of one's own changes nothing" {
	project reduce
	NINJA_STATUS='%s/%t of mine ' tune 2>../err || [ $? -eq 1 ]
	run ! grep 'of mine' ../err
	run ! grep 'ninja: doing' ../err
}

@test "a damaged verdict is noticed and made again" {
	project reduce
	tune
	rm .lanewise/reduce/gate/TILE=128.verdict.json
	forget
	tune
	[ "$(ran gate)" -eq 1 ]
}

@test "kill -9 in the middle, then the run goes on to the same report" {
	project sgemm
	sed -i 's/\[8, 16, 32\]/[16]/; s/"BM":         { "values": \[32, 64, 128, 256\]/"BM": { "values": [64]/' lanewise.json
	tune >whole || [ $? -eq 1 ]
	rm -rf .lanewise build.ninja
	timeout -s KILL 1 "$LANEWISE" tune --backend model --device h200 --no-progress || true
	flock -w 10 .lanewise/lock true # the killed one is gone for good
	tune >again || [ $? -eq 1 ]
	cmp whole again
}

@test "an unknown key names the nearest one, at its place" {
	project reduce
	sed -i 's/"constraints"/"constrains"/' lanewise.json
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:"*"constrains"*"constraints"* ]]
}

@test "--allow-unsafe wants a reason" {
	project reduce
	run tune --allow-unsafe
	[ "$status" -eq 2 ]
	[[ "$output" == *"--reason"* ]]
}

@test "--backend cuda without a GPU is refused, not replaced" {
	command -v nvidia-smi >/dev/null && skip "a GPU is here"
	project reduce
	run "$LANEWISE" tune --backend cuda
	[ "$status" -eq 2 ]
	[[ "$output" == *"GPU"* ]]
}

@test "a header is found by scanning and its change re-runs lower" {
	project reduce
	echo '#define EXTRA 0' >extra.h
	sed -i '1i #include "extra.h"' reduce.cu
	tune
	forget
	echo '#define EXTRA 0 // changed' >extra.h
	tune
	[ "$(ran lower)" -eq 3 ]
	[ "$(ran gate)" -eq 0 ]
}
