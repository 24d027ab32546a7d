#!/bin/sh
# Host sgemm beside OpenBLAS, and how stable its champion is while another process works:
#
#     LANEWISE=build/lanewise SRCDIR=. tests/bench/host.sh [RUNS]
#
# Prints the report's line of the reference at 512, then, for each of RUNS runs (10) with one
# busy process beside it, the champion and what ties with it.
set -eu
LANEWISE=$(realpath -- "${LANEWISE:?}")
runs=${1:-10}
here=$(mktemp -d)
export XDG_RUNTIME_DIR="$here/run"
mkdir -m 700 "$here/run"
cp -r "${SRCDIR:?}/examples/sgemm-host" "$here/"
cd "$here/sgemm-host"
rm -rf .lanewise build.ninja

cat >load.c <<'C'
int main(void) { for (volatile unsigned i = 0;; i++) { } }
C
cc -O1 -o load load.c
load=
finish() {
	[ -z "$load" ] || kill "$load" || true
	"$LANEWISE" worker --stop >/dev/null 2>&1 || true
	rm -rf "$here"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

at_512() { sed -n '/^-- sgemm at 512/,/^--* *sgemm: safety/p' out; }

"$LANEWISE" tune --no-progress >out 2>err
sed -n 's/^\(device\|toolchain\|sharing\)/\1/p' out
at_512 | sed -n '/CHAMPION/,/^$/p'

./load &
load=$!
for i in $(seq "$runs"); do
	"$LANEWISE" tune --remeasure --no-progress >out 2>err
	printf '%s: ' "$i"
	at_512 | sed -n 's/.*CHAMPION *//p; s/^ *\(ties with .*\)/  \1/p' | tr '\n' ' '
	echo
done
