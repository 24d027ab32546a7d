#!/bin/sh
# One package, one file; and no vendor header at all: those libraries are loaded at run time.
cd "${0%/*}/../.." || exit 2
bad=0

# only HEADER-PATTERN FILE WHY: FILE ('' for none) alone may include it.
only() {
	found=$(grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($1)[>\"]" src |
		grep -v "^${2:-nothing}:")
	[ -n "$found" ] || return 0
	printf '%s\n' "$found" | sed "s|^\\([^:]*:[0-9]*\\):.*|\\1: error: $3|"
	bad=1
}
only '(cjson/)?cJSON\.h' src/format/json.c 'only src/format/json.c sees cJSON; use format/json.h'
only '(xxhash|xxh3)\.h' src/base/hash.c 'only src/base/hash.c sees xxHash; use base/hash.h'
only 'curl/.*' src/cache/http.c 'only src/cache/http.c sees libcurl; use cache/http.h'
only '(cuda|cuda_runtime|cuda_runtime_api|nvrtc|nvml|CL/.*)\.h' '' 'vendor libraries are loaded at run time; declare what you need'
[ $bad = 0 ] && echo 'packages: ok'
exit $bad
