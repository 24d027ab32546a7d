#!/usr/bin/env bats
# Search on what was measured: tests/recorded/h200. tests/bench/search_h200.sh does more of this.

bats_require_minimum_version 1.5.0
load lib

# 'auto' comes within 1 % of the optimum in every one of 20 runs, on average after at most half of what random needs.
halves_random() { # NAME BUDGET
	gzip -dc "$SRCDIR/tests/recorded/h200/$1.json.gz" >"$1.json"
	"$LANEWISE" simulate "$1.json" --seeds 20 --budget "$2" --json >out.json
	python3 - <<-'END'
		import json
		d = json.load(open("out.json"))
		auto = d["strategies"][0]
		assert auto["name"] == "auto" and d["device"] == "NVIDIA H200", d
		assert auto["runs_within_1_percent"] == 20, auto
		random = d["random"]["evaluations_to_1_percent"]
		assert auto["evaluations_to_1_percent"] <= random / 2, (auto, random)
	END
}

@test "auto needs at most half of what random needs on sgemm of an H200" {
	halves_random sgemm_1024 250
}

@test "auto needs at most half of what random needs on conv of an H200" {
	halves_random conv_1024 250
}

@test "auto needs at most half of what random needs on reduce of an H200" {
	halves_random reduce-stable_1M 75
}
