#!/bin/bash
# A foreign oracle: Oclgrind, an OpenCL simulator that says when work-items of one group
# meet at different barriers or not at all. tests/gate/opencl has twins of labelled
# kernels, line by line, in OpenCL C: clang compiles them to PTX, the gate judges every
# launch of launches.txt that has all its scalar arguments, and Oclgrind runs it on one
# input (every element 1).
#
# - the gate's answer is one that the label accepts, and blames one of its lines;
# - a clean launch runs without a report, a refused one is reported; of a caveat one input
#   says nothing.
#
# Prints one line for each disagreement, and the sums. Environment: LANEWISE, SRCDIR.
set -u
: "${LANEWISE:?}" "${SRCDIR:?}"
kernels=$SRCDIR/tests/gate/opencl
launches=$SRCDIR/tests/gate/launches.txt

for clang in clang clang-19 clang-14 none; do command -v "$clang" >/dev/null && break; done
if [ "$clang" = none ]; then
	echo "skipped: no clang to compile OpenCL C with"
	exit 77
fi
if ! command -v oclgrind-kernel >/dev/null; then
	echo "skipped: no oclgrind-kernel (Debian package oclgrind)"
	exit 77
fi
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
passed=0 failed=0 decided=0 open=0

disagree() {
	echo "$kernel $shape $args: $*"
	failed=$((failed + 1))
}

# bytes HEX: little-endian bytes as a number.
bytes() {
	local hex=$1 n=
	for ((; ${#hex} > 0; )); do
		n=${hex:0:2}$n
		hex=${hex:2}
	done
	echo $((16#$n))
}

# The value of argument N in "1=03000000,2=...", as hex; nothing if it is not given.
given() {
	sed -n "s/^\(.*,\)\{0,1\}$1=\([0-9a-f]*\).*/\2/p" <<<"$args"
}

# write_sim BLOCK GRID SHARED: the launch in Oclgrind's words; false if an argument is not
# given.
write_sim() {
	local lx ly lz gx gy gz n=0 parameter hex list
	IFS=, read -r lx ly lz <<<"$1"
	IFS=, read -r gx gy gz <<<"$2"
	printf '%s.cl\n%s\n' "$kernel" "$kernel"
	echo "$((lx * gx)) $((ly * gy)) $((lz * gz))"
	echo "$lx $ly $lz"
	list=$(sed -n "s/^__kernel void [a-z0-9_]*(\(.*\))$/\1/p" "$kernel.cl")
	while IFS= read -r -d , parameter; do
		hex=$(given $n)
		n=$((n + 1))
		case $parameter in
		*__local*) echo "<size=$3>" ;;
		*float\ \**) echo "<size=65536 fill=1 float>" ;;
		*\**) echo "<size=65536 fill=1 int>" ;;
		*)
			[ -n "$hex" ] || return 1
			printf '<size=%d %s>\n%s\n' $((${#hex} / 2)) \
				"$([ ${#hex} = 8 ] && echo int || echo long)" "$(bytes "$hex")"
			;;
		esac
	done <<<"$list,"
}

# The gate: sets verdict, and text to what it says.
judge() {
	local words=() one
	while IFS= read -r -d , one; do
		[ "$one" = - ] || words+=(--arg "${one%%=*}=bytes:${one#*=}")
	done <<<"$args,"
	text=$("$LANEWISE" check "$kernel.ptx" --block "$1" --grid "$2" --shared "$3" "${words[@]}")
	verdict=${text%%:*}
}

# blames LINES: is one of them blamed for the refusal?
blames() {
	local line
	[ "$1" != - ] || return 0
	for line in ${1//,/ }; do
		grep -q "^\(.*/\)*$kernel.cl:$line: refused" <<<"$text" && return 0
	done
	return 1
}

one_launch() {
	local block grid shared report
	IFS=/ read -r block grid _ shared <<<"$shape"
	write_sim "$block" "$grid" "$shared" >"$kernel.sim" || return 0
	judge "$block" "$grid" "$shared"
	if [[ ,$accept,$expected, != *,$verdict,* ]]; then
		disagree "the gate says $verdict, the label $expected"
		return
	fi
	if [ "$verdict $expected" = "refused refused" ] && ! blames "$lines"; then
		disagree "the gate blames another line than $lines"
		return
	fi
	report=$(oclgrind-kernel "$kernel.sim" 2>&1 >/dev/null)
	case $verdict,$report in
	clean,*divergence* | refused,'') disagree "the gate says $verdict, Oclgrind: $report" ;;
	clean,'' | refused,*divergence*) decided=$((decided + 1)) passed=$((passed + 1)) ;;
	caveat,*divergence* | caveat,'') open=$((open + 1)) passed=$((passed + 1)) ;;
	*) disagree "Oclgrind: $report" ;;
	esac
}

n=0
for file in "$kernels"/*.cl; do
	kernel=$(basename "$file" .cl)
	n=$((n + 1))
	cp "$file" .
	"$clang" -x cl -cl-std=CL2.0 -cl-no-stdinc -target nvptx64-nvidia-cuda -nogpulib \
		-Xclang -target-cpu -Xclang sm_80 -include "$kernels/nvptx.h" -O3 \
		-gline-directives-only -S "$kernel.cl" -o "$kernel.lines" || exit 1
	# clang 14 puts labels of its line table between the words of a call
	sed '/^Ltmp[0-9]*:$/d' "$kernel.lines" >"$kernel.ptx"
	while read -r _ shape args expected accept _ lines _; do
		one_launch
	done < <(grep "^$kernel " "$launches")
done
echo "$n kernels: $decided launches decided alike, $open caveats"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
