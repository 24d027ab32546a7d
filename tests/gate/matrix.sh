#!/bin/bash
# The labelled kernels as other compilers lower them: tests/gate/*.cu for each target below
# whose compiler is here, every launch of launches.txt judged on that PTX. A wrong answer,
# or a refusal that blames another line, fails the target.
#
#     matrix.sh [EVERY [FROM [REPORT]]]
#
# Each target is given every EVERYth kernel (20th; 1: all, some minutes), starting at
# another one than the target before it; another FROM shifts them all.
#
# Environment: LANEWISE, beside which tests/gate/matrix was built, SRCDIR, CHECK_JOBS.
set -u
: "${LANEWISE:?}" "${SRCDIR:?}"
matrix=${LANEWISE%/*}/tests/gate/matrix
every=${1:-20} first=${2:-0} report=${3-}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Name, toolchain, compute capability, flags. A clang is taken by its version.
targets='nvcc-sm_80 nvcc 80
nvcc-sm_90a nvcc 90 -arch=compute_90a
nvcc-sm_100 nvcc 100
nvcc-G nvcc 90 -arch=compute_90a -G
nvrtc-sm_80 nvrtc 80
nvrtc-sm_90a nvrtc 90 -arch=compute_90a
nvrtc-sm_100 nvrtc 100
nvrtc-G nvrtc 90 --device-debug
clang-14 clang 80
clang-19 clang 90
clang-22 clang 100'

# one NUMBER NAME TOOLCHAIN CC [FLAG]...: writes DIR/NAME, and its status to DIR/NAME.status
one() {
	local from=$((($1 * 3 + first) % every)) name=$2 tool=$3 cc=$4 path=$PATH clang
	shift 4
	if [ "$tool" = clang ]; then
		# the newest one on PATH is taken, so no other may be there
		path=$dir/$name.bin
		mkdir "$path"
		clang=$(command -v "clang++-${name#clang-}") && ln -s "$clang" "$path"
	fi
	PATH=$path "$matrix" "$name" "$tool" "$cc" "$from" "$every" "$@" >"$dir/$name"
	echo $? >"$dir/$name.status"
}
export -f one
export dir matrix every first

nl -v 0 -w 1 -s ' ' <<<"$targets" | xargs -P "${CHECK_JOBS:-$(nproc)}" -L 1 bash -c 'one "$@"' one

# What differs, each once, with the targets it differs on.
differences() {
	while read -r name _; do
		grep "^$name " "$dir/$name"
	done <<<"$targets" | awk '{
		name = $1
		sub(/^[^ ]* /, "")
		if (!($0 in on))
			order[++n] = $0
		on[$0] = on[$0] " " name
		count[$0]++
	}
	END {
		for (i = 1; i <= n; i++)
			print order[i] "\n   " (count[order[i]] == all ? " every target" : on[order[i]])
	}' all="$(grep -lx '[01]' "$dir"/*.status | wc -l)"
}

sums() {
	local passed=0 failed=0 skipped=0 name
	while read -r name _; do
		tail -n 1 "$dir/$name"
		case $(cat "$dir/$name.status") in
		0) passed=$((passed + 1)) ;;
		77) skipped=$((skipped + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
	done <<<"$targets"
	echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
	[ $failed = 0 ]
}

if [ -n "$report" ]; then
	{
		echo "The labelled launches on PTX of several compilers: make check-corpus" \
			"EVERY=$every FROM=$first"
		echo "$(date -u +%F), $("$LANEWISE" --version)"
		echo
		sums
		echo
		echo "What is not the label's answer, and on which targets. Accepted: the label allows a"
		echo "caveat there."
		echo
		differences
	} >"$report"
fi
grep -hs ' WRONG' "$dir"/*
sums
