#!/usr/bin/env bats
# What is redone after an edit: counted in executed nodes.

bats_require_minimum_version 1.5.0
load lib

@test "a second tune has nothing to do" {
	project reduce
	tune
	forget
	run ninja tune
	[ "$status" -eq 0 ]
	[[ "$output" == *"no work to do"* ]]
	[ "$(all_ran)" = "" ]
	run tune
	[[ "$output" == *"nothing to do"* ]]
}

@test "a comment edit re-runs stage and lower only" {
	project reduce
	tune
	forget
	sed -i '1i // a new first line moves every line below it' reduce.cu
	run ninja .lanewise/reduce/rank.json
	[ "$status" -eq 0 ]
	[ "$(all_ran)" = "lower 3 stage 1" ]
}

@test "after a comment edit the report shows the new line numbers" {
	project reduce
	tune >before || [ $? -eq 1 ]
	sed -i '1i // a new first line moves every line below it' reduce.cu
	tune >after || [ $? -eq 1 ]
	old=$(grep -o 'reduce.cu:[0-9]*' before | head -1 | cut -d: -f2)
	new=$(grep -o 'reduce.cu:[0-9]*' after | head -1 | cut -d: -f2)
	[ "$new" -eq $((old + 1)) ]
}

@test "touching every leaf redoes nothing below stage" {
	project reduce
	tune
	forget
	sleep 0.01
	touch ./*
	run ninja tune
	[ "$status" -eq 0 ]
	[ "$(ran lower)" -eq 0 ]
	[ "$(ran gate)" -eq 0 ]
	[ "$(ran estimate)" -eq 0 ]
}

@test "adding a value runs only the new chains" {
	project reduce
	tune
	forget
	sed -i 's/\[128, 256, 512\]/[128, 256, 512, 1024]/' lanewise.json
	tune
	[ "$(ran lower)" -eq 1 ]
	[ "$(ran gate)" -eq 1 ]
	[ "$(ran compile)" -eq 1 ]
	[ "$(ran estimate)" -eq 2 ] # BLOCK=32 at two sizes; the others are refused
}

@test "adding a launch value gates every specialization but lowers none" {
	project reduce
	tune
	forget
	sed -i 's/\[32, 64, 128, 256\]/[16, 32, 64, 128, 256]/' lanewise.json
	tune
	[ "$(ran lower)" -eq 0 ]
	[ "$(ran compile)" -eq 0 ]
	[ "$(ran gate)" -eq 3 ]
	[ "$(ran estimate)" -eq 6 ]
}

@test "taking a value away runs no estimate and shrinks the ranking" {
	project reduce
	tune
	forget
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	tune >out || [ $? -eq 1 ]
	[ "$(ran lower)" -eq 0 ]
	[ "$(ran estimate)" -eq 0 ]
	[ "$(ran rank)" -eq 1 ]
	run ! grep -q 'TILE=512' out
}

@test "refused candidates are neither compiled nor run" {
	project reduce
	tune
	[ "$(ran estimate)" -eq 6 ] # 3 candidates of one warp, 2 sizes
	run ls .lanewise/reduce/bench
	[[ "$output" != *"BLOCK=64"* ]]
	run ninja '.lanewise/reduce/bench/BLOCK=64,TILE=128@1M.json'
	[ "$status" -ne 0 ]
	[[ "$output" == *"refused"* ]]
}

@test "a fresh build folder with a warm cache computes nothing again" {
	project reduce
	tune
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir -p .lanewise
	mv kept .lanewise/cache
	"$LANEWISE" graph --backend model --device h200 --quiet
	ninja tune
	[ "$(grep -c '"node": "lower".*"status": "cached"' .lanewise/events.jsonl)" -eq 3 ]
	[ "$(grep '"node": "lower"' .lanewise/events.jsonl | grep -vc cached)" -eq 0 ]
}

@test "the graph is byte-identical when written again" {
	project sgemm
	"$LANEWISE" graph --backend model --device h200
	cp build.ninja first
	cp .lanewise/sgemm/build.ninja first-kernel
	rm -rf .lanewise build.ninja
	"$LANEWISE" graph --backend model --device h200
	cmp build.ninja first
	cmp .lanewise/sgemm/build.ninja first-kernel
}

@test "ninja -n works on a fresh tree" {
	project reduce
	"$LANEWISE" graph --backend model --device h200
	run ninja -n tune
	[ "$status" -eq 0 ]
}

@test "another project's build.ninja is left alone" {
	project reduce
	printf 'rule x\n  command = true\nbuild app: x\n' >build.ninja
	cp build.ninja theirs
	run tune
	[ "$status" -le 1 ]
	cmp build.ninja theirs
	[ -f lanewise.ninja ]
	ninja -f lanewise.ninja tune
}

@test "two manifests of others leave no name, and are left alone" {
	project reduce
	echo 'rule x' >build.ninja
	echo 'rule y' >lanewise.ninja
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"not written by lanewise"* ]]
	[ "$(cat lanewise.ninja)" = 'rule y' ]
}

@test "every target exists, also per kernel" {
	project reduce
	"$LANEWISE" graph --backend model --device h200
	for t in tune gate compile bench rank report apply check; do
		ninja -t query "$t" >/dev/null
		ninja -t query "$t-reduce" >/dev/null
	done
}

@test "a second tune at the same time is told so" {
	project reduce
	"$LANEWISE" graph --backend model --device h200
	exec 9>.lanewise/lock
	flock 9
	run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"another 'lanewise tune'"* ]]
}

@test "a source that became older is seen by its bytes" {
	project reduce
	tune
	forget
	sed -i 's/part\[t + half\]/part[half + t]/' reduce.cu
	touch -d 2001-01-01 reduce.cu
	tune
	[ "$(ran lower)" -eq 3 ]
}
