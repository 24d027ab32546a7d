#!/usr/bin/env bats
# A library's function beside the candidates: on a simulated device by its name, on a CUDA
# device that is not there as cuBLAS and as a shared object.

bats_require_minimum_version 1.5.0
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	fake=${LANEWISE%/*}/tests/fake
	[ -e "$fake/libreference.so" ] || make -C "${LANEWISE%/*}" fake >&2
	mkdir -p run
	export XDG_RUNTIME_DIR=$PWD/run LANEWISE_FAKE_KERNELS=$PWD/fake.txt
	cat >ref.c <<'END'
#include "lanewise_oracle.h"
int lanewise_oracle(const struct lanewise_arg *args, int n)
{
	const float *a = args[0].data, *b = args[1].data;
	for (size_t i = 0; i < args[2].count; i++) {
		double s = 0;
		for (size_t j = 0; j < 4; j++)
			s += (double)a[i / 8 * 4 + j] * b[j * 8 + i % 8];
		((double *)args[2].data)[i] = s;
	}
	return n != 6;
}
END
	echo 'kernel product product params=8,8,8,4,4,4 ns=20000' >fake.txt
	cat >product.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 m,
	.param .u32 n, .param .u32 k)
{
	ret;
}
END
}

teardown() {
	"$LANEWISE" worker --stop >/dev/null 2>&1 || true
}

# product BLOCKS REFERENCE: c[8][8] = a[8][4] * b[4][8].
product() {
	cat >lanewise.json <<END
{ "schema": "lanewise/spec.v1", "kernels": { "product": {
  "source": "product.ptx", "params": { "BLOCK": { "values": [$1], "role": "launch" } },
  "launch": { "block": ["BLOCK"], "grid": [1] },
  "sizes": { "s": { "m": 8, "n": 8, "k": 4 } },
  "args": [ { "name": "a", "type": "f32*", "count": "m * k", "fill": "exact" },
            { "name": "b", "type": "f32*", "count": "k * n", "fill": "exact" },
            { "name": "c", "type": "f32*", "count": "m * n", "output": true },
            { "name": "m", "type": "i32", "value": "m" },
            { "name": "n", "type": "i32", "value": "n" },
            { "name": "k", "type": "i32", "value": "k" } ],
  "timeout": 2, "work": { "flops": "2 * m * n * k" },
  "reference": $2,
  "verify": { "oracle": "ref.c" } } } }
END
}

cublas='{ "library": "cublas", "gemm": { "m": "m", "n": "n", "k": "k", "a": "a", "b": "b", "c": "c" } }'

# Lines are wrapped.
flat() {
	tr -s ' \n' ' ' <out
}

on_fake() {
	LD_LIBRARY_PATH=$fake "$LANEWISE" "$@"
}

@test "cuBLAS is timed beside the candidates" {
	product '64, 128' "$cublas"
	on_fake tune --no-progress >out
	flat | grep -q 'reference cublas: [0-9.]* us, [0-9.]* GFLOP/s; the champion takes [0-9.]* \['
	grep -q 'CHAMPION BLOCK=' out
	on_fake show champion >shown
	grep -q 'beside it *reference cublas: ' shown
	python
	python3 - <<-'END'
		import json
		s = json.load(open(".lanewise/product/rank.json"))["sizes"][0]
		r = s["reference"]
		assert r["name"] == "cublas" and r["status"] == "ok", r
		assert 2.5 < r["ratio"] < 3.5 and r["gflops"] > 0, r
		assert len(s["ranking"]) == 2, s
	END
}

@test "one candidate alone is compared with it, too" {
	product '64' "$cublas"
	on_fake tune --no-progress >out
	flat | grep -q 'reference cublas: .*the champion takes'
}

@test "a library that is absent is told, and stops nothing" {
	mkdir bare
	ln -s "$fake/libcuda.so.1" "$fake/libnvidia-ml.so.1" bare
	# Found before one that this machine may have.
	for v in 11 12 13; do echo 'no library' >bare/libcublas.so.$v; done
	product '64, 128' "$cublas"
	LD_LIBRARY_PATH=$PWD/bare "$LANEWISE" tune --no-progress >out
	flat | grep -q 'reference cublas: not timed: no cuBLAS: '
	grep -q 'CHAMPION BLOCK=' out
	grep -q '"final": {' .lanewise/product/rank.json
}

@test "wrong outputs of a library are told" {
	product '64, 128' "${cublas/\"m\": \"m\"/\"alpha\": 2, \"m\": \"m\"}"
	on_fake tune --no-progress >out
	grep -q 'reference cublas: NO TIME: wrong' out
	grep -q 'CHAMPION BLOCK=' out
}

@test "a shared object enters by what is in it" {
	mkdir lib
	cp "$fake/libreference.so" lib/mine.so
	sed -i 's/product params=8,8,8,4,4,4/copy/' fake.txt
	product '64, 128' '{ "library": "lib/mine.so" }'
	# c = a of three arguments, as that function does.
	cat >edit.sed <<-'END'
		/"name": "b"/d
		/"name": "k"/d
		/"name": "m"/d
		s/"count": "m \* k"/"count": "n"/
		s/"count": "m \* n"/"count": "n"/
		s/"value": "n" },/"value": "n" } ],/
	END
	sed -i -f edit.sed lanewise.json
	sed -i 's/, .param .u32 m,$/, .param .u32 n)/; s/.param .u64 b, //; /^\t.param .u32 n, /d' product.ptx
	cat >ref.c <<-'END'
		#include "lanewise_oracle.h"
		int lanewise_oracle(const struct lanewise_arg *args, int n)
		{
			for (size_t i = 0; i < args[1].count; i++)
				((double *)args[1].data)[i] = ((float *)args[0].data)[i];
			return n != 3;
		}
	END
	on_fake tune --no-progress >out
	flat | grep -q 'reference mine.so: .*the champion takes'
	run ! grep -q "$PWD" .lanewise/product/shortlist/s.json
	forget
	echo >>lib/mine.so
	on_fake tune --no-progress >out
	[ "$(ran bench)" -eq 0 ]
	[ "$(ran final)" -eq 1 ]
	rm lib/mine.so
	run on_fake tune --no-progress
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read 'lib/mine.so'"* ]]
}

@test "on a simulated device its time is that of its name" {
	project sgemm
	sed -i 's/"values": \[32, 64, 128, 256\]/"values": [64]/; s/"values": \[32, 64, 128\]/"values": [64]/
		s/"values": \[8, 16, 32\]/"values": [16]/; s/"values": \[4, 8\]/"values": [4]/
		s/"values": \[0, 4\]/"values": [0, 4]/; s/"values": \[1, 2\]/"values": [1]/
		s/"values": \[4, 8, 16\]/"values": [16]/; /"2048"/d; s/"1024": .*/"1024": { "m": 64, "n": 64, "k": 32 },/
		s/"ffn": .*/"ffn": { "m": 32, "n": 64, "k": 32 }/' lanewise.json
	cat >sim.json <<-'END'
		{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000 + 500 * PAD",
		 "power_w": "300 + PAD", "times": {"cublas": 18000},
		 "noise": {"sigma": 0.001, "rho": 0.3},
		 "faults": [{"when": "PAD == 5", "fault": "crash"}]}
	END
	"$LANEWISE" tune --device sim.json --no-progress >out
	[ "$(grep -c 'reference cublas: 1[78][0-9.]* us SIMULATED, ' out)" -eq 2 ]
	[ "$(flat | grep -o 'the champion takes 1.11[0-9] \[1.1' | wc -l)" -eq 2 ]
	sed -i 's/"when": "PAD == 5", "fault": "crash"/"when": "entry == '"'cublas'"'", "fault": "crash"/' sim.json
	"$LANEWISE" tune --device sim.json --no-progress >out
	[ "$(grep -c 'reference cublas: NO TIME: crashed' out)" -eq 2 ]
	[ "$(grep -c 'CHAMPION BM=64' out)" -eq 2 ]
}
