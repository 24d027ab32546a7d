# What `node bench` and its references do before any device is touched, and without one.

load lib

launch=256,1,1/4,1,1/1,1,1/0
args='in=f32*[1000]:exact,out=f32*[1000]:out,n=i32:1000'

facts() { # facts STATUS REASON
	cat >facts.json <<END
{"schema":"lanewise/facts.v1","status":"$1","reason":"$2","source":"ptx",
"entry":"scale","artifact":"ptx","registers":-1,"static_shared_bytes":-1,"local_bytes":-1,
"spill_store_bytes":-1,"spill_load_bytes":-1,"barriers":-1,"constant_bytes":-1,
"code_bytes":-1,"max_threads":-1}
END
}

verdict() { # verdict KIND
	cat >verdict.json <<END
{"schema":"lanewise/verdicts.v1","kernel":"k","entry":"","static_shared_bytes":0,
"verdicts":[{"verdict":"$1","point":"c@s","launch":"$launch","findings":[]}]}
END
}

# No device, also where there is one.
bench() { # bench [WORD...]
	CUDA_VISIBLE_DEVICES='' "$LANEWISE" node bench --kernel k --point c@s \
		--artifact "$SRCDIR/tests/gpu/kernels.ptx" --facts facts.json \
		--verdict verdict.json --args "$args" --seed 1 --timeout 5 \
		--device "$SRCDIR/devices/h200.json" -o out.json --launch "$launch" "$@"
}

refuses() { # refuses PATTERN [WORD...]
	local pattern=$1
	shift
	run bench "$@"
	[ "$status" -eq 2 ]
	[[ $output =~ $pattern ]]
	[ ! -e out.json ]
}

@test "what the gate refused is not run" {
	facts ok ''
	verdict refused
	refuses 'refused by the gate: not run'
	verdict error
	refuses 'refused by the gate: not run'
	refuses 'refused by the gate: not run' --unsafe because
	verdict caveat
	refuses 'refused by the gate: not run' --admit clean
}

@test "what the gate has not judged is not run" {
	facts ok ''
	refuses 'the gate has not judged it: not run'
	verdict clean
	sed -i 's/c@s/d@s/' verdict.json
	refuses 'the gate has no verdict for it: not run'
	verdict clean
	sed -i 's/256,1,1/128,1,1/' verdict.json
	refuses 'the gate judged another launch shape: not run'
	echo '{' >verdict.json
	refuses 'not run'
}

@test "what did not compile needs no device to say so" {
	facts failed 'ptxas: out of registers'
	verdict clean
	bench
	grep -q '"status": "compile-failed"' out.json
	grep -q '"reason": "ptxas: out of registers"' out.json
	[ ! -e out.json.pending ]
}

@test "no device is trouble, and no time" {
	facts ok ''
	verdict clean
	bench
	grep -q '"status": "trouble"' out.json
	grep -q '"median_ns": null' out.json
	grep -q '"verified": false' out.json
	[ ! -e out.json.pending ]
}

@test "an unsafe run says so" {
	facts ok ''
	verdict refused
	bench --unsafe 'to see how fast'
	grep -q '"unsafe": true' out.json
}

@test "malformed words are told" {
	facts ok ''
	verdict clean
	run bench --abs -1
	[ "$status" -eq 2 ]
	[[ $output == *"malformed '--abs -1'"* ]]
	run bench --ulp many
	[ "$status" -eq 2 ]
	[[ $output == *"malformed '--ulp many'"* ]]
}

@test "malformed arguments are told" {
	facts ok ''
	verdict clean
	run "$LANEWISE" node bench --kernel k --point c@s --facts facts.json \
		--verdict verdict.json --launch "$launch" --args 'in=f33*[1]:exact' --seed 1 \
		--timeout 5 --device "$SRCDIR/devices/h200.json" -o out.json
	[ "$status" -eq 2 ]
	[[ $output == *'unknown type'* ]]
}

@test "an oracle compiles to the same bytes, and gives the outputs" {
	for o in one two; do
		"$LANEWISE" node oracle --source "$SRCDIR/tests/gpu/kernels_ref.c" \
			--compiler cc -o $o.so
	done
	cmp one.so two.so
	"$LANEWISE" node reference --oracle one.so --args "$args" --seed 1 -o ref
	head -n 1 ref | grep -q '"count": 1000, "store": "f64"'
	[ "$(stat -c %s ref)" -eq $(($(head -n 1 ref | wc -c) + 8000)) ]
	[ $(($(head -n 1 ref | wc -c) % 64)) -eq 0 ]
}

@test "an oracle that fails is a reference that says so" {
	"$LANEWISE" node oracle --source "$SRCDIR/tests/gpu/kernels_ref.c" --compiler cc -o o.so
	reference() { "$LANEWISE" node reference --oracle o.so --args "$args" --seed 1 -o ref "$@"; }
	# The crash is the oracle's own: a sanitizer is not to make an exit of it.
	ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0 reference --function crashes
	grep -q '"failed": "the oracle crashed' ref
	reference --function hangs --timeout 0.2
	grep -q '"failed": "the oracle did not end within 0.2 s"' ref
	reference --function refuses
	grep -q 'returned non-zero' ref
	reference --function nosuch
	grep -q "has no function 'nosuch'" ref
	echo garbage >o.so
	reference
	grep -q 'cannot be loaded' ref
}

@test "an oracle that does not compile is told in the compiler's words" {
	echo 'int lanewise_oracle(void) { return x; }' >bad.c
	run "$LANEWISE" node oracle --source bad.c --compiler cc -o o.so
	[ "$status" -eq 2 ]
	[[ $output == *"bad.c:1:"*"error:"*"x"* ]]
	[[ $output == *"the oracle does not compile"* ]]
	[ ! -e o.so ]
}

@test "a baseline that may not run is a reference that says so" {
	facts ok ''
	verdict refused
	"$LANEWISE" node baseline --kernel k --point c@s --artifact missing.cubin \
		--facts facts.json --verdict verdict.json --launch "$launch" --args "$args" \
		--seed 1 --timeout 5 --device "$SRCDIR/devices/h200.json" -o base.ref
	grep -q '"by": "baseline", "failed": "the baseline: refused by the gate: not run; choose one' base.ref
}

@test "an oracle reads inputs that are rounded to their type already" {
	cat >o.c <<-'END'
		#include "lanewise_oracle.h"
		/* Bits below the type's precision are zero, in any binade of 1/8 or more. */
		static int
		rounded(const struct lanewise_arg *v, int bits)
		{
			for (size_t i = 0; i < v->count; i++) {
				double x = lanewise_value(v, i), unit = 8;
				for (x = x < 0 ? -x : x; x && x < unit; unit /= 2)
					;
				for (int b = 1; b < bits; b++)
					unit /= 2;
				if (x >= 0.125 && x / unit != (double)(long)(x / unit))
					return 0;
			}
			return 1;
		}
		int
		lanewise_oracle(const struct lanewise_arg *a, int n)
		{
			static const int bits[] = {11, 11, 8, 4, 3};
			for (int i = 0; i < n - 1; i++)
				if (!rounded(&a[i], bits[i]) ||
					rounded(&a[i], bits[i] - 1))
					return 1;
			((double *)a[n - 1].data)[0] = lanewise_value(&a[0], 0);
			return 0;
		}
	END
	"$LANEWISE" node oracle --source o.c --compiler cc -o o.so
	args='t=tf32*[999]:normal,h=f16*[999]:normal,b=bf16*[999]:normal,e=e4m3*[999]:normal'
	args+=',f=e5m2*[999]:normal,out=f32*[1]:out'
	"$LANEWISE" node reference --oracle o.so --args "$args" --seed 1 -o ref
	head -n 1 ref
	head -n 1 ref | grep -q '"failed": null'
}

npy() { # npy FILE DESCR COUNT <DATA
	local header="{'descr': '$2', 'fortran_order': False, 'shape': ($3,), }"
	{
		printf '\223NUMPY\1\0v\0%-117s\n' "$header"
		cat
	} >"$1"
}

@test "expected outputs come from .npy files" {
	outs='in=f32*[2]:exact,b=e4m3*[2]:out,c=i32*[2]:out'
	printf '\0\0\200?\0\0\0\100' | npy b.npy '<f4' 2
	printf '\1\377' | npy c.npy '|i1' 2
	"$LANEWISE" node expected --args "$outs" --npy b.npy --npy c.npy -o ref
	head -n 1 ref | grep -q '"by": "npy", "failed": null'
	head -n 1 ref | grep -q '"name": "b", "type": "e4m3", "count": 2, "store": "f64"'
	[ "$(tail -c 32 ref | od -An -v -tx1 | tr -d ' \n')" = \
		000000000000f03f00000000000000400100000000000000ffffffffffffffff ]
}

@test "a .npy file that does not fit is a reference that says so" {
	expected() { "$LANEWISE" node expected --args 'b=f16*[2]:out' -o ref "$@"; }
	printf '\0\0\0\0' | npy b.npy '<i2' 2
	expected --npy b.npy
	grep -q "\"failed\": \"'b.npy' holds '<i2', which is no f16: save it as '<f2'\"" ref
	printf '\0\0\0\0' | npy b.npy '<f2' 2
	expected --npy b.npy --npy b.npy
	grep -q '"failed": "there are 1 outputs and 2 files"' ref
	printf '\0\0' | npy b.npy '<f2' 2
	expected --npy b.npy
	grep -q "not as long as its header says" ref
	head -c 40 /dev/zero >b.npy
	expected --npy b.npy
	grep -q "'b.npy' is no .npy file" ref
	"$LANEWISE" node expected --args 'b=f16*[2]:out,c=f16*[2]:out' --npy b.npy -o ref
	grep -q '"failed": ' ref
	run "$LANEWISE" node expected --args 'b=f99*[2]:out' --npy b.npy -o ref
	[ "$status" -eq 2 ]
	[[ $output == *"malformed '--args"* ]]
	run "$LANEWISE" node expected --args 'b=f16*[2]:out' --npy absent.npy -o ref
	[ "$status" -eq 2 ]
	[[ $output == *"cannot read 'absent.npy'"* ]]
}

@test "an input out of a file is what the oracle reads, and no other file will do" {
	cat >o.c <<-'END'
		#include "lanewise_oracle.h"
		int
		lanewise_oracle(const struct lanewise_arg *a, int n)
		{
			for (int i = 0; i < 2; i++)
				((double *)a[n - 1].data)[i] = lanewise_value(&a[0], i);
			return 0;
		}
	END
	"$LANEWISE" node oracle --source o.c --compiler cc -o o.so
	printf '\0\0\200?\0\0\0\100' | npy a.npy '<f4' 2
	cat >lanewise.json <<-'END'
		{"schema": "lanewise/spec.v1", "kernels": {"k": {"source": "k.ptx", "args": [
		{"name": "a", "type": "f32*", "count": 3, "file": "a.npy"}],
		"launch": {"block": 32}}}}
	END
	cp "$SRCDIR/tests/gpu/kernels.ptx" k.ptx
	run "$LANEWISE" graph --backend model --device h200
	[ "$status" -eq 2 ]
	[[ $output == *"lanewise.json:2:"*"argument 'a', size default: 'a.npy' has 2 elements, not 3"* ]]
	reference() {
		"$LANEWISE" node reference --oracle o.so --seed 1 -o ref \
			--args "a=f32*[2]:file:$1:a.npy,out=f64*[2]:out"
	}
	run reference 0123456789abcdef
	[ "$status" -eq 2 ]
	[[ $output == *"'a.npy' is not the file that the graph was written for; run 'lanewise graph'"* ]]
}
