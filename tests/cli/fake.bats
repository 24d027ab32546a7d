#!/usr/bin/env bats
# Tuning on a CUDA device that is not there: the whole way, from the driver's functions up
# (tests/fake/fake.h). What a kernel does is what fake.txt says of its name.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	fake=${LANEWISE%/*}/tests/fake
	[ -e "$fake/libcuda.so.1" ] || make -C "${LANEWISE%/*}" fake >&2
	export XDG_RUNTIME_DIR=$PWD LANEWISE_FAKE_KERNELS=$PWD/fake.txt
}

on_fake() {
	LD_LIBRARY_PATH=$fake "$LANEWISE" "$@"
}

# kernel NAME: copies n floats.
kernel() {
	cat >"$1.ptx" <<END
.version 7.0
.target sm_75
.address_size 64
.visible .entry $1(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .pred %p;
	.reg .f32 %f;
	.reg .b32 %i, %n, %c, %t;
	.reg .b64 %in, %out, %at;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	ld.param.u32 %n, [n];
	mov.u32 %c, %ctaid.x;
	mov.u32 %t, %ntid.x;
	mov.u32 %i, %tid.x;
	mad.lo.u32 %i, %c, %t, %i;
	setp.ge.u32 %p, %i, %n;
	@%p bra out_of_it;
	mul.wide.u32 %at, %i, 4;
	add.u64 %in, %in, %at;
	add.u64 %out, %out, %at;
	ld.global.f32 %f, [%in];
	st.global.f32 [%out], %f;
out_of_it:
	ret;
}
END
}

# spec WAYS SIZE MEMBERS
spec() {
	cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "k": {
  "source": "{WAY}.ptx", "params": {
    "WAY": { "values": [$1], "source": "{WAY}.ptx" },
    "BLOCK": { "values": [64, 128], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"] },
  "sizes": { "s": { "n": $2 } },
  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
            { "name": "out", "type": "f32*", "count": "n", "output": true },
            { "name": "n", "type": "i32", "value": "n" } ],
  "timeout": 2, $3
  "verify": { "oracle": "ref.c" } } } }
END
	sed -i 's/"source": "{WAY}.ptx", "params"/"params"/' lanewise.json
	cat >ref.c <<'END'
#include "lanewise_oracle.h"
int lanewise_oracle(const struct lanewise_arg *args, int n)
{
	for (size_t i = 0; i < args[1].count; i++)
		((double *)args[1].data)[i] = ((float *)args[0].data)[i];
	return n != 3;
}
END
}

# The status of WAY with blocks of 64.
status_of() {
	sed -n 's/^ *"status": "\(.*\)",$/\1/p' ".lanewise/k/bench/WAY=$1,BLOCK=64@s.json" | head -1
}

@test "the fast and right one wins, and every failure has its status" {
	for way in good slow wrong short beyond crash random damage hang; do kernel "$way"; done
	cat >fake.txt <<'END'
kernel good copy ns=20000
kernel slow copy ns=40000
kernel wrong wrong-last
kernel short short
kernel beyond beyond
kernel crash far
kernel random random
kernel damage damage
kernel hang hang
END
	spec '"slow", "hang", "crash", "wrong", "short", "beyond", "random", "damage", "good"' 1000 ''
	run on_fake tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'CHAMPION WAY=good,BLOCK='* ]]
	[[ $output == *'measured, outputs verified by oracle'* ]]
	[ "$(status_of good)" = ok ]
	[ "$(status_of slow)" = ok ]
	[ "$(status_of wrong)" = wrong ]
	[ "$(status_of short)" = wrong ]
	[ "$(status_of beyond)" = wrong ]
	[ "$(status_of random)" = wrong ]
	[ "$(status_of damage)" = wrong ]
	[ "$(status_of crash)" = crashed ]
	[ "$(status_of hang)" = hung ]
}

@test "constants reach the module" {
	kernel taps
	printf 'kernel taps constant ns=20000\nconstant taps 4\n' >fake.txt
	spec '"taps"' 1000 '"constants": { "taps": { "type": "f32", "values": [1] } },'
	run on_fake tune --no-progress
	[ "$status" -eq 0 ]
	[[ $output == *'measured, outputs verified by oracle'* ]]
	spec '"taps"' 1000 '"constants": { "taps": { "type": "f32", "values": [2] } },'
	run on_fake tune --no-progress
	[ "$status" -eq 3 ]
	[ "$(status_of taps)" = wrong ]
}
