#!/usr/bin/env bats
# Measured on one machine, told on another that has neither the device nor the compiler.

load lib

# A project whose kernel is lowered by a program that only the first machine has.
measured() {
	mkdir there here bin && cd there || exit 1
	cp "$SRCDIR/tests/gpu/kernels.ptx" k.ptx
	printf '#!/bin/sh\nexec cp "$1" "$2"\n' >../bin/lower-it && chmod +x ../bin/lower-it
	echo '{ "schema": "lanewise/sim.v1", "device": "h200", "time_ns": 20000 }' >../sim.json
	cat >lanewise.json <<-'END'
	{ "schema": "lanewise/spec.v1", "kernels": { "scale": {
	  "source": "k.ptx", "language": "ptx", "entry": "scale", "command": "lower-it $in $out",
	  "params": { "BLOCK": { "values": [64, 128, 256], "role": "launch" } },
	  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"] },
	  "sizes": { "s": { "n": 4096 } },
	  "args": [ { "name": "in", "type": "f32*", "count": "n", "fill": "exact" },
	    { "name": "out", "type": "f32*", "count": "n", "output": true },
	    { "name": "n", "type": "i32", "value": "n" } ] } } }
	END
	PATH=$PWD/../bin:$PATH "$LANEWISE" tune --no-progress --device ../sim.json >../there.txt 2>&1
	cp lanewise.json k.ptx ../here/
	"$LANEWISE" cache export ../m.cache
	cd ../here || exit 1
}

replay() { "$LANEWISE" tune --no-progress --replay; }

# What a report says, but not what the run says of itself.
said() { grep -v '^nothing is measured\|^recalled\|nodes\|^lower' "$1"; }

@test "a replay tells what was measured elsewhere, and does nothing" {
	measured
	"$LANEWISE" cache import ../m.cache
	rm ../sim.json
	run replay
	[ "$status" -eq 0 ]
	[[ "$output" == *"replaying what was measured on simulated NVIDIA H200"* ]]
	for node in lower gate compile bench final; do
		[ "$(ran $node)" -eq 0 ] || { all_ran; false; }
	done
	run "$LANEWISE" ci --replay
	[ "$status" -eq 0 ]
	[[ "$output" == *"CHAMPION"* && "$output" != *"ESTIMATED"* ]]
	replay >../here.txt 2>&1
	diff <(said ../there.txt | grep -A99 '^-- ') <(said ../here.txt | grep -A99 '^-- ')
	ninja -n tune | grep 'no work to do'
}

@test "a replay knows what is not as it was measured" {
	measured
	"$LANEWISE" cache import ../m.cache
	sed -i 's/"n": 4096/"n": 8192/' lanewise.json
	run replay
	[ "$status" -eq 3 ]
	[[ "$output" == *"not measured as it is now, and a replay measures nothing"* ]]
	sed -i 's/8192/4096/; s/64, 128, 256/128, 256/' lanewise.json
	run replay # the candidates are as they were, their final is another one
	[ "$status" -eq 0 ]
	[[ "$output" == *"2 ranked, 0 failed"*"CHAMPION BLOCK="* ]]
	[[ "$output" != *"PROVEN"* ]]
}

@test "without a cache that was measured with, a replay says what to bring" {
	measured
	run replay
	[ "$status" -eq 2 ]
	[[ "$output" == *"the cache has no measurements of 'lanewise.json'"*"cache import"* ]]
	[ ! -e build.ninja ]
	run "$LANEWISE" tune --replay --device h200
	[ "$status" -eq 2 ]
	[[ "$output" == *"'--replay' measures nothing and takes the device from the cache"* ]]
}

@test "a replay looks only at its own kernels in a cache that projects share" {
	measured
	"$LANEWISE" cache import ../m.cache
	sed -i 's/"scale": {/"other": {/' lanewise.json
	run replay
	[ "$status" -eq 2 ]
	[[ "$output" == *"no measurements of 'lanewise.json'"* ]]
}

# Everything that was measured of the examples is in h200.cache, but large expected outputs.
@test "the examples tell what an H200 measured, on a machine that has none" {
	for example in reduce stencil; do
		(
			project $example
			"$LANEWISE" cache import h200.cache
			run replay
			[ "$status" -eq 0 ]
			[[ "$output" == *"replaying what was measured on NVIDIA H200 (GPU-"* ]]
			[[ "$output" == *"measured earlier (cached), outputs verified by oracle"* ]]
			[[ "$output" == *"claim: PROVEN"* ]]
			! grep -E '"node": "(lower|compile|bench|final)"' .lanewise/events.jsonl | grep -v '"cached"'
		)
	done
}

@test "an edit of an example makes what was applied stale" {
	project reduce
	"$LANEWISE" cache import h200.cache
	replay >/dev/null 2>&1
	ninja apply >/dev/null
	ninja check
	sed -i 's/+= part/-= part/' reduce.cu
	run ninja check
	[ "$status" -ne 0 ]
}

# An entry of the cache, made anew by EDIT (python, on `text`, the bytes below its first line).
forge() { # forge NODE EDIT
	python3 - "$1" "$2" <<-'END'
	import glob, subprocess, sys, re, os
	for path in glob.glob(".lanewise/cache/??/*"):
	    head, text = open(path, "rb").read().split(b"\n", 1)
	    if b"node " + sys.argv[1].encode() + b" " not in text:
	        continue
	    old = text
	    exec(sys.argv[2])
	    assert text != old
	    digest = subprocess.run(["xxhsum", "-H2", "-q"], input=text, capture_output=True).stdout.split()[0]
	    open(path, "wb").write(b"lanewise-entry 2 xxh128:" + digest + b"\n" + text)
	END
}

@test "what Ninja is told never comes out of a cache" {
	command -v xxhsum >/dev/null || skip "no xxhsum (Debian package 'xxhash')"
	command -v python3 >/dev/null || skip "no python3"
	measured
	"$LANEWISE" cache import ../m.cache
	replay >../here.txt 2>&1
	cp .lanewise/scale/gate/*.dd ../right.dd
	rm -rf .lanewise/scale .lanewise/.ninja* build.ninja
	forge gate 'text = text.replace(b": dyndep |", b"|/tmp/x:dyndep |"[:10])'
	replay >../forged.txt 2>&1
	cmp .lanewise/scale/gate/*.dd ../right.dd
}

@test "a replay that would break lines is not for this lanewise" {
	command -v xxhsum >/dev/null || skip "no xxhsum (Debian package 'xxhash')"
	command -v python3 >/dev/null || skip "no python3"
	measured
	"$LANEWISE" cache import ../m.cache
	forge replay 'text = text.replace(b"command 1", b"comman\\n1")'
	run replay
	[ "$status" -eq 2 ]
	[[ "$output" == *"is not for this lanewise"* ]]
}

# replace NODE PART: the cache has "{}" for that part of that node's results.
replace() {
	forge "$1" 'if 1:
		head, body = text.split(b"\n\n", 1)
		at, lines, parts = 0, [], []
		for line in head.split(b"\n"):
		    words = line.split(b" ")
		    bytes, at = body[at:at + int(words[-1])], at + int(words[-1])
		    if words[1] == b"'"$2"'":
		        bytes = b"{}"
		    lines.append(b" ".join(words[:-1] + [b"%d" % len(bytes)]))
		    parts.append(bytes)
		text = b"\n".join(lines) + b"\n\n" + b"".join(parts)'
}

@test "a hit that is not what its node leaves is a miss, and a note says so" {
	command -v xxhsum >/dev/null || skip "no xxhsum (Debian package 'xxhash')"
	command -v python3 >/dev/null || skip "no python3"
	measured
	cd ../there
	export PATH=$PWD/../bin:$PATH
	for what in compile/facts gate/verdict bench/out final/out rank/out; do
		rm -rf .lanewise/scale .lanewise/.ninja* build.ninja
		replace "${what%/*}" "${what#*/}"
		run "$LANEWISE" tune --no-progress --device ../sim.json
		[ "$status" -eq 0 ] || { echo "$what: $output"; false; }
		[[ "$output" == *"warning: cache: no use of "*": it is not what '${what%/*}' leaves; the work is done again"* ]] ||
			{ echo "$what: $output"; false; }
		# which replaces it
		rm -rf .lanewise/scale .lanewise/.ninja* build.ninja
		run "$LANEWISE" tune --no-progress --device ../sim.json
		[[ "$output" != *"warning: cache"* ]] || { echo "$what: $output"; false; }
	done
}

@test "what keys hold is shown, not obeyed by the terminal" {
	command -v xxhsum >/dev/null || skip "no xxhsum (Debian package 'xxhash')"
	command -v python3 >/dev/null || skip "no python3"
	measured
	cd ../there
	forge bench 'text = text.replace(b"node bench", b"node b\x1b[mh")'
	run "$LANEWISE" cache stats
	[[ "$output" == *'b\x1b[mh'* && "$output" != *$'\e'* ]]
	entry=$(grep -l $'^node b\e' .lanewise/cache/??/* | head -1)
	run "$LANEWISE" cache why "${entry##*/}"
	[[ "$output" == *'node b\x1b[mh'* && "$output" != *$'\e'* ]]
}

@test "a replay of other tools says what is true of it" {
	command -v xxhsum >/dev/null || skip "no xxhsum (Debian package 'xxhash')"
	command -v python3 >/dev/null || skip "no python3"
	measured
	"$LANEWISE" cache import ../m.cache
	forge replay 'text = text.replace(b"command 1", b"command 2")'
	PATH=$PWD/../bin:$PATH run replay
	[ "$status" -eq 2 ]
	[[ "$output" == *"this is 'command 1', but the graph was written for 'command 2'"*"that of --replay is for the tools of the machine that measured"* ]]
}
