#!/bin/sh
# How fast PTX is read, on a small kernel, on about 8 MB of kernels and, where there is nvcc, on
# the kernels of CUB in cub_device.cu, compiled with line information and without: one line each
# for parsing alone, for parsing and building the control-flow graphs, and for slicing every
# entry as well. Times are this machine's, of the processor. FILE... measures those files instead.
#
#   usage: LANEWISE=build/lanewise tests/bench/ptx_parse.sh [FILE...]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -o "$dir/ptx_parse" "$SRCDIR/tests/bench/ptx_parse.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm

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
	nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
	if [ -x "$nvcc" ]; then
		"$nvcc" -ptx -arch=sm_90 -std=c++17 -o cub.ptx "$SRCDIR/tests/bench/cub_device.cu"
		"$nvcc" -lineinfo -ptx -arch=sm_90 -std=c++17 -o cub_lines.ptx "$SRCDIR/tests/bench/cub_device.cu"
		set -- "$@" cub.ptx cub_lines.ptx
	else
		echo "CUB: skipped, there is no nvcc"
	fi
fi
"$dir/ptx_parse" "$@"
"$dir/ptx_parse" -c "$@"
"$dir/ptx_parse" -s "$@"
