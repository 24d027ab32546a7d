#!/bin/sh
# How fast PTX is read, on a small kernel and on about 8 MB of kernels: one line each for
# parsing alone and for parsing and building the control-flow graphs. Times are this
# machine's. FILE... measures those files instead.
#
#   usage: LANEWISE=build/lanewise tests/bench/ptx_parse.sh [FILE...]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086 # CFLAGS are several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -o "$dir/ptx_parse" "$SRCDIR/tests/bench/ptx_parse.c" \
	"$SRCDIR"/src/ptx/*.c "$SRCDIR"/src/base/arena.c "$SRCDIR"/src/base/buf.c \
	"$SRCDIR"/src/base/clock.c "$SRCDIR"/src/base/diag.c "$SRCDIR"/src/base/die.c \
	"$SRCDIR"/src/base/fs.c "$SRCDIR"/src/base/map.c "$SRCDIR"/src/base/str.c

if [ $# -eq 0 ]; then
	sample=$SRCDIR/tests/ptx/cub_block.sm_90.ptx
	cp "$SRCDIR/tests/ptx/reduce_shared.sm_90.ptx" "$dir/small.ptx"
	# The same functions again and again, under names of their own.
	sed -n '/^\.version/,/^\.address_size/p' "$sample" >"$dir/large.ptx"
	for i in $(seq 400); do
		sed -e '/^\.version/d; /^\.target/d; /^\.address_size/d' \
			-e "s/\\.entry \\([A-Za-z_]*\\)/.entry \\1_$i/" \
			-e "s/_ZN[A-Za-z0-9_]*/&_$i/g" "$sample" >>"$dir/large.ptx"
	done
	cd "$dir"
	set -- small.ptx large.ptx
fi
"$dir/ptx_parse" "$@"
"$dir/ptx_parse" -c "$@"
