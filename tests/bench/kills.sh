#!/bin/bash
# Kills a tune at random moments, again and again, and looks at what is left:
#
#     tests/bench/kills.sh [KILLS] [CANDIDATES] [SEED]      (500 200 1)
#
# Candidates are timed by a scripted device, in real time. Killed are, with SIGKILL: the front
# end, Ninja, a node, or all of the run; or the front end is interrupted. The worker and its
# executor are not: of whom the executor dies is told as a candidate that crashes, and
# tests/cli/worker.bats kills those.
#
# When a run comes to its end, and after the last kill, one more run must end with the report of
# an undisturbed one, each bench and final must have been measured once, and nothing may be
# left but the worker. Where kills are still to do then, it begins anew, with nothing.
set -u
kills=${1:-500} candidates=${2:-200} seed=${3:-1}
: "${LANEWISE:?}" "${SRCDIR:?}"
dir=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR=$dir/run
unset LANEWISE_CACHE
mkdir -m 700 "$XDG_RUNTIME_DIR"
trap '"$LANEWISE" worker --stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
RANDOM=$seed
report=$dir/report killed=0 rounds=0 runs=0

fail() {
	echo "FAILED after $killed kills (seed $seed): $*"
	exit 1
}

# A kernel whose candidates differ by name only, with outputs that nobody verifies.
project() {
	mkdir "$1"
	cp "$SRCDIR/tests/gpu/kernels.ptx" "$1/k.ptx"
	cat >"$1/lanewise.json" <<-END
	{ "schema": "lanewise/spec.v1", "kernels": { "scale": {
	  "source": "k.ptx", "language": "ptx", "entry": "scale",
	  "params": { "ID": { "values": { "range": [1, $candidates] }, "role": "launch" } },
	  "launch": { "block": [128], "grid": ["ceil_div(n, 128)"] },
	  "sizes": { "s": { "n": 1000 } },
	  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
	    { "name": "out", "type": "f32*", "count": "n", "output": true },
	    { "name": "n", "type": "i32", "value": "n" } ],
	  "baseline": { "ID": 1 } } } }
	END
	cat >"$1/sim.json" <<-'END'
	{ "schema": "lanewise/sim.v1", "device": "h200", "real_time": true,
	  "time_ns": "100000 + 100 * ID", "cost": { "open_ms": 1 } }
	END
}

tune() {
	"$LANEWISE" tune --device sim.json --no-progress
}

# Processes of this test with these words in their command line; each has its folder in its
# environment.
ours() {
	local pid
	for pid in $(pgrep -f "$1"); do
		! tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" |
			grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" || echo "$pid"
	done
}

victims() { # victims KIND FRONT_END
	case $1 in
	0 | 1) echo "$2" ;;
	2) ours 'ninja -f' ;;
	3) ours 'lanewise node' | shuf -n 1 --random-source=<(yes "$RANDOM") ;;
	4) echo "$2" && ours 'ninja -f' && ours 'lanewise node' ;;
	esac
}

# The counts of readings depend on how fast the host was.
same_report() {
	diff <(grep -v '^readings' "$report") <(grep -v '^readings' "$1")
}

# Every line of the log that says a name was measured, more than once.
repeated() {
	sed -n 's/^{"node": "\(bench\|final\)".*"name": "\([^"]*\)", "status": "ok".*/\1 \2/p' \
		.lanewise/events.jsonl | sort | uniq -d
}

settle() {
	local try
	quiet
	for ((try = 0; try < 20; try++)); do
		tune >../out 2>../err && break
		sleep 0.2
	done
	[ $try -lt 20 ] || { cat ../err && fail "it does not come to an end"; }
	same_report ../out || fail "another report"
	[ -z "$(repeated)" ] || fail "measured again: $(repeated | head -3)"
	tune >../out 2>../err || fail "no report"
	grep -q 'nothing to do' ../err || fail "not up to date: $(cat ../err)"
	[ -z "$(find .lanewise \( -name '*.tmp' -o -name '*.launched' -o -name '*.pending' \) | tee ../left)" ] ||
		fail "left behind: $(cat ../left)"
	[ -z "$(ours 'ninja -f|lanewise (node|tune)')" ] || fail "somebody is still at work"
}

# A node that is still dying and its successor ask the worker the same question, and both are
# given the one answer: that would look as if it had been measured twice.
quiet() {
	while [ -n "$(ours 'ninja -f|lanewise (node|tune)')" ]; do
		sleep 0.02
	done
}

disturb() {
	local front status kind found signal
	quiet
	setsid "$LANEWISE" tune --device sim.json --no-progress >../out 2>&1 &
	front=$!
	runs=$((runs + 1))
	while kill -0 $front 2>/dev/null && [ $killed -lt "$kills" ]; do
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
		kind=$((RANDOM % 5))
		found=$(victims $kind $front)
		[ -n "$found" ] || continue
		signal=KILL
		[ $kind != 0 ] || signal=INT
		# shellcheck disable=SC2086
		kill -$signal $found 2>/dev/null && killed=$((killed + 1))
	done
	wait $front && status=0 || status=$?
	return $status
}

cd "$dir" || exit 2
project undisturbed
cd undisturbed && { tune >"$report" 2>../err || { cat ../err && fail "no report"; }; } && cd ..
while [ $killed -lt "$kills" ]; do
	rm -rf victim
	project victim
	cd victim || exit 2
	rounds=$((rounds + 1))
	until disturb || [ $killed -ge "$kills" ]; do :; done 2>/dev/null
	settle
	cd ..
done
echo "$killed kills in $runs runs of $rounds tunes of $candidates candidates: the report of an undisturbed run, nothing measured twice, nothing left behind"
