#!/bin/sh
# The sources are as clang-format 14 would write them.  --fix: write them so.
# Other versions differ in small ways, so they are not asked to judge.
cd "${0%/*}/../.." || exit 2
tool=$(command -v clang-format-14 || command -v clang-format)
if [ -z "$tool" ]; then
	echo "fmt: skipped: no clang-format (Debian package 'clang-format')"
	exit 0
fi
version=$("$tool" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
	echo "fmt: skipped: the tree is formatted by clang-format 14, this is $version"
	exit 0
fi
files=$(find src build-aux tests -name '*.[ch]' ! -path '*/golden/*' ! -path '*/corpus/*' ! -path '*/fixtures/*' | LC_ALL=C sort)
if [ "${1-}" = --fix ]; then set -- -i; else set -- --dry-run -Werror; fi
# shellcheck disable=SC2086
"$tool" "$@" --style=file $files || {
	echo "fmt: error: run 'make fmt'" >&2
	exit 1
}
echo "fmt: ok ($(echo "$files" | wc -l) files)"
