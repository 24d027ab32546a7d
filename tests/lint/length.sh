#!/bin/sh
# A file is split at 600 lines; the PTX parser may reach 900. (Functions: clang-tidy.)
cd "${0%/*}/../.." || exit 2
find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort | xargs -r awk '
function check() {
	limit = last ~ /^src\/ptx\// ? 900 : 600
	if (lines > limit) {
		printf "%s:%d: error: %d lines; split it (limit %d)\n", last, limit + 1, lines, limit
		n_bad++
	}
}
FNR == 1 { if (last) check(); last = FILENAME; n_files++ }
{ lines = FNR }
END {
	if (last)
		check()
	if (n_bad)
		exit 1
	printf "length: ok (%d files)\n", n_files
}'
