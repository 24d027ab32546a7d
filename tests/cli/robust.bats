#!/usr/bin/env bats
# Damage, full disks and odd clocks: the next run ends with the same report, or says what
# is wrong.

bats_require_minimum_version 1.5.0
load lib

# A project that is judged and estimated in a second.
small() {
	project reduce
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	tune >../whole 2>/dev/null || [ $? -eq 1 ]
}

# The next run ends with the report of the first.
again() {
	tune >../again 2>../err || [ $? -eq 1 ] || { cat ../err && return 1; }
	cmp ../whole ../again
	cmp ../whole .lanewise/report.txt
}

# Files below .lanewise, by what they are for.
files() {
	find .lanewise -type f ! -path '.lanewise/cache/*' | sort
}

entries() {
	find .lanewise/cache -type f | sort
}

damage() { # damage KIND FILE
	local size
	size=$(stat -c %s "$2")
	case $1 in
	empty) : >"$2" ;;
	half) truncate -s $((size / 2)) "$2" ;;
	flip) # one bit in the middle, and the time as it was
		local at=$((size / 2)) byte
		touch -r "$2" ../time
		byte=$(od -An -tu1 -j$at -N1 "$2")
		[ "$size" -eq 0 ] || printf "\\x$(printf %x $((byte ^ 4)))" |
			dd of="$2" bs=1 seek=$at conv=notrunc status=none
		touch -r ../time "$2" ;;
	zeros) # as after a power cut: the size, and no bytes
		: >"$2" && truncate -s "$size" "$2" ;;
	esac
}

@test "whatever is emptied, cut, zeroed or flipped below .lanewise, all at once: the same report" {
	small
	for kind in empty half zeros flip; do
		for file in $(files); do
			damage $kind "$file"
		done
		again || { echo "$kind" && false; }
	done
	forget
	again
	grep -q 'nothing to do' ../err
}

@test "the same with the cache damaged, too" {
	small
	for file in $(files) $(entries); do
		damage flip "$file"
	done
	again
}

@test "a flipped bit in one output is found, named, and costs that output alone" {
	small
	for file in reduce/bench/BLOCK=32,TILE=128@1M.json reduce/ptx/TILE=256.ptx report.txt \
		in/reduce.cu reduce/cubin/TILE=128.cubin; do
		damage flip ".lanewise/$file"
		forget
		again
		grep -qF "'.lanewise/$file' is not what was written: it is made again" ../err
		[ "$(wc -l <.lanewise/events.jsonl)" -le 8 ]
		[ "$(grep -c '"status": "ok"' .lanewise/events.jsonl)" -le 5 ]
	done
}

@test "without its sums, or with those of another state, a run goes on" {
	small
	rm .lanewise/sums
	again
	printf 'rubbish\n\n%032d .lanewise/../../x\n' 0 >.lanewise/sums
	echo kept >../x
	again
	[ "$(cat ../x)" = kept ]
	# sums of files that differ now: they are made again, from the cache
	sed 's/^./0/' .lanewise/sums >sums
	cp sums .lanewise/sums
	again
}

@test "what is no file below .lanewise is removed before anything waits at it" {
	small
	for file in .ninja_log events.jsonl in/reduce.cu reduce/gate/TILE=128.dd rules/gate.ninja \
		reduce/ptx/TILE=256.ptx reduce/rows/TILE=128.json report.json; do
		rm ".lanewise/$file"
		mkfifo ".lanewise/$file"
		timeout 20 "$LANEWISE" tune --backend model --device h200 --no-progress >../again 2>../err
		cmp ../whole ../again
		grep -qF "'.lanewise/$file' was a pipe" ../err
	done
	mkfifo .lanewise/reduce/gate/TILE=128.dd.1.tmp
	timeout 20 "$LANEWISE" ci >/dev/null 2>../err
	[ ! -e .lanewise/reduce/gate/TILE=128.dd.1.tmp ]
}

@test "nothing outside is written or removed through a link below .lanewise" {
	small
	mkdir -p ../outside/sub
	for name in notes.ptx sub/rows.json log; do
		echo kept >"../outside/$name"
	done
	cp -r ../outside ../before
	for file in .ninja_log events.jsonl sums report.txt lock reduce/rank.json; do
		rm ".lanewise/$file"
		ln -s "$(realpath ../outside/log)" ".lanewise/$file"
		status=0
		tune >../again 2>../err || status=$?
		if [ $file = lock ]; then
			[ $status -eq 2 ]
			grep -qF "cannot lock '.lanewise/lock': it is no file; remove it" ../err
			rm .lanewise/lock
		else
			grep -qF "'.lanewise/$file' was a link" ../err
			cmp ../whole ../again
		fi
		diff -r ../before ../outside
	done
	for folder in in reduce/ptx reduce; do
		rm -r ".lanewise/$folder"
		ln -s "$(realpath ../outside)" ".lanewise/$folder"
		again
		diff -r ../before ../outside
	done
	mv .lanewise/cache ../cache # which may be one
	ln -s ../../cache .lanewise/cache
	again
	[ -L .lanewise/cache ]
}

@test "a folder in the place of a file is said, and left alone" {
	small
	for file in .ninja_log worker reduce/rows/TILE=128.json 'reduce/bench/BLOCK=32,TILE=128@1M.json' \
		reduce/gate/TILE=128.dd report.json; do
		rm ".lanewise/$file"
		mkdir ".lanewise/$file"
		echo kept >".lanewise/$file/notes"
		run tune
		[ "$status" -eq 2 ]
		[[ "$output" == *"'.lanewise/$file"*"folder"* ]] ||
			[[ "$output" == *".lanewise/$file: error: cannot read: it is a folder"* ]]
		[ -e ".lanewise/$file/notes" ]
		rm -r ".lanewise/$file"
		again
	done
}

@test "a disk that is full at any write: an error that says so, then the same report" {
	[ "$(id -u)" = 0 ] || skip "a file system of its own wants root"
	small
	mkdir ../disk
	mount -t tmpfs -o size=16k tmpfs ../disk 2>/dev/null || skip "no mount here"
	for kib in 16 96 192 288; do
		rm -rf ../disk/.lanewise .lanewise build.ninja
		mount -o "remount,size=${kib}k" tmpfs ../disk
		mkdir ../disk/.lanewise
		ln -s "$(realpath ../disk)/.lanewise" .lanewise
		status=0
		tune >../out 2>../err || status=$?
		[ $status -eq 2 ] || cmp ../whole ../out
		[ $status -ne 2 ] || grep -q 'No space left on device\|Error writing\|ENOSPC' ../err || { cat ../err; break; }
		mount -o remount,size=64m tmpfs ../disk
		again || break
	done
	umount ../disk
	[ "$kib" -eq 288 ]
	cmp ../whole ../again
}

@test "a checkout that cannot be written is an error that names what cannot" {
	small
	rm -rf .lanewise build.ninja
	if [ "$(id -u)" = 0 ]; then
		cd ..
		mount --bind reduce reduce 2>/dev/null || skip "no mount here"
		mount -o remount,bind,ro reduce
		run "$LANEWISE" tune --backend model --device h200 reduce/lanewise.json
		umount reduce
	else
		chmod a-w .
		run "$LANEWISE" tune --backend model --device h200
		chmod u+w .
	fi
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot make the folder of '.lanewise/lock'"* ]]
}

@test "a clock that runs backwards changes nothing" {
	small
	for when in '2036-01-01' '1999-01-01'; do
		find . -type f -exec touch -d "$when" {} +
		again
		sed -i '1i // edited' reduce.cu
		touch -d "$when" reduce.cu
		forget
		tune >../edited 2>/dev/null || [ $? -eq 1 ]
		[ "$(ran lower)" -eq 2 ]
		sed -i 1d reduce.cu
		touch -d "$when" reduce.cu
		again
	done
	if command -v faketime >/dev/null; then
		faketime '2001-01-01' "$LANEWISE" tune --backend model --device h200 --no-progress \
			>../again 2>../err || [ $? -eq 1 ]
		cmp ../whole ../again
		again
	fi
}

@test "one process at a time, or sixty-four: the same report" {
	small
	for n in 1 64; do
		rm -rf .lanewise
		tune --jobs $n >../again 2>../err || [ $? -eq 1 ]
		cmp ../whole ../again
		ninja -j$n tune >/dev/null
	done
}

@test "a build.ninja that a full disk left empty is nobody's" {
	small
	: >build.ninja
	again
	[ -s build.ninja ]
	[ ! -e lanewise.ninja ]
}
