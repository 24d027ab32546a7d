#!/usr/bin/env bats
# lanewise space: what a spec amounts to, without building anything.

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >lanewise.json <<-'END'
	{
	  "schema": "lanewise/spec.v1",
	  "kernels": {
	    "one": {
	      "source": "one.cu",
	      "params": {
	        "BLOCK": { "values": [32, 64], "role": "launch" },
	        "TILE": { "values": [64, 96] }
	      },
	      "constraints": ["TILE % BLOCK == 0", "TILE <= n"],
	      "launch": { "block": ["BLOCK"] },
	      "sizes": { "s": { "n": 64 }, "l": { "n": 1000 } }
	    },
	    "two": { "source": "two.cu", "launch": { "block": [32] } }
	  }
	}
	END
}

@test "the summary counts what each constraint removes" {
	run "$LANEWISE" space lanewise.json one
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "one: 3 of 4 assignments are candidates" ]
	[[ "${lines[1]}" =~ ^\ +1\ \ removed\ by\ \ TILE\ %\ BLOCK\ ==\ 0$ ]]
	[[ "${lines[2]}" =~ ^\ +0\ \ removed\ by\ \ TILE\ \<=\ n$ ]]
	[[ "${lines[3]}" =~ ^\ +2\ \ specializations ]]
	[[ "${lines[4]}" =~ ^\ +5\ \ points ]]
	[[ "${lines[5]}" =~ ^\ +2\ \ at\ size\ s$ ]]
	[[ "${lines[6]}" =~ ^\ +3\ \ at\ size\ l$ ]]
}

@test "a lone word is a kernel, a lone file a spec, nothing means lanewise.json" {
	run "$LANEWISE" space two --count
	[ "$status" -eq 0 ]
	[ "$output" = 1 ]
	mv lanewise.json other.json
	run "$LANEWISE" space other.json --count
	[ "$status" -eq 0 ]
	[ "$output" = $'3\n1' ]
	run "$LANEWISE" space
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot find 'lanewise.json'"*"lanewise init"* ]]
}

@test "--list prints labels and ids" {
	run "$LANEWISE" space one --list
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" =~ ^BLOCK=32,TILE=64$'\t'[0-9a-f]{16}$ ]]
	[[ "${lines[2]}" == BLOCK=64,TILE=64* ]]
}

@test "--json is JSON, the same every time" {
	"$LANEWISE" space one --json >a
	"$LANEWISE" space one --json >b
	cmp a b
	if command -v python3 >/dev/null; then
		run python3 -c 'import json; k = json.load(open("a"))[0]
print(k["kernel"], k["assignments"], [c["removed"] for c in k["constraints"]],
    k["points_per_size"], [c["sizes"] for c in k["candidates"]][1])'
		[ "$output" = "one 4 [1, 0] {'s': 2, 'l': 3} ['l']" ]
	fi
}

@test "a wrong kernel, option or spec is exit status 2" {
	run "$LANEWISE" space lanewise.json onee
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no kernel 'onee' (did you mean 'one'?)"* ]]
	run "$LANEWISE" space --list --nth 1
	[ "$status" -eq 2 ]
	[[ "$output" == *"only one of --count, --list, --nth, --sample, --near and --why"* ]]
	run "$LANEWISE" space --list --json
	[ "$status" -eq 2 ]
	sed -i 's/"TILE <= n"/"TYLE <= n"/' lanewise.json
	run "$LANEWISE" space
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:10:45: error: unknown name 'TYLE' (did you mean 'TILE'?)"* ]]
}

@test "an empty space names its constraints" {
	sed -i 's/"TILE <= n"/"TILE > 2 * n"/' lanewise.json
	run "$LANEWISE" space one
	[ "$status" -eq 2 ]
	[[ "$output" == *"no candidate of 'one' satisfies its constraints (4 assignments)"* ]]
	[[ "$output" == *"note: 'TILE > 2 * n' removes 3"* ]]
}

@test "device.* takes the device of the command line" {
	sed -i 's/"TILE <= n"/"TILE <= device.warp_size * 2"/' lanewise.json
	run "$LANEWISE" space one
	[ "$status" -eq 2 ]
	[[ "$output" == *"'device.warp_size' needs a device: name one with --device"* ]]
	run "$LANEWISE" space one --count --device "$SRCDIR/devices/h200.json"
	[ "$status" -eq 0 ]
	[ "$output" = 2 ]
}

@test "a launch without a value is an error at its expression, with the assignment" {
	sed -i 's/"block": \["BLOCK"\]/&, "grid": ["n \/\/ (TILE - 64)"]/' lanewise.json
	run "$LANEWISE" space one
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == "lanewise.json:11:"*": error: grid size 'n // (TILE - 64)' has no value at BLOCK=32,TILE=64, size s: division by zero" ]]
	sed -i 's/n \/\/ (TILE - 64)/n * 2 ** 62/' lanewise.json
	run "$LANEWISE" space one --count
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == *": error: grid size "*" has no value at BLOCK=32,TILE=64, size s: "*overflow* ]]
	run "$LANEWISE" space one --why TILE=64
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == *": error: grid size "*" has no value at BLOCK=32,TILE=64, size s: "*overflow* ]]
	# what hangs on a device is asked where there is one
	sed -i 's/n \* 2 \*\* 62/n \/\/ (device.warp_size - 32)/' lanewise.json
	"$LANEWISE" space one --count
	run "$LANEWISE" space one --count --device h200
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == *"division by zero" ]]
}

@test "--nth, --near and --sample name some of the candidates" {
	"$LANEWISE" space one --list >all
	run "$LANEWISE" space one --nth 2
	[ "$status" -eq 0 ]
	[ "$output" = "$(sed -n 3p all)" ]
	run "$LANEWISE" space one --nth 3
	[ "$status" -eq 2 ]
	[[ "$output" == *"'one' has 3 candidates: --nth is 0 to 2"* ]]
	run "$LANEWISE" space one --near BLOCK=64,TILE=64
	[ "$status" -eq 0 ]
	[ "$output" = "$(sed -n 1p all)" ]
	run "$LANEWISE" space one --near BLOCK=64
	[ "$status" -eq 2 ]
	[ "$output" = "lanewise: error: '--near BLOCK=64': it takes a value for every parameter: 'TILE' has none" ]
	"$LANEWISE" space one --sample 2 --seed 7 >a
	"$LANEWISE" space one --sample 2 --seed 7 >b
	cmp a b
	[ "$(grep -cxFf all a)" -eq 2 ]
	[ "$("$LANEWISE" space one --sample 99 | sort)" = "$(sort all)" ]
}

@test "--why says which constraints remove an assignment" {
	run "$LANEWISE" space one --why TILE=96
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "one with TILE=96: 1 of 2 assignments are candidates" ]
	[[ "${lines[1]}" =~ ^\ +1\ \ break\ +TILE\ %\ BLOCK\ ==\ 0$ ]]
	[[ "${lines[2]}" =~ ^\ +2\ \ would\ be\ left\ without\ it$ ]]
	[[ "${lines[3]}" =~ ^\ +0\ \ break\ +TILE\ \<=\ n$ ]]
	run "$LANEWISE" space one --why TILE=97
	[ "$status" -eq 2 ]
	[ "$output" = "lanewise: error: '--why TILE=97': 97 is not among the values of 'TILE': 64, 96" ]
	run "$LANEWISE" space one --why TYLE=96
	[ "$status" -eq 2 ]
	[[ "$output" == *"'one' has no parameter 'TYLE' (did you mean 'TILE'?)"* ]]
	run "$LANEWISE" space one --why X=3
	[ "$status" -eq 2 ]
	[ "$output" = "lanewise: error: '--why X=3': 'one' has no parameter 'X'; its parameters: BLOCK, TILE" ]
	run "$LANEWISE" space one --why TILE
	[ "$status" -eq 2 ]
	[[ "$output" == *"'TILE' is no assignment: write PARAM=VALUE"* ]]
	run "$LANEWISE" space one --why TILE=96,TILE=64
	[ "$status" -eq 2 ]
	[ "$output" = "lanewise: error: '--why TILE=96,TILE=64': 'TILE' has two values" ]
	run "$LANEWISE" space one --why ''
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == *"--why takes PARAM=VALUE[,...]" ]]
}

@test "--why is about the kernels that have its parameters" {
	run "$LANEWISE" space --why TILE=96
	[ "$status" -eq 0 ]
	[[ "$output" == "one with TILE=96: "* && "$output" != *two* ]]
	run "$LANEWISE" space two --why TILE=96
	[ "$status" -eq 2 ]
	run "$LANEWISE" space --why X=3
	[ "$status" -eq 2 ]
	[[ "${lines[0]}" == *"'one' has no parameter 'X'; its parameters: BLOCK, TILE" ]]
	[[ "${lines[1]}" == *"'two' has no parameter 'X'; it has none at all" ]]
}

@test "--why explains what an empty space lacks" {
	sed -i 's/"TILE <= n"/"TILE > 2 * n"/; s/"l": { "n": 1000 }/"l": { "n": 64 }/' lanewise.json
	run "$LANEWISE" space one --why BLOCK=64,TILE=96
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "one with BLOCK=64,TILE=96: 0 of 1 assignments are candidates" ]
	[[ "${lines[1]}" =~ ^\ +1\ \ break ]]
	[[ "${lines[3]}" =~ ^\ +1\ \ break ]]
}

@test "a space of any size is counted and sampled; the graph has what a search asks for" {
	sed -i 's/"values": \[64, 96\]/"values": { "range": [1, 4096] } }, "X": { "values": { "range": [1, 1000] }/' lanewise.json
	sed -i 's/"constraints": .*/"constraints": ["TILE % BLOCK == 0"],/' lanewise.json
	run "$LANEWISE" space one --count
	[ "$output" = 192000 ]
	sed -i 's/\[1, 1000\]/[1, 4000] } }, "Y": { "values": { "range": [1, 4000]/' lanewise.json
	run "$LANEWISE" space one --count
	[ "$output" = 3072000000 ]
	run "$LANEWISE" space one --nth 3071999999
	[[ "$output" == BLOCK=64,TILE=4096,X=4000,Y=4000$'\t'* ]]
	[ "$("$LANEWISE" space one --sample 5 | sort -u | wc -l)" -eq 5 ]
	run "$LANEWISE" space one --json
	[ "$status" -eq 2 ]
	[[ "$output" == *"add --sample N, or use --list"* ]]
	if command -v python3 >/dev/null; then
		"$LANEWISE" space one --json --sample 2 >j
		run python3 -c 'import json; k = json.load(open("j"))[0]
print(k["count"], len(k["candidates"]), k["specializations"])'
		[ "$output" = "3072000000 2 2048000000" ]
	fi
	touch one.cu two.cu
	run "$LANEWISE" graph --backend model --device h200
	[ "$status" -eq 0 ]
	[[ "$output" == *"one: 3072000000 candidates, "* ]]
	points=$(sed -n 's/^one: .*, \([0-9]*\) points, .*/\1/p' <<<"$output")
	[ "$points" -gt 0 ] && [ "$points" -lt 1000 ]
}
