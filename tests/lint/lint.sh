#!/bin/sh
# Runs every check of the source text but clang-tidy; each prints 'NAME: ok (...)',
# 'NAME: skipped: why', or its findings as FILE:LINE: error: what to do.
#
#     LANEWISE=build/lanewise SRCDIR=. tests/lint/lint.sh
set -u
LANEWISE=$(realpath -m -- "${LANEWISE:?}")
export LANEWISE
here=$(cd "${0%/*}" && pwd)
bad=0
for check in floors names packages banned length fmt cppcheck scripts help; do
	"$here/$check.sh" || bad=1
done
exit $bad
