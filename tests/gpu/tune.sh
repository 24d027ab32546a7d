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
	sed -n 's/^ *"status": "\(.*\)",$/\1/p' ".lanewise/twice/bench/WAY=$1@100k.json" | head -1
}

# --- every way to fail ends in a status, and the run in a champion
cp -r "$here/tests/gpu/failures" . && cd failures || exit 2
timeout 120 "$LANEWISE" tune --no-progress >out.txt 2>err.txt
expect "failures: exit status 0" test $? -eq 0
cat out.txt
expect "failures: the champion is the right and fast way" grep -A1 'CHAMPION WAY=0' out.txt
expect "failures: measured" grep -q 'times *MEASURED' out.txt
expect "failures: does not compile, at its line" grep -q 'twice.cu:5' out.txt
expect "failures: wrong" test "$(status_of 3)" = wrong
expect "failures: never ends" test "$(status_of 4)" = hung
expect "failures: out of bounds" test "$(status_of 5)" = crashed
expect "failures: unwritten" test "$(status_of 7)" = wrong
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
