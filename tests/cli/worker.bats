#!/usr/bin/env bats
# Measuring through a worker, on a simulated device: what one candidate does to others, and
# what is left when somebody is killed.

bats_require_minimum_version 1.5.0
load lib

teardown() {
	"$LANEWISE" worker --stop || true
	nobody_left
}

# No process of this test is there: each has its folder in its environment.
nobody_left() {
	local exe
	for exe in $(find /proc/[0-9]*/exe -maxdepth 0 -lname "$(readlink -f "$LANEWISE")" 2>&1); do
		! tr '\0' '\n' 2>&1 <"${exe%exe}environ" |
			grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" || { echo "$exe" && return 1; }
	done
}

# A kernel whose candidates differ by name only: candidates FIRST LAST.
candidates() {
	cp "$SRCDIR/tests/gpu/kernels.ptx" k.ptx
	cat >ref.c <<'END'
#include "lanewise_oracle.h"
int lanewise_oracle(const struct lanewise_arg *a, int n)
{
	(void)n;
	for (size_t i = 0; i < a[1].count; i++)
		((double *)a[1].data)[i] = 2.0 * ((float *)a[0].data)[i];
	return 0;
}
END
	cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "scale": {
  "source": "k.ptx", "language": "ptx", "entry": "scale",
  "params": { "ID": { "values": [$(seq -s , "$1" "$2")], "role": "launch" } },
  "launch": { "block": [128], "grid": ["ceil_div(n, 128)"] },
  "sizes": { "s": { "n": 1000 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
    { "name": "out", "type": "f32*", "count": "n", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ],
  "baseline": { "ID": $1 },
  "timeout": 1,
  "verify": { "oracle": "ref.c", "tolerance": { "abs": 0 } } } } }
END
}

simulate() { # simulate FAULTS [MEMBERS] [NS]
	cat >sim.json <<END
{ "schema": "lanewise/sim.v1", "device": "h200", "time_ns": "${3:-20000} + ID",
  "cost": { "open_ms": 1 }${2:+, $2},
  "faults": [ $1 ] }
END
}

tune() {
	"$LANEWISE" tune --device sim.json --no-progress "$@"
}

result() { # result ID
	echo ".lanewise/scale/bench/ID=$1@s.json"
}

status_of() {
	sed -n 's/^  "status": "\(.*\)",/\1/p' "$(result "$1")"
}

worker_pid() {
	"$LANEWISE" worker --list | sed -n 's/.*  pid \([0-9]*\)  .*/\1/p'
}

# The clients of this test that run.
clients() {
	local p
	for p in $(grep -asl '^[^ ]*lanewise.node.*.bench' /proc/[0-9]*/cmdline); do
		[ "$(readlink "${p%cmdline}cwd")" != "$PWD" ] || basename "${p%/cmdline}"
	done
}

@test "every fault gets its status, and all that is healthy is measured" {
	candidates 1 62
	faults=(hang overdue crash exit abort oom unloadable unlaunchable wrong wrong-last
		oob-one oob-far)
	statuses=(hung hung crashed crashed crashed out-of-memory unloadable unlaunchable
		wrong wrong wrong crashed)
	list=
	for i in "${!faults[@]}"; do
		list="$list${list:+,}{\"when\": \"ID == $((5 * i + 3))\", \"fault\": \"${faults[i]}\"}"
	done
	simulate "$list"
	tune >out
	for i in "${!faults[@]}"; do
		[ "$(status_of $((5 * i + 3)))" = "${statuses[i]}" ] || {
			echo "${faults[i]}: $(status_of $((5 * i + 3)))"
			cat "$(result $((5 * i + 3)))"
			return 1
		}
		run -1 grep -q '"reason": ""' "$(result $((5 * i + 3)))"
	done
	[ "$(grep -l '"status": "ok"' .lanewise/scale/bench/*.json | wc -l)" -eq 50 ]
	[ "$(grep -l '"kind": "simulated"' .lanewise/scale/bench/*.json | wc -l)" -eq 62 ]
	[ -z "$(find .lanewise -name '*.pending')" ]
	"$LANEWISE" worker --list >list
	[ "$(wc -l <list)" -eq 1 ]
	grep -q '^SIM-.*  simulated NVIDIA H200  pid [0-9]*  [0-9]* done  0 waiting  idle for' list
}

@test "candidates of one project do not race with those of another" {
	simulate ""
	mkdir fast slow
	cp sim.json fast
	cp sim.json slow
	(cd fast && candidates 1 9 && tune >out)
	(cd slow && candidates 5001 5009 && tune >out)
	# A quarter slower than what the same worker saw in the other folder.
	run -1 grep -l '"screened_out": true' slow/.lanewise/scale/bench/*.json
	"$LANEWISE" worker --list >list
	[ "$(wc -l <list)" -eq 1 ]
}

# Who is killed in a round: the worker, its executor, a client, or all of it.
victims() { # victims KIND TUNE
	case $1 in
	0) worker_pid ;;
	1) cat "$XDG_RUNTIME_DIR"/lanewise/*.lock 2>&1 | sed -n 's/^executor \([0-9]*\) .*/\1/p' ;;
	2) clients ;;
	3) echo "$2" ;;
	esac
}

finished() {
	grep -ls '"status": "ok"' .lanewise/scale/bench/*.json | sort
}

@test "killed at random moments, nothing that was finished is lost" {
	candidates 1 25
	simulate '' '"real_time": true' 200000
	RANDOM=7
	killed=0
	finished >before
	for ((round = 0; round < 50; round++)); do
		tune >out 2>&1 3>&- &
		tune=$!
		while kill -0 $tune; do
			sleep "0.1$((RANDOM % 10))"
			found=$(victims $((RANDOM % 4)) $tune)
			# shellcheck disable=SC2086
			[ -z "$found" ] || ! kill -9 $found || killed=$((killed + 1))
		done 2>errors
		wait $tune && status=0 || status=$?
		finished >now
		[ -z "$(comm -23 before now)" ]
		mv now before
		[ "$status" -ne 0 ] || break
	done
	echo "round $round, $killed kills, $(wc -l <before) results"
	[ "$killed" -ge 3 ]
	# the Ninja of a tune that was killed may be at work for a moment
	for ((i = 0; i < 50; i++)); do
		tune >out 2>&1 && break
		sleep 0.1
	done
	tune
	# whose executor was killed four times is told so, and measured no more
	told=$(grep -lE '"status": "ok"|killed by signal 9' .lanewise/scale/bench/*.json | wc -l)
	[ "$told" -eq 25 ]
	[ "$(finished | wc -l)" -ge 15 ]
	[ -z "$(find .lanewise -name '*.pending')" ]
}

@test "two tunes share one worker" {
	mkdir a b
	for p in a b; do
		(cd $p && candidates 1 15 && simulate '')
	done
	(cd a && exec "$LANEWISE" tune --device sim.json --no-progress) >a.out 2>&1 3>&- &
	(cd b && exec "$LANEWISE" tune --device sim.json --no-progress) >b.out 2>&1
	wait $!
	[ "$("$LANEWISE" worker --list | wc -l)" -eq 1 ]
	for p in a b; do
		[ "$(grep -l '"status": "ok"' $p/.lanewise/scale/bench/*.json | wc -l)" -eq 15 ]
	done
}

@test "without a worker the same is measured, and nobody stays" {
	candidates 1 8
	simulate '{"when": "ID == 3", "fault": "hang"}, {"when": "ID == 4", "fault": "abort"}'
	tune --no-worker >out
	run "$LANEWISE" worker --list
	[ "$status" -eq 1 ]
	[ "$output" = 'no worker is running' ]
	[ "$(status_of 3) $(status_of 4) $(status_of 8)" = 'hung crashed ok' ]
	# Who runs it is no input of a measurement.
	forget
	tune >out
	[ "$(ran bench)" -eq 0 ]
}

@test "an idle worker ends, at once when its folder goes" {
	candidates 1 2
	simulate ''
	tune >out
	pid=$(worker_pid)
	run "$LANEWISE" worker --stop
	[ "$status" -eq 0 ]
	[[ $output == "ended: "*"  simulated NVIDIA H200  pid $pid  "[1-9]*" done" ]]
	"$LANEWISE" worker --device .lanewise/device.json --idle 0.1 2>log
	grep -q '^worker [0-9]* for simulated NVIDIA H200' log
	"$LANEWISE" worker --device .lanewise/device.json --idle 60 2>log 3>&- &
	until [ -n "$(worker_pid)" ]; do sleep 0.01; done
	mv "$XDG_RUNTIME_DIR" gone
	wait $!
	grep -q 'the folder of leases is gone' log
	mv gone "$XDG_RUNTIME_DIR"
}

@test "the worker of another program is waited for" {
	candidates 1 4
	simulate ''
	cp "$(readlink -f "$LANEWISE")" other
	"$LANEWISE" graph --quiet --device sim.json
	./other worker --device .lanewise/device.json --idle 60 2>log 3>&- &
	until [ -n "$(worker_pid)" ]; do sleep 0.01; done
	first=$(worker_pid)
	tune >out 2>&1
	wait $!
	[ "$(worker_pid)" -ne "$first" ]
	[ "$(grep -l '"status": "ok"' .lanewise/scale/bench/*.json | wc -l)" -eq 4 ]
}

@test "one job can be run by hand" {
	candidates 1 2
	simulate '{"when": "ID == 2", "fault": "wrong"}'
	tune >out
	for i in 1 2; do
		command=$(ninja -t commands "$(result $i)" | tail -n 1)
		bash -c "${command/ --cache .lanewise\/cache/} --job $i.job"
	done
	[ "$(head -c 28 1.job)" = '{"schema": "lanewise/job.v1"' ]
	"$LANEWISE" executor --device .lanewise/device.json --job 1.job >answer 2>steps
	grep -q '"status": "ok"' answer
	grep -q '^open (at most' steps
	run --separate-stderr "$LANEWISE" executor --device .lanewise/device.json --job 2.job
	[ "$status" -eq 1 ]
	[[ $output == *'"status": "wrong"'* ]]
	# The same two against each other.
	member() { sed 's/.*"members": \[\(.*\)\]}$/\1/' "$1.job"; }
	sed 's/"kind": "screen"/"kind": "final"/; s/\]}$//' 1.job | tr -d '\n' >final.job
	printf ', %s]}\n' "$(member 2)" >>final.job
	run --separate-stderr "$LANEWISE" executor --device .lanewise/device.json --job final.job
	[[ $output == *'"schema": "lanewise/final.v1"'* ]]
	[ "$(grep -c '"point": "ID=[12]@s"' <<<"$output")" -eq 2 ]
	sed -i 's/"ulp": 0/"ulp": -1/' 1.job
	run "$LANEWISE" executor --device .lanewise/device.json --job 1.job
	[ "$status" -eq 2 ]
	[[ $output == 1.job:1:*"'ulp' must be a whole number"* ]]
}

@test "a fresh checkout with a warm cache measures nothing" {
	candidates 1 12
	simulate ''
	tune >/dev/null
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir .lanewise
	mv kept .lanewise/cache
	touch ./*
	tune >out
	for node in lower gate compile oracle reference baseline bench; do
		[ "$(ran $node)" -eq 0 ] || { all_ran; false; }
	done
	for i in $(seq 12); do
		[ "$(status_of "$i")" = ok ]
	done
	forget
	sed -i 's/^\.version/\/\/ edited\n&/' k.ptx
	tune >/dev/null
	[ "$(ran lower)" -eq 1 ]
}

@test "a pipe in the place of the worker's log does not hold up the run" {
	candidates 1 2
	simulate ''
	tune >/dev/null
	"$LANEWISE" worker --stop
	log=$(ls "$XDG_RUNTIME_DIR"/lanewise/*.log)
	rm -r "$log" .lanewise && mkfifo "$log"
	timeout 60 "$LANEWISE" tune --device sim.json --no-progress >/dev/null
	[ "$(status_of 2)" = ok ]
}

@test "a folder whose name is not UTF-8 is said, and no candidate is blamed" {
	mkdir "$(printf 'a\xff')" && cd "$(printf 'a\xff')"
	candidates 1 2
	simulate ''
	for how in '' --no-worker; do
		run tune $how
		[ "$status" -eq 2 ]
		[[ "$output" == *"is not UTF-8, so nothing can be measured there; rename the folder"* ]]
	done
}
