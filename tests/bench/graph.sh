#!/bin/sh
# How long `lanewise graph` takes for 10,000 candidates, and how long Ninja needs to find that
# there is nothing to do. Prints a table; times are this machine's.
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

rm -rf .lanewise build.ninja
start=$(date +%s%N)
"$LANEWISE" graph --backend model --device h200 >said
end=$(date +%s%N)
echo "$(head -1 said)"
echo "first graph (files written)   $(((end - start) / 1000000)) ms"
echo "graph again (nothing written) $(seconds "$LANEWISE" graph --backend model --device h200)"
echo "manifest                      $(cat build.ninja .lanewise/k/build.ninja | wc -c) bytes, $(grep -c '^build' .lanewise/k/build.ninja) edges"
echo "ninja parses it (-t targets)  $(seconds ninja -t targets depth 1)"
