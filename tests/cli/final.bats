#!/usr/bin/env bats
# A whole tune on a simulated device: screening, shortlist, final, ranking.

bats_require_minimum_version 1.5.0
load lib

# The reduce example with two small sizes, and candidates of one warp alone. TILE=256 is the
# fastest; 128 is the baseline.
setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	mkdir -p run && export XDG_RUNTIME_DIR=$PWD/run
	project reduce
	sed -i 's/"1M": { "n": 1048576 }, "64M": { "n": 67108864 }/"4K": { "n": 4096 }, "8K": { "n": 8192 }/
		s/\[32, 64, 128, 256\]/[32]/' lanewise.json
	script '20000 + 20 * abs(TILE - 256)'
}

teardown() {
	"$LANEWISE" worker --stop >/dev/null 2>&1 || true
}

script() { # script TIME [FAULTS]
	cat >sim.json <<END
{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "$1",
 "noise": {"sigma": 0.001, "rho": 0.3}, "faults": [${2-}]}
END
}

simulate() {
	"$LANEWISE" tune --device sim.json --no-progress "$@"
}

@test "a whole tune says simulated everywhere, and finds the fastest" {
	simulate >out
	grep -q '^times *SIMULATED' out
	[ "$(grep -c 'SIMULATED faster than the baseline BLOCK=32,TILE=128' out)" -eq 2 ]
	[ "$(grep -c 'claim: SIMULATED' out)" -eq 2 ]
	[ "$(grep -c 'CHAMPION BLOCK=32,TILE=256' out)" -eq 2 ]
	[ "$(grep -c "^     vs best: the final's pairs side by side, not the quotient of the medians" out)" -eq 2 ]
	[ "$(ran final)" -eq 2 ]
	[ "$(ran shortlist)" -eq 2 ]
	run ! grep -qi 'measured\|proven' out
	python
	python3 - <<-'END'
		import json
		for s in json.load(open(".lanewise/reduce/rank.json"))["sizes"]:
		    assert s["kind"] == "simulated" and s["claim"] == "simulated", s
		    assert s["faster"] and s["final"]["control_ok"], s
		    assert 1.12 < s["speedup_low"] <= s["speedup"] <= s["speedup_high"] < 1.14, s
	END
	"$LANEWISE" apply
	grep -q 'SIMULATED at' reduce_tuned.h
	grep -q '"claim": "simulated"' reduce_tuned.json
}

@test "a second tune has nothing to do, and a comment runs no final" {
	simulate >first
	forget
	run simulate
	[[ "$output" == *"nothing to do"* ]]
	[ "$(all_ran)" = "" ]
	echo '// the end' >>reduce.cu
	simulate >second
	[ "$(all_ran)" = "lower 3 report 1 results 1 stage 2" ]
	cmp first second
}

@test "a candidate that is too slow for the final changes nothing about it" {
	sed -i 's/\[128, 256, 512\]/[128, 256, 512, 1024, 2048]/' lanewise.json
	simulate
	forget
	sed -i 's/\[128, 256, 512, 1024, 2048\]/[128, 256, 512, 1024, 2048, 4096]/' lanewise.json
	simulate >out
	[ "$(ran bench)" -eq 2 ]
	[ "$(ran shortlist)" -eq 2 ]
	[ "$(ran final)" -eq 0 ]
	[ "$(ran rank)" -eq 1 ]
	grep -q 'TILE=4096' out
}

@test "a new champion is in a new final" {
	script '20000 + 20 * abs(TILE - 256) - (9000 if TILE == 64 else 0)'
	simulate
	forget
	sed -i 's/\[128, 256, 512\]/[64, 128, 256, 512]/' lanewise.json
	simulate >out
	[ "$(ran final)" -eq 2 ]
	[ "$(grep -c 'CHAMPION BLOCK=32,TILE=64' out)" -eq 2 ]
}

@test "a warm cache keeps finals simulated" {
	simulate >first
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir -p .lanewise
	mv kept .lanewise/cache
	simulate >second
	[ "$(ran final)" -eq 0 ]
	[ "$(grep -l '"kind": "simulated"' .lanewise/*/final/*.json | wc -l)" -eq 2 ]
	cmp first second
}

@test "another device measures and decides anew" {
	simulate
	forget
	script '20000 + 20 * abs(TILE - 128)'
	simulate >out
	[ "$(ran final)" -eq 2 ]
	[ "$(ran lower)" -eq 0 ]
	[ "$(grep -c 'CHAMPION BLOCK=32,TILE=128' out)" -eq 2 ]
}

# A fault after 45 batches is one in the final, unless the candidate came first and was the
# anchor of all others: then it fails in the screening.
@test "who crashes in the final is out, and the others are compared" {
	script '20000 + 20 * abs(TILE - 256)' \
		'{"when": "TILE == 256", "fault": "crash", "after": 45}'
	simulate >out
	[ "$(grep -c 'CHAMPION BLOCK=32,TILE=128' out)" -eq 2 ]
	grep -q 'crashed: ' out
	[ "$(grep -c '"final": {' .lanewise/reduce/rank.json)" -eq 2 ]
}

@test "who hangs in the final is found, and out" {
	script '20000 + 20 * abs(TILE - 256)' \
		'{"when": "TILE == 256", "fault": "hang", "after": 45}'
	sed -i 's/"exit_policy"/"timeout": 2, "exit_policy"/; s/, "8K": { "n": 8192 }//' lanewise.json
	simulate >out
	grep -q 'CHAMPION BLOCK=32,TILE=128' out
	grep -q 'hung: ' out
}

@test "finals name the machine code they ran" {
	simulate
	hash=$(sed -n 's/.*"artifact_hash": "\(.*\)".*/\1/p' .lanewise/reduce/shortlist/4K.json |
		head -1)
	[ ${#hash} -eq 32 ]
	echo >>.lanewise/reduce/cubin/TILE=256.cubin
	rm -rf .lanewise/reduce/final .lanewise/cache
	run "$LANEWISE" node final --kernel reduce --size 4K \
		--shortlist .lanewise/reduce/shortlist/4K.json --device .lanewise/device.json \
		--seed 1 --timeout 5 -o out.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"is not the machine code that was measured"* ]]
	[ ! -e out.json ]
}

@test "what the gate refused meanwhile does not run in a final" {
	simulate
	sed -i 's/"verdict": "clean"/"verdict": "refused"/' \
		.lanewise/reduce/gate/TILE=256.verdict.json
	run "$LANEWISE" node final --kernel reduce --size 4K \
		--shortlist .lanewise/reduce/shortlist/4K.json --device .lanewise/device.json \
		--seed 1 --timeout 5 -o out.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"refused by the gate: not run"* ]]
}

@test "show tells one candidate's whole story" {
	script '20000 + 20 * abs(TILE - 256)' \
		'{"when": "TILE == 512", "fault": "wrong-last"}'
	simulate
	"$LANEWISE" show champion --size 4K >out
	grep -q 'parameters BLOCK=32 TILE=256, id [0-9a-f]*, 1 off the baseline' out
	grep -q 'verdict *clean' out
	grep -q 'facts .* no spills, occupancy' out
	grep -q 'screening *ok; median [0-9.]* us SIMULATED, 95 %: ' out
	grep -q '^ *[0-9.]* us |.*o' out
	# Who is measured first is the anchor of the other.
	{ cat out; "$LANEWISE" show baseline --size 4K; } | tr -s ' \n' ' ' >both
	grep -q 'bracket BLOCK=32,TILE=[0-9]*@4K: [0-9.]* us before' both
	grep -q 'outputs agree with: oracle' out
	grep -q 'final .* rounds, standing: best' out
	grep -q 'place *1 of 2: CHAMPION; claim: simulated' out
	"$LANEWISE" show baseline >out
	[ "$(grep -c '^-- reduce at' out)" -eq 2 ]
	grep -q "time over the champion's 1.1" out
	grep -q ' p = ' out
	"$LANEWISE" show BLOCK=32,TILE=512 --size 8K >out
	grep -q 'place *failed: wrong' out
	grep -q 'verified *NOT VERIFIED: outputs differ; .*1 elements off' out
	run "$LANEWISE" show BLOCK=32,TILE=215
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'BLOCK=32,TILE=2"* || "$output" == *"did you mean 'BLOCK=32,TILE=512'"* ]]
	run "$LANEWISE" show champion --size 9K
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no size '9K' (did you mean"* ]]
	run "$LANEWISE" show champion --kernel reduc
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'reduce'"* ]]
}

@test "every reading of every candidate is in results.json" {
	simulate
	"$LANEWISE" show BLOCK=32,TILE=512 --size 4K >out
	grep -q '^ *brought to the common window: [0-9.]* us, which' out
	python
	python3 - <<-'END'
		import json
		r = json.load(open(".lanewise/reduce/results.json"))
		assert r["schema"] == "lanewise/results.v1"
		assert r["pins"]["schema"] == "lanewise/pins.v1" and r["pins"]["toolchain"]
		assert len(r["points"]) == 6 and len(r["finals"]) == 2
		for p in r["points"]:
		    own = json.load(open(".lanewise/reduce/bench/%s.json" % p["point"]))
		    assert p["result"]["readings_ns"] == own["readings_ns"] and len(own["readings_ns"]) >= 3
		assert len({s["artifact"] for s in r["specializations"]}) == 3
	END
	forget
	rm .lanewise/reduce/results.json
	simulate
	[ "$(all_ran)" = "results 1" ]
}

@test "an objective over time and parameters decides" {
	sed -i 's/"exit_policy"/"objective": "time_s * (2 if TILE == 256 else 1)", "exit_policy"/' \
		lanewise.json
	simulate >out
	[ "$(grep -c 'CHAMPION BLOCK=32,TILE=128' out)" -eq 2 ]
	grep -q 'objective time_s \* (2 if TILE == 256 else 1) = 2.2' out
	python
	python3 - <<-'END'
		import json
		for s in json.load(open(".lanewise/reduce/rank.json"))["sizes"]:
		    by = {e["candidate"][-3:]: e for e in s["ranking"]}
		    assert abs(by["256"]["ratio"] - 40/22.56) < 0.01, by["256"]
	END
}

@test "energy is observed, of finalists" {
	sed -i 's/"exit_policy"/"objective": "energy", "exit_policy"/' lanewise.json
	sed -i 's/"noise"/"power_w": "600 if TILE == 256 else 300", "noise"/' sim.json
	simulate >out
	grep -q 'CHAMPION BLOCK=32,TILE=128' out
	grep -q 'objective energy = ' out
	grep -q 'J a launch' out
	grep -q 'claim: SIMULATED: energy is compared by the steps of its counter' out
}

@test "what an objective cannot know is told" {
	sed -i 's/"exit_policy"/"objective": "time_s * TYLE", "exit_policy"/' lanewise.json
	run "$LANEWISE" graph
	[ "$status" -eq 2 ]
	[[ "$output" == *"'TYLE' is not known to an objective"* ]]
}

@test "a warm cache and a wide margin are asked for in the spec" {
	sed -i 's/"exit_policy"/"measure": { "cache": "warm", "margin": 0.2 }, "exit_policy"/' \
		lanewise.json
	simulate >out
	grep -q '"cache": "warm"' .lanewise/reduce/final/4K.json
	grep -q '"cache": "warm"' .lanewise/reduce/bench/BLOCK=32,TILE=128@4K.json
	grep -q 'cannot be told from the baseline BLOCK=32,TILE=128\|it is the baseline' out
}

@test "nothing that was simulated is called measured, not even by graph or what was refused" {
	script '20000 + 20 * abs(TILE - 256)' '{"when": "TILE == 512", "fault": "crash"}'
	sed -i 's/"values": \[32\]/"values": [32, 64]/' lanewise.json
	"$LANEWISE" graph --device sim.json >out
	grep -q '^build.ninja: SIMULATED' out
	simulate --allow-unsafe --reason 'a test' >out || [ $? -eq 1 ]
	grep -q 'simulated in spite of it, by --allow-unsafe: a test' out
	grep -q 'simulated, outputs right' out
	run ! grep -qi 'measured' out
	"$LANEWISE" show BLOCK=64,TILE=256 --size 4K >out
	grep -q 'SIMULATED THOUGH REFUSED' out
	grep -q '^ *LW[0-9]* reduce.cu:[0-9]*: ' out
	run ! grep -q 'PTX line' out
	"$LANEWISE" show BLOCK=32,TILE=512 --size 4K >out
	grep -q 'verified *NOT VERIFIED: it failed$' out
}

@test "a size without a result is on no device, and says why the baseline is no reference" {
	script 20000
	sed -i 's/"oracle": "reduce_ref.c"/"against": "baseline"/
		s/"launch": { "block": \["BLOCK"\]/"launch": { "block": ["BLOCK * (2 if n == 8192 and TILE == 128 else 1)"]/' lanewise.json
	simulate >out || [ $? -eq 3 ]
	run ! grep -q '^  on ' out
	grep -q 'reduce at 8K: no champion' out
	tr -s ' \n' '  ' <out >flat
	grep -q 'refused by the gate: not run; choose one that is safe at this size' flat
}
