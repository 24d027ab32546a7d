#!/usr/bin/env bats
# lanewise simulate and lanewise convert: recorded spaces, and those of other tuners.

setup() {
	cd "$BATS_TEST_TMPDIR"
	recorded=$SRCDIR/tests/recorded
}

@test "simulate prints a table, a plot and the optimum" {
	run "$LANEWISE" simulate "$recorded/kernel_tuner_cache.json" --strategy auto,local --seeds 3 --budget 30
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "scale on Example GPU: 44 candidates: 38 with a time, 4 failed, 2 refused" ]
	[[ "$output" == *"block_size_x=128,tile=2,use_shared=true,alpha=0.5"* ]]
	[[ "$output" == *"3 seeds, 30 evaluations"* ]]
	[[ "$output" == *"A  auto"* && "$output" == *"B  local"* && "$output" == *"% over the optimum"* ]]
}

@test "names of a recorded space stay on their line" {
	sed 's/"scale"/"sc\\nale"/; s/"tile"/"ti\\nle"/g' "$recorded/kernel_tuner_cache.json" >odd.json
	run "$LANEWISE" simulate odd.json --seeds 1 --budget 10
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'sc\nale on Example GPU: 44 candidates: 38 with a time, 4 failed, 2 refused' ]
	[[ "${lines[1]}" == *'block_size_x=128,ti\nle=2,'* ]]
}

@test "a compressed file is told, and its bytes are not shown" {
	gzip -c "$recorded/kernel_tuner_cache.json" >cache.json.gz
	said="cache.json.gz:1:1: error: it is compressed; give what 'gzip -dc' makes of it"
	run "$LANEWISE" simulate cache.json.gz
	[ "$status" -eq 2 ]
	[ "$output" = "$said" ]
	run "$LANEWISE" convert cache.json.gz --to t4
	[ "$status" -eq 2 ]
	[ "$output" = "$said" ]
	run "$LANEWISE" space cache.json.gz
	[ "$status" -eq 2 ]
	[ "$output" = "$said" ]
}

@test "simulate --json is the same every time" {
	"$LANEWISE" simulate "$recorded/kernel_tuner_t4.json" --strategy all --seeds 2 --json >one
	"$LANEWISE" simulate "$recorded/kernel_tuner_t4.json" --strategy all --seeds 2 --json >two
	cmp one two
	grep -q '"schema": "lanewise/simulate.v1"' one
	# 'prior' goes by an estimate, which no recorded space has.
	[ "$(grep -c '"score"' one)" -eq $(($("$LANEWISE" simulate --list | wc -l) - 1)) ]
}

@test "simulate names what it cannot do" {
	run "$LANEWISE" simulate "$recorded/kernel_tuner_cache.json" --strategy auti
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'auto'?"* ]]
	run "$LANEWISE" simulate "$recorded/kernel_tuner_cache.json" --strategy auto,prior
	[ "$status" -eq 2 ]
	[[ "$output" == *"'prior' goes by an estimate, which a recorded space has not"* ]]
	run "$LANEWISE" simulate "$recorded/kernel_tuner_cache.json" --seeds 0
	[ "$status" -eq 2 ]
	run "$LANEWISE" simulate absent.json
	[ "$status" -eq 2 ]
	echo '{"results": [{"configuration": {"x": 1}, "invalidity": "compile"}]}' >none.json
	run "$LANEWISE" simulate none.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"no candidate with a time"* ]]
}

@test "convert goes round: cache, T4, cache" {
	"$LANEWISE" convert "$recorded/kernel_tuner_cache.json" --to t4 -o a.json
	"$LANEWISE" convert "$recorded/kernel_tuner_cache.json" --to csv -o a.csv
	"$LANEWISE" convert a.json --to kernel-tuner -o b.json
	"$LANEWISE" convert b.json --to csv >b.csv
	# T4 does not list the values that a parameter may have: the order of rows stays, times too.
	cmp a.csv b.csv
	[ "$(wc -l <a.csv)" -eq 45 ]
}

@test "convert makes specs that 'space' takes" {
	"$LANEWISE" convert "$recorded/hotspot.t1.json" --to spec -o lanewise.json
	[ "$("$LANEWISE" space --count)" = 82984 ]
	"$LANEWISE" convert "$recorded/matmul-tiled.toml" --to spec -o lanewise.json
	[ "$("$LANEWISE" space --count)" = 18 ]
	run "$LANEWISE" convert "$recorded/matmul-tiled.toml" --to csv
	[ "${lines[0]}" = launchbound_id,id,block_x,block_y,tk,tm,tn ]
	[[ "${lines[1]}" == c1-2118fb9b1cc00d91,* ]]
	[ "${#lines[@]}" -eq 19 ]
}

@test "convert says what does not fit" {
	run "$LANEWISE" convert "$recorded/matmul-tiled.toml" --to t4
	[ "$status" -eq 2 ]
	[[ "$output" == *"describes a space"* ]]
	run "$LANEWISE" convert "$recorded/kernel_tuner_t4.json" --to spec
	[ "$status" -eq 2 ]
	[[ "$output" == *"holds results"* ]]
	run "$LANEWISE" convert "$recorded/kernel_tuner_t4.json"
	[ "$status" -eq 2 ]
	[[ "$output" == *"--to FORMAT is needed"* ]]
}

@test "our own results are a recorded space" {
	own=$recorded/results.json
	"$LANEWISE" convert "$own" --size s --to csv >out.csv
	[ "$(head -1 out.csv)" = A,B,BLOCK,outcome,time_ms,compile_ms ]
	[ "$(wc -l <out.csv)" -eq 19 ]
	grep -q '^5,7,32,ok,0.020256,' out.csv
	grep -q '^5,7,128,constraints,,' out.csv # refused by the gate
	grep -q '^4,6,32,runtime,,' out.csv
	grep -q '^6,6,32,timeout,,' out.csv
	cut -d, -f-5 out.csv >t4.csv
	# Kernel Tuner has one word for what is wrong and what takes too long.
	sed 's/,timeout,/,correctness,/' t4.csv >kernel-tuner.csv
	for format in kernel-tuner t4; do
		"$LANEWISE" convert "$own" --size s --to $format -o there.json
		"$LANEWISE" convert there.json --to csv | cut -d, -f-5 | cmp - $format.csv
	done
	run "$LANEWISE" simulate "$own" --size t --strategy exhaustive,local --seeds 2 --budget 6
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "k on simulated NVIDIA H200: 18 candidates: 7 with a time, 2 failed, 9 refused" ]
	[[ "$output" == *"A=5,B=7,BLOCK=32"* ]]
	sed 's/"kind": "simulated"/"kind": "estimated"/' "$own" >estimated.json
	"$LANEWISE" convert estimated.json --size t --to kernel-tuner | grep -q '"device_name": "simulated NVIDIA H200, ESTIMATED"'
}

@test "which of our results is asked for is said, and what is wrong with them" {
	own=$recorded/results.json
	run "$LANEWISE" convert "$own" --to csv
	[ "$status" -eq 2 ]
	[[ "$output" == *"choose one with --size: s, t"* ]]
	run "$LANEWISE" simulate "$own" --size u
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no size 'u', only: s, t"* ]]
	run "$LANEWISE" simulate "$recorded/kernel_tuner_t4.json" --size t
	[ "$status" -eq 2 ]
	[[ "$output" == *"a size is chosen among our own results only"* ]]
	for damage in 's/"verdict": {/"verdict": 7, "x": {/' 's/"result": {/"result": 7, "x": {/' \
		's/"device": {/"device": "d", "x": {/' 's/"BLOCK": 128/"BLOCKS": 128/'; do
		sed "$damage" "$own" >damaged.json
		run "$LANEWISE" convert damaged.json --size t --to csv
		[ "$status" -eq 2 ]
		[[ "$output" == *"damaged.json:"*"error: "* ]]
	done
}
