#!/bin/sh
# -D__GNUC__: or cppcheck does not see that die() never returns.
# readdirCalled asks for readdir_r, which POSIX has withdrawn.
cd "${0%/*}/../.." || exit 2
if ! command -v cppcheck >/dev/null; then
	echo "cppcheck: skipped: not installed (Debian package 'cppcheck')"
	exit 0
fi
cppcheck --std=c11 --library=posix --enable=warning,performance,portability \
	--error-exitcode=1 -q -j "$(nproc)" --inline-suppr --suppress=readdirCalled --template=gcc -D__GNUC__ \
	-DLANEWISE_VERSION='""' -Isrc src || exit 1
echo 'cppcheck: ok'
