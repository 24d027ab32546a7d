#!/bin/sh
# Shell scripts pass shellcheck and are executable.
cd "${0%/*}/../.." || exit 2
files=$({ echo configure .ci/run | tr ' ' '\n'
	find build-aux tests docs -type f ! -path '*/golden/*' ! -path '*/corpus/*' -exec \
		awk 'FNR == 1 && /^#!.*[ \/](ba)?sh$/ { print FILENAME } { nextfile }' {} +; } |
	LC_ALL=C sort -u)
bad=0
for f in $files; do
	[ -x "$f" ] || { echo "$f:1: error: not executable" && bad=1; }
done
if ! command -v shellcheck >/dev/null; then
	echo "scripts: skipped: no shellcheck (Debian package 'shellcheck')"
	exit $bad
fi
# shellcheck disable=SC2086
shellcheck -S warning -f gcc $files || bad=1
# '!' before a command fails a test of bats in its last line alone.
find tests -name '*.bats' -exec shellcheck -s bats -S error -i SC2314,SC2315 -f gcc {} + || bad=1
[ $bad = 0 ] && echo "scripts: ok ($(echo "$files" | wc -l) files)"
exit $bad
