#!/usr/bin/env bats
# Champions of several devices in one record, merged, checked, selected.

bats_require_minimum_version 1.5.0
load lib

on() {
	"$LANEWISE" tune --backend model --device "$1" --no-progress >/dev/null
	"$LANEWISE" apply >/dev/null
}

# What the selector says: ask NAME MAJOR MINOR N [COMPILER...]
ask() {
	cat >ask.c <<END
#include "reduce_tuned.h"
#include <stdio.h>
int
main(void)
{
	struct reduce_size size = {$4};
	struct reduce_pick p = reduce_select($1, $2, $3, size);
	printf("%s %s %d %s\n", p.choice->device, p.choice->size, p.match, lanewise_match_text(p.match));
	return 0;
}
END
	cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror ask.c -o ask
	cp ask.c ask.cc
	c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror ask.cc -o ask17
	./ask >ask.out
	./ask17 | cmp - ask.out
	cat ask.out
}

@test "two devices in one record, and a program that asks for one" {
	project reduce
	on h200
	on a100
	[ "$(grep -c '"kernel": "reduce"' reduce_tuned.json)" -eq 4 ]
	"$LANEWISE" apply --check
	run ask '"NVIDIA H200"' 9 0 1048576
	[ "$output" = "NVIDIA H200 1M 8 never measured" ]
	run ask '"NVIDIA H200"' 9 0 30000000
	[ "$output" = "NVIDIA H200 64M 9 tuned at another size" ]
	run ask '"NVIDIA A100-PCIE-40GB"' 8 0 1048576
	[ "$output" = "NVIDIA A100-SXM4-80GB 1M 10 tuned on another device of this compute capability" ]
	run ask '"NVIDIA B200"' 10 0 1
	[ "$output" = "NVIDIA H200 1M 13 tuned on another compute capability" ]
}

@test "a build names its device, or gets what all have alike" {
	project reduce
	on h200
	on a100
	printf '#include "reduce_tuned.h"\nint tile = REDUCE_1M_TILE; int match = REDUCE_TARGET_MATCH;\n' >t.c
	run ! cc -c t.c
	[[ "$output" == *"REDUCE_1M_TILE"* ]]
	cc -E -P -DLANEWISE_CC=90 t.c | grep 'int tile = 256; int match = 8;'
	cc -E -P -DLANEWISE_CC=89 t.c | grep 'int tile = 512; int match = (4 + 8);'
	cc -E -P -DLANEWISE_CC=75 t.c | grep 'int tile = 512; int match = (4 + 8);'
	cc -E -P -DREDUCE_TARGET=REDUCE_ON_NVIDIA_H200 t.c | grep 'int tile = 256; int match = 8;'
	run ! cc -c -DREDUCE_TARGET=REDUCE_ON_NVIDIA_H201 t.c
	[[ "$output" == *"REDUCE_TARGET is no device of this file"* ]]
	run ! cc -c -DLANEWISE_CC=90 -DLANEWISE_STRICT t.c
	[[ "$output" == *"no measured choice"* ]]
	printf '#include "reduce_tuned.h"\nint block = REDUCE_1M_BLOCK;\n' >t.c
	cc -Wall -Wextra -Werror -c t.c
}

@test "records of two machines are merged, and make the header that one would have" {
	project reduce
	on h200
	on a100
	cp reduce_tuned.json both.json
	cp reduce_tuned.h both.h
	rm reduce_tuned.*
	export SOURCE_DATE_EPOCH=1769903999
	"$LANEWISE" apply >/dev/null
	mv reduce_tuned.json a100.json
	"$LANEWISE" graph --quiet --backend model --device h200
	ninja rank >/dev/null
	ninja .lanewise/reduce/ranked.json >/dev/null
	"$LANEWISE" apply >/dev/null
	"$LANEWISE" wisdom merge a100.json reduce_tuned.json -o ab.json
	"$LANEWISE" wisdom merge reduce_tuned.json a100.json -o ba.json
	cmp ab.json ba.json
	"$LANEWISE" wisdom merge ab.json a100.json -o ab.json | grep 'ab.json: unchanged, 4 entries'
	cp ab.json reduce_tuned.json
	"$LANEWISE" apply --header-only
	cmp reduce_tuned.h both.h
	grep -q '"date": "2026-01-31T23:59:59Z"' ab.json
}

@test "what is stale is named, left out of the header, and can be removed" {
	project reduce
	on h200
	on a100
	"$LANEWISE" wisdom check reduce_tuned.json
	echo '// edited' >>reduce.cu
	run -1 "$LANEWISE" wisdom check reduce_tuned.json
	[[ "$output" == *"reduce at 1M on NVIDIA H200 is STALE: source reduce.cu: recorded with"* ]]
	[[ "$output" == *"0 of 4 entries are current"* ]]
	"$LANEWISE" tune --backend model --device a100 --no-progress >/dev/null
	run -0 "$LANEWISE" apply
	[[ "$output" == *"reduce at 64M on NVIDIA H200 is left out: the kernel is another one since"* ]]
	run ! grep -q H200 reduce_tuned.h
	run -0 "$LANEWISE" apply --check
	[[ "$output" == *"note: 1M on NVIDIA H200 is stale, tune there again: source reduce.cu"* ]]
	run -1 "$LANEWISE" wisdom check --remove reduce_tuned.json
	run -0 "$LANEWISE" wisdom check reduce_tuned.json
	[[ "$output" == *"2 of 2 entries are current"* ]]
	run ! grep -q H200 reduce_tuned.json
}

@test "a simulated device does not pass as measured" {
	project reduce
	cat >sim.json <<'END'
{ "schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000 + TILE" }
END
	"$LANEWISE" tune --device sim.json --no-progress >/dev/null
	"$LANEWISE" apply
	run ! grep -E '"(kind|claim)": "(measured|observed|proven)"' reduce_tuned.json
	grep -q '"kind": "simulated"' reduce_tuned.json
	grep -q 'SIMULATED at' reduce_tuned.h
	grep -q '#define REDUCE_TARGET_MATCH LANEWISE_NOT_MEASURED' reduce_tuned.h
	"$LANEWISE" wisdom show reduce_tuned.json | grep 'SIMULATED  never run'
}

@test "a damaged or hostile record: a place, exit 2, and nothing is written" {
	project reduce
	on h200
	cp reduce_tuned.h before.h
	head -c 900 reduce_tuned.json >cut.json
	run -2 "$LANEWISE" wisdom show cut.json
	[[ "$output" =~ cut.json:[0-9]+:[0-9]+:\ error ]]
	run -2 "$LANEWISE" wisdom merge reduce_tuned.json cut.json -o out.json
	[ ! -e out.json ]
	sed -i '0,/"TILE": 256/s//"TILE; system(0)": 256/' reduce_tuned.json
	cp reduce_tuned.json hostile.json
	for command in 'apply' 'apply --check' 'apply --header-only' \
		'wisdom check reduce_tuned.json' 'wisdom show reduce_tuned.json'; do
		# shellcheck disable=SC2086
		run -2 "$LANEWISE" $command
		[[ "$output" =~ reduce_tuned.json:[0-9]+:[0-9]+:\ error:\ name\ \'TILE\;\ system\(0\)\' ]]
	done
	cmp reduce_tuned.json hostile.json
	cmp reduce_tuned.h before.h
}

@test "foreign text in a record stays text" {
	project reduce
	on h200
	sed -i 's|"label": "[^"]*"|"label": "*/ int evil1; /* \\" ??/"|; s|"toolchain": "[^"]*"|"toolchain": "x */ #error"|
		s|"name": "NVIDIA H200"|"name": "*/ \\"; int evil2; // \\\\"|' reduce_tuned.json
	"$LANEWISE" apply --header-only
	run ask '"*/ \"; int evil2; // \\"' 9 0 1
	[ "$output" = '*/ "; int evil2; // \ 1M 9 tuned at another size' ]
	printf '#include "reduce_tuned.h"\nint evil1, evil2;\n' >t.c
	cc -std=c11 -trigraphs -Wall -Werror -c t.c
	run -0 "$LANEWISE" wisdom show reduce_tuned.json
}

@test "several kernels may share a record" {
	project reduce
	on h200
	sed -i 's/"kernel": "reduce"/"kernel": "other"/' reduce_tuned.json
	run -2 "$LANEWISE" apply --check
	[[ "$output" == *"'reduce_tuned.json' has nothing of kernel 'reduce'"* ]]
	"$LANEWISE" apply
	[ "$(grep -c '"kernel": "other"' reduce_tuned.json)" -eq 2 ]
	[ "$(grep -c '"kernel": "reduce"' reduce_tuned.json)" -eq 2 ]
	"$LANEWISE" apply --check
}

@test "what the command wants" {
	run -2 "$LANEWISE" wisdom
	run -2 "$LANEWISE" wisdom show
	run -2 "$LANEWISE" wisdom merge a.json
	[[ "$output" == *"'merge' wants -o FILE"* ]]
	run -2 "$LANEWISE" wisdom show nowhere.json
	[[ "$output" == *"nowhere.json: error: cannot read"* ]]
	run -2 "$LANEWISE" wisdom check nowhere.json
	[[ "$output" == *"there is no graph in '.lanewise'"* ]]
	run -2 "$LANEWISE" wisdom show /dev/zero
}
