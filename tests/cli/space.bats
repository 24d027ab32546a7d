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
	run "$LANEWISE" space --list --json
	[ "$status" -eq 2 ]
	[[ "$output" == *"only one of --count, --list and --json"* ]]
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
