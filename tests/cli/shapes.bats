#!/usr/bin/env bats
# For which block sizes is a kernel clean?

bats_require_minimum_version 1.5.0
load lib

# The first warp waits, and the argument says whether anybody does.
ptx() {
	cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [k_param_1];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra SKIP;
	bar.sync 0;
SKIP:
	ret;
}
.visible .entry whole()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, %ntid.x;
	bar.sync 1, %r1;
	ret;
}
.visible .entry tail(.param .u32 tail_param_0)
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	ld.param.u32 %r1, [tail_param_0];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %ctaid.x;
	mad.lo.u32 %r2, %r3, %r4, %r2;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 ret;
	bar.sync 0;
	ret;
}
END
}

shapes() {
	run "$LANEWISE" shapes k.ptx "$@"
}

@test "ranges, and what is wrong with the others" {
	ptx
	shapes --entry k --arg 1=40
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "k: blocks 1..1024, grid 1,1,1" ]
	[ "${lines[1]}" = "clean: 1..40" ]
	[ "${lines[2]}" = "refused: 41..1024 (LW005 PTX line 12)" ]
	[[ "${lines[3]}" == "    at 41: waiting here: "* ]]
}

@test "a stride is said as one" {
	ptx
	shapes -e whole
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "clean: 32, 64, ..., 1024 (multiples of 32)" ]
	[[ "$output" == *"refused: 1..31, 33..63, ..., 993..1023 (every 32) (LW011 PTX line 20)"* ]]
}

@test "the sizes that check agrees with, one by one" {
	ptx
	for n in 1 31 40 41 64; do
		run "$LANEWISE" check k.ptx -e tail -b "$n" -g "$(((1000 + n - 1) / n))" -a 0=1000
		one=$status
		[ "$one" -le 3 ]
		shapes -e tail --from "$n" --to "$n" --threads 1000 -a 0=1000
		[ "$status" -eq "$one" ]
	done
}

@test "the grid follows the threads" {
	ptx
	shapes -e tail --threads 1000 --arg 0=1000
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "tail: blocks 1..1024, as many as 1000 threads take" ]
	[ "${lines[1]}" = "clean: 1..2, 4..5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000" ]
	# One block more than needed has nobody in it, which is fine.
	shapes -e tail --grid 1001 -a 0=1000 -t 1000
	[ "$status" -eq 2 ]
	[[ "$output" == *"--grid or --threads, not both"* ]]
	shapes -e tail --grid 1000 -a 0=1000 --from 10 --to 12
	[ "${lines[0]}" = "tail: blocks 10..12, grid 1000,1,1" ]
	[ "${lines[1]}" = "clean: 10" ]
}

@test "from, to and step" {
	ptx
	shapes -e k -a 1=100 --from 32 --to 160 --step 32
	[ "${lines[0]}" = "k: blocks 32..160 in steps of 32, grid 1,1,1" ]
	[ "${lines[1]}" = "clean: 32..96" ]
	[[ "$output" == *"refused: 128..160 ("* ]]
	# The end is not passed.
	shapes -e k -a 1=100 --from 1 --to 10 --step 4
	[ "${lines[1]}" = "clean: 1..9" ]
	shapes -e k -a 1=100 --from 1020 --to 1030
	[[ "$output" == *"refused: 1025..1030 (LW040)"* ]]
}

@test "blocks of two and three dimensions" {
	ptx
	shapes -e k -a 1=16 --shape 16x16 -s 32,8 --shape=8x8x4
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "k: 3 blocks, grid 1,1,1" ]
	[ "${lines[1]}" = "clean: 16x16, 8x8x4" ]
	[[ "$output" == *"refused: 32x8 ("* ]]
	shapes -e k -a 1=16 -s 16 --from 3
	[ "$status" -eq 2 ]
	[[ "$output" == *"do not go with --shape"* ]]
	shapes -e k -s 16x
	[ "$status" -eq 2 ]
	[[ "$output" == *"--shape: '16x' is not X[,Y[,Z]]"* ]]
}

@test "an unknown argument: quick, and with its condition" {
	ptx
	run timeout 20 "$LANEWISE" shapes k.ptx -e tail --threads 100000
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "clean: 1" ]
	[[ "$output" == *"caveat: 2..1024 ("* ]]
	shapes -e k --from 64 --to 64
	[ "$status" -eq 3 ]
	# The message is that of 'check', which tries values.
	message=${lines[3]#*at 64: }
	run "$LANEWISE" check k.ptx -e k -b 64 -g 1
	[[ "$output" == *"caveat: $message ["* ]]
	# What the shortcut says of each size is what 'check' says.
	for n in 1 2 33; do
		run "$LANEWISE" check k.ptx -e k -b "$n" -g 1
		one=$status
		[ "$one" -le 3 ]
		shapes -e k --from "$n" --to "$n"
		[ "$status" -eq "$one" ]
	done
}

@test "exit status: none is clean" {
	ptx
	shapes -e k -a 1=0 --to 64
	[ "$status" -eq 0 ]
	shapes -e k -a 1=40 --from 41 --to 64
	[ "$status" -eq 1 ]
	[ "${lines[1]}" = "clean: none" ]
	shapes -e k --from 41 --to 64
	[ "$status" -eq 3 ]
	[[ "$output" == *"not known: argument 0, 1;"* ]]
}

@test "the exit policy and the compute capability" {
	ptx
	shapes -e k -a 1=40 --from 41 --to 64 --exit-policy release
	[ "$status" -eq 3 ]
	[[ "$output" == *"caveat: 41..64 (LW005 PTX line 12)"* ]]
	shapes -e k --exit-policy lax
	[ "$status" -eq 2 ]
	shapes -e k -a 1=2000 --to 32 --shared 200000 --cc 8.6
	[ "$status" -eq 1 ]
	[[ "$output" == *"refused: 1..32 (LW046)"* ]]
	shapes -e k -a 1=2000 --to 32 --shared 200000 --cc 9.0
	[ "$status" -eq 0 ]
	shapes -e k --cc 1.0
	[ "$status" -eq 2 ]
	[[ "$output" == *"--cc: the limits of '1.0' are not known"* ]]
}

@test "clusters and cooperative launches" {
	ptx
	shapes -e k -a 1=2000 --to 8 --cluster 2 --grid 3
	[ "$status" -eq 1 ]
	[[ "$output" == *"LW045"* ]]
	shapes -e k -a 1=2000 --to 8 --cluster 2 --grid 4 --cooperative
	[ "$status" -eq 0 ]
}

@test "JSON holds every range" {
	python
	ptx
	shapes -e whole --json --to 128
	[ "$status" -eq 0 ]
	echo "$output" | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["schema"] == "lanewise/shapes.v1" and j["entry"] == "whole", j
assert j["grid"] == "1,1,1" and j["threads"] is None and j["step"] == 1, j
clean, refused = j["groups"]
assert clean["verdict"] == "clean" and "rule" not in clean
assert clean["ranges"] == [[32, 32], [64, 64], [96, 96], [128, 128]], clean
assert refused["rule"] == "LW011" and refused["ptx_line"] == 20
assert sum(b - a + 1 for a, b in refused["ranges"]) == refused["count"] == 124'
	shapes -e k -a 1=16 -s 16x16 --json -t 4096
	echo "$output" | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["grid"] is None and j["threads"] == 4096 and "step" not in j
assert j["groups"][0]["blocks"] == ["16,16,1"]'
}

@test "wrong options end with what to do" {
	ptx
	run "$LANEWISE" shapes
	[ "$status" -eq 2 ]
	[[ "$output" == *"a PTX file is needed"* ]]
	shapes k.ptx
	[ "$status" -eq 2 ]
	[[ "$output" == *"one PTX file at a time"* ]]
	for wrong in '--from -1' '--to 0x' '--step -2' '--from 9 --to 8' '--threads -1' \
		'--to 999999999' '--to 9223372036854775807' '--grid 0' '-a 1' '-a 9=1' \
		'--entry none' '--shared -1' '--cluster 0' '--bloc 1'; do
		# shellcheck disable=SC2086
		shapes -e k $wrong
		[ "$status" -eq 2 ]
	done
	[[ "$output" == *"unknown option '--bloc'"* ]]
	shapes
	[ "$status" -eq 2 ]
	[[ "$output" == *"k.ptx: "*"'whole'"* ]]
	run "$LANEWISE" shapes none.ptx
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read 'none.ptx': No such file"* ]]
}
