#!/usr/bin/env bats
# Several devices: each problem on one of them, all of them busy.

bats_require_minimum_version 1.5.0
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	mkdir -p run && export XDG_RUNTIME_DIR=$PWD/run
	project reduce
	sed -i 's/"1M": { "n": 1048576 }, "64M": { "n": 67108864 }/"4K": { "n": 4096 }, "8K": { "n": 8192 }, "16K": { "n": 16384 }/
		s/\[32, 64, 128, 256\]/[32]/' lanewise.json
	for i in 1 2; do
		cat >sim$i.json <<-END
			{"schema": "lanewise/sim.v1", "device": "h200", "seed": $i,
			 "time_ns": "20000 + 20 * abs(TILE - 256)", "noise": {"sigma": 0.001}}
		END
	done
}

teardown() {
	"$LANEWISE" worker --stop >/dev/null 2>&1 || true
}

@test "both devices are busy, and each problem is on one" {
	"$LANEWISE" tune --devices sim1.json,sim2.json --no-progress >out
	python
	python3 - <<-'END'
		import glob, json
		on = {}
		for f in glob.glob(".lanewise/reduce/bench/*.json") + glob.glob(".lanewise/reduce/final/*.json"):
		    r = json.load(open(f))
		    on.setdefault(r["size"], set()).add(r["device_uuid"])
		assert len(on) == 3 and all(len(u) == 1 for u in on.values()), on
		assert len(set.union(*on.values())) == 2, on
		for s in json.load(open(".lanewise/reduce/rank.json"))["sizes"]:
		    assert {s["device_uuid"]} == on[s["size"]], s
		    assert s["champion"] == "BLOCK=32,TILE=256", s
	END
	[ "$(grep -c '^  on simulated NVIDIA H200 SIM-' out)" -eq 3 ]
	grep -q 'pool gpu1' build.ninja
	grep -A1 '^pool gpu' build.ninja | grep -q 'depth = 2'
	run "$LANEWISE" tune --devices sim1.json,sim2.json --no-progress
	[[ "$output" == *"SIMULATED (SIM-"*" and 1 more)"* ]]
	[[ "$output" == *"nothing to do"* ]]
	run ninja tune
	[[ "$output" == *"no work to do"* ]]
}

@test "the spec may name them" {
	sed -i 's/"kernels": {/"devices": "sim1.json,sim2.json", "kernels": {/' lanewise.json
	"$LANEWISE" graph
	[ -f .lanewise/device-1.json ]
	"$LANEWISE" graph --device sim1.json
	run ! grep -q 'pool gpu1' build.ninja
}

@test "described devices share the estimates" {
	"$LANEWISE" tune --devices h200,h200 --no-progress >out
	grep -q 'device-1.json' .lanewise/reduce/build.ninja
	run ! grep -q 'pool = ' .lanewise/reduce/build.ninja
}

@test "what does not go together is told" {
	run "$LANEWISE" graph --devices h200,a100
	[ "$status" -eq 2 ]
	[[ "$output" == *"are not of one model"* ]]
	run "$LANEWISE" graph --devices sim1.json,h200
	[ "$status" -eq 2 ]
	[[ "$output" == *"do not mix"* ]]
	run "$LANEWISE" graph --devices sim1.json,sim1.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"is named twice"* ]]
	run "$LANEWISE" graph --device h200 --devices h200
	[ "$status" -eq 2 ]
	[[ "$output" == *"exclude each other"* ]]
	run env CUDA_VISIBLE_DEVICES= "$LANEWISE" graph --devices all
	[ "$status" -eq 2 ]
	[[ "$output" == *"no GPU"* ]]
}

# "4K" where its final runs: "4K .lanewise/device.json".
places() {
	awk '/^build [^ ]*\/final\// { split($2, p, "/"); sub(/\.json:/, "", p[4]); for (i = 1; i <= NF; i++)
		if ($i ~ /device/) print p[4], $i }' .lanewise/reduce/build.ninja
}

@test "a problem that comes does not move the others" {
	"$LANEWISE" graph --devices sim1.json,sim2.json
	places >before
	[ "$(wc -l <before)" -eq 3 ]
	sed -i 's/"16K": { "n": 16384 }/"16K": { "n": 16384 }, "32K": { "n": 32768 }/' lanewise.json
	"$LANEWISE" graph --devices sim1.json,sim2.json
	places >after
	[ "$(wc -l <after)" -eq 4 ]
	[ "$(comm -12 <(sort before) <(sort after) | wc -l)" -eq 3 ]
}
