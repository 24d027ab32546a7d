#!/usr/bin/env bats
# What is written where, and what is told once.

bats_require_minimum_version 1.5.0
load lib

@test "--write takes the place of reports alone" {
	project reduce
	sed -i 's/\[32, 64, 128, 256\]/[32, 64]/; s/\[128, 256, 512\]/[128, 256]/' lanewise.json
	ln -s lanewise.json link.sarif
	cp -r . ../before
	tune >/dev/null
	"$LANEWISE" apply >/dev/null
	echo '# notes' >notes.md
	cp notes.md reduce_tuned.* ../before
	for file in lanewise.json reduce.cu reduce_ref.c link.sarif notes.md build.ninja reduce_tuned.json \
		reduce_tuned.h ./../"${PWD##*/}"/lanewise.json; do
		run "$LANEWISE" ci --device h200 --write sarif="$file"
		[ "$status" -eq 2 ]
		[[ "$output" == *"'--write sarif=$file': that file is there and no report of lanewise; remove it, or name another one"* ]]
	done
	for file in lanewise.json reduce.cu reduce_ref.c notes.md reduce_tuned.json reduce_tuned.h; do
		cmp "$file" "../before/$file"
	done
	ninja -n gate >/dev/null
	: >empty
	for file in new empty; do # each format over each, and over nothing
		for format in text json sarif junit markdown github text; do
			"$LANEWISE" ci --device h200 --write $format=$file >/dev/null
		done
	done
	"$LANEWISE" ci --device h200 --write text=/dev/null >/dev/null
}

@test "a header takes the place of no other file" {
	project reduce
	tune >/dev/null
	cp reduce.cu before
	run "$LANEWISE" apply --header reduce.cu
	[ "$status" -eq 2 ]
	[[ "$output" == *"'reduce.cu' is there and no header of 'lanewise apply'; remove it, or name another one"* ]]
	cmp reduce.cu before
	[ ! -e reduce_tuned.json ]
	: >new.h
	"$LANEWISE" apply --header new.h
	"$LANEWISE" apply --header new.h
}

@test "a header, a record and an archive take the place of no pipe, and of no link" {
	project reduce
	tune >/dev/null
	mkfifo pipe
	ln -s absent lost
	for words in "apply --header pipe" "apply --header lost" "apply --json pipe" "apply --json lost" \
		"cache export pipe" "cache export lost"; do
		# shellcheck disable=SC2086
		run timeout 20 "$LANEWISE" $words
		[ "$status" -eq 2 ]
		case $words in
		*pipe) [[ "$output" == *pipe*"it is a pipe or a device, not a file"* ]] ;;
		*lost) [[ "$output" == *"cannot write 'lost': it is a link that leads to no file"*"remove it"* ]] ;;
		esac
	done
	[ -p pipe ]
	[ -L lost ]
	[ ! -e reduce_tuned.json ]
	mkdir include
	ln -s include/tuned.h here.h
	: >include/tuned.h
	"$LANEWISE" apply --header here.h
	[ -L here.h ]
	grep -q TILE include/tuned.h
	"$LANEWISE" apply --header here.h --check
}

@test "what is no folder in the place of .lanewise or of the cache is told" {
	project reduce
	for make in mkfifo touch "ln -s absent"; do
		$make .lanewise
		run timeout 60 "$LANEWISE" tune --device h200
		[ "$status" -eq 2 ]
		[[ "$output" == *"'.lanewise' is no folder"*"remove it"* ]]
		rm .lanewise
	done
	mkdir .lanewise
	for make in mkfifo "ln -s absent"; do
		$make .lanewise/cache
		run tune
		[ "$(grep -c "the cache '.lanewise/cache' is no folder: nothing is kept; remove it" <<<"$output")" -eq 1 ]
		rm .lanewise/cache
	done
}

@test "what was reported is what 'show' and others read" {
	project reduce
	tune
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	ninja -k0 report >/dev/null || true
	run -1 grep -q 'TILE=512' .lanewise/reduce/results.json
	ninja -n results | grep 'no work to do'
}

@test "many nodes that wait for one worker are one warning" {
	project reduce
	mkdir ../bin
	real=$(command -v ninja)
	cat >../bin/ninja <<-END
		#!/bin/sh
		case \$1 in --version) ;; *)
			for i in 1 2 3; do
				echo "lanewise: warning: waits for the worker of 'x': it is stopped; 'kill -CONT 7' lets it go on"
			done
		esac
		exec $real "\$@"
	END
	chmod +x ../bin/ninja
	PATH=$PWD/../bin:$PATH run tune
	[ "$(grep -c "waits for the worker" <<<"$output")" -eq 1 ]
}

@test "a remote that cannot be meant is an error, before anything runs" {
	project reduce
	for value in cache.example http:/cache.example none.json ' '; do
		LANEWISE_REMOTE=$value run tune
		[ "$status" -eq 2 ]
		[[ "$output" == *"LANEWISE_REMOTE is '$value': that is no URL (https://SERVER/FOLDER)"* ]]
	done
	LANEWISE_REMOTE=ftp://cache.example run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"LANEWISE_REMOTE wants a URL that begins with http:// or https://"* ]]
	[ ! -e .lanewise ]
}

@test "without libcurl a remote is one note" {
	mkdir lib
	for name in libcurl.so.4 libcurl-gnutls.so.4 libcurl.so; do
		echo 'no library' >lib/$name
	done
	project reduce
	LANEWISE_REMOTE=http://127.0.0.1:9 LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/lib run tune
	[ "$status" -le 1 ]
	[ "$(grep -c "warning: remote cache" <<<"$output")" -eq 1 ]
	[[ "$output" == *"install libcurl (Debian package 'libcurl4'); the work is done here"*CHAMPION* ]]
	LANEWISE_REMOTE=http://127.0.0.1:9 LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/lib run "$LANEWISE" cache push
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no remote cache: "*"install libcurl"* ]]
}
