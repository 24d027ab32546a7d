#!/bin/bash
# A fresh checkout with a warm cache, 10,000 candidates: cold, by a look-up a node (plain ninja),
# and restored at once. Prints a table; times are this machine's, CPU is of all processes.
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

# Seconds of a command, its processor time, and how many lower, gate, compile and bench nodes it ran.
TIMEFORMAT='%R %U %S'
timed() {
	name=$1
	shift
	rm -f .lanewise/events.jsonl
	{ time "$@" >said 2>&1; } 2>took || { cat said; exit 1; }
	n=$(grep -cE '"node": "(lower|gate|compile|estimate|bench)"' .lanewise/events.jsonl 2>/dev/null || true)
	awk -v name="$name" -v n="${n:-0}" \
		'{ printf "%-36s %7.2f s wall %7.2f s CPU %6d nodes run\n", name, $1, $2 + $3, n }' took
}

# As it is after a checkout and a restored cache.
fresh() {
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir .lanewise
	mv kept .lanewise/cache
	touch k.cu lanewise.json
}

tune=("$LANEWISE" tune --backend model --device h200 --no-progress)
graph=("$LANEWISE" graph --backend model --device h200)
nproc | sed 's/$/ cores/'
timed "cold" "${tune[@]}"
fresh
timed "warm: graph alone" "${graph[@]}"
timed "warm: a look-up a node (ninja)" ninja -k0 report
fresh
timed "warm: restored at once (tune)" "${tune[@]}"
timed "again: nothing to do" "${tune[@]}"
fresh
timed "warm: graph and restore" "${graph[@]}" --restore
