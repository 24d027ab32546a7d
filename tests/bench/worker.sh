#!/bin/sh
# What a job costs the host: client, worker and executor on a simulated device that takes no
# time, beside a process a candidate (--no-worker) for the same jobs in the same run. The
# client's own process and the shell's fork are in both. On a GPU a process a candidate also
# starts the driver each time, 0.3 to 0.6 s, which is not in here.
#
#   usage: LANEWISE=build/lanewise tests/bench/worker.sh [JOBS]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
LANEWISE=$(readlink -f "$LANEWISE")
jobs=${1:-300}
dir=$(mktemp -d)
XDG_RUNTIME_DIR=$dir
export XDG_RUNTIME_DIR
trap '"$LANEWISE" worker --stop >/dev/null || :; rm -rf "$dir"' EXIT
cd "$dir"

cp "$SRCDIR/tests/gpu/kernels.ptx" k.ptx
cat >sim.json <<'END'
{ "schema": "lanewise/sim.v1", "device": "h200", "time_ns": 20000 }
END
cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "scale": {
  "source": "k.ptx", "language": "ptx", "entry": "scale",
  "params": { "ID": { "values": [$(seq -s , 1 "$jobs")], "role": "launch" } },
  "launch": { "block": [128], "grid": [1] },
  "sizes": { "s": { "n": 128 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
    { "name": "out", "type": "f32*", "count": "n", "output": true },
    { "name": "n", "type": "i32", "value": "n" } ] } } }
END
"$LANEWISE" tune --device sim.json --no-progress >/dev/null 2>&1
for i in $(seq 1 "$jobs"); do
	ninja -t commands ".lanewise/scale/bench/ID=$i@s.json" | tail -n 1
done | sed 's| --cache .lanewise/cache||; s|^exec ||' >list

# Sets $used to the ms of processor time that our children took so far; 'times' has to be
# this shell's own.
look() {
	times >spent
	used=$(sed -n '2s/[ms]/ /gp' spent | awk '{ print int(1000 * (60 * $1 + $2 + 60 * $3 + $4)) }')
}

# ms of the worker and its executor, which are nobody's children
apart() {
	for pid in $("$LANEWISE" worker --list | sed -n 's/.*  pid \([0-9]*\)  .*/\1/p') \
		$(cat "$dir"/lanewise/*.lock | sed -n 's/^executor \([0-9]*\) .*/\1/p'); do
		[ ! -r "/proc/$pid/stat" ] || sed 's/.*) //' "/proc/$pid/stat"
	done | awk -v hz="$(getconf CLK_TCK)" '{ n += $12 + $13 } END { print int(1000 * n / hz) }'
}

# NAME: ms a job
cost() {
	look
	before=$used from=$(date +%s%N)
	sh list
	took=$((($(date +%s%N) - from) / 1000 / jobs))
	look
	busy=$(((used - before) * 1000 / jobs))
	printf '%-24s %4d.%02d ms a job, %d.%02d ms of it busy; %d jobs\n' "$1" $((took / 1000)) \
		$((took % 1000 / 10)) $((busy / 1000)) $((busy % 1000 / 10)) "$jobs"
}

"$LANEWISE" worker --stop >/dev/null || :
first=$(head -n 1 list)
sh -c "$first"
cost 'through a worker'
printf '%-24s the worker and its executor: %d ms in all\n' '' "$(apart)"
through=$took
echo none >.lanewise/worker
"$LANEWISE" worker --stop >/dev/null || :
cost 'a process a candidate'
printf 'ratio %d.%01d\n' $((took / through)) $((took * 10 / through % 10))
