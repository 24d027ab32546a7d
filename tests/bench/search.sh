#!/bin/sh
# How soon search strategies find the best: evaluations until a candidate is within 1 % of the optimum,
# averaged over SEEDS runs, beside what drawing at random needs. Times are made up
# (tests/unit/landscape.h), the spaces are real ones. Fails when 'auto' needs more than half of random.
#
# Beside it Kernel Tuner's strategies in its simulation mode, on the same times as a cache file, scored the
# same way. KERNEL_TUNER is a Python that has the package 'kernel-tuner'; without one it is installed
# from PyPI into a virtual environment that is removed at the end.
#
#   usage: LANEWISE=build/lanewise tests/bench/search.sh [SEEDS [KERNEL_TUNER_SEEDS]]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
seeds=${1:-50} their_seeds=${2:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -I"$SRCDIR/tests" -o "$dir/search" "$SRCDIR/tests/bench/search.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm
cd "$SRCDIR/tests/spaces"
"$dir/search" table "$seeds" bat_nbody.json pnpoly.json bat_triad.json convolution_milo_hub.json \
	gemm_cltune_small.json bat_gemm.json atf_prl_4x4.json dedispersion.json ktt_coulomb2d.json \
	clblast_gemmk1_large.json

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

if find_kernel_tuner; then
	budget=200
	for space in bat_nbody pnpoly convolution_milo_hub; do
		"$dir/search" cache "$space.json" 1 >"$dir/cache.json"
		printf '\n%s, %s evaluations: score, evaluations until within 1 %%\n' "$space" "$budget"
		"$LANEWISE" simulate "$dir/cache.json" --budget "$budget" --seeds "$seeds" \
			--strategy auto,local,anneal,genetic | sed -n '/^     strategy/,/^$/p'
		echo "     Kernel Tuner $("$python" -c 'import importlib.metadata as m; print(m.version("kernel_tuner"))'), $their_seeds seeds"
		"$python" -W ignore "$SRCDIR/tests/bench/search.py" "$space.json" "$dir/cache.json" \
			"$budget" "$their_seeds" 2>"$dir/said" || { tail -5 "$dir/said"; exit 1; }
	done
else
	echo "Kernel Tuner: skipped, $why"
fi
