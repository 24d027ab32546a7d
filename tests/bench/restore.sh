#!/bin/bash
# A fresh checkout with a warm cache, 10,000 candidates: cold, by a look-up a node (plain ninja),
# restored at once, and restored through nginx on loopback into an empty cache, also as if nginx were
# 20 ms away. Prints a table; times are this machine's, CPU is of all processes of lanewise, without
# the server's.
#
#   usage: LANEWISE=build/lanewise [AT='chrt -f 1'] tests/bench/restore.sh
#
# AT: a command that runs nginx and what is restored, for a machine that other work keeps busy.
set -eu
AT=${AT-}
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
unset LANEWISE_CACHE LANEWISE_REMOTE
dir=$(mktemp -d)
trap 'stop_nginx "$dir/srv"; kill ${far-} 2>/dev/null || true; rm -rf "$dir"' EXIT INT TERM
. "$SRCDIR/tests/cli/server.bash"
skip() { # says it for `find_nginx`, whose output is a path
	echo "no remote rows: $*" >&2
	exit 1
}
mkdir "$dir/cold"
cd "$dir/cold"

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

# checkout NAME: a fresh one, entered. Nothing is deleted: for some seconds after that, ext4 is slow
# to make files.
checkout() {
	mkdir "$dir/$1"
	cp k.cu lanewise.json "$dir/$1"
	cd "$dir/$1"
}

# warm NAME: the same, with the cache of the last one.
warm() {
	local last=$PWD
	checkout "$1"
	mkdir .lanewise
	mv "$last/.lanewise/cache" .lanewise
}

tune=("$LANEWISE" tune --backend model --device h200 --no-progress)
graph=("$LANEWISE" graph --backend model --device h200)
nproc | sed 's/$/ cores/'
timed "cold" "${tune[@]}"
warm looked-up
timed "warm: graph alone" "${graph[@]}"
timed "warm: a look-up a node (ninja)" ninja -k0 report
warm restored
timed "warm: restored at once (tune)" $AT "${tune[@]}"
timed "again: nothing to do" $AT "${tune[@]}"
warm graph
timed "warm: graph and restore" $AT "${graph[@]}" --restore

program=$(find_nginx) || exit 0
[ -z "$AT" ] || { printf '#!/bin/sh\nexec %s %s "$@"\n' "$AT" "$program" >"$dir/nginx" && chmod +x "$dir/nginx"; }
PATH=$dir:$PATH start_nginx "$dir/srv"
export LANEWISE_REMOTE=$dir/remote.json
echo "{ \"schema\": \"lanewise/remote.v1\", \"url\": \"$URL\", \"mode\": \"read-write\" }" \
	>"$LANEWISE_REMOTE"
timed "remote: all stored (cache push)" "$LANEWISE" cache push --all
cat said
LANEWISE_REMOTE=$URL
checkout remote
: >"$dir/srv/access.log"
timed "remote: restored at once (tune)" $AT "${tune[@]}"
awk '{ n[$2 " " $3]++; c[$1] = 1 } END {
	for (k in n) printf "    %s: %d\n", k, n[k]
	for (k in c) m++; printf "    %d connections\n", m }' "$dir/srv/access.log"
checkout remote-graph
timed "remote: graph and restore" $AT "${graph[@]}" --restore

command -v python3 >/dev/null || exit 0
python3 "$SRCDIR/tests/fake/far_proxy.py" "${URL##*:}" 20 "$dir/port" &
far=$!
for ((i = 0; i < 200; i++)); do
	[ ! -s "$dir/port" ] || break
	sleep 0.05
done
LANEWISE_REMOTE=http://127.0.0.1:$(cat "$dir/port")
checkout far
timed "remote, 20 ms away: restored (tune)" $AT "${tune[@]}"
