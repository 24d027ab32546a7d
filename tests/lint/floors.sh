#!/bin/sh
# Every #include "FOLDER/NOUN.h" in src/ names the file's own folder or a lower floor of
# src/FLOORS, and every folder of src/ is on a floor.
cd "${0%/*}/../.." || exit 2
# shellcheck disable=SC2016
find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort | xargs -r awk '
function bad(what) { printf "%s:%d: error: %s\n", FILENAME, FNR, what; n_bad++ }
BEGIN {
	while ((getline line < "src/FLOORS") > 0) {
		sub(/#.*/, "", line)
		n = split(line, folders, " ")
		if (n)
			level++
		for (i = 1; i <= n; i++)
			floor[folders[i]] = level
	}
}
FNR == 1 {
	n_files++
	n = split(FILENAME, part, "/")
	own = part[2]
	if (n != 3)
		bad("src/ has one level of folders")
	if (!(own in floor))
		bad("folder \047" own "\047 is not in src/FLOORS")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	if (split(quoted[2], part, "/") != 2)
		bad("include \"" quoted[2] "\" as \"folder/" part[1] "\"")
	else if (!(part[1] in floor))
		bad("include of \047" part[1] "/\047, which is not in src/FLOORS")
	else if (part[1] != own && floor[part[1]] >= floor[own])
		bad("\047" own "/\047 must not include \047" part[1] "/\047: not a lower floor (src/FLOORS)")
}
END {
	if (n_bad)
		exit 1
	printf "floors: ok (%d files)\n", n_files
}'
