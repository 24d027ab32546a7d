#!/bin/sh
# A fresh checkout with a warm cache, 10,000 candidates: cold, by a look-up a node (plain ninja),
# and restored at once. Prints a table; times are this machine's.
#
#   usage: LANEWISE=build/lanewise tests/bench/restore.sh
set -eu
: "${LANEWISE:=$PWD/build/lanewise}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"

cat >k.cu <<'END'
extern "C" __global__ void k(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = A * p[i] + B;
}
END
values() { seq -s, 1 "$1"; }
cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "k": {
  "source": "k.cu", "entry": "k",
  "params": {
    "A": { "values": [$(values 10)] },
    "B": { "values": [$(values 10)] },
    "BLOCK": { "values": [$(seq -s, 32 32 320)], "role": "launch" },
    "PER": { "values": [$(values "${PER:-10}")], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK * PER)"] },
  "sizes": { "1M": { "n": 1048576 } },
  "args": [ { "name": "p", "type": "f32*", "count": "n", "fill": "exact", "inout": true },
            { "name": "n", "type": "i32", "value": "n" } ] } } }
END

# Seconds of a command, and how many lower, gate, compile and bench nodes it ran.
timed() {
	name=$1
	shift
	s=$(date +%s%N)
	"$@" >said 2>&1 || { cat said; exit 1; }
	e=$(date +%s%N)
	n=$(grep -cE '"node": "(lower|gate|compile|estimate|bench)"' .lanewise/events.jsonl 2>/dev/null || true)
	awk -v name="$name" -v ns=$((e - s)) -v n="${n:-0}" \
		'BEGIN { printf "%-44s %8.2f s  %6d nodes run\n", name, ns / 1e9, n }'
}

# As it is after a checkout and a restored cache.
fresh() {
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir .lanewise
	mv kept .lanewise/cache
	touch k.cu lanewise.json
}

tune="$LANEWISE tune --backend model --device h200 --no-progress"
graph="$LANEWISE graph --backend model --device h200"
nproc | sed 's/$/ cores/'
timed "cold" $tune
fresh
timed "warm: graph alone" $graph
timed "warm: a look-up a node (ninja)" ninja -k0 report
fresh
timed "warm: restored at once (tune)" $tune
timed "again: nothing to do" $tune
fresh
timed "warm: graph and restore" $graph --restore
