#!/bin/sh
# A file name means one thing in the whole tree: no two folders of src/ share a noun.
cd "${0%/*}/../.." || exit 2
find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort | awk -F/ '{
	noun = $NF
	sub(/\.[ch]$/, "", noun)
	if (noun in home && home[noun] != $2) {
		printf "%s:1: error: there is a %s in src/%s/ already\n", $0, noun, home[noun]
		n_bad++
	}
	if (!(noun in home))
		home[noun] = $2
}
END {
	if (n_bad)
		exit 1
	printf "names: ok (%d files)\n", NR
}'
