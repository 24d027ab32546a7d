#!/bin/sh
# How fast inputs are made and outputs are compared on this machine, in millions of elements in a
# second of one core: a line for each type, on arrays of 2^24 elements. SECONDS of the processor
# for each number; default 0.5.
#
#   usage: LANEWISE=build/lanewise tests/bench/outputs.sh [SECONDS]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -o "$dir/outputs" "$SRCDIR/tests/bench/outputs.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lpthread -lm
"$dir/outputs" "$@"
