#!/usr/bin/env bats
# Kills, two at once, and workers that do not answer: the next run ends with the same report, or
# says what it waits for.

bats_require_minimum_version 1.5.0
load lib

# A project that is judged and estimated in a second.
small() {
	project reduce
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	tune >../whole 2>/dev/null || [ $? -eq 1 ]
}

# The next run ends with the report of the first.
again() {
	tune >../again 2>../err || [ $? -eq 1 ] || { cat ../err && return 1; }
	cmp ../whole ../again
	cmp ../whole .lanewise/report.txt
}

@test "Ctrl-C and kill -9 at any moment, then the same report" {
	small
	for signal in INT KILL TERM KILL; do
		rm -rf .lanewise build.ninja
		"$LANEWISE" tune --backend model --device h200 --no-progress >../out 2>&1 3>&- &
		sleep "0.$((RANDOM % 9))"
		kill -$signal $! || true
		wait $! || true
		flock -w 20 .lanewise/lock true || [ ! -d .lanewise ]
		again
	done
	# what killed writers leave is removed, whatever else is there is not
	mkdir -p .lanewise/reduce/ptx
	touch -d '-1 minute' .lanewise/reduce/ptx/X.ptx.1a2b.tmp .lanewise/reduce/ptx/Y.launched \
		.lanewise/cache/x.12ab.tmp .lanewise/my.tmp
	touch -d '+1 hour' .lanewise/reduce/ptx/Z.ptx.1a2b.tmp
	again
	[ "$(find .lanewise -name '*.tmp' -o -name '*.launched' | sort | tr '\n' ' ')" = \
		".lanewise/my.tmp .lanewise/reduce/ptx/Z.ptx.1a2b.tmp " ]
}

@test "a few kills of a tune that measures" {
	run "$SRCDIR/tests/bench/kills.sh" 15 30 "$RANDOM"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a second tune is told of the first" {
	small
	flock .lanewise/lock sleep 20 3>&- &
	sleep 0.2
	run tune
	kill $!
	[ "$status" -eq 2 ]
	[[ "$output" == *"another 'lanewise tune' is at work in this project"* ]]
	# of two that start at once, one ends well, and the other says so or comes after
	rm -rf .lanewise build.ninja
	tune >../a 2>../a.err 3>&- &
	tune >../b 2>../b.err || grep -q 'another .* is at work' ../b.err || [ $? -eq 1 ]
	wait $! || grep -q 'another .* is at work' ../a.err || [ $? -eq 1 ]
	again
}

# A measured project: one candidate, on a scripted device.
measured() {
	project reduce
	sed -i 's/\[128, 256, 512\]/[128]/; s/\[32, 64, 128, 256\]/[32]/; /"verify"/d' lanewise.json
	echo '{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": 1000, "cost": {"open_ms": 1}}' >sim.json
}

@test "what lies in the way of a worker is named at once" {
	measured
	"$LANEWISE" tune --device sim.json --no-progress >../whole || [ $? -eq 1 ]
	"$LANEWISE" worker --stop
	for file in "$XDG_RUNTIME_DIR"/lanewise/gpu-*.lock; do
		stem=${file%.lock}
	done
	for ext in sock worker lock; do
		rm -rf .lanewise "$stem".*
		mkdir "$stem.$ext"
		run timeout 30 "$LANEWISE" tune --device sim.json --no-progress
		[ "$status" -eq 2 ]
		[[ "$output" == *"'$stem.$ext' is in the way of the worker; remove it"* ]]
	done
	rm -rf "$stem".*
	"$LANEWISE" tune --device sim.json --no-progress >../again || [ $? -eq 1 ]
}

@test "a worker that is stopped is told while it is waited for" {
	measured
	"$LANEWISE" tune --device sim.json --no-progress >../whole || [ $? -eq 1 ]
	pid=$("$LANEWISE" worker --list | sed -n 's/.* pid \([0-9]*\) .*/\1/p')
	rm -rf .lanewise
	kill -STOP "$pid"
	"$LANEWISE" tune --device sim.json --no-progress >../again 2>../err 3>&- &
	for ((i = 0; i < 600; i++)); do
		! grep -q "it is stopped; 'kill -CONT $pid' lets it go on" ../err || break
		sleep 0.1
	done
	kill -CONT "$pid"
	wait $! || [ $? -eq 1 ]
	[ $i -lt 600 ]
	diff <(grep -v ^readings ../whole) <(grep -v ^readings ../again)
}
