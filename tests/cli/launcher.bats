#!/usr/bin/env bats
# Nodes under a launcher: what is launched, what it is told, and that it changes no answer.

bats_require_minimum_version 1.5.0
load lib

# Two specializations, three candidates, on a simulated device.
small() {
	project reduce
	sed -i 's/"values": \[32, 64, 128, 256\]/"values": [32, 64]/; s/\[128, 256, 512\]/[128, 256]/; s/"sizes": { "1M": { "n": 1048576 }, "64M": .*/"sizes": { "1M": { "n": 1048576 } },/' lanewise.json
	cat >sim.json <<-'END'
	{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000 + TILE", "cost": {"open_ms": 1}}
	END
	cat >record <<-'END'
	#!/bin/sh
	printf '%s\n' "$LANEWISE_NODE" >>"$RECORD"
	printf '%s\n' "$LANEWISE_INPUTS" >>"$RECORD.inputs"
	exec "$@"
	END
	chmod +x record
	export RECORD=$PWD/../recorded
	: >"$RECORD"
}

simulate() {
	"$LANEWISE" tune --device sim.json --no-progress "$@"
}

# How often the device's drift was looked at depends on how fast the host was.
same_report() {
	diff <(grep -v '^readings' "$1") <(grep -v '^readings' "$2")
}

# Keys of what was launched, whose inputs hold no readings.
keys() {
	local entry
	for entry in .lanewise/cache/??/*; do
		! grep -aqE '^node (lower|gate|compile|bench) ' "$entry" || echo "$entry"
	done
}

# "bench 2 lower 2": what was launched since the last call.
launched() {
	sort "$RECORD" | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? " " : ""), $2, $1 }'
	: >"$RECORD"
}

@test "lower, gate and compile go through the launcher, what measures through the other" {
	small
	simulate >../plain || [ $? -eq 1 ]
	benches=$(ran bench)
	[ "$benches" -gt 0 ]
	rm -r .lanewise
	simulate --launcher ./record >../out || [ $? -eq 1 ]
	same_report ../plain ../out
	compiles=$(ran compile)
	[ "$(launched)" = "compile $compiles gate 2 lower 2" ]
	rm -r .lanewise
	simulate --device-launcher ./record >../out || [ $? -eq 1 ]
	same_report ../plain ../out
	[[ "$(launched)" == "bench $benches final "* ]]
	[ "$(cat .lanewise/worker)" = none ]
}

@test "a launcher that comes or goes runs nothing, and what the cache has is not launched" {
	small
	simulate >../plain || [ $? -eq 1 ]
	forget
	simulate --launcher false --device-launcher false >../out || [ $? -eq 1 ]
	same_report ../plain ../out
	run ! grep -v '"node": "stage"' .lanewise/events.jsonl
	# without outputs, but with the cache
	ninja -t clean >/dev/null
	simulate --launcher false --device-launcher false >../out || [ $? -eq 1 ]
	[ "$(ran bench)" -gt 0 ]
	# what was launched is in the cache, under the same keys
	rm -r .lanewise
	simulate --launcher ./record --device-launcher ./record >../out || [ $? -eq 1 ]
	keys >../launched
	rm -r .lanewise
	simulate >../out || [ $? -eq 1 ]
	keys >../here
	[ "$(wc -l <../here)" -ge 8 ]
	diff ../launched ../here
}

@test "the spec may name them, and an empty option is none" {
	small
	sed -i '0,/"kernels"/s//"launcher": "env X=1 .\/record", "device_launcher": "false",\n  "kernels"/' lanewise.json
	simulate --device-launcher '' || [ $? -eq 1 ]
	[[ "$(launched)" == *"gate 2 lower 2" ]]
	rm -r .lanewise
	simulate --launcher '' --device-launcher ' ' || [ $? -eq 1 ]
	[ -z "$(launched)" ]
	[ ! -e .lanewise/launch.json ]
	[ "$(cat .lanewise/worker)" = shared ]
}

@test "a launched node is told its files, which are all that it needs" {
	small
	simulate --launcher ./record || [ $? -eq 1 ]
	sort -u "$RECORD.inputs" >../inputs
	grep -qx .lanewise/in/reduce.cu ../inputs
	grep -qx '.lanewise/reduce/ptx/TILE=128.ptx' ../inputs
	grep -qx '.lanewise/reduce/gate/TILE=128.dd.rsp' ../inputs
	grep -qx '.lanewise/reduce/gate/TILE=128.verdict.json' ../inputs
	# on another machine: with the wrapper of the documentation
	cp .lanewise/report.txt ../plain
	rm -r .lanewise
	sed -n '/^#!\/bin\/sh -e/,/^```/{/^```/!p}' "$SRCDIR/docs/how-to/run-elsewhere.md" >over-there
	mkdir ../bin
	printf '#!/bin/sh\nshift\ncd /\nexec sh -c "$*"\n' >../bin/ssh
	ln -s "$LANEWISE" ../bin/lanewise
	chmod +x over-there ../bin/ssh
	PATH=$(realpath ../bin):$PATH simulate --launcher './over-there HOST' || [ $? -eq 1 ]
	[ "$(ran lower)" -eq 2 ]
	same_report .lanewise/report.txt ../plain
}

@test "a launcher that fails, or does nothing, is trouble, and nothing old passes for its result" {
	small
	simulate >../plain || [ $? -eq 1 ]
	sed -i 's/s\[threadIdx.x\] = /s[threadIdx.x] = 1 * /; 1i #define EDITED 1' reduce.cu
	sed -i '0,/+=/s//-=/' reduce.cu
	for how in true false 'sh -c "kill -9 \$\$"' ./none; do
		run simulate --launcher "$how"
		[ "$status" -eq 2 ]
		[[ "$output" == *"the launcher '$how' ended"* ]]
		[[ "$output" == *"did not finish"* ]]
	done
	cp .lanewise/reduce/ptx/TILE=128.ptx old.launched
	run simulate --launcher 'sh -c "cp old.launched \$LANEWISE_OUTPUTS"'
	[ "$status" -eq 2 ]
	[[ "$output" == *"ended well, but brought no result of this node"* ]]
	simulate || [ $? -eq 1 ]
	[ "$(find .lanewise -name '*.launched' | wc -l)" -eq 0 ]
}

@test "a candidate that fails under a launcher is a candidate that fails" {
	small
	sed -i '1i #if TILE == 256\n#error "no 256"\n#endif' reduce.cu
	cat >sim.json <<-'END'
	{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000 + TILE", "cost": {"open_ms": 1},
	 "faults": [{"when": "TILE == 128", "fault": "abort"}]}
	END
	simulate >../plain || true
	rm -r .lanewise
	simulate --launcher ./record --device-launcher ./record >../out || true
	same_report ../plain ../out
	grep -q 'no 256' ../out
}
