#!/bin/sh
# How soon search strategies find the best of real kernels: tests/bench/search.sh on the recorded spaces of
# tests/recorded/h200, each candidate of which was measured. Evaluations until a candidate is within 1 % of
# the optimum, averaged over SEEDS runs, beside what drawing at random needs. Fails when 'auto' needs more than
# half of random on sgemm, conv or reduce; the others have a few dozen candidates, too few to be searched.
#
# Beside it Kernel Tuner's strategies in its simulation mode on the same files. KERNEL_TUNER is a Python that has
# the package 'kernel-tuner' (default: python3); without one that part is skipped.
#
#   usage: LANEWISE=build/lanewise tests/bench/search_h200.sh [SEEDS [KERNEL_TUNER_SEEDS]]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
seeds=${1:-50} their_seeds=${2:-10}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -I"$SRCDIR/tests" -o "$dir/search" "$SRCDIR/tests/bench/search.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm
for f in "$SRCDIR"/tests/recorded/h200/*.json.gz; do
	name=${f##*/}
	gzip -dc "$f" >"$dir/${name%.gz}"
done
cd "$dir"
"$dir/search" recorded "$seeds" scan_1M.json scan_10M.json stencil_4096x4096.json || :
status=0
"$dir/search" recorded "$seeds" sgemm_1024.json conv_1024.json reduce-stable_1M.json \
	reduce-stable_64M.json || status=$?

# NAME BUDGET: the same evaluations for both.
beside() {
	printf '\n%s, %s evaluations: score, evaluations until within 1 %%\n' "$1" "$2"
	"$LANEWISE" simulate "$1.json" --budget "$2" --seeds "$seeds" \
		--strategy auto,local,anneal,genetic | sed -n '/^     strategy/,/^$/p'
	echo "     Kernel Tuner $("$python" -c 'import importlib.metadata as m; print(m.version("kernel_tuner"))'), $their_seeds seeds"
	"$python" -W ignore "$SRCDIR/tests/bench/search.py" - "$1.json" "$2" "$their_seeds" random_sample \
		genetic_algorithm greedy_ils simulated_annealing diff_evo 2>said || { tail -5 said; exit 1; }
}

python=${KERNEL_TUNER:-python3}
if "$python" -c 'import kernel_tuner' 2>/dev/null; then
	beside sgemm_1024 200
	beside conv_1024 200
	beside reduce-stable_64M 30
else
	echo "Kernel Tuner: skipped, $python has no package kernel-tuner"
fi
exit "$status"
