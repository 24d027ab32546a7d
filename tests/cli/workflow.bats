#!/usr/bin/env bats
# The templates for CI services, run step by step on this machine (tests/workflow/run.py).

bats_require_minimum_version 1.5.0
load lib

runner() {
	python
	python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml to read workflows with"
}

# A repository with a small project in a folder of its own, and fresh checkouts of it.
repository() {
	mkdir -p repo/.git && cd repo
	project reduce
	sed -i 's/\[32, 64, 128, 256\]/[32, 64]/; s/\[128, 256, 512\]/[128, 256]/' lanewise.json
	cd "$BATS_TEST_TMPDIR"
}

checkout() {
	cd "$BATS_TEST_TMPDIR"
	rm -rf work && cp -a repo work
	find work -type f -exec touch {} +
}

github() {
	checkout
	python3 "$SRCDIR/tests/workflow/run.py" github "$SRCDIR/templates/github/lanewise.yml" \
		--action "${action:-$SRCDIR/templates/action/action.yml}" --workspace work --store store \
		--input "lanewise=${program-$LANEWISE}" --input spec=reduce/lanewise.json "$@"
}

did() { # did KIND: how many nodes of the last run
	cat work/reduce/.lanewise/events.jsonl 2>/dev/null | grep -c "\"node\": \"$1\"" || true
}

@test "github: a pull request is annotated, and the cache makes the second run free" {
	runner
	repository
	run github
	[ "$status" -eq 0 ]
	[[ "$output" == *"runner: skipped: Build lanewise"*"runner: cache: none"* ]]
	[[ "$output" == *"::warning file=reduce/reduce.cu,line=36,title=refused LW003 in reduce::"* ]]
	[[ "$output" == *"runner: cache: saved lanewise-Linux-"*"runner: uploaded SARIF"* ]]
	grep -q '^## lanewise: passed (4 refused)' store/summary.md
	[ "$(did lower)" -eq 2 ]
	run github
	[ "$status" -eq 0 ]
	[[ "$output" == *"runner: cache: restored lanewise-Linux-"*"runner: skipped: Save the cache"* ]]
	[ "$(did lower)" -eq 0 ] && [ "$(did gate)" -eq 0 ]
}

@test "github: what --fail-on names fails the job, and is uploaded still" {
	runner
	repository
	run github --input fail-on=refused
	[ "$status" -eq 1 ]
	[[ "$output" == *"::error file=reduce/reduce.cu"*"cache: saved"*"failed with 1: Pass or fail"*"uploaded SARIF"* ]]
	# A stale choice, by the default.
	cd work/reduce
	"$LANEWISE" apply
	cd ../..
	cp work/reduce/reduce_tuned.* repo/reduce/
	github
	echo '// edit' >>repo/reduce/reduce.cu
	run github
	[ "$status" -eq 1 ]
	[[ "$output" == *"::error file=reduce/reduce_tuned.json,title=stale stale in reduce::"* ]]
	run github --input fail-on=none
	[ "$status" -eq 0 ]
	# Trouble leaves no old results to upload.
	echo '{' >repo/reduce/lanewise.json
	run github --input results=reduce
	[ "$status" -eq 1 ]
	[[ "$output" == *"failed with 2: Pass or fail"*"skipped: github/codeql-action/upload-sarif"* ]]
}

@test "github: inputs are text, not script" {
	runner
	repository
	mv repo/reduce 'repo/$(touch owned) "x'
	run github --input 'spec=$(touch owned) "x/lanewise.json' --input 'fail-on=none; touch owned'
	[ "$status" -eq 1 ]
	[[ "$output" == *"failed with 2"* ]] || { echo "$output"; false; }
	run github --input 'spec=$(touch owned) "x/lanewise.json' --input 'results=a b$(touch owned)'
	[ "$status" -eq 0 ]
	[ -f 'work/a b$(touch owned)/lanewise.sarif' ]
	[ -z "$(find . -name owned)" ]
}

@test "github: without a program it is built from where the action is" {
	runner
	repository
	mkdir -p tool/templates/action
	cp "$SRCDIR/templates/action/action.yml" tool/templates/action/
	cat >tool/configure <<-END
		#!/bin/sh
		[ "\$1" = --deps ] || exit 1
		printf 'all:\n\ninstall:\n\tinstall -D %s %s/bin/lanewise\n' "$LANEWISE" "\${2#--prefix=}" >Makefile
	END
	chmod +x tool/configure
	action=tool/templates/action/action.yml program='' run github
	[ "$status" -eq 0 ]
	[[ "$output" == *"runner: step: Build lanewise"*"::warning file=reduce/reduce.cu"* ]]
}

@test "gitlab: the job keeps its cache and its reports" {
	runner
	repository
	mkdir bin && ln -s "$LANEWISE" bin/lanewise
	for round in cold warm; do
		checkout
		PATH=$PWD/bin:$PATH run python3 "$SRCDIR/tests/workflow/run.py" gitlab \
			"$SRCDIR/templates/gitlab/lanewise.yml" --workspace work --store store \
			--variable LANEWISE_SPEC=reduce/lanewise.json --variable LANEWISE_FAIL_ON=refused
		[ "$status" -eq 1 ]
		[[ "$output" == *"artifact: lanewise.sarif"*"artifact: lanewise.xml"* ]]
		[ "$(grep -c '<failure type="refused"' store/lanewise.xml)" -eq 4 ]
		[ "$round" = cold ] || { [[ "$output" == *"cache: restored"* ]] && [ "$(did gate)" -eq 0 ]; }
	done
}

@test "the how-to shows the files that were run" {
	for f in github/lanewise.yml gitlab/lanewise.yml; do
		awk -v f="$f" '$0 == "```" { on = 0 } on { print } $0 == "```yaml" && last ~ f { on = 1 }
			NF { last = $0 }' "$SRCDIR/docs/how-to/ci.md" | diff - "$SRCDIR/templates/$f"
	done
}
