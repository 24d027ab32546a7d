#!/usr/bin/env bats
# Odd places and odd files: the same answers, or a clear error.

bats_require_minimum_version 1.5.0
load lib

@test "a folder's name changes nothing, whatever is in it" {
	project reduce
	tune >../plain.out || [ $? -eq 1 ]
	for name in 'a b' 'a"b' "a'b" 'a$b' 'a:b' 'a\b' '-a' 'a&;b' 'dé' $'a\nb'; do
		mkdir -p "../$name"
		cp ./*.cu ./*.c lanewise.json "../$name"
		(cd "../$name" && tune >../odd.out && ninja tune) || [ $? -eq 1 ]
		cmp ../plain.out ../odd.out
	done
}

@test "a closed stream is an error and no file takes its place" {
	project reduce
	run bash -c '"$LANEWISE" tune --backend model --device h200 >&-'
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot write to standard output"* ]]
	"$LANEWISE" report >../whole || [ $? -eq 1 ]
	"$LANEWISE" tune --backend model --device h200 <&- 2>&- >../out || [ $? -eq 1 ]
	cmp ../whole ../out
	[ ! -s .lanewise/lock ]
}

@test "a file that may not grow is an error, and the next run goes on" {
	project reduce
	run bash -c 'ulimit -f 1; exec "$LANEWISE" tune --backend model --device h200'
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot write"*"File too large"* ]]
	tune || [ $? -eq 1 ]
}

@test "a ninja that dies is said" {
	project reduce
	mkdir bin
	printf '#!/bin/sh\n[ "$1" = --version ] && echo 1.11.1 && exit\nkill -SEGV $$\n' >bin/ninja
	chmod +x bin/ninja
	PATH=$PWD/bin:$PATH run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"ninja: killed by signal 11"*"did not finish"* ]]
}

@test "a number of jobs that Ninja cannot count is refused" {
	project reduce
	for n in -1 4097 4294967296; do
		run tune --jobs "$n"
		[ "$status" -eq 2 ]
		[[ "$output" == *"'--jobs' wants"* ]]
	done
	tune --jobs 64 || [ $? -eq 1 ]
}

@test "a folder in the place of the spec is said" {
	project reduce
	for f in . ../reduce ../reduce/ ''; do
		run "$LANEWISE" tune "$f"
		[ "$status" -eq 2 ]
		[[ "$output" == *"name the spec in it"* ]]
	done
}
