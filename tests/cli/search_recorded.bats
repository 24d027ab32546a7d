#!/usr/bin/env bats
# Search on what was measured: tests/recorded. tests/bench/search_recorded.sh does more of this.

bats_require_minimum_version 1.5.0
load lib

# 'auto' comes within 1 % of the optimum in every one of 20 runs, on average after at most half of what random needs.
halves_random() { # FOLDER NAME BUDGET DEVICE
	gzip -dc "$SRCDIR/tests/recorded/$1/$2.json.gz" >"$2.json"
	"$LANEWISE" simulate "$2.json" --seeds 20 --budget "$3" --json >out.json
	python3 - "$4" <<-'END'
		import json, sys
		d = json.load(open("out.json"))
		auto = d["strategies"][0]
		assert auto["name"] == "auto" and sys.argv[1] in d["device"], d
		assert auto["runs_within_1_percent"] == 20, auto
		random = d["random"]["evaluations_to_1_percent"]
		assert auto["evaluations_to_1_percent"] <= random / 2, (auto, random)
	END
}

@test "auto needs at most half of what random needs on three kernels of an H200" {
	halves_random h200 sgemm_1024 250 'NVIDIA H200'
	halves_random h200 conv_1024 250 'NVIDIA H200'
	halves_random h200 reduce-stable_1M 75 'NVIDIA H200'
}

@test "auto needs at most half of what random needs on three kernels of two processors" {
	for device in 'host EPYC' 'xeon Xeon'; do
		halves_random "${device% *}" sgemm_128 196 "${device#* }"
		halves_random "${device% *}" conv_128 288 "${device#* }"
		halves_random "${device% *}" transpose_512 216 "${device#* }"
	done
}

@test "auto needs at most half of what random needs on two kernels of PoCL" {
	halves_random opencl sgemm_128 98 'Portable Computing Language'
	# conv does not: three of 72 stand alone (docs/explanation/search.md)
	halves_random opencl transpose_512 88 'Portable Computing Language'
}

@test "the recorded sources are specs that say what is here" {
	cp "$SRCDIR"/tests/recorded/cpu/* "$SRCDIR/tests/recorded/conv/conv_ref.c" "$SRCDIR"/examples/sgemm-host/*.[ch] \
		"$SRCDIR/tests/gate/twins/sgemm.cl" .
	for f in host opencl; do
		"$LANEWISE" space $f.json --json >space.json
		python3 - $f "$SRCDIR" <<-'END'
			import glob, gzip, json, sys
			for k in json.load(open("space.json")):
			    [file] = glob.glob(f"{sys.argv[2]}/tests/recorded/{sys.argv[1]}/{k['kernel']}_*.json.gz")
			    assert len(json.load(gzip.open(file))["cache"]) == k["count"], file
		END
	done
}
