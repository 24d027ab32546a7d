#!/usr/bin/env bats
# A fresh checkout with a warm cache: what was done before is put in place at once, and Ninja
# has nothing to do for it.

load lib

# A tuned project, and a fresh copy of it that has only the cache.
fresh() {
	project "$1"
	tune >/dev/null 2>&1 || true
	cd ..
	mkdir "fresh-$1"
	(cd "$1" && tar cf - --exclude=.lanewise --exclude=build.ninja .) | tar xf - -C "fresh-$1"
	mkdir "fresh-$1/.lanewise"
	cp -r "$1/.lanewise/cache" "fresh-$1/.lanewise/cache"
	cd "fresh-$1"
	find . -type f -exec touch {} +
}

# Outputs of the graph, without what a run says of itself.
outputs() {
	(cd "$1" && find .lanewise -type f ! -path '.lanewise/cache/*' ! -name '.ninja*' \
		! -name events.jsonl ! -name lock ! -name sums ! -name '*.rsp' | sort)
}

# Nodes of the log: output and hash of the command.
logged() {
	grep -v '^#' "$1" | awk -F'\t' '{ hash[$4] = $5 } END { for (o in hash) print o, hash[o] }' | sort
}

@test "a fresh checkout with a warm cache lowers, judges, compiles and estimates nothing" {
	fresh reduce
	run tune
	[[ "$output" == *"recalled from the cache: "*" nodes"* ]]
	for node in stage lower gate compile estimate collect rank report; do
		[ "$(ran $node)" -eq 0 ] || { echo "$node ran"; all_ran; false; }
	done
	diff <(outputs ../reduce) <(outputs .)
	for f in $(outputs . | grep -v '/bench/'); do
		cmp "../reduce/$f" "$f"
	done
	forget
	run tune
	[[ "$output" == *"nothing to do"* ]]
	[ -z "$(all_ran)" ]
}

@test "the log that is written is the one that Ninja would have written" {
	fresh reduce
	tune >/dev/null 2>&1
	logged .lanewise/.ninja_log >here
	logged ../reduce/.lanewise/.ninja_log >there
	[ "$(wc -l <here)" -gt 20 ]
	diff here there
}

@test "after a restore an edit redoes what it redoes otherwise" {
	fresh reduce
	tune >/dev/null 2>&1
	for dir in . ../reduce; do
		cd "$dir"
		forget
		for f in *.cu; do
			sed -i 's/s\[threadIdx.x\] = /s[threadIdx.x] = 1 * /; s/^#include/\n&/' "$f"
			echo "// edited" >>"$f"
		done
		tune >/dev/null 2>&1 || true
		all_ran >ran
		cd - >/dev/null
	done
	[ -s ran ]
	[[ "$(cat ran)" == *"lower"* ]]
	diff ran ../reduce/ran
	diff <(outputs ../reduce) <(outputs .)
}

@test "what the cache lost is done, and nothing else" {
	fresh reduce
	rm "$(grep -l '^node lower' .lanewise/cache/??/* | head -1)"
	printf x >>"$(grep -l '^node gate' .lanewise/cache/??/* | head -1)"
	tune >/dev/null 2>&1
	[ "$(grep '"node": "lower"' .lanewise/events.jsonl | grep -vc cached)" -eq 1 ]
	[ "$(ran compile)" -le 2 ]
	cmp .lanewise/report.txt ../reduce/.lanewise/report.txt
	forget
	tune >/dev/null 2>&1
	[ -z "$(all_ran)" ]
}

@test "what is refused is not restored either" {
	fresh scan
	tune >/dev/null 2>&1 || true
	diff <(outputs ../scan) <(outputs .)
	cmp .lanewise/report.txt ../scan/.lanewise/report.txt
	[ "$(ran gate)" -eq 0 ]
}

@test "graph --restore does it for plain ninja, also when only a part is missing" {
	fresh reduce
	run "$LANEWISE" graph --backend model --device h200 --restore
	[ "$status" -eq 0 ]
	[[ "$output" == *"recalled from the cache: "* ]]
	ninja tune >/dev/null
	[ "$(ran lower)" -eq 0 ]
	[ "$(ran estimate)" -eq 0 ]
	rm -r .lanewise/reduce/ptx .lanewise/reduce/cubin
	forget
	"$LANEWISE" graph --backend model --device h200 --restore --quiet
	ninja tune >/dev/null
	[ "$(ran lower)" -eq 0 ]
	[ "$(ran compile)" -eq 0 ]
}

@test "a restore that is killed midway costs nothing but time" {
	fresh reduce
	"$LANEWISE" graph --backend model --device h200 --quiet
	run bash -c "ulimit -f 4; '$LANEWISE' graph --backend model --device h200 --restore"
	[ ! -e .lanewise/report.json ]
	"$LANEWISE" graph --backend model --device h200 --restore --quiet
	tune >/dev/null 2>&1
	[ "$(ran lower)" -eq 0 ]
	cmp .lanewise/report.txt ../reduce/.lanewise/report.txt
}

@test "a restore that finds nothing costs nothing but time" {
	fresh reduce
	rm -r .lanewise/cache
	run tune
	[[ "$output" != *"recalled"* ]]
	[ "$(ran lower)" -eq 3 ]
	cmp .lanewise/report.txt ../reduce/.lanewise/report.txt
}

@test "a log of another Ninja, or an empty one, is as none" {
	project reduce
	tune >/dev/null 2>&1
	for head in '# ninja log v3' ''; do
		[ -n "$head" ] || : >.lanewise/.ninja_log
		sed -i "1s/.*/$head/" .lanewise/.ninja_log
		forget
		run tune
		[[ "$output" == *"recalled from the cache: "* ]]
		[ "$(ran lower)" -eq 0 ]
		[ "$(ran estimate)" -eq 0 ]
	done
	forget
	run tune
	[[ "$output" == *"nothing to do"* ]]
}
