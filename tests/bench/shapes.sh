#!/bin/sh
# How long 'lanewise shapes' takes for all 1024 block sizes of some kernels, the process
# itself included: the best of ten runs. Times are this machine's.
#
#   usage: LANEWISE=build/lanewise tests/bench/shapes.sh
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"

# NAME ARG...: ms of NAME.ptx
best() {
	name=$1
	shift
	least=
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		from=$(date +%s%N)
		"$LANEWISE" shapes "$SRCDIR/tests/gate/$name.ptx" "$@" >/dev/null || case $? in 1 | 3) ;; *) exit 2 ;; esac
		took=$(($(date +%s%N) - from))
		[ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
	done
	printf '%-24s %5d.%d ms for 1024 block sizes\n' "$name" \
		$((least / 1000000)) $((least / 100000 % 10))
}

best reduce_shared
best warp0_barrier
best early_return_1d --threads 1000 --arg 2=1000
best last_warp_reduce
best loop_tid_trip --arg 1=512
