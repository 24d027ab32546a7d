#!/bin/sh
# How long `lanewise graph` takes for 10,000 candidates, how long Ninja needs to read it and, once all of it
# is estimated (10,000 processes, a minute), to find that there is nothing to do; and what a search in a space
# of 4,500,000 needs. Prints a table; times are this machine's, of the processor the least of ten runs.
#
#   usage: LANEWISE=build/lanewise tests/bench/graph.sh
set -eu
: "${LANEWISE:=$PWD/build/lanewise}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"

cat >k.cu <<'EOF'
extern "C" __global__ void k(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = A * p[i] + B;
}
EOF
values() { seq -s, 1 "$1"; }
cat >lanewise.json <<EOF
{ "schema": "lanewise/spec.v1", "kernels": { "k": {
  "source": "k.cu", "entry": "k",
  "params": {
    "A": { "values": [$(values 10)] },
    "B": { "values": [$(values 10)] },
    "BLOCK": { "values": [$(seq -s, 32 32 320)], "role": "launch" },
    "PER": { "values": [$(values 10)], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK * PER)"] },
  "sizes": { "1M": { "n": 1048576 } },
  "args": [ { "name": "p", "type": "f32*", "count": "n", "fill": "exact", "inout": true },
            { "name": "n", "type": "i32", "value": "n" } ] } } }
EOF

seconds() { # of the command, best of three
	for _ in 1 2 3; do
		s=$(date +%s%N)
		"$@" >/dev/null 2>&1
		e=$(date +%s%N)
		echo $(((e - s) / 1000))
	done | sort -n | head -1 | awk '{printf "%.3f s", $1 / 1e6}'
}

processor() { # seconds of the command, least of ten
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		/usr/bin/time -f '%U %S' -o used "$@" >/dev/null 2>&1
		awk '{print $1 + $2}' used
	done | sort -n | head -1
}

rm -rf .lanewise build.ninja
start=$(date +%s%N)
"$LANEWISE" graph --backend model --device h200 >said
end=$(date +%s%N)
echo "$(head -1 said)"
echo "first graph (files written)   $(((end - start) / 1000000)) ms"
echo "graph again (nothing written) $(seconds "$LANEWISE" graph --backend model --device h200)"
echo "manifest                      $(cat build.ninja .lanewise/k/build.ninja | wc -c) bytes, $(grep -c '^build' .lanewise/k/build.ninja) edges"
echo "ninja parses it (-t targets)  $(seconds ninja -t targets depth 1)"
unset LANEWISE_CACHE
ninja tune >said 2>&1 || { tail -5 said; exit 1; }
ninja -n tune | grep -q 'no work to do' || { echo "there is something to do"; exit 1; }
echo "ninja tune, nothing to do     $(seconds ninja tune), $(processor ninja tune) s of the processor"

# A search in a large space: the graph holds what its budget needs.
rm -rf .lanewise build.ninja
cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 o) { ret; }
END
cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "k": {
  "source": "k.ptx", "entry": "k", "command": "cp \$in \$out",
  "params": {
    "A": { "values": { "range": [1, 100] } }, "B": { "values": { "range": [1, 200] } },
    "C": { "values": { "range": [1, 150] }, "role": "launch" },
    "BLOCK": { "values": [32, 64, 128], "role": "launch" } },
  "constraints": ["(A + B + C) % 2 == 0"],
  "launch": { "block": ["BLOCK"], "grid": ["C"] },
  "sizes": { "1M": { "n": 1048576 } },
  "args": [ { "name": "o", "type": "f32*", "count": "n", "output": true } ] } } }
END
echo
"$LANEWISE" space | head -1
peak() { # of the command, in KB
	/usr/bin/time -f %M "$@" 2>&1 >/dev/null | tail -1
}
bytes() { cat build.ninja .lanewise/k/build.ninja .lanewise/k/points.json | wc -c; }
for budget in 100 1000 10000; do
	how="--backend model --device h200 --budget $budget --strategy random --batch $budget"
	rm -rf .lanewise build.ninja
	# shellcheck disable=SC2086
	echo "budget $budget: graph $(seconds "$LANEWISE" graph $how), $(peak "$LANEWISE" graph $how) KB, $(bytes) bytes"
done
