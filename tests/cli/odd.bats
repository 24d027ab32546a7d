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

@test "a spec whose name Ninja cannot write is refused" {
	project reduce
	for name in 'a|b.json' $'a\nb.json'; do
		cp lanewise.json "$name"
		for command in graph tune ci; do
			run -2 "$LANEWISE" "$command" --device h200 "$name"
			[[ $output == *"a spec cannot have '|' or a control character in its name: rename 'a"* ]]
		done
	done
	[ ! -e build.ninja ]
}

@test "the program may lie in the project's own folder" {
	project reduce
	cp "$LANEWISE" own
	./own graph --backend model --device h200 >/dev/null
	ninja gate
}

@test "help of a command is that command's" {
	"$LANEWISE" tune --help >long
	"$LANEWISE" help tune >short
	cmp long short
	grep -q '^usage: lanewise tune' short
	"$LANEWISE" help | grep -q '^usage: lanewise COMMAND'
	run -2 "$LANEWISE" help tnue
	[[ $output == *"unknown command 'tnue' (did you mean 'tune'?)"* ]]
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

ptx() {
	cat <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [k_param_1];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra SKIP;
	bar.sync 0; // here
SKIP:
	ret;
}
END
}

# The command fails at once, with the words, and with nothing on standard output.
wrong() {
	local says=$1
	shift
	run --separate-stderr timeout 20 "$@" </dev/null
	[ "$status" -eq 2 ] || { echo "$* ends with $status"; return 1; }
	[ -z "$output" ]
	[[ "$stderr" == *"$says"* ]] || { echo "$* says: $stderr"; return 1; }
}

@test "line ends, a byte order mark and standard input change nothing" {
	ptx >k.ptx
	sed 's/$/\r/' k.ptx >crlf.ptx
	(printf '\357\273\277' && cat k.ptx) >bom.ptx
	for f in k.ptx crlf.ptx bom.ptx - /dev/stdin; do
		run "$LANEWISE" check $f -b 64 -g 1 -a 1=64 <k.ptx
		[ "$status" -eq 0 ]
		run "$LANEWISE" check $f -b 64 -g 1 -a 1=10 <k.ptx
		[ "$status" -eq 1 ]
		[[ "$output" == *"PTX line 12: refused"* ]]
	done
	run "$LANEWISE" shapes - --from 32 --to 64 --step 32 -a 1=32 <k.ptx
	[ "$status" -eq 0 ]
	[[ "$output" == *"clean: 32"* ]]
}

@test "what is no PTX is said, with what to do" {
	ptx | tr '\n' '\r' >cr.ptx
	ptx | iconv -t UTF-16LE >nobom.ptx
	ptx | iconv -t UTF-16 >utf16.ptx
	(ptx | head -5 && printf '\0' && ptx | tail -n +6) >nul.ptx
	ptx | gzip >gz.ptx
	: >empty.ptx
	echo '// nothing' >comment.ptx
	echo '__global__ void k() {}' >k.cu
	ptx | sed 's/bar.sync/b\xe9r.sync/' >latin.ptx
	ptx | head -11 >cut.ptx
	truncate -s 64M large.ptx && echo >>large.ptx
	mkdir folder
	mkfifo pipe
	while IFS='|' read -r file says; do
		wrong "$says" "$LANEWISE" check "$file" -b 64 -g 1
		wrong "$says" "$LANEWISE" shapes "$file"
	done <<-'END'
	cr.ptx|cr.ptx: error: this is not PTX: its lines end in a carriage return alone
	nobom.ptx|it is UTF-16; PTX is ASCII
	utf16.ptx|it is UTF-16; PTX is ASCII: 'iconv
	nul.ptx|nul.ptx:6:1: error: a NUL byte
	gz.ptx|it is a gzip file
	empty.ptx|it is empty
	comment.ptx|comment.ptx:2:1: error: no .version directive
	k.cu|k.cu:1:1: error: expected a directive (is this PTX? 'nvcc -ptx'
	latin.ptx|latin.ptx:12:3: error: a byte that is not ASCII
	cut.ptx|cut.ptx:12:1: error: the text ends inside 'k'
	large.ptx|more than 64 MiB
	folder|Is a directory
	pipe|it is a pipe (standard input is read as '-')
	/dev/zero|it is a device
	/dev/null|it is a device
	none.ptx|No such file
	|No such file
	END
	run timeout 20 "$LANEWISE" check - -b 64 -g 1 </dev/zero
	[ "$status" -eq 2 ]
	[[ "$output" == *"<stdin>': more than 64 MiB"* ]]
	run timeout 20 bash -c '"$LANEWISE" check - -b 64 -g 1 <&-'
	[ "$status" -eq 2 ]
}

@test "a pipe or a device in the place of any file is said, not waited for" {
	mkfifo pipe
	ln -s pipe to-pipe
	ln -s /dev/zero zero
	for file in ./pipe ./to-pipe ./zero; do
		while read -ra words; do
			run timeout 20 "$LANEWISE" "${words[@]//FILE/$file}"
			[ "$status" -eq 2 ]
			[[ "$output" == *"it is a pipe or a device"* ]]
		done <<-'END'
		space FILE
		graph FILE
		tune FILE
		executor --device FILE --job FILE
		worker --device FILE
		cache import FILE
		convert FILE --to csv
		simulate FILE
		END
	done
	run "$LANEWISE" convert /dev/stdin --to csv < <(echo '{}')
	[[ "$output" != *"it is a pipe"* ]]
}

@test "one of several entries is asked for, with their names" {
	(ptx && ptx | tail -n +4 | sed 's/\bk\b/k2/; s/k_param/k2_param/g') >two.ptx
	wrong "2 entries; choose one with 'entry': 'k', 'k2'" "$LANEWISE" check two.ptx -b 64 -g 1
	wrong "no entry 'k3'; the module has 'k', 'k2'" "$LANEWISE" check two.ptx -b 64 -g 1 -e k3
	run "$LANEWISE" check two.ptx -b 64 -g 1 -e k2 -a 1=64
	[ "$status" -eq 0 ]
	sed 's/.visible .entry/.visible .func/' two.ptx >none.ptx
	wrong "the module has no entry (kernel)" "$LANEWISE" check none.ptx -b 64 -g 1
}

@test "huge numbers are judged or refused as what they are" {
	ptx >k.ptx
	top=18446744073709551615
	run "$LANEWISE" check k.ptx -b $top,$top,$top -g 1
	[ "$status" -eq 1 ]
	[[ "$output" == *"LW040"*"LW041"* ]]
	run "$LANEWISE" check k.ptx -b 64 -g $top,$top,$top --shared 9223372036854775807 --cluster $top
	[ "$status" -eq 1 ]
	[[ "$output" == *"LW042"* && "$output" == *"LW045"* && "$output" == *"LW046"* ]]
	run "$LANEWISE" check k.ptx -b 64 -g 2147483647,65535,65535 -a 1=64
	[ "$status" -eq 0 ]
	for n in 18446744073709551616 -1 0x40 6e1 '6 4' 64,, ''; do
		wrong "block: '$n' is not X[,Y[,Z]], whole numbers from 1" "$LANEWISE" check k.ptx -b "$n" -g 1
	done
	wrong 'does not fit in 32 bits' "$LANEWISE" check k.ptx -b 64 -g 1 -a 1=99999999999999
	run "$LANEWISE" shapes k.ptx --threads 9223372036854775807 -a 1=64 --from 1024
	[ "$status" -eq 1 ]
	[[ "$output" == *LW042* ]]
}

@test "names in PTX and of files reach a terminal and JSON as text" {
	command -v python3 >/dev/null || skip "no python3 to read JSON with"
	name=$(printf 'w\377 eird\n%%.ptx')
	(ptx | sed 's/^\tbar.sync/\t.loc 1 2 0\n&/' &&
		printf '.file 1 "a\377\302\233\033[31m\\"\342\202\303\251.cu"\n') >"$name"
	run "$LANEWISE" check "$name" -b 64 -g 1 -a 1=10
	[ "$status" -eq 1 ]
	[[ "$output" == *'a\xff\xc2\x9b\x1b[31m\"\xe2\x82é.cu:2: refused'* ]]
	run bash -c "LC_ALL=C grep -c \$'[\\x01-\\x08\\x0b-\\x1f\\x7f]' <<<'$output'"
	[ "$output" = 0 ]
	for form in --json --sarif; do
		"$LANEWISE" check "$name" -b 64 -g 1 -a 1=10 $form >out || [ $? -eq 1 ]
		python3 -c 'import json; json.loads(open("out", "rb").read().decode("utf-8"))'
	done
}

# No control character, no byte that is no UTF-8, no command of a CI service.
harmless() {
	! LC_ALL=C grep -n $'[\x01-\x08\x0b-\x1f\x7f]' "$@" && iconv -f utf-8 -t utf-8 "$@" >/dev/null &&
		! grep -nE '^[[:space:]]*::|##\[' "$@"
}

@test "no word and no file name in a message reaches a terminal or a CI service raw" {
	bad=$'w\e[31m\xff\n::error::##[x'
	printf '\n::error::x\n' >"$bad.ptx"
	printf '{"schema": "lanewise/spec.v1",\n\t"\xff\x1b[1m": 1}\n' >"$bad.json"
	n=0
	for c in tune graph report show apply wisdom check ci certify shapes explain space \
		simulate convert init cache doctor worker node executor "$bad"; do
		for words in "$bad" "--$bad" "$bad.json" "$bad.ptx"; do
			rc=0
			"$LANEWISE" "$c" "$words" >out 2>err || rc=$?
			[ "$rc" -eq 2 ]
			harmless out err
			! grep -vE '^[^ ].*: error: |^usage: |^ +[0-9]* \| |^[^ ]*\([0-9]+\)|^ ' err || n=$((n + 1))
		done
	done
	[ "$n" -le 4 ] # what a compiler says of a source with such a name
	run -2 "$LANEWISE" space "$bad.json"
	[[ "$output" == 'w\x1b[31m\xff\n::error::\x23#[x.json:2:'*': error: '* ]]
}

@test "what a compiler says keeps its lines, and none is a command" {
	"$LANEWISE" doctor --json | grep -A1 -E '"name": "(nvrtc|nvcc|clang)"' | grep -q '"present": true' ||
		skip "no compiler for CUDA C++"
	project reduce
	printf '#define E error\n::error::\n__global__ void k(int \033[1m) { x y; }\n' >bad.cu
	run -2 --separate-stderr "$LANEWISE" init bad.cu -o bad.json
	printf '%s\n' "$stderr" >err
	harmless err
	[[ "$stderr" == *bad.cu*error*$'\n'*"lanewise: error: 'bad.cu' does not compile with "* ]]
	sed -i 's/^extern/#error "\x1b[1m::"\n&/' reduce.cu
	tune >out 2>err || [ $? -eq 3 ]
	harmless out err
	grep -q '\\x1b\[1m::' out
}

# What each is told: the place, and what to do next.
@test "wrong words are told, and exit 2" {
	project reduce
	: >empty
	mkdir dir
	told() {
		want=$1
		shift
		run -2 "$LANEWISE" "$@"
		[[ "$output" == *"$want"* ]] || { echo "$*: $output"; false; }
	}
	told "unknown option '-x'" tune -x
	told "unknown option '--kernle' (did you mean '--kernel'?)" tune --kernle
	told "option '--jobs' wants a value" tune --jobs
	told "'--jobs' wants a whole number, not 'x'" tune --jobs x
	told "wants a whole number below 2^63, not '99999999999999999999'" tune --jobs 99999999999999999999
	told "'--jobs' wants 1 to 4096" tune --jobs 0
	told "'--jobs' wants 1 to 4096" ci --jobs 3 --jobs -5
	told "lanewise.json: error: there is no kernel 'none'; it has reduce" tune --kernel none --device h200
	told "there is no kernel 'reduc' (did you mean 'reduce'?)" tune --kernel reduc --device h200
	told "lanewise.json: error: there is no kernel 'none'; it has reduce" space lanewise.json none
	told "'--root none' is no folder" ci --root none
	told "'dir' is no file; name the spec in it" graph dir
	told "empty: error: the file is empty" graph empty
	told "usage: lanewise cache stats
       lanewise cache why" cache x
	told "'why' wants OUTPUT" cache why
	told "'export' wants FILE" cache export
	told "'stats' takes no 'x'" cache stats x
	told "'show' writes no file: -o is of 'merge'" wisdom show -o x empty
}

@test "an output in a folder that is not there is trouble, and makes none" {
	project reduce
	tune >/dev/null || [ $? -eq 1 ]
	"$LANEWISE" apply >/dev/null
	ptx >k.ptx
	for how in 'init k.ptx -o' 'apply --header' 'apply --json' 'cache export' \
		'wisdom merge reduce_tuned.json -o' 'ci --write'; do
		file=absent/deep/file
		[[ $how != *--write ]] || file=text=$file
		# shellcheck disable=SC2086
		run -2 "$LANEWISE" $how "$file"
		[[ "$output" == *"error: cannot write "*"there is no folder '"*"absent/deep'; make it first"* ]]
		[ ! -e absent ]
	done
}

@test "an output that cannot be written is trouble" {
	ptx >k.ptx
	for i in $(seq 50); do
		echo '{"file": "k.ptx", "block": 64, "grid": 1, "args": {"1": 64}}'
	done >b.jsonl
	for how in 'check k.ptx -b 64 -g 1' 'check k.ptx -b 64 -g 1 --json' \
		'check k.ptx -b 64 -g 1 --sarif' 'shapes k.ptx' 'shapes k.ptx --json' explain \
		'explain LW001' 'check --batch b.jsonl'; do
		# shellcheck disable=SC2086
		run --separate-stderr bash -c '"$LANEWISE" "$@" >/dev/full' - $how
		[ "$status" -eq 2 ]
		[ "$stderr" = "lanewise: error: cannot write to standard output" ]
	done
	# A reader that goes ends the program, or the first write does.
	run bash -c '"$LANEWISE" check --batch b.jsonl | head -1 >/dev/null; echo "${PIPESTATUS[0]}"'
	[ "$output" = 141 ] || [ "$output" = 0 ]
	run bash -c 'trap "" PIPE; "$LANEWISE" check --batch b.jsonl 2>&1 >/dev/null | cat;
		{ "$LANEWISE" check --batch b.jsonl; echo $? >status; } | true; cat status'
	[[ "$output" == *[02] ]]
}

@test "a batch of thousands of lines takes the memory of one" {
	ptx >k.ptx
	peak() {
		python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdin=open(sys.argv[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$1" "$LANEWISE" check --batch -
	}
	command -v python3 >/dev/null || skip "no python3 to measure with"
	# what the address sanitizer keeps of freed memory is not ours
	export ASAN_OPTIONS=${ASAN_OPTIONS-}${ASAN_OPTIONS:+:}quarantine_size_mb=1
	line='{"file": "k.ptx", "block": 64, "grid": 1, "args": {"1": 64}}'
	deep=$(printf '%0500000d' 0 | tr 0 '[')
	for i in $(seq 20); do echo "$line"; done >few.jsonl
	for i in $(seq 5000); do
		echo "$line"
		echo "{\"file\": \"none$i.ptx\", \"block\": $i, \"grid\": 1}"
	done >many.jsonl
	for i in $(seq 10); do
		echo "$deep"
		echo "{\"file\": \"$deep\", \"block\": 1, \"grid\": 1}"
	done >>many.jsonl
	few=$(peak few.jsonl) many=$(peak many.jsonl)
	echo "few $few KiB, many $many KiB"
	[ "$many" -lt $((few + 32768)) ]
}
