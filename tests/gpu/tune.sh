#!/bin/bash
# `lanewise tune` from spec to report on the GPU of this machine: the examples, and a kernel
# that fails in every way. Needs ninja and one of the CUDA toolchains.
set -u
LANEWISE=${LANEWISE:?} here=${SRCDIR:?}
if [ ! -e /dev/nvidia0 ] && [ ! -e /dev/dxg ]; then
	echo "no GPU here"
	exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 2
passed=0 failed=0

expect() { # expect NAME COMMAND...
	local name=$1
	shift
	if "$@" >/dev/null 2>&1; then
		passed=$((passed + 1)) && echo "ok    $name"
	else
		failed=$((failed + 1)) && echo "FAIL  $name: $*"
	fi
}

status_of() { # of one way, from its result
	sed -n 's/^ *"status": "\(.*\)",$/\1/p' ".lanewise/twice/bench/WAY=$1,BLOCK=256,ITEMS=1@100k.json" | head -1
}

# --- every way to fail ends in a status, and fifty healthy candidates in a champion
cp -r "$here/tests/gpu/failures" . && cd failures || exit 2
timeout 180 "$LANEWISE" tune --no-progress >out.txt 2>err.txt
expect "failures: exit status 0" test $? -eq 0
cat out.txt
expect "failures: the champion is a right and fast way" grep -A1 'CHAMPION WAY=0' out.txt
expect "failures: measured" grep -q 'times *MEASURED' out.txt
expect "failures: the fifty healthy ones are" \
	test "$(grep -l '"status": "ok"' .lanewise/twice/bench/WAY=0,*.json | wc -l)" = 50
expect "failures: does not compile, at its line" grep -q 'twice.cu:3' out.txt
while read -r way status what; do
	expect "failures: $what" test "$(status_of "$way")" = "$status"
done <<'END'
3 wrong wrong at the last element
4 hung never ends
5 crashed far out of bounds
7 wrong unwritten
8 wrong an element out of bounds
9 crashed a megabyte out of bounds
10 crashed traps
11 crashed fails an assertion
12 wrong differs from run to run
13 wrong reads what it never wrote
END
expect "failures: more memory than there is" \
	grep -q '"status": "out-of-memory"' .lanewise/hungry/bench/*ASKS=200000000000@100k.json
expect "failures: nothing to do again" sh -c 'ninja tune | grep -q "no work to do\|hung"'
cd ..

# --- reduce: three safe candidates, and what the refused ones would gain
cp -r "$here/examples/reduce" . && cd reduce || exit 2
"$LANEWISE" tune --no-progress >out.txt 2>err.txt
expect "reduce: exit status 0" test $? -eq 0
expect "reduce: verified by the oracle" grep -q 'outputs verified by oracle' out.txt
expect "reduce: 8 refused" grep -q '8 refused' out.txt
expect "reduce: again, nothing to do" sh -c 'ninja tune | grep -q "no work to do"'
"$LANEWISE" tune --no-progress --allow-unsafe --reason "a test" >unsafe.txt 2>err.txt
expect "reduce: a refused one is faster: exit status 1" test $? -eq 1
cat unsafe.txt
expect "reduce: the reason is printed" grep -q 'a test' unsafe.txt
expect "reduce: and what they gain" grep -q 'MEASURED .*the champion' unsafe.txt
"$LANEWISE" tune --no-progress >safe.txt 2>err.txt
expect "reduce: without it nothing unsafe is told" sh -c '! grep -q "a test" safe.txt'
rm -rf build.ninja .lanewise/reduce .lanewise/.ninja*
"$LANEWISE" tune --no-progress >cached.txt 2>err.txt
expect "reduce: replayed from the cache, and said so" grep -qi 'cached' cached.txt
"$LANEWISE" tune --no-progress --remeasure >new.txt 2>err.txt
expect "reduce: measured again on demand" sh -c '! grep -qi cached new.txt'
cd ..

# --- the other examples, against their oracles
for e in reduce-stable stencil; do
	cp -r "$here/examples/$e" . && cd "$e" || exit 2
	"$LANEWISE" tune --no-progress >out.txt 2>err.txt
	expect "$e: exit status 0" test $? -eq 0
	expect "$e: every ranked output verified" sh -c '! grep -q "not verified" out.txt'
	cat out.txt err.txt
	cd ..
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
