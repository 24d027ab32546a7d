#!/bin/sh
# Making the eight spaces of "Efficient Construction of Large Search Spaces for Auto-Tuning"
# (arXiv:2509.26253): every candidate listed with its id, on one core, reading the specs included;
# beside it Kernel Tuner's own construction of the same eight, and the ratio of processor times. Then
# one space of 1.6e14 assignments, and one that nobody lists. Times are this machine's.
#
# KERNEL_TUNER is a Python that has the package 'kernel-tuner'; without one it is installed from
# PyPI into a virtual environment that is removed at the end. FILE... times those specs only.
#
#   usage: LANEWISE=build/lanewise tests/bench/space.sh [FILE...]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -o "$dir/space" "$SRCDIR/tests/bench/space.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm

if [ $# -gt 0 ]; then
	exec "$dir/space" "$@"
fi
cd "$SRCDIR/tests/spaces"
study="dedispersion.json expdist.json hotspot.json gemm.json microhh.json atf_prl_2x2.json
	atf_prl_4x4.json atf_prl_8x8.json"

find_kernel_tuner() {
	python=${KERNEL_TUNER:-python3}
	"$python" -c 'import kernel_tuner' 2>/dev/null && return
	[ -z "${KERNEL_TUNER:-}" ] || { why="$python has no package kernel-tuner"; return 1; }
	why="there is no python3 that makes virtual environments"
	python3 -m venv "$dir/venv" >/dev/null 2>&1 || return 1
	why="pip cannot install kernel-tuner here"
	"$dir/venv/bin/pip" install -q kernel-tuner >/dev/null 2>&1 || return 1
	python=$dir/venv/bin/python
}

# The best of three: what else runs here costs time, never gives it back.
# shellcheck disable=SC2086 # several words
for _ in 1 2 3; do
	"$dir/space" $study >"$dir/run"
	t=$(sed -n 's/^total \([0-9.]*\).*/\1/p' "$dir/run")
	if [ -z "${ours:-}" ] || awk "BEGIN { exit !($t < $ours) }"; then
		ours=$t
		cp "$dir/run" "$dir/best"
	fi
done
cat "$dir/best"
if find_kernel_tuner; then
	"$python" -c 'import importlib.metadata as m
print("Kernel Tuner", m.version("kernel_tuner"), "with python-constraint2", m.version("python-constraint2"))'
	# shellcheck disable=SC2086 # several words
	for _ in 1 2 3; do
		"$python" -W ignore "$SRCDIR/tests/bench/space.py" $study >"$dir/theirs" 2>"$dir/said" || {
			cat "$dir/said"
			exit 1
		}
		awk '{ t += $3 } END { print t }' "$dir/theirs"
	done >"$dir/totals"
	awk 'NR == FNR { theirs[$1] = $2; next } ($1 in theirs) && theirs[$1] != $2 {
		print $1 ": " $2 " candidates, and Kernel Tuner has " theirs[$1]; bad = 1 } END { exit bad }' \
		"$dir/theirs" "$dir/best"
	theirs=$(sort -g "$dir/totals" | head -1)
	awk "BEGIN { printf \"Kernel Tuner %.3f s CPU, lanewise %.3f s CPU: %.0f times as long\n\", \
		$theirs, $ours, $theirs / $ours }"
else
	echo "Kernel Tuner: skipped, $why"
fi
"$dir/space" atf_prl_32x32.json
"$dir/space" atf_gaussian_conv_4096.json
