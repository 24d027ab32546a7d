#!/bin/bash
# kill -9 of client, worker and executor at random moments of a run on the GPU of this machine:
# no finished result is lost or measured again, no lease stays taken. KILLS (12), SEED (1).
set -u
LANEWISE=$(realpath "${LANEWISE:?}") here=${SRCDIR:?}
if [ ! -e /dev/nvidia0 ] && [ ! -e /dev/dxg ]; then
	echo "no GPU here"
	exit 77
fi
export PATH="${LANEWISE%/*}:$PATH"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 2
passed=0 failed=0 RANDOM=${SEED:-1}

expect() { # expect NAME COMMAND...
	local name=$1
	shift
	if "$@" >/dev/null 2>&1; then
		passed=$((passed + 1)) && echo "ok    $name"
	else
		failed=$((failed + 1)) && echo "FAIL  $name: $*"
	fi
}

# finished: the results that are there, each with its inode: one made again is another file
finished() {
	grep -l '"status": "ok"' .lanewise/twice/bench/*.json 2>/dev/null | xargs -r stat -c '%i %n' | sort
}

# The healthy ways only; none is wrong by itself.
cp -r "$here/tests/gpu/failures" . && cd failures || exit 2
sed -i 's/"values": \[0, 1, 2, .*\] }/"values": [0] }/; s/"WAY": 1, "BLOCK"/"WAY": 0, "BLOCK"/; /"hungry"/,$d' lanewise.json
sed -i '/The same kernel; one/d; s/"timeout": 3/"timeout": 10/' lanewise.json
sed -i '$ s/},$/}/' lanewise.json && echo '} }' >>lanewise.json
lanewise graph --quiet && ninja compile >/dev/null || exit 2

# A kill fails its candidate at most: ninja is called until all are measured.
kinds=('node bench' executor 'worker --device') kills=0 hits=0
: >finished.once
for ((round = 1; kills < ${KILLS:-12} && round < 20; round++)); do
	rm -rf .lanewise/twice/bench .lanewise/cache && : >finished.once
	for ((again = 1; again < 20; again++)); do
		ninja -k 0 bench >>log 2>&1 &
		run=$!
		while sleep "0.$((RANDOM % 5 + 1))" && kill -0 $run 2>/dev/null; do
			finished >>finished.once
			pid=$(pgrep -f "lanewise ${kinds[kills % 3]}" | shuf -n 1)
			kills=$((kills + 1))
			[ -n "$pid" ] && kill -9 "$pid" 2>/dev/null && hits=$((hits + 1))
		done
		wait $run && break
	done
	finished >after
	expect "round $round: all are measured, after $again runs" test "$(wc -l <after)" = 50
	expect "round $round: what was finished stayed" \
		test -z "$(sort -u finished.once | comm -23 - after)"
done
expect "$hits of $kills kills hit" test "$hits" -gt 3
timeout 60 lanewise tune --no-progress >out.txt 2>err.txt
expect "then the run ends well" test $? -eq 0
lanewise worker --stop >/dev/null
free=0
for lock in "${XDG_RUNTIME_DIR:-/tmp}"/lanewise*/*.lock /run/user/"$UID"/lanewise/*.lock; do
	[ ! -e "$lock" ] || flock -n "$lock" true && free=$((free + 1)) || free=-99
done
expect "and no lease is taken" test "$free" -gt 0
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
