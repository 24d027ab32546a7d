#!/bin/sh
# One file through clang-tidy; prints only what it finds:  tidy.sh FILE.c -- FLAG...
if ! command -v clang-tidy >/dev/null; then
	echo "tidy: skipped: no clang-tidy (Debian package 'clang-tidy'): $1"
	exit 0
fi
out=$(clang-tidy --quiet "$@" 2>&1) && exit 0
printf '%s\n' "$out" | grep -v ' warnings\{0,1\} generated\.$'
exit 1
