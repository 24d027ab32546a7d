#!/usr/bin/env bats
# What a kernel in C leaves behind in its process is no affair of the next candidate's.

bats_require_minimum_version 1.5.0
load lib

@test "a limit on processor time, which makes its clock coarse, ends with who set it" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/.run
	mkdir -p -m 700 .run
	cat >ref.c <<-'C'
		#include "lanewise_oracle.h"
		int lanewise_oracle(const struct lanewise_arg *args, int n)
		{
			for (size_t i = 0; i < args[1].count; i++)
				((double *)args[1].data)[i] = 2 * ((const float *)args[0].data)[i];
			return n != 3;
		}
	C
	cat >twice.c <<-'C'
		#include <sys/resource.h>
		void twice(const float *in, float *out, int n)
		{
			struct rlimit limit = {600, 600};
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
			if (STEP == 1)
				setrlimit(RLIMIT_CPU, &limit);
		}
	C
	cat >lanewise.json <<-'END'
		{ "schema": "lanewise/spec.v1", "kernels": { "twice": {
		  "source": "twice.c", "entry": "twice", "params": { "STEP": { "values": [1, 2, 3] } },
		  "sizes": { "s": { "n": 1000 } },
		  "args": [ { "name": "in", "type": "f32*", "count": "n" },
		            { "name": "out", "type": "f32*", "count": "n", "output": true },
		            { "name": "n", "type": "i32", "value": "n" } ],
		  "verify": { "oracle": "ref.c" } } } }
	END
	"$LANEWISE" tune --device host --no-progress >out 2>err
	for step in 2 3; do
		grep -q '"status": "ok"' ".lanewise/twice/bench/STEP=$step@s.json"
	done
}
