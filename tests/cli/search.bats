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

@test "simulate --json is the same every time" {
	"$LANEWISE" simulate "$recorded/kernel_tuner_t4.json" --strategy all --seeds 2 --json >one
	"$LANEWISE" simulate "$recorded/kernel_tuner_t4.json" --strategy all --seeds 2 --json >two
	cmp one two
	grep -q '"schema": "lanewise/simulate.v1"' one
	[ "$(grep -c '"score"' one)" -eq "$("$LANEWISE" simulate --list | wc -l)" ]
}

@test "simulate names what it cannot do" {
	run "$LANEWISE" simulate "$recorded/kernel_tuner_cache.json" --strategy auti
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'auto'?"* ]]
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
