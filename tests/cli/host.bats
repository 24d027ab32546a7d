#!/usr/bin/env bats
# Kernels in C, measured on this machine's processors.  Nothing here depends on how long
# anything takes.

bats_require_minimum_version 1.5.0
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/.run
	mkdir -m 700 .run
	cat >ref.c <<-'C'
		#include "lanewise_oracle.h"
		int lanewise_oracle(const struct lanewise_arg *args, int n)
		{
			for (size_t i = 0; i < args[1].count; i++)
				((double *)args[1].data)[i] = 2 * ((const float *)args[0].data)[i];
			return n != 3;
		}
	C
	kernel <<-'C'
		void twice(const float *in, float *out, int n)
		{
			for (int i = 0; i < n; i += STEP)
				for (int j = i; j < i + STEP && j < n; j++)
					out[j] = 2 * in[j];
		}
	C
	spec '1, 4'
}

# The source, from standard input.
kernel() {
	cat >twice.c
}

# spec VALUES OF STEP [FURTHER KEYS]: out = 2 in, 1,000 elements.
spec() {
	cat >lanewise.json <<-END
		{ "schema": "lanewise/spec.v1", "kernels": { "twice": {
		  "source": "twice.c", "entry": "twice", "params": { "STEP": { "values": [$1] } },
		  "sizes": { "s": { "n": 1000 } }, "timeout": 2, ${2-}
		  "args": [ { "name": "in", "type": "f32*", "count": "n" },
		            { "name": "out", "type": "f32*", "count": "n", "output": true },
		            { "name": "n", "type": "i32", "value": "n" } ],
		  "verify": { "oracle": "ref.c" } } } }
	END
}

on_host() {
	"$LANEWISE" tune --device host --no-progress >out 2>err
}

# What became of a candidate: `status STEP=4`.
status() {
	sed -n 's/^ *"status": "\([a-z-]*\)".*/\1/p' ".lanewise/twice/bench/$1@s.json" | head -1
}

reason() {
	sed -n 's/^ *"reason": "\(.*\)",*$/\1/p' ".lanewise/twice/bench/$1@s.json" | head -1
}

@test "a kernel in C is measured and verified on the host" {
	on_host
	grep -q '^times *MEASURED' out
	grep -q '^device .* CPU' out
	grep -q 'measured, outputs verified by oracle' out
	grep -q 'on 1 processor' out
	grep -q 'host code of one thread: there is no barrier to decide' out
	grep -q '^sharing *\(exclusive\|shared\|unknown\): ' out
	[ "$(status STEP=1)" = ok ]
	[ "$(status STEP=4)" = ok ]
	grep -q '2 candidates: 2 clean, 0 refused; 2 ranked, 0 failed' out
	! grep -q 'occ' out
}

@test "the host is chosen by itself for kernels in C" {
	"$LANEWISE" graph
	grep -q '"backend": "host"' .lanewise/device.json
}

@test "an entry that the source does not have, and too few args, are errors in the spec" {
	spec '1, 4'
	sed -i 's/"entry": "twice"/"entry": "thrice"/' lanewise.json
	run --separate-stderr on_host
	[ "$status" -eq 2 ]
	grep -q '^lanewise.json:2:33: error: .*thrice.*undeclared' err
	sed -i 's/"entry": "thrice"/"entry": "ns::twice"/' lanewise.json
	run --separate-stderr on_host
	[ "$status" -eq 2 ]
	grep -q "^lanewise.json:2:33: error: .*'ns::twice' is no name of a function in C" err
	spec '1, 4'
	sed -i 's/^ *{ "name": "n".*/ ],/; s/"output": true },/"output": true }/' lanewise.json
	run --separate-stderr on_host
	[ "$status" -eq 2 ]
	grep -q '^lanewise.json:4:11: error: .*too few arguments to function .twice' err
}

@test "an argument of another type is told at its place, also when some candidates do not compile" {
	spec '1, 4, 5'
	sed -i 's/"name": "out", "type": "f32\*"/"name": "out", "type": "f64*"/' lanewise.json
	echo '#if STEP == 5
		#error not this one
		#endif' >>twice.c
	run --separate-stderr on_host
	[ "$status" -eq 2 ]
	grep -q '^lanewise.json:5:13: error: .*argument 2 of .twice' err
}

@test "a kernel may have any name that C allows" {
	for name in kernel args k; do
		kernel <<-C
			void $name(const float *in, float *out, int n)
			{
				for (int i = 0; i < n; i++)
					out[i] = 2 * in[i];
			}
		C
		spec 1
		sed -i "s/\"entry\": \"twice\"/\"entry\": \"$name\"/" lanewise.json
		on_host
		[ "$(status STEP=1)" = ok ]
	done
}

@test "nothing is done twice, and an edit of one candidate's code is measured again" {
	on_host
	forget
	on_host
	grep -q 'nothing to do' err
	[ "$(all_ran)" = "" ]
	sed -i 's/2 \* in/4 * in[j] - 2 * in/' twice.c
	on_host
	[ "$(ran lower)" = 2 ]
	[ "$(ran bench)" = 2 ]
}

@test "all is compiled before the first is timed" {
	on_host
	[ "$(grep -n '"node": "compile"' .lanewise/events.jsonl | tail -1 | cut -d: -f1)" -lt \
		"$(grep -n '"node": "bench"' .lanewise/events.jsonl | head -1 | cut -d: -f1)" ]
}

@test "what crashes, hangs or writes where it must not gets its status, and the run ends" {
	kernel <<-'C'
		void twice(const float *in, float *out, int n)
		{
			static volatile int zero;
			volatile float *past = out + n;
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
			if (STEP == 1)
				*(volatile int *)0 = 1;
			if (STEP == 2)
				zero = 7 / zero;
			while (STEP == 3)
				zero = 1;
			if (STEP == 4)
				past[0] = 1;
			if (STEP == 5)
				past[4096] = 1;
			if (STEP == 6)
				out[-1] = 1;
			if (STEP == 7)
				*(volatile float *)in = 1;
			if (STEP == 8)
				out[7] = 0;
			if (STEP == 9)
				out[7] = zero++;
			if (STEP == 10)
				__builtin_trap();
		}
	C
	spec '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10'
	on_host
	[ "$(status STEP=0)" = ok ]
	[ "$(status STEP=1)" = crashed ]
	reason STEP=1 | grep -q 'signal 11'
	if [ "$(uname -m)" = x86_64 ]; then
		[ "$(status STEP=2)" = crashed ]
		reason STEP=2 | grep -q 'signal 8'
	fi
	[ "$(status STEP=3)" = hung ]
	[ "$(status STEP=4)" = wrong ]
	reason STEP=4 | grep -q "wrote outside 'out': . bytes after it changed"
	[ "$(status STEP=5)" = crashed ]
	[ "$(status STEP=6)" = wrong ]
	reason STEP=6 | grep -q "wrote outside 'out': . bytes before it changed"
	[ "$(status STEP=7)" = wrong ]
	reason STEP=7 | grep -q "wrote into 'in', which is an input only"
	[ "$(status STEP=8)" = wrong ]
	[ "$(status STEP=9)" = wrong ]
	reason STEP=9 | grep -q 'two runs on the same inputs differ'
	[ "$(status STEP=10)" = crashed ]
	grep -q '11 candidates: 11 clean, 0 refused; [12] ranked' out
}

@test "a kernel that changes rights, takes memory away, kills or traces its parent fails alone" {
	kernel <<-'C'
		int mprotect(void *, unsigned long, int);
		int madvise(void *, unsigned long, int);
		int munmap(void *, unsigned long);
		int getppid(void);
		int kill(int, int);
		long ptrace(int, ...);
		void twice(const float *in, float *out, int n)
		{
			void *page = (void *)((unsigned long)in & ~4095UL);
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
			if (STEP == 1 && !mprotect(page, 4096, 3))
				*(volatile float *)in = 7;
			if (STEP == 2)
				madvise(page, 4096, 4);
			if (STEP == 3)
				munmap(page, 4096);
			if (STEP == 4)
				kill(getppid(), 9);
			if (STEP == 5)
				kill(-1, 9);
			if (STEP == 7)
				ptrace(16, getppid(), (void *)0, (void *)0); /* PTRACE_ATTACH */
		}
	C
	spec '0, 1, 2, 3, 4, 5, 6, 7'
	if [ "$(uname -m)" != x86_64 ] && [ "$(uname -m)" != aarch64 ]; then
		spec '0, 1, 2, 3, 6'
	elif [ "$(sed -n 's/^Seccomp_filters:\t*//p' /proc/self/status)" = "" ]; then
		skip "this Linux has no filters of system calls"
	fi
	for worker in --no-worker ''; do
		rm -rf .lanewise
		# shellcheck disable=SC2086 # an option or nothing
		"$LANEWISE" tune --device host --no-progress $worker >out 2>err
		[ "$(status STEP=0)" = ok ]
		[ "$(status STEP=1)" = wrong ]
		reason STEP=1 | grep -q "wrote into 'in', which is an input only"
		[ "$(status STEP=2)" = wrong ]
		reason STEP=2 | grep -q "'in'"
		[ "$(status STEP=3)" = crashed ]
		[ "$(status STEP=4)" = crashed ]
		reason STEP=4 | grep -q 'signal 31'
		[ "$(status STEP=5)" = crashed ]
		[ "$(status STEP=6)" = ok ]
		[ "$(status STEP=7)" = crashed ]
		reason STEP=7 | grep -q 'signal 31'
	done
}

@test "a kernel that forks leaves no second executor, which would answer for the others" {
	kernel <<-'C'
		int fork(void);
		void twice(const float *in, float *out, int n)
		{
			static int forked;
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
			if (STEP < 5 && !forked++)
				fork();
		}
	C
	spec '1, 2, 3, 4, 5, 6, 7, 8'
	on_host
	for step in 1 2 3 4 5 6 7 8; do
		[ "$(status "STEP=$step")" = ok ]
	done
	! grep -q 'makes no sense' .run/lanewise/*.log
}

@test "what a kernel prints is text in the worker's log" {
	kernel <<-'C'
		#include <stdio.h>
		void twice(const float *in, float *out, int n)
		{
			fputs("\033]0;title\a printed\tby the kernel\n", stderr);
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
		}
	C
	spec 1
	on_host
	grep -q '^\\x1b\]0;title\\x07 printed.by the kernel$' .run/lanewise/*.log
}

@test "what does not compile, or does not fit the arguments of the spec, is data" {
	kernel <<-'C'
		#if STEP == 1
		void twice(const float *in, float *out, int n) { out[0] = nothing; }
		#elif STEP == 2
		void twice(const float *in, float *out) { (void)in, (void)out; }
		#elif STEP == 3
		void twice(const double *in, float *out, int n) { (void)in, (void)out, (void)n; }
		#elif STEP == 4
		void thrice(const float *in, float *out, int n) { (void)in, (void)out, (void)n; }
		#else
		void twice(const float *in, float *out, int n)
		{
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
		}
		#endif
	C
	spec '1, 2, 3, 4, 5'
	on_host
	[ "$(status STEP=5)" = ok ]
	grep -q '5 candidates: 1 clean, 0 refused, 4 could not be judged; 1 ranked' out
	grep -q "lower  twice.c:2: .nothing. undeclared" out
	grep -q 'too many arguments' out
}

@test "processors: a launch of two is a caveat; of more than there are, it is not run" {
	spec '1' '"launch": { "block": "2" },'
	on_host || true
	grep -q 'host code of 2 threads, which it starts itself' out
	spec '1' '"launch": { "block": "5000" },'
	run -3 "$LANEWISE" tune --device host --no-progress
	[ "$(status STEP=1)" = unlaunchable ]
}

@test "languages and devices that do not go together are refused with what to do" {
	run -2 "$LANEWISE" tune --device h200 --no-progress
	[[ $output == *"lanewise.json:"*"is in C, which runs on the device 'host'"* ]]
	spec 1 '"launch": { "block": 1, "grid": 4 },'
	run -2 "$LANEWISE" graph
	[[ $output == *"lanewise.json:"*"'grid' is of a GPU's launch"* ]]
	cp "$SRCDIR/examples/reduce/"* .
	run -2 "$LANEWISE" graph --device host
	[[ $output == *"'reduce' is not in C"* ]]
}

@test "the host is among what doctor lists" {
	run -0 "$LANEWISE" doctor
	[[ $output == *$'\nhost\n  ok  host      '*CPU* ]]
}

@test "a function of a shared object is timed beside the candidates" {
	cat >mine.c <<-'C'
		#include <stddef.h>
		struct lanewise_arg { const char *name, *type; size_t count; void *data; int is_output; };
		int mine(const struct lanewise_arg *args, int n, void *stream)
		{
			const float *in = args[0].data;
			float *out = args[1].data;
			if (n != 3 || stream)
				return 1;
			for (int i = 0; i < *(int *)args[2].data; i++)
				out[i] = 2 * in[i];
			return 0;
		}
	C
	cc -shared -fPIC -o mine.so mine.c
	spec '1, 4' '"reference": { "library": "mine.so", "function": "mine" },'
	on_host
	tr -s ' \n' ' ' <out | grep -q 'reference mine.so: [0-9.]* [nu]s'
}

@test "ci takes kernels in C as tune does: on the host, which need not be named" {
	mkdir .git
	unset GITHUB_STEP_SUMMARY
	"$LANEWISE" ci >out
	grep -q 'measured, outputs verified by oracle' out
	grep -q '^ci: 0 error 0 stale 0 failed 0 refused 0 caveat' out
	run -2 "$LANEWISE" ci --backend model
	[[ $output == *"is not estimated: give '--device host'"* ]]
}

@test "OpenBLAS is the host's BLAS: told when it is absent, refused elsewhere" {
	gemm='"gemm": { "m": "10", "n": "10", "k": "10", "a": "in", "b": "in", "c": "out" }'
	spec '1, 4' "\"reference\": { \"library\": \"openblas\", $gemm },"
	on_host
	# The product is no doubling, so where it runs it is wrong.
	tr -s ' \n' ' ' <out |
		grep -q 'reference openblas: \(not timed: no OpenBLAS\|NO TIME: wrong\)'
	spec '1, 4' "\"reference\": { \"library\": \"cublas\", $gemm },"
	run -2 "$LANEWISE" graph
	[[ $output == *"'cublas' does not run on this device; here it is 'openblas'"* ]]
}

@test "flags of the compiler may hold parameters" {
	kernel <<-'C'
		void twice(const float *in, float *out, int n)
		{
		#ifdef __OPTIMIZE__
			for (int i = 0; i < n; i++)
				out[i] = 2 * in[i];
		#endif
		}
	C
	spec '0, 2' '"flags": ["-O{STEP}"],'
	on_host
	[ "$(status STEP=2)" = ok ]
	[ "$(status STEP=0)" = wrong ]
	reason STEP=0 | grep -q 'were never written'
	spec '0, 2' '"flags": ["-O{LEVEL}"],'
	run -2 "$LANEWISE" graph
	[[ $output == *"'{LEVEL}' is no parameter that a flag may hold"* ]]
}
