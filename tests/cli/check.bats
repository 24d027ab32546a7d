#!/usr/bin/env bats
# One launch of one PTX file, judged by itself.

bats_require_minimum_version 1.5.0
load lib

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
END
}

@test "one argument decides" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=64
	[ "$status" -eq 0 ]
	[[ "$output" == "clean: k,"* ]]
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=10
	[ "$status" -eq 1 ]
	[[ "$output" == "refused: k,"* ]]
}

@test "what is not known is named where it leaves a caveat" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 0=ptr
	[ "$status" -eq 3 ]
	[[ "$output" == *"not known: argument 1;"* ]]
}

@test "a name that PTX does not have is told its position" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg n=10
	[ "$status" -eq 2 ]
	[[ "$output" == *"PTX does not keep their names; it has 2, so write 0=VALUE"* ]]
}

@test "a file that is not there is named with the reason" {
	run "$LANEWISE" check none.ptx --block 64 --grid 1
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read 'none.ptx': No such file"* ]]
}

@test "bytes are as many as the parameter has" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=bytes:40000000
	[ "$status" -eq 0 ]
	for hex in '' 40 4000000000; do
		run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg "1=bytes:$hex"
		[ "$status" -eq 2 ]
		[[ "$output" == *"bytes for a parameter of 4"* ]]
	done
}

@test "a cubin is told from PTX" {
	printf '\177ELF\2\1\1' >k.cubin
	run "$LANEWISE" check k.cubin --block 64 --grid 1
	[ "$status" -eq 2 ]
	[[ "$output" == *"ELF file (a cubin?)"* ]]
}
