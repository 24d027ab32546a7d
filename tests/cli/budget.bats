#!/usr/bin/env bats
# A search: a budget instead of all candidates, batch after batch, resumed after a kill.

bats_require_minimum_version 1.5.0
load lib

# Half of the blocks of 64 and more diverge at a barrier; the fastest is A=5,B=7,BLOCK=32.
setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	export XDG_RUNTIME_DIR=$PWD/.run
	mkdir -m 700 .run
	here
}

here() {
	cat >k.ptx <<-'END'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry k(.param .u64 o)
		{
			.reg .pred %p;
			.reg .b32 %r<2>;
			mov.u32 %r1, %tid.x;
			setp.lt.u32 %p, %r1, 64;
			@%p bar.sync 0;
			ret;
		}
	END
	spec '{"range": [1, 12]}'
	sim 5
}

spec() {
	cat >lanewise.json <<-END
		{"schema": "lanewise/spec.v1", "kernels": {"k": {
		 "source": "k.ptx", "entry": "k", "command": "cp \$in \$out",
		 "params": {"A": {"values": $1}, "B": {"values": {"range": [1, 12]}, "role": "launch"},
		  "BLOCK": {"values": [32, 64, 128], "role": "launch"}},
		 "launch": {"block": ["BLOCK"], "grid": ["B"]},
		 "sizes": {"s": {"n": 256}},
		 ${2:-}
		 "args": [{"name": "o", "type": "i32*", "count": "n", "output": true}]}}}
	END
}

sim() {
	cat >sim.json <<-END
		{"schema": "lanewise/sim.v1", "device": "h200",
		 "time_ns": "20000 + 300 * abs(A - $1) + 170 * (B - 7) ** 2 + BLOCK"}
	END
}

search() {
	"$LANEWISE" tune --device sim.json --no-progress "$@"
}

asked() {
	grep -c "\"outcome\": \"$1\"" .lanewise/k/search.json || true
}

@test "a budget is what is measured; refused candidates are free" {
	search --budget 24 >out
	[ "$(asked timed)" -eq 24 ]
	[ "$(asked refused)" -gt 0 ]
	[ "$(asked pending)" -eq 0 ]
	[ "$(ran bench)" -eq 24 ]
	[ "$(find .lanewise/k/bench -name '*.json' | wc -l)" -eq 24 ]
	grep -q '"s": "its budget is spent"' .lanewise/k/search.json
	grep -q "of 432, chosen by 'auto' (budget 24, seed 1): its budget is spent" out
	forget
	run search --budget 24
	[[ "$output" == *"nothing to do"* ]]
	run ninja tune
	[[ "$output" == *"no work to do"* ]]
	[ -z "$(all_ran)" ]
	# More of it goes on from there.
	search --budget 40 >out
	[ "$(asked timed)" -eq 40 ]
	grep -q 'CHAMPION A=5,B=7,BLOCK=32' out
}

@test "after kills the sequence is the same" {
	search --budget 32 >/dev/null
	cp .lanewise/k/search.json whole.json
	rm -rf .lanewise build.ninja
	for n in 3 11 25; do
		setsid "$LANEWISE" tune --device sim.json --no-progress --budget 32 >/dev/null 2>&1 3>&- &
		pid=$!
		while [ "$(find .lanewise/k/bench -name '*.json' 2>/dev/null | wc -l)" -lt $n ] &&
			kill -0 $pid 2>/dev/null; do
			sleep 0.02
		done
		kill -9 -- -$pid 2>/dev/null || true
		wait $pid || true
	done
	search --budget 32 >/dev/null
	cmp .lanewise/k/search.json whole.json
	[ "$(find .lanewise/k/bench -name '*.json' | wc -l)" -eq 32 ]
}

@test "after an edit the search goes where it would have gone in the first place" {
	search --budget 24 >/dev/null
	sim 9
	sed -i 's/64;/96;/' k.ptx
	forget
	search --budget 24 >/dev/null
	# Not what the old times led to: a budget more was measured, no more.
	[ "$(ran bench)" -eq 24 ]
	cp .lanewise/k/search.json edited.json
	rm -rf .lanewise build.ninja
	search --budget 24 >/dev/null
	cmp .lanewise/k/search.json edited.json
}

@test "strategy, seed and batch say which candidates" {
	for how in "--strategy random" "--strategy random --seed 2" "--strategy exhaustive" \
		"--strategy random --batch 3"; do
		# shellcheck disable=SC2086
		"$LANEWISE" graph --device sim.json --budget 12 $how >/dev/null
		sed -n 's/.*"candidate": //p' .lanewise/k/search.json | tr -d '\n' >>all
		echo >>all
	done
	[ "$(sort -u all | wc -l)" -eq 4 ]
	[ "$(grep -c '"pending"' .lanewise/k/search.json)" -eq 3 ]
	# The command line goes before the spec, which is asked otherwise.
	spec '{"range": [1, 12]}' '"search": {"strategy": "random", "budget": 20, "seed": 2, "batch": 4},'
	"$LANEWISE" graph --device sim.json >/dev/null
	[ "$(asked pending)" -eq 4 ]
	grep -q '"budget": "20"' .lanewise/k/search.json
	"$LANEWISE" graph --device sim.json --budget 30 >/dev/null
	grep -q '"budget": "30"' .lanewise/k/search.json
	# And stays in the graph.
	grep -q -- '--budget 30' build.ninja
}

@test "no candidates at a time, and no seed, are refused" {
	spec '{"range": [1, 12]}'
	for one in "--batch 0" "--batch -1" "--batch 10001" "--seed 0" "--seed -3"; do
		# shellcheck disable=SC2086 # an option and its value
		run -2 "$LANEWISE" tune $one
		[[ $output == *"'--seed' wants 1 or more, '--batch' 1 to 10000"* ]]
		[ ! -e build.ninja ]
	done
}

@test "plain ninja does a batch, graph writes the next one" {
	"$LANEWISE" graph --device sim.json --budget 20 --batch 6 >/dev/null
	ninja tune >out
	grep -q "seed 1): NOT OVER, 'lanewise tune' goes on" out
	for _ in 1 2 3 4 5 6 7 8; do
		ninja tune >/dev/null
		"$LANEWISE" graph --device sim.json --budget 20 --batch 6 >/dev/null
	done
	[ "$(asked timed)" -eq 20 ]
	[ "$(asked pending)" -eq 0 ]
	cp .lanewise/k/search.json by_hand.json
	rm -rf .lanewise build.ninja
	search --budget 20 --batch 6 >/dev/null
	cmp .lanewise/k/search.json by_hand.json
}

@test "a small space is measured whole, also when the budget is for all" {
	spec '[4, 5]'
	"$LANEWISE" graph --device sim.json >out
	grep -q '72 candidates, 2 specializations, 72 points' out
	[ ! -f .lanewise/k/search.json ]
	"$LANEWISE" graph --device sim.json --budget 72 --strategy anneal >out
	grep -q '72 points' out
	[ ! -f .lanewise/k/search.json ]
}

@test "the baseline is there, asked for or not" {
	spec '{"range": [1, 12]}' '"baseline": {"A": 12, "B": 12, "BLOCK": 32},'
	search --budget 8 --strategy exhaustive >out
	grep -q 'A=12,B=12,BLOCK=32' out
	[ "$(asked timed)" -eq 8 ]
	[ "$(ran bench)" -eq 9 ]
}

@test "a budget may be time" {
	search --budget device:1h --batch 200 >out
	grep -q '"s": "it asked for all"' .lanewise/k/search.json
	search --budget device:0.000001s --batch 5 >out
	grep -q '"s": "its device time is spent"' .lanewise/k/search.json
	[ "$(asked pending)" -eq 0 ]
	[ $(($(asked timed) + $(asked refused))) -lt 20 ]
	rm -rf .lanewise build.ninja
	search --budget 0.001s --batch 5 >out
	grep -q '"s": "its time is spent"' .lanewise/k/search.json
	[ $(($(asked timed) + $(asked refused))) -eq 5 ]
	# Spent is spent: the next run does not have it again.
	run search --budget 0.001s --batch 5
	[[ "$output" == *"nothing to do"* ]]
}

@test "of millions of candidates the graph has those that the budget needs" {
	sed -i 's/"B": {"values": {"range": \[1, 12\]}/"C": {"values": {"range": [1, 3000]}}, "B": {"values": {"range": [1, 300]}/
		s/"args"/"constraints": ["B % 2 == A % 2"], "args"/' lanewise.json
	[ "$("$LANEWISE" space --count)" -eq 16200000 ]
	"$LANEWISE" graph --device sim.json >out
	grep -q '16200000 candidates' out
	[ "$(cat build.ninja .lanewise/k/build.ninja .lanewise/k/points.json | wc -c)" -lt 1000000 ]
	grep -q '"budget": "1000"' .lanewise/k/search.json
	search --budget 20 --strategy random >out
	[ "$(asked timed)" -eq 20 ]
	run "$LANEWISE" graph --device sim.json --strategy exhaustive
	[ "$status" -eq 2 ]
	[[ "$output" == *"give a budget, '--budget 200'"* ]]
}

@test "what makes no sense is told" {
	run "$LANEWISE" graph --device sim.json --strategy surogate
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown strategy 'surogate' (did you mean 'surrogate'?)"* ]]
	for bad in 0 -3 10x device: device:5 1e99h ""; do
		run "$LANEWISE" graph --device sim.json --budget "$bad"
		[ "$status" -eq 2 ]
		[[ "$output" == *"'--budget' wants"* ]]
	done
	run "$LANEWISE" graph --backend model --device h200 --budget device:10s
	[ "$status" -eq 2 ]
	[[ "$output" == *"needs a device"* ]]
	run "$LANEWISE" graph --device sim.json --batch 10001
	[ "$status" -eq 2 ]
	spec '[4, 5]' '"search": {"strategy": "nearby", "batch": 0},'
	run "$LANEWISE" graph --device sim.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"lanewise.json:"*"'batch' is a whole number"* ]]
	spec '[4, 5]' '"search": {"strategy": "nearby"},'
	run "$LANEWISE" graph --device sim.json
	[[ "$output" == *"lanewise.json:7:"*"unknown strategy 'nearby'"* ]]
	spec '[4, 5]' '"search": {"budget": "soon"},'
	run "$LANEWISE" graph --device sim.json
	[[ "$output" == *"lanewise.json:7:"*"'budget' is a number of candidates"* ]]
	[ ! -f build.ninja ]
}

# The model sees launches: little work for each of many threads is best, whatever A is.
@test "prior takes what the model likes best, and refuses where there is no model" {
	spec '[4, 5]' '"work": {"bytes": "1e6 * B * B"},'
	"$LANEWISE" graph --device sim.json --strategy prior --budget 12 --batch 6 >/dev/null
	[ "$(grep '"candidate"' .lanewise/k/search.json | head -2 | grep -c 'A=[45],B=1,BLOCK=128')" -eq 2 ]
	[ "$(asked pending)" -eq 6 ]
	cat >k.c <<-'END'
		void k(int *o) { o[0] = A; }
	END
	cat >host.json <<-'END'
		{"schema": "lanewise/spec.v1", "kernels": {"k": {"source": "k.c", "language": "c", "entry": "k",
		 "params": {"A": {"values": {"range": [1, 99]}}}, "search": {"strategy": "prior", "budget": 20},
		 "args": [{"name": "o", "type": "i32*", "count": 1, "output": true}]}}}
	END
	run "$LANEWISE" graph host.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"host.json:2:"*"strategy 'prior' goes by the estimate of a launch on a GPU"*"take 'auto' or 'random'"* ]]
}
