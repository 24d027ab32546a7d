#!/bin/sh
# docs/reference/cli.md holds the synopsis of every sub-command as --help prints it: the
# lines from 'usage:' to the first empty line, where differences in spaces do not count.
cd "${0%/*}/../.." || exit 2
doc=docs/reference/cli.md
if [ ! -f "$doc" ]; then
	echo "help: skipped: no $doc yet"
	exit 0
fi
bad=0 n=0
squeeze() { tr -s ' \t' '  ' | sed 's/^ //; s/ $//'; }
known=$(squeeze <"$doc")
for f in '' src/cmd/cmd_*.c; do
	name=$(basename "$f" .c)
	name=$(echo "${name#cmd_}" | tr _ -)
	# shellcheck disable=SC2086
	usage=$("${LANEWISE:?}" $name --help 2>&1) || {
		echo "${f:-src/cmd/main.c}:1: error: 'lanewise $name --help' exits with $?"
		bad=1
	}
	lines=$(printf '%s\n' "$usage" | sed -n '/^usage:/,/^$/p' | squeeze | grep .)
	[ -n "$lines" ] || { echo "${f:-src/cmd/main.c}:1: error: 'lanewise $name --help' prints no 'usage:'" && bad=1; }
	missing=$(printf '%s\n' "$lines" | while IFS= read -r line; do
		printf '%s\n' "$known" | grep -qxF -e "$line" -e "${line#usage: }" || echo "$line"
	done)
	if [ -n "$missing" ]; then
		printf '%s\n' "$missing" | sed "s|^|$doc:1: error: no line: |"
		bad=1
	fi
	n=$((n + 1))
done
[ $bad = 0 ] && echo "help: ok ($n synopses)"
exit $bad
