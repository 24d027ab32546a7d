#!/usr/bin/env bats
# OpenCL twins of the examples (tests/gate/twins, examples/reduce-opencl), line by line: the
# gate says of each candidate what it says of its CUDA form, and Oclgrind, which runs them,
# agrees wherever one input can decide.

bats_require_minimum_version 1.5.0
load lib

need_both() {
	python
	command -v ninja >/dev/null || skip "no ninja"
	"$LANEWISE" doctor >.doctor
	grep -q '^  ok  opencl ' .doctor || skip "no clang to lower OpenCL C with"
}

# Verdicts of all points, as "POINT VERDICT".
verdicts() {
	"$LANEWISE" graph --quiet --backend model --device h200
	ninja -k0 gate >.gate.log
	python3 - <<'EOF' | sort
import glob, json
for f in glob.glob(".lanewise/*/gate/*.verdict.json"):
    for v in json.load(open(f))["verdicts"]:
        print(v["point"], v["verdict"])
EOF
}

# twin EXAMPLE SOURCES SED...: leaves the verdicts in cuda and opencl, and they are the same.
twin() {
	project "$1"
	cp "$SRCDIR"/tests/gate/twins/*.cl "$SRCDIR/examples/reduce-opencl/reduce.cl" .
	for edit in "${@:2}"; do sed -i "$edit" lanewise.json; done
	verdicts >cuda
	rm -rf .lanewise build.ninja
	sed -i 's/"language": "cuda"/"language": "opencl"/; s/\.cu"/.cl"/g
		/"reference"/,/"c": "c" } },/d' lanewise.json
	verdicts >opencl
	diff cuda opencl
}

# count VERDICT N
count() {
	[ "$(grep -c " $1\$" opencl)" -eq "$2" ]
}

@test "reduce in OpenCL C is refused exactly where it is in CUDA" {
	need_both
	twin reduce
	count clean 6
	count refused 16
}

@test "reduce-stable in OpenCL C is as clean as in CUDA, with sub-groups for warps" {
	need_both
	twin reduce-stable 's/, "64M": { "n": 67108864 }//' \
		's/\[128, 256, 512, 2048, 8192, 16384\]/[128, 2048]/' 's/\[32, 64, 128, 256, 512\]/[32, 128]/'
	count clean 11
	count refused 0
}

@test "scan in OpenCL C is refused exactly where it is in CUDA" {
	need_both
	twin scan 's/, "10M": { "n": 10000000 }//' 's/\[1, 2, 4, 8\]/[4]/'
	count clean 8
	count refused 4
}

@test "stencil in OpenCL C is refused exactly where it is in CUDA" {
	need_both
	twin stencil
	count clean 19
	count refused 9
}

@test "sgemm in OpenCL C is as clean as in CUDA" {
	need_both
	twin sgemm 's/\[32, 64, 128, 256\]/[64]/' 's/\[32, 64, 128\]/[64]/' 's/\[8, 16, 32\]/[16]/' \
		's/\[0, 4\]/[0]/' 's/\("T[MN]": *{ "values": \[\)4, 8/\14/' 's/\("MIN_BLOCKS": *{ "values": \[\)1, 2/\11/' \
		's/"512", "n": 4096/&/'
	count refused 0
	count caveat 0
	[ "$(wc -l <opencl)" -gt 0 ]
}

# grind FILE KERNEL DEFINES BLOCK GRID SHARED [PARAMETER...]: sets verdict and report. Each
# parameter is a line of Oclgrind's; numbers are the gate's, too.
grind() {
	local file=$1 kernel=$2 defines=$3 block=$4 grid=$5 shared=$6 version lx ly gx gy n=0 words=() one
	shift 6
	IFS=, read -r lx ly <<<"$block"
	IFS=, read -r gx gy <<<"$grid"
	cp "$SRCDIR/tests/gate/twins/$file" . 2>.err || cp "$SRCDIR/examples/reduce-opencl/$file" .
	version=$(sed -n 's/^  ok  opencl  *\(clang [0-9.]*\).*/\1/p' .doctor)
	for one in $defines; do words+=(--define "$one"); done
	"$LANEWISE" node lower --toolchain opencl --version "$version" --cc 80 --name "$file" \
		--source "$file" "${words[@]}" --lines k.lines -o k.ptx
	words=()
	printf '%s\n' "$file" "$kernel" "$((lx * gx)) $((${ly:-1} * ${gy:-1})) 1" \
		"$lx ${ly:-1} 1" >k.sim
	for one; do
		case $one in
		[0-9]*)
			printf '<size=4 int>\n%s\n' "$one"
			words+=(--arg "$n=$one")
			;;
		*) echo "$one" ;;
		esac
		n=$((n + 1))
	done >>k.sim
	run "$LANEWISE" check k.ptx --block "$block" --grid "$grid" --shared "$shared" "${words[@]}"
	verdict=${output%%:*}
	report=$(oclgrind-kernel --build-options "$(sed 's/\([A-Z_]*=\)/-D\1/g' <<<"$defines")" \
		k.sim 2>&1)
	echo "$file $defines $block: $verdict; Oclgrind: $report"
}

safe() {
	grind "$@"
	[ "$verdict" = clean ]
	[ -z "$report" ]
}

unsafe() {
	grind "$@"
	[ "$verdict" = refused ]
	[[ $report == *divergence* ]]
}

@test "Oclgrind sees what the gate says of the twins" {
	need_both
	command -v oclgrind-kernel >/dev/null || skip "no oclgrind-kernel (Debian package oclgrind)"
	local floats='<size=16384 fill=1 float>' ints='<size=16384 fill=1 int>'
	safe reduce.cl reduce TILE=128 32 8 128 "$floats" "$floats" 1024 '<size=128>'
	unsafe reduce.cl reduce TILE=128 64 8 256 "$floats" "$floats" 1024 '<size=256>'
	unsafe reduce.cl reduce TILE=128 128 8 512 "$floats" "$floats" 1024 '<size=512>'
	safe reduce_tree.cl reduce TILE=128 64 8 256 "$floats" "$floats" 1024 '<size=256>'
	safe scan.cl scan "BLOCK=64 ITEMS=2 SHUFFLE=0" 64 8 0 "$ints" "$ints" "$ints" 1000
	safe stencil.cl stencil "" 16,4 2,2 432 "$floats" "$floats" 32 8 '<size=432>'
	unsafe stencil.cl stencil "" 16,4 2,2 432 "$floats" "$floats" 20 8 '<size=432>'
	unsafe stencil.cl stencil "" 16,4 2,2 432 "$floats" "$floats" 32 6 '<size=432>'
	safe sgemm.cl sgemm "BM=32 BN=32 BK=16 TM=4 TN=4 PAD=0 BUFFERS=2 WARP_N=4" 64 2,2 0 \
		"$floats" "$floats" "$floats" 48 48 32
}
