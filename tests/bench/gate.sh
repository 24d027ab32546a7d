#!/bin/sh
# How long the gate takes: every labelled launch of tests/gate, judged again and again.
# One line for preparing (parse, graphs, slice) and one for judging a launch, then the
# slowest, the slowest of the real kernels, and the memory that all of it took. Times are
# this machine's, of the processor.
#
#   usage: LANEWISE=build/lanewise tests/bench/gate.sh
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -I"$SRCDIR/tests" -o "$dir/gate" "$SRCDIR/tests/bench/gate.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm
cd "$SRCDIR"
"$dir/gate" tests/gate tests/gate/field/*.ptx
