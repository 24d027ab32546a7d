#!/bin/sh
# What screening costs: 1,000 candidates of a kernel of 5 to 20 us on a simulated device, whose
# clock counts what a GPU and its driver would take; calls of the device are counted.
#
#   usage: LANEWISE=build/lanewise tests/bench/measure.sh [CANDIDATES]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -o "$dir/measure" "$SRCDIR/tests/bench/measure.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm -lpthread
cd "$dir"
./measure "$@"
