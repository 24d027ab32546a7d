#!/usr/bin/env bats
# The store of finished work, as its owner sees it.

load lib

warm() {
	project reduce
	tune >/dev/null
}

@test "cache stats counts by node" {
	warm
	run "$LANEWISE" cache stats
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == .lanewise/cache ]]
	[[ "$output" == *"limit 5.0 GiB"* ]]
	[[ "$output" == *"lower "*" 3 "* ]]
	[[ "$output" == *"gate "*" 3 "* ]]
}

@test "cache without a cache says what to do" {
	for action in stats verify prune "export x"; do
		# shellcheck disable=SC2086
		run "$LANEWISE" cache $action
		[ "$status" -eq 2 ]
		[[ "$output" == *"there is no cache at '.lanewise/cache'"*"LANEWISE_CACHE"* ]]
	done
	run "$LANEWISE" cache
	[ "$status" -eq 2 ]
	run "$LANEWISE" cache shrink
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no 'lanewise cache shrink'"* ]]
	run "$LANEWISE" cache export
	[ "$status" -eq 2 ]
	run "$LANEWISE" cache stats more
	[ "$status" -eq 2 ]
}

@test "cache verify names what is damaged, and a run does that work again" {
	warm
	run "$LANEWISE" cache verify
	[ "$status" -eq 0 ]
	cp .lanewise/report.txt before
	entry=$(grep -l '^node lower' .lanewise/cache/??/* | head -1)
	printf x >>"$entry"
	run "$LANEWISE" cache verify
	[ "$status" -eq 1 ]
	[[ "$output" == *"$entry: its bytes are not those that were stored"* ]]
	rm -r .lanewise/reduce .lanewise/.ninja_log .lanewise/report.*
	forget
	run tune
	[[ "$output" == *"no use of '$entry'"* ]]
	[ "$(grep '"node": "lower"' .lanewise/events.jsonl | grep -vc cached)" -eq 1 ]
	cmp before .lanewise/report.txt
	"$LANEWISE" cache verify
	printf x >>"$entry"
	run "$LANEWISE" cache verify --remove
	[ "$status" -eq 1 ]
	[ ! -e "$entry" ]
	"$LANEWISE" cache verify
}

@test "cache verify names what is no file in the place of an entry" {
	warm
	entries=(.lanewise/cache/??/*)
	rm "${entries[@]:0:3}"
	mkfifo "${entries[0]}"
	ln -s ../../report.txt "${entries[1]}"
	mkdir "${entries[2]}"
	run "$LANEWISE" cache verify
	[ "$status" -eq 1 ]
	[[ "$output" == *"${entries[0]}: it is no file"* ]]
	[[ "$output" == *"${entries[1]}: it is a link"* ]]
	[[ "$output" == *"${entries[2]}: it is a folder"* ]]
	[[ "$output" == *"$((${#entries[@]} - 3)) of ${#entries[@]} entries are sound; the others"* ]]
	run "$LANEWISE" cache verify --remove
	[ "$status" -eq 1 ]
	[[ "$output" == *"${entries[0]}: it is no file; removed"* ]]
	[[ "$output" == *"${entries[2]}: it is a folder; not removed, 'rm -r' does"* ]]
	[ ! -e "${entries[0]}" ]
	[ ! -L "${entries[1]}" ]
	[ -s .lanewise/report.txt ]
	rmdir "${entries[2]}"
	"$LANEWISE" cache verify
}

@test "cache prune keeps to the limit it is given" {
	warm
	run "$LANEWISE" cache prune --max nonsense
	[ "$status" -eq 2 ]
	[[ "$output" == *"'--max' wants a size"* ]]
	run "$LANEWISE" cache prune --limit 64M
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "removed 0 entries"* ]]
	[[ "$("$LANEWISE" cache stats)" == *"limit 64.0 MiB"* ]]
	run "$LANEWISE" cache prune --max 0
	[[ "${lines[1]}" == "left 0 entries, 0 bytes" ]]
	[ -z "$(find .lanewise/cache/?? -type f)" ]
}

@test "cache export and import carry finished work to another place" {
	warm
	cp .lanewise/report.txt before
	"$LANEWISE" cache export ../carried
	cd ..
	mkdir other
	(cd reduce && tar cf - --exclude=.lanewise --exclude=build.ninja .) | tar xf - -C other
	cd other
	head -c 1000 ../carried >cut
	run "$LANEWISE" cache import cut
	[ "$status" -eq 2 ]
	[[ "$output" == *"nothing was taken from it"* ]]
	[ ! -e .lanewise ]
	"$LANEWISE" cache import ../carried
	tune
	[ "$(grep -E '"node": "(lower|gate|compile|estimate)"' .lanewise/events.jsonl |
		grep -vc cached)" -eq 0 ]
	cmp ../reduce/before .lanewise/report.txt
}

@test "cache why explains a miss by the nearest key" {
	warm
	run "$LANEWISE" cache why .lanewise/reduce/ptx/TILE=128.ptx
	[ "$status" -eq 0 ]
	[[ "$output" == "hit: '.lanewise/reduce/ptx/TILE=128.ptx' is in the cache as "* ]]
	entry=${output##* }
	echo '// edited' >>reduce.cu
	run "$LANEWISE" cache why .lanewise/reduce/gate/TILE=128.verdict.json
	[[ "$output" == *"'reduce.cu' was edited since: the answer is for its copy '.lanewise/in/reduce.cu'"* ]]
	sed -i '$d' reduce.cu
	[[ "$("$LANEWISE" cache why "$entry")" == *"node lower "*"define"*"TILE=128"* ]]
	rm ".lanewise/cache/${entry:0:2}/$entry"
	run "$LANEWISE" cache why ./.lanewise/reduce/ptx/TILE=128.ptx
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "miss: "*"$entry is not there" ]]
	[[ "$output" == *"- param"*"+ param"*"TILE=128"*"further lines are equal"* ]]
	run "$LANEWISE" cache why .lanewise/reduce/nothing
	[ "$status" -eq 2 ]
	[[ "$output" == *"no output of a node"* ]]
	run "$LANEWISE" cache why .lanewise/in/reduce.cu
	[ "$status" -eq 2 ]
	rm build.ninja
	run "$LANEWISE" cache why x
	[ "$status" -eq 2 ]
	[[ "$output" == *"'lanewise graph' writes it"* ]]
}
