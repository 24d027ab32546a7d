#!/bin/sh
# Functions that no file may call. base/banned.h makes most of them compile errors; this
# finds them in files that forgot to include it.
cd "${0%/*}/../.." || exit 2
# shellcheck disable=SC2016
find src -mindepth 2 -name '*.[ch]' ! -name banned.h | LC_ALL=C sort | xargs -r awk '
BEGIN {
	names = "gets strcpy strcat strncpy strncat strtok sprintf vsprintf atoi atol atof " \
		"system popen rand srand gmtime localtime ctime asctime mktemp tmpnam setlocale"
	gsub(/ /, "|", names)
	call = "(^|[^A-Za-z0-9_.>])(" names ")[ \t]*\\("
}
FNR == 1 { n_files++; in_comment = 0 }
{
	line = $0
	gsub(/\\./, "", line)
	gsub(/"[^"]*"/, "\"\"", line)
	if (in_comment) {
		if (!match(line, /\*\//))
			next
		line = substr(line, RSTART + 2)
		in_comment = 0
	}
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
	sub(/\/\/.*/, "", line)
	if (match(line, /\/\*/)) {
		line = substr(line, 1, RSTART - 1)
		in_comment = 1
	}
	if (match(line, call)) {
		name = substr(line, RSTART, RLENGTH)
		gsub(/[^A-Za-z0-9_]/, "", name)
		printf "%s:%d: error: %s() is banned\n", FILENAME, FNR, name
		n_bad++
	}
}
END {
	if (n_bad)
		exit 1
	printf "banned: ok (%d files)\n", n_files
}'
