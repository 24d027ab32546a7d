#!/bin/bash
# `lanewise node bench` against kernels that do every wrong thing a candidate can do, on
# the GPU of this machine (the first one). GPU_DEVICE: its description.
set -u
LANEWISE=${LANEWISE:?} here=${SRCDIR:?}/tests/gpu
device=${GPU_DEVICE:-$SRCDIR/devices/h200.json}
if [ ! -e /dev/nvidia0 ] && [ ! -e /dev/dxg ]; then
	echo "no GPU here"
	exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 2
passed=0 failed=0

tell() { # tell NAME OK [DETAIL]
	if [ "$2" = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	[ "$2" = 1 ] && printf 'ok    %-14s %s\n' "$1" "${3-}" || printf 'FAIL  %-14s %s\n' "$1" "${3-}"
}

field() { sed -n "s/^ *\"$2\": *\"\{0,1\}\(.*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -1; }

write_facts() { # write_facts ENTRY STATUS REASON
	cat >facts.json <<END
{"schema":"lanewise/facts.v1","status":"$2","reason":"$3","source":"ptx","compiler":"",
"entry":"$1","artifact":"ptx","registers":-1,"static_shared_bytes":-1,"local_bytes":-1,
"spill_store_bytes":-1,"spill_load_bytes":-1,"barriers":-1,"constant_bytes":-1,
"code_bytes":-1,"max_threads":-1}
END
}

write_verdict() { # write_verdict KIND LAUNCH
	cat >verdict.json <<END
{"schema":"lanewise/verdicts.v1","kernel":"k","entry":"","static_shared_bytes":0,
"verdicts":[{"verdict":"$1","point":"c@s","launch":"$2","findings":[]}]}
END
}

n=100000
plain="in=f32*[$n]:exact,out=f32*[$n]:out,n=i32:$n"
launch=256,1,1/391,1,1/1,1,1/0

node() { # node ENTRY LAUNCH ARGS ARTIFACT [WORD...]
	local entry=$1 launch=$2 args=$3 artifact=$4
	shift 4
	write_facts "$entry" ok ""
	write_verdict "${verdict:-clean}" "$launch"
	rm -f out.json
	"$LANEWISE" node bench --kernel k --point c@s --artifact "$artifact" \
		--facts facts.json --verdict verdict.json --launch "$launch" --args "$args" \
		--seed 7 --timeout "${timeout:-10}" --device "$device" "$@" -o out.json \
		>stdout 2>stderr
}

# expect NAME STATUS REASON-PATTERN ENTRY LAUNCH ARGS ARTIFACT [WORD...]
expect() {
	local name=$1 status=$2 pattern=$3 start end got reason
	shift 3
	start=$(date +%s%N)
	node "$@" || { tell "$name" 0 "exit $?: $(cat stderr)"; return; }
	end=$(date +%s%N)
	got=$(field out.json status) reason=$(field out.json reason)
	if [[ $got =~ ^($status)$ ]] && [[ $reason =~ $pattern ]] && [ ! -e out.json.pending ]; then
		tell "$name" 1 "$got $(((end - start) / 1000000)) ms, $(field out.json median_ns) ns  $reason"
	else
		tell "$name" 0 "got '$got' ($reason), wanted '$status' ($pattern) $(cat stderr)"
	fi
}

is() { # is NAME KEY VALUE: of the last result
	local got
	got=$(field out.json "$2")
	if [ "$got" = "$3" ]; then tell "$1" 1; else tell "$1" 0 "$2 is '$got', wanted '$3'"; fi
}

ptx=$here/kernels.ptx
"$LANEWISE" node oracle --source "$here/kernels_ref.c" --compiler cc -o oracle.so || exit 2
reference() { # reference ARGS FILE [WORD...]
	local args=$1 file=$2
	shift 2
	"$LANEWISE" node reference --oracle oracle.so --args "$args" --seed 7 "$@" -o "$file"
}
reference "$plain" ref || exit 2
by=(--reference ref --reference-by oracle)
simple() { expect "$1" "$2" "$3" "$4" "$launch" "$plain" "$ptx" "${@:5}"; }

simple scale ok '^$' scale "${by[@]}"
is verified verified true
is verified-by verified_by oracle
is none-wrong n_wrong 0
simple unverified ok '' scale
is not-verified verified false
simple wrong wrong "'out': 100 of 100000 .*first is \[7\] = 3" wrong "${by[@]}"
is no-time-if-wrong median_ns null
simple tolerated ok '' wrong "${by[@]}" --abs 10
simple gaps wrong '100 of 100000 elements were never written; the first is \[99900\]' gaps "${by[@]}"
simple garbage wrong 'two runs on the same inputs differ' garbage
simple race wrong 'two runs on the same inputs differ' race "${by[@]}" --abs 0.001
simple race-allowed ok '' race "${by[@]}" --abs 0.001 --nondeterministic
timeout=2 simple spin hung 'within 2 s' spin "${by[@]}"
timeout=3 simple later hung 'did not finish within' later "${by[@]}"
simple after-hang ok '' scale "${by[@]}"
simple slow ok '' slow "${by[@]}"
simple write-after wrong "outside 'out': 4 bytes after" write_after "${by[@]}"
simple write-before wrong "outside 'out': 4 bytes before" write_before "${by[@]}"
simple write-far crashed ILLEGAL_ADDRESS write_far "${by[@]}"
simple read-after crashed ILLEGAL_ADDRESS read_after "${by[@]}"
simple misaligned crashed MISALIGNED_ADDRESS misaligned "${by[@]}"
simple trap crashed '' trap "${by[@]}"
simple print ok '' print "${by[@]}"
simple no-entry unloadable NOT_FOUND no_such_kernel "${by[@]}"

printf '.version 7.5\n.target sm_75\n.address_size 64\n.visible .entry scale() { bad; }\n' >bad.ptx
expect bad-ptx unloadable INVALID_PTX scale "$launch" "$plain" bad.ptx
: >empty.ptx
expect empty unloadable 'empty' scale "$launch" "$plain" empty.ptx
if [ -n "${GPU_CUBIN-}" ]; then
	expect cubin ok '' scale "$launch" "$plain" "$GPU_CUBIN" "${by[@]}"
	head -c 3000 "$GPU_CUBIN" >cut.cubin
	expect cut-cubin unloadable 'damaged' scale "$launch" "$plain" cut.cubin
	cp "$GPU_CUBIN" flip.cubin
	printf '\377\377\377\377\377\377\377\377' | dd of=flip.cubin bs=1 seek=100 conv=notrunc 2>/dev/null
	size=$(stat -c %s flip.cubin)
	head -c 400 /dev/zero | dd of=flip.cubin bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	expect bad-cubin '.*' '' scale "$launch" "$plain" flip.cubin
fi

shared() { expect "$1" "$2" "$3" shared "256,1,1/391,1,1/$4" "$plain" "$ptx" "${by[@]}"; }
shared shared ok '' 1,1,1/1024
shared shared-optin ok '' 1,1,1/65536
shared shared-too-much unlaunchable 'dynamic shared' 1,1,1/900000
shared cooperative ok '' 1,1,1/1024/coop
expect block-too-big unlaunchable 'refused' scale 2048,1,1/49,1,1/1,1,1/0 "$plain" "$ptx"
expect grid-too-big unlaunchable 'fit a launch' scale 256,1,1/8589934592,1,1/1,1,1/0 "$plain" "$ptx"
expect too-few unlaunchable 'takes|more than' scale "$launch" "in=f32*[$n]:exact,out=f32*[$n]:out" "$ptx"
expect wrong-size unlaunchable "'n' has 8 bytes" scale "$launch" "in=f32*[$n]:exact,out=f32*[$n]:out,n=i64:$n" "$ptx"
expect unknown unlaunchable "'n' has no value" scale "$launch" "in=f32*[$n]:exact,out=f32*[$n]:out,n=i32:unknown" "$ptx"
expect too-big out-of-memory '' scale "$launch" "in=f32*[$n]:zeros,out=f32*[1000000000000]:out,n=i32:$n" "$ptx"

inout="v=f32*[$n]:inout/exact,n=i32:$n"
reference "$inout" inout.ref || exit 2
expect inout ok '' twice "$launch" "$inout" "$ptx" --reference inout.ref --reference-by oracle
is inout-verified verified true
expect nothing ok '' nothing 32,1,1/132,1,1/1,1,1/0 out=f32*[1]:out "$ptx"

m=33554432
big="in=f32*[$m]:normal,out=f32*[$m]:out,n=i32:$m"
reference "$big" big.ref || exit 2
expect big ok '' scale 256,1,1/131072,1,1/1,1,1/0 "$big" "$ptx" --reference big.ref --reference-by oracle

# --- references ---
baseline() { # baseline NAME ENTRY: writes base.ref
	write_facts "$2" ok "" && write_verdict "${verdict:-clean}" "$launch"
	"$LANEWISE" node baseline --kernel k --point c@s --artifact "$ptx" --facts facts.json \
		--verdict verdict.json --launch "$launch" --args "$plain" --seed 7 --timeout 5 \
		--device "$device" -o base.ref 2>stderr || tell "$1" 0 "$(cat stderr)"
}
base=(--reference base.ref --reference-by baseline)
baseline baseline scale
simple baseline ok '' scale "${base[@]}"
is by-baseline verified_by baseline
simple baseline-wrong wrong 'first is \[7\]' wrong "${base[@]}"
baseline baseline-trap trap
simple no-baseline trouble 'no reference: the baseline: crashed' scale "${base[@]}"
verdict=refused baseline baseline-refused scale
simple no-baseline-2 trouble 'refused by the gate' scale "${base[@]}"
reference "$plain" ref2 --function crashes 2>/dev/null
simple oracle-crash trouble 'the oracle crashed' scale --reference ref2
reference "$plain" ref2 --function hangs --timeout 1
simple oracle-hang trouble 'did not end within 1 s' scale --reference ref2
reference "$plain" ref2 --function refuses
simple oracle-refuses trouble 'non-zero' scale --reference ref2
simple other-args trouble 'other arguments' scale --reference inout.ref

# --- the gate has the last word ---
refuse() { # refuse NAME PATTERN VERDICT [WORD...]
	local name=$1 pattern=$2 verdict=$3
	shift 3
	if node scale "$launch" "$plain" "$ptx" "$@"; then
		tell "$name" 0 "it ran: $(cat out.json)"
	elif [ -e out.json ] || ! [[ $(cat stderr) =~ $pattern ]]; then
		tell "$name" 0 "$(cat stderr)"
	else
		tell "$name" 1 "$(cat stderr)"
	fi
}
refuse refused 'refused by the gate: not run' refused
refuse error 'refused by the gate: not run' error --unsafe because
refuse caveat 'refused by the gate: not run' caveat --admit clean
verdict=caveat simple caveat-runs ok '' scale "${by[@]}" --admit caveat
verdict=refused simple unsafe ok '' scale "${by[@]}" --unsafe because
is says-unsafe unsafe true

# A node that is killed leaves the truth; its worker ends the job, and the next has its turn.
write_facts spin ok "" && write_verdict clean "$launch"
rm -f out.json
"$LANEWISE" node bench --kernel k --point c@s --artifact "$ptx" --facts facts.json \
	--verdict verdict.json --launch "$launch" --args "$plain" --seed 7 --timeout 4 \
	--device "$device" -o out.json &
node=$!
sleep 2
kill -9 $node
wait $node 2>/dev/null
if [ ! -e out.json ] && [ "$(field out.json.pending status)" = pending ]; then tell pending 1; else tell pending 0; fi
simple after-kill ok '' scale "${by[@]}"

# Two at once take turns; both are right.
(cd "$(mktemp -d -p .)" && cp ../*.ref ../ref . && node scale "$launch" "$plain" "$ptx" "${by[@]}" &&
	[ "$(field out.json status)" = ok ]) &
other=$!
simple together ok '' scale "${by[@]}"
if wait $other; then tell other 1; else tell other 0; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
