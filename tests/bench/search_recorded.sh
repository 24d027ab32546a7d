#!/bin/sh
# How soon search strategies find the best of real kernels: tests/bench/search.sh on the recorded spaces of
# tests/recorded (an H200, two processors, OpenCL on one), each candidate of which was measured. Evaluations until a candidate
# is within 1 % of the optimum, averaged over SEEDS runs, beside what drawing at random needs. Fails when 'auto'
# needs more than half of random on a space of the second table. Those of the first are where it is known to: spaces of
# a few dozen candidates, and conv in OpenCL, where three of 72 stand alone.
#
# Beside it Kernel Tuner's strategies in its simulation mode on the same files. KERNEL_TUNER is a Python that has
# the package 'kernel-tuner' (default: python3); without one that part is skipped.
#
#   usage: LANEWISE=build/lanewise tests/bench/search_recorded.sh [SEEDS [KERNEL_TUNER_SEEDS [NAME...]]]
set -eu
: "${LANEWISE:=$PWD/build/lanewise}" "${SRCDIR:=$(cd "${0%/*}/../.." && pwd)}"
: "${CC:=cc}" "${CFLAGS:=-O2}"
seeds=${1:-50} their_seeds=${2:-10}
[ $# -gt 2 ] && shift 2 || set -- h200-sgemm_1024 h200-conv_1024 h200-reduce-stable_64M host-sgemm_128 \
	host-conv_128 host-transpose_512 xeon-sgemm_128 xeon-conv_128 xeon-transpose_512 \
	opencl-sgemm_128 opencl-conv_128 opencl-transpose_512
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# shellcheck disable=SC2086,SC2046 # several words
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE $CFLAGS \
	-I"$SRCDIR/src" -I"$SRCDIR/tests" -o "$dir/search" "$SRCDIR/tests/bench/search.c" \
	"${LANEWISE%/*}/liblanewise.a" $(pkg-config --libs libcjson 2>/dev/null || echo -lcjson) \
	-lxxhash -ldl -lm
few='' many=''
for f in "$SRCDIR"/tests/recorded/*/*.json.gz; do
	name=${f##*/} device=${f%/*}
	name=${device##*/}-${name%.gz}
	gzip -dc "$f" >"$dir/$name"
	case $name in
	h200-scan* | h200-stencil* | opencl-conv*) few="$few $name" ;;
	*) many="$many $name" ;;
	esac
done
cd "$dir"
# shellcheck disable=SC2086 # several words
"$dir/search" recorded "$seeds" $few || :
status=0
# shellcheck disable=SC2086
"$dir/search" recorded "$seeds" $many || status=$?

# A fifth of a space, 30 at least, 200 at most: the same evaluations for both.
beside() {
	n=$(grep -o '"benchmark_time"' "$1.json" | wc -l)
	n=$((n / 5 < 30 ? 30 : n / 5 > 200 ? 200 : n / 5))
	printf '\n%s, %s evaluations: score, evaluations until within 1 %%\n' "$1" "$n"
	"$LANEWISE" simulate "$1.json" --budget "$n" --seeds "$seeds" \
		--strategy auto,local,anneal,genetic | sed -n '/^     strategy/,/^$/p'
	echo "     Kernel Tuner $("$python" -c 'import importlib.metadata as m; print(m.version("kernel_tuner"))'), $their_seeds seeds"
	"$python" -W ignore "$SRCDIR/tests/bench/search.py" - "$1.json" "$n" "$their_seeds" random_sample \
		genetic_algorithm greedy_ils simulated_annealing diff_evo 2>said || { tail -5 said; exit 1; }
}

python=${KERNEL_TUNER:-python3}
if "$python" -c 'import kernel_tuner' 2>/dev/null; then
	for name in "$@"; do beside "$name"; done
else
	echo "Kernel Tuner: skipped, $python has no package kernel-tuner"
fi
exit "$status"
