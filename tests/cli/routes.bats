#!/usr/bin/env bats
# One problem by several routes: runs of several specs side by side, single launches beside
# batches, narrow types on the devices that are here.  Nothing depends on how long
# anything takes.

bats_require_minimum_version 1.5.0
load lib

# twice FOLDER N: out = 2 in, N elements, in C.
twice() {
	mkdir -p "$1"
	cat >"$1/ref.c" <<-'C'
		#include "lanewise_oracle.h"
		int lanewise_oracle(const struct lanewise_arg *args, int n)
		{
			for (size_t i = 0; i < args[1].count; i++)
				((double *)args[1].data)[i] = 2 * ((const float *)args[0].data)[i];
			return n != 3;
		}
	C
	cat >"$1/twice.c" <<-'C'
		void twice(const float *in, float *out, int n)
		{
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
		}
	C
	cat >"$1/lanewise.json" <<-END
		{ "schema": "lanewise/spec.v1", "kernels": { "twice": {
		  "source": "twice.c", "entry": "twice", "params": { "U": { "values": [1, 2] } },
		  "flags": ["-O{U}"], "sizes": { "s": { "n": $2 } }, "timeout": 2,
		  "args": [ { "name": "in", "type": "f32*", "count": "n" },
		            { "name": "out", "type": "f32*", "count": "n", "output": true },
		            { "name": "n", "type": "i32", "value": "n" } ],
		  "verify": { "oracle": "ref.c" } } } }
	END
}

@test "runs stand side by side: rows of their own, and a run that is missing is told" {
	twice one 1000
	twice two 2000
	twice three 1000
	"$LANEWISE" tune one/lanewise.json --no-progress >one.out
	"$LANEWISE" tune two/lanewise.json --no-progress >two.out
	run "$LANEWISE" report one two three
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"are not ranked, and nothing is pooled"* ]]
	[[ $output == *"-- s: n=1000 --"* ]]
	[[ $output =~ "one twice"\ +[0-9.]+\ [a-z]+\ +[0-9.]+\ [a-z]+\ +"no library"\ +0 ]]
	[[ $output == *"two twice"*"ANOTHER PROBLEM of the same name: n=2000"* ]]
	[[ $output == *"three: NO FINISHED RUN: 'lanewise tune three/lanewise.json'"* ]]
	[[ $output == *"one/.lanewise/twice/results.json"* ]]
	run -2 "$LANEWISE" report --kernel other one
	[[ $output == *"one: its run has no kernel of that name"* ]]
	run "$LANEWISE" report three
	[ "$status" -eq 2 ]
	run "$LANEWISE" report --format sarif one
	[ "$status" -eq 2 ]
	[[ $output == *"'text' or 'json', not 'sarif'"* ]]
	run -2 "$LANEWISE" report one/ two/lanewise.json
	[[ $output == *"lanewise: error: 'two/lanewise.json' is no folder; name the folders of specs, not the specs"* ]]
	[[ $output == *"  one twice "* && $output == *"  one/.lanewise/twice/results.json"* ]]
	[[ $output == *"two/lanewise.json: it is NO FOLDER, and in no row"* ]]
	rm one/.lanewise/twice/results.json
	run "$LANEWISE" report one
	[ "$status" -eq 0 ]
	[[ $output == *"one/.lanewise/twice/results.json: NOT THERE: 'lanewise tune one/lanewise.json' writes it"* ]]
	[[ $("$LANEWISE" report --format json one) == *'"records": null'* ]]
}

@test "a damaged run is told, and the others stand there" {
	twice one 1000
	twice two 2000
	"$LANEWISE" tune one/lanewise.json --no-progress >one.out
	mkdir -p two/.lanewise
	echo '{ "schema"' >two/.lanewise/report.json
	run "$LANEWISE" report two one
	[ "$status" -eq 2 ]
	[[ $output == *"two/.lanewise/report.json:"*": error: "* ]]
	[[ $output == *"one twice"*"two: its run is DAMAGED, and in no row"*"one/.lanewise/twice/results.json"* ]]
	run -2 "$LANEWISE" report --format json two one
	[[ $output == *'"without_run": []'*'"damaged": ["two"]'* ]]
}

@test "a row in JSON, and the record it names: commands, hashes, every reading, single launches" {
	python
	twice one 1000
	"$LANEWISE" tune one/lanewise.json --no-progress >one.out
	"$LANEWISE" report --format json one >routes.json
	(cd one && "$LANEWISE" show champion) >story
	grep -Eq "^ *single +alone, by the host's clock: [0-9.]+ [a-z]+(,|$)" story
	python3 - <<'EOF'
import json
r = json.load(open("routes.json"))
assert r["schema"] == "lanewise/routes.v1" and r["without_run"] == []
row, = r["sizes"][0]["routes"]
assert (row["dir"], row["kernel"], row["kind"]) == ("one", "twice", "measured")
assert row["median_ns"] > 0 and row["single_ns"] > 0 and row["verified"]
assert row["max_abs_error"] == 0
record = json.load(open(row["records"]))
assert record["pins"]["lower"]["toolchain"] == "cc"
assert record["pins"]["lower"]["flags"] == ["-O{U}"]
assert record["pins"]["sources"] and record["pins"]["spec"]
point, = [p for p in record["points"] if p["candidate"] == row["champion"]]
result = point["result"]
assert len(result["readings_ns"]) >= 3
single = result["single"]
assert 1 <= len(single["readings_ns"]) <= 5
assert len(single["host_ns"]) == len(single["readings_ns"])
assert sorted(single["host_ns"])[0] <= row["single_ns"] <= sorted(single["host_ns"])[-1]
art, = [s["artifact"] for s in record["specializations"]
        if s["specialization"] == point["specialization"]]
assert art == row["artifact"]
EOF
}

@test "an estimate stands there as one" {
	project reduce
	tune >out || [ $? -eq 1 ]
	cd ..
	run "$LANEWISE" report reduce
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ "reduce reduce"\ +~[0-9.]+\ us\ +-\ .*"not run" ]]
	[[ $output == *"ESTIMATED for NVIDIA H200 (described, not here); claim: estimated"* ]]
}

# The example with one small size and the exact inputs alone.
route() {
	cp -r "$SRCDIR/examples/sgemm-routes" routes
	cd routes
	rm -rf ./*/.lanewise ./*/build.ninja
	for d in */; do
		sed -i -e '/^    "random": {/,$d' -e 's/^    },$/    } } }/' \
			-e 's/"512": {[^}]*} }/"64": { "m": 64, "n": 64, "k": 64 } }/' \
			-e 's/"128": {[^}]*}, //' "$d/lanewise.json"
	done
}

@test "the routes of the example: what can run runs exactly, the others say why not" {
	route
	"$LANEWISE" doctor >.doctor
	"$LANEWISE" tune host/lanewise.json --no-progress >out
	[[ $(cat out) == *"0 refused; "*" ranked, 0 failed"* ]]
	for gpu in nvrtc clang; do
		"$LANEWISE" tune "$gpu/lanewise.json" --backend model --device h200 --no-progress \
			>"$gpu.out" 2>&1 || echo "$gpu: $?"
	done
	if grep -q '^  ok  opencl:0 ' .doctor; then
		"$LANEWISE" tune opencl/lanewise.json --no-progress >opencl.out
	fi
	run "$LANEWISE" report nvrtc clang opencl host
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ "host exact"\ [^$'\n']*\ 0$'\n' ]]
	if grep -q '^  ok  opencl:0 ' .doctor; then
		[[ $output =~ "opencl exact"\ [^$'\n']*\ 0$'\n' ]]
	else
		[[ $output == *"opencl: NO FINISHED RUN"* ]]
	fi
	# PTX of clang by the spec's own command; 8 candidates, all clean.
	if command -v clang >/dev/null; then
		[[ $output =~ "clang exact"\ [^$'\n']*"not run" ]]
		[[ $(cat clang.out) == *"8 candidates: 8 clean, 0 refused"* ]]
	fi
	if grep -q '^  ok  nvrtc ' .doctor; then
		[[ $output =~ "nvrtc exact"\ [^$'\n']*"not run" ]]
	fi
}

# narrow ARGS OF THE SPEC: p = h * b in f32, q the same rounded to f16; ROUND=0 cuts it off.
# A product of 11 and 8 bits is exact in f32: any error is one of the operands.
narrow() {
	cat >ref.c <<-'C'
		#include "lanewise_oracle.h"
		int lanewise_oracle(const struct lanewise_arg *args, int n)
		{
			for (size_t i = 0; i < args[2].count; i++) {
				double v = lanewise_value(&args[0], i) * lanewise_value(&args[1], i);
				((double *)args[2].data)[i] = v;
				((double *)args[3].data)[i] = v;
			}
			return n != 4;
		}
	C
	cat >lanewise.json <<-END
		{ "schema": "lanewise/spec.v1", $1, "timeout": 5,
		  "params": { "ROUND": { "values": [1, 0] } }, "sizes": { "s": { "n": 1024 } },
		  "args": [ { "name": "h", "type": "f16*", "count": "n", "fill": "normal" },
		            { "name": "b", "type": "bf16*", "count": "n", "fill": "normal" },
		            { "name": "p", "type": "f32*", "count": "n", "output": true },
		            { "name": "q", "type": "f16*", "count": "n", "output": true } ],
		  "verify": { "oracle": "ref.c", "tolerance": { "abs": 0 } } } } }
	END
}

# What became of ROUND=$1.
became() {
	sed -n 's/^ *"\(status\|max_abs_error\|n_wrong\)": \(.*\),$/\1 \2/p' \
		".lanewise/k/bench/ROUND=$1@s.json" | tr '\n' ' '
}

@test "f16 and bf16 in C: outputs are right by the quantised operands, to the last bit" {
	echo '_Float16 x; float f(void) { return x; }' >half.c
	cc -c half.c -o half.o 2>/dev/null || skip "this compiler has no _Float16"
	narrow '"kernels": { "k": { "source": "k.c", "entry": "k"'
	cat >k.c <<-'C'
		#include <string.h>
		void k(const _Float16 *h, const unsigned short *b, float *p, _Float16 *q)
		{
			for (int i = 0; i < 1024; i++) {
				unsigned bits = (unsigned)b[i] << 16;
				float wide;
				memcpy(&wide, &bits, sizeof wide);
				p[i] = (float)h[i] * wide;
				q[i] = (_Float16)p[i];
				if (!ROUND && (q[i] > 0 ? (float)q[i] > p[i] : (float)q[i] < p[i])) {
					unsigned short code;
					memcpy(&code, &q[i], sizeof code);
					code--;
					memcpy(&q[i], &code, sizeof code);
				}
			}
		}
	C
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $(became 1) == 'status "ok" max_abs_error 0 n_wrong 0 ' ]]
	[[ $(became 0) == 'status "wrong" '* ]]
}

@test "f16 and bf16 in OpenCL C: the same, by half pointers and bits" {
	"$LANEWISE" doctor >.doctor
	grep -q '^  ok  opencl ' .doctor || skip "no clang to lower OpenCL C with"
	grep -q '^  ok  opencl:0 ' .doctor || skip "no OpenCL runtime"
	narrow '"device": "opencl:0", "kernels": { "k": { "source": "k.cl", "entry": "k",
		"launch": { "block": [64], "grid": ["n // 64"] }'
	cat >k.cl <<-'C'
		__kernel void k(__global const half *h, __global const ushort *b, __global float *p,
		                __global half *q)
		{
			int i = get_global_id(0);
			p[i] = vload_half(i, h) * as_float((uint)b[i] << 16);
			vstore_half(ROUND ? p[i] : p[i] * 1.001f, i, q);
		}
	C
	run "$LANEWISE" tune --no-progress
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $(became 1) == 'status "ok" max_abs_error 0 n_wrong 0 ' ]]
	[[ $(became 0) == 'status "wrong" '* ]]
}
