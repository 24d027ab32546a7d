#!/usr/bin/env bats
# A remote cache: shared through nginx, or a server of the Bazel layout, and worthless or
# dangerous ones, which cost a note and no result.

bats_require_minimum_version 1.5.0
load lib
load server

# A small project that needs no compiler, and what it gives without any remote.
setup_file() {
	mkdir "$BATS_FILE_TMPDIR/k"
	cd "$BATS_FILE_TMPDIR/k" || exit 1
	unset LANEWISE_CACHE LANEWISE_REMOTE
	cp "$SRCDIR/tests/ptx/reduce_shared.sm_90.ptx" k.ptx
	cat >lanewise.json <<-'END'
		{ "schema": "lanewise/spec.v1", "kernels": { "k": {
		  "source": "k.ptx", "entry": "reduce_shared",
		  "params": { "BLOCK": { "values": [32, 64, 128, 256], "role": "launch" } },
		  "launch": { "block": ["BLOCK"], "grid": ["ceil_div(n, BLOCK)"], "shared": "4 * BLOCK" },
		  "sizes": { "1M": { "n": 1048576 }, "4M": { "n": 4194304 } },
		  "args": [ { "name": "in", "type": "f32*", "count": "n" },
		            { "name": "out", "type": "f32*", "count": "ceil_div(n, BLOCK)", "output": true },
		            { "name": "n", "type": "i32", "value": "n" } ] } } }
	END
	tune >/dev/null
	mkdir "$BATS_FILE_TMPDIR/plain"
	cp .lanewise/report.txt .lanewise/report.json "$BATS_FILE_TMPDIR/plain"
	rm -r .lanewise build.ninja
}

teardown() {
	unset LANEWISE_REMOTE
	stop_servers
}

# checkout NAME: a fresh one, entered.
checkout() {
	cp -r "$BATS_FILE_TMPDIR/k" "$BATS_TEST_TMPDIR/$1"
	cd "$BATS_TEST_TMPDIR/$1" || exit 1
}

# settings [MEMBER...]: a file of settings for $URL, which is then the remote.
settings() {
	local IFS=,
	export LANEWISE_REMOTE=$BATS_TEST_TMPDIR/remote.json
	echo "{ \"schema\": \"lanewise/remote.v1\", \"url\": \"$URL/lanewise\", \"timeout_s\": ${TIMEOUT:-20}, $* }" \
		>"$LANEWISE_REMOTE"
}

WRITE='"mode": "read-write"'
BAZEL='"layout": "bazel"'

# The reports are what they are without a remote.
same_results() {
	cmp "$BATS_FILE_TMPDIR/plain/report.txt" .lanewise/report.txt
	cmp "$BATS_FILE_TMPDIR/plain/report.json" .lanewise/report.json
}

# Exactly one note on the remote cache in what `run` printed.
one_note() {
	[ "$(grep -c "warning: remote cache" <<<"$output")" -eq 1 ] || { echo "$output"; return 1; }
	[[ "$output" == *"$1"* ]] || { echo "$output"; return 1; }
}

# Work that was done here and not recalled.
worked() {
	[ ! -f .lanewise/events.jsonl ] ||
		grep -E '"node": "(lower|gate|compile|estimate|rank)"' .lanewise/events.jsonl | grep -vc cached
}

# A server with everything in it, by a checkout of its own.
filled() {
	checkout first
	run tune
	[[ "$output" == *"stored in the remote cache: "* ]]
	cd ..
}

# The action result of a node's entry: its path is the SHA-256 of "lanewise NAME".
action_of() {
	local entry
	entry=$(grep -l "^node $1" first/.lanewise/cache/??/*)
	echo "srv/www/lanewise/ac/$(printf 'lanewise %s' "${entry##*/}" | sha256sum | cut -d' ' -f1)"
}

@test "nginx: what one checkout did, another one need not" {
	start_nginx "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	[ "$(find srv/www/lanewise/?? -type f | wc -l)" -eq "$(find first/.lanewise/cache/?? -type f | wc -l)" ]
	checkout second
	run tune
	[[ "$output" == *"entries from the remote cache)"* ]]
	[[ "$output" != *warning* ]]
	[[ "$output" != *"stored in"* ]]
	[ "$(ran lower)$(ran gate)$(ran compile)$(ran estimate)$(ran rank)" = 00000 ]
	same_results
	# The folder of the server is a cache, too.
	cd ..
	checkout third
	LANEWISE_REMOTE='' LANEWISE_CACHE=$BATS_TEST_TMPDIR/srv/www/lanewise tune >/dev/null
	[ "$(worked)" -eq 0 ]
}

@test "nginx: few connections for many entries" {
	start_nginx "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	checkout first
	sed -i "s/\[32, 64, 128, 256\]/[$(seq -s, 32 16 1024)]/" lanewise.json
	tune >/dev/null
	rm -r .lanewise
	: >../srv/access.log
	run "$LANEWISE" graph --backend model --device h200 --restore
	[[ "$output" == *"(130 entries from the remote cache)"* ]]
	[ "$(grep -c ' GET 200' ../srv/access.log)" -eq 130 ]
	[ "$(awk '$2 == "GET" { print $1 }' ../srv/access.log | sort -u | wc -l)" -le 64 ]
	ninja tune >/dev/null
	[ "$(ran estimate)" -eq 0 ]
}

@test "nginx: a server that takes fewer connections gets fewer" {
	CONNECTIONS=5 start_nginx "$BATS_TEST_TMPDIR/srv" "limit_rate 1500;"
	settings "$WRITE"
	checkout first
	tune >/dev/null
	run "$LANEWISE" cache verify --remote
	[ "$output" = "of 12 entries here the remote cache has 12 sound" ]
}

@test "a node that lacks something asks for itself, with plain ninja" {
	start_nginx "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	checkout second
	"$LANEWISE" graph --backend model --device h200 --quiet
	ninja -k0 report >/dev/null
	[ "$(grep -E '"node": "(lower|gate|compile)"' .lanewise/events.jsonl | grep -vc cached)" -eq 0 ]
	same_results
	# what plain ninja makes waits for a push
	sed -i 's/\[32, 64/[96, 32, 64/' lanewise.json
	ninja -k0 report >/dev/null
	run "$LANEWISE" cache stats
	[[ "$output" == *"remote $URL/lanewise (read and written)"*"entries wait to be stored there"* ]]
	[[ "$output" != *" 0 entries wait"* ]]
	run "$LANEWISE" cache push
	[ "$status" -eq 0 ]
	[[ "$output" == "stored in the remote cache: "* ]]
	[[ "$("$LANEWISE" cache stats)" == *" 0 entries wait"* ]]
	run "$LANEWISE" cache push
	[[ "${lines[0]}" == "stored in the remote cache: 0 entries" ]]
	[[ "${lines[1]}" == "none waited; '--all' asks about all "*" that are here" ]]
	run "$LANEWISE" cache push --all
	[[ "$output" == "stored in the remote cache: 0 entries, "*" were there" ]]
	run "$LANEWISE" cache verify --remote
	[ "$status" -eq 0 ]
	[[ "$output" == "of "*" entries here the remote cache has "*" sound" ]]
}

@test "a URL alone is read and never written" {
	start_server "$BATS_TEST_TMPDIR/srv"
	export LANEWISE_REMOTE=$URL/lanewise
	checkout first
	run tune
	[[ "$output" != *"remote"* ]]
	run -1 grep -q PUT ../srv/requests
	run "$LANEWISE" cache push
	[ "$status" -eq 2 ]
	[[ "$output" == *"only read"*read-write* ]]
	run "$LANEWISE" cache why .lanewise/k/ptx/_.ptx
	rm -r .lanewise/cache/??
	run "$LANEWISE" cache why "$(ls .lanewise/k/ptx/*.ptx)"
	[[ "$output" == *"the remote cache has it not either"* ]]
}

@test "Bazel layout: blobs have their names, action results name blobs" {
	start_server "$BATS_TEST_TMPDIR/srv" bazel
	settings "$WRITE" "$BAZEL"
	filled
	[ "$(cd srv/www/lanewise && echo *)" = "ac cas" ]
	[ "$(find srv/www/lanewise/ac -type f | wc -l)" -eq "$(find first/.lanewise/cache/?? -type f | wc -l)" ]
	checkout second
	run tune
	[[ "$output" == *"entries from the remote cache)"* ]]
	[ "$(worked)" -eq 0 ]
	same_results
	run "$LANEWISE" doctor
	[[ "$output" == *"ok  remote    read and written, Bazel layout"* ]]
	# a blob that was changed, an action result that was, and one whose blob is gone
	cd ..
	printf x >>"$(grep -l '^node lower' srv/www/lanewise/cas/*)"
	printf x >"$(action_of gate)"
	rm "$(grep -l '^node compile' srv/www/lanewise/cas/*)"
	checkout third
	run tune
	one_note "no use of"
	[[ "$output" == *"stored in the remote cache: 3 entries"* ]]
	same_results
	cd ..
	checkout fourth
	run tune
	[[ "$output" != *warning* ]]
	[ "$(worked)" -eq 0 ]
}

@test "a token is sent, and found nowhere else" {
	start_server "$BATS_TEST_TMPDIR/srv" token=s3cret-t0ken
	settings "$WRITE" '"token_env": "CACHE_TOKEN"'
	export CACHE_TOKEN=s3cret-t0ken
	filled
	[ -d srv/www/lanewise ]
	unset CACHE_TOKEN
	checkout second
	run tune
	one_note "it does not let us in (HTTP 401): the variable 'CACHE_TOKEN' is not set"
	same_results
	cd ..
	echo s3cret-t0ken >token
	settings '"token_file": "token"'
	checkout third
	run tune
	[[ "$output" == *"entries from the remote cache)"* ]]
	run "$LANEWISE" doctor
	[[ "$output" == *"ok  remote    only read, with a token"* ]]
	echo wrong >../token
	run "$LANEWISE" doctor
	[[ "$output" == *"-   remote "*"it does not let us in (HTTP 401)"* ]]
	[[ "$output" != *wrong* ]]
	! grep -rqs s3cret "$BATS_TEST_TMPDIR"/{first,second,third,srv/www}
}

@test "a dead server costs one note" {
	URL=http://127.0.0.1:$(free_port)
	settings "$WRITE"
	checkout first
	run tune
	[ "$status" -le 1 ]
	one_note "the work is done here"
	same_results
	# and what was made waits
	[[ "$("$LANEWISE" cache stats)" == *"entries wait"* ]]
	run "$LANEWISE" cache push
	[ "$status" -eq 1 ]
	one_note "remote cache"
	[[ "$output" == *"wait for 'lanewise cache push'"* ]]
	run "$LANEWISE" doctor
	[ "$status" -eq 0 ]
	[[ "$output" == *"-   remote "* ]]
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	run "$LANEWISE" cache push
	[ "$status" -eq 0 ]
	[ "$(find ../srv/www -type f | wc -l)" -eq "$(find .lanewise/cache/?? -type f | wc -l)" ]
}

@test "with plain ninja a dead server costs one note, too" {
	URL=http://127.0.0.1:$(free_port)
	settings "$WRITE"
	checkout first
	"$LANEWISE" graph --backend model --device h200 --quiet
	run ninja -k0 report
	one_note "the work is done here"
	same_results
}

# misbehaves NOTE MODE...: same results, and one note that says so.
misbehaves() {
	local note=$1
	shift
	start_server "$BATS_TEST_TMPDIR/srv" "$@"
	settings "$WRITE"
	rm -rf "$BATS_TEST_TMPDIR/next"
	checkout next
	run tune
	[ "$status" -le 1 ]
	one_note "$note" || { echo "of $*"; return 1; }
	same_results
	cd ..
	stop_server "$BATS_TEST_TMPDIR/srv"
}

@test "garbage, other entries and pages cost one note" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	stop_server "$BATS_TEST_TMPDIR/srv"
	misbehaves "its bytes are not those that were stored" garbage
	misbehaves "it is another entry" other
	misbehaves "its bytes are not those that were stored" html
}

@test "truncated and endless answers cost one note" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	stop_server "$BATS_TEST_TMPDIR/srv"
	misbehaves "the work is done here" truncated
	misbehaves "too large" endless
	misbehaves "the work is done here" headers
}

@test "large answers wait for each other" {
	checkout a
	tune >/dev/null
	start_server "$BATS_TEST_TMPDIR/srv" large
	settings "$WRITE"
	run "$LANEWISE" cache verify --remote
	[[ "$output" == *"of 12 entries here the remote cache has 0 sound"* ]]
	[ "$(grep -c "the remote's is damaged" <<<"$output")" -eq 12 ]
}

@test "a redirect is not followed" {
	misbehaves "it redirects (HTTP 302)" redirect
}

@test "slow and silent servers cost one note" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	stop_server "$BATS_TEST_TMPDIR/srv"
	TIMEOUT=1
	misbehaves "the work is done here" slow
	misbehaves "the work is done here" silent
}

@test "a full server costs one note, and is read" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	stop_server "$BATS_TEST_TMPDIR/srv"
	rm "$(grep -l '^node rank' srv/www/lanewise/??/*)"
	start_server "$BATS_TEST_TMPDIR/srv" full
	settings "$WRITE"
	checkout second
	run tune
	one_note "it is full (HTTP 507); nothing more is stored there"
	[[ "$output" == *"entries from the remote cache)"*"wait for 'lanewise cache push'"* ]]
	same_results
}

@test "a server that is killed midway costs one note" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	stop_server "$BATS_TEST_TMPDIR/srv"
	for n in 1 5 9; do
		misbehaves "remote cache" die=$n
	done
}

@test "what passes is tried again" {
	start_server "$BATS_TEST_TMPDIR/srv" flaky
	settings "$WRITE"
	filled
	checkout second
	run tune
	[[ "$output" != *warning* ]]
	same_results
}

@test "an entry that is damaged in the remote is replaced" {
	start_server "$BATS_TEST_TMPDIR/srv"
	settings "$WRITE"
	filled
	entry=$(grep -l '^node gate' "$PWD"/srv/www/lanewise/??/* | head -1)
	cp "$entry" good
	printf x >>"$entry"
	checkout second
	run "$LANEWISE" graph --backend model --device h200 --restore
	one_note "no use of '${entry##*/}'"
	cd ../first
	run "$LANEWISE" cache verify --remote
	[ "$status" -eq 1 ]
	[[ "$output" == *"${entry##*/}: the remote's is damaged"* ]]
	cd ../second
	run tune
	[[ "$output" == *"stored in the remote cache: "* ]]
	same_results
	cmp "$entry" ../good
	run "$LANEWISE" cache verify --remote
	[ "$status" -eq 0 ]
}

@test "TLS: a certificate that nobody vouches for is refused" {
	command -v openssl >/dev/null || skip "no openssl to make a certificate with"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
		-subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
	start_nginx "$BATS_TEST_TMPDIR/srv" "ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem;" ssl
	URL=${URL/http:\/\/127.0.0.1/https:\/\/localhost}
	settings "$WRITE"
	checkout first
	run tune
	one_note "certificate"
	same_results
	[ -z "$(find ../srv/www -type f)" ]
	cd ..
	settings "$WRITE" "\"ca_file\": \"$PWD/cert.pem\""
	rm -r first
	filled
	# and the name counts
	URL=${URL/localhost/127.0.0.1}
	settings "$WRITE" "\"ca_file\": \"$PWD/cert.pem\""
	checkout second
	run tune
	one_note "remote cache"
	same_results
}

@test "settings that are wrong are an error, before anything runs" {
	checkout first
	echo '{ "schema": "lanewise/remote.v1", "url": "https://x.example", "layouts": "bazel" }' >r.json
	LANEWISE_REMOTE=r.json run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"r.json:1:"*": error: unknown key 'layouts' (did you mean 'layout'?)"* ]]
	LANEWISE_REMOTE=https://me:pw@x.example run tune
	[ "$status" -eq 2 ]
	[[ "$output" == *"no password"* ]]
	[[ "$output" != *":pw"* ]]
	[ ! -e .lanewise ]
}

@test "doctor says that none is named" {
	run "$LANEWISE" doctor
	[[ "$output" == *"-   remote "*"LANEWISE_REMOTE"* ]]
}
