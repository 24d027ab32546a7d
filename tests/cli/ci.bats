#!/usr/bin/env bats
# lanewise ci, and the formats that CI services read.

bats_require_minimum_version 1.5.0
load lib

ci() {
	"$LANEWISE" ci --device h200 "$@"
}

# The gate and the model alone, in about a second; the root is the project.
small() {
	project reduce
	mkdir .git
	unset GITHUB_STEP_SUMMARY
	sed -i 's/\[32, 64, 128, 256\]/[32, 64]/; s/\[128, 256, 512\]/[128, 256]/' lanewise.json
}

@test "ci judges, checks and reports, and exits 0 when nothing is to fail" {
	small
	run ci
	[ "$status" -eq 0 ]
	[[ "$output" == *"CHAMPION"*"ESTIMATED"* ]]
	[[ "$output" == *"check: reduce_tuned.json is not there: nothing was applied yet"* ]]
	[[ "$output" == *"ci: 0 error 0 stale 0 failed 4 refused 0 caveat" ]]
	[ "$(ran gate)" -eq 2 ] && [ "$(ran bench)" -eq 0 ]
	"$LANEWISE" apply
	run ci
	[ "$status" -eq 0 ]
	[[ "$output" == *"check: reduce_tuned.json is current"* ]]
}

@test "--fail-on: what is named fails, and nothing else" {
	small
	run ci --fail-on refused
	[ "$status" -eq 1 ]
	[[ "$output" == *"4 refused (FAILS)"* ]]
	ci --fail-on caveat,error,failed,stale
	"$LANEWISE" apply
	echo '// an edit' >>reduce.cu
	run ci
	[ "$status" -eq 1 ]
	[[ "$output" == *"reduce_tuned.json is STALE"*"source reduce.cu"*"1 stale (FAILS)"* ]]
	ci --fail-on none
	ci --fail-on error,caveat
	# A specialization that does not compile is an error, and never a pass.
	printf '#if TILE == 128\n#error no\n#endif\n' >>reduce.cu
	run ci --fail-on error
	[ "$status" -eq 1 ]
	[[ "$output" == *"4 error (FAILS)"* ]]
	ci --fail-on refused,caveat || [ $? -eq 1 ]
	# A caveat: what waits depends on data.
	sed -i 's,if (t / 32 == 0) {,if (in[t] > 0.0f) {,; /#if TILE/,$d' reduce.cu
	run ci --fail-on caveat
	[[ "$output" == *" caveat (FAILS)"* ]] && [ "$status" -eq 1 ]
}

@test "no admissible candidate is 3, whatever fails" {
	small
	sed -i 's/\[32, 64\]/[64]/; s/"baseline".*//' lanewise.json
	run ci --fail-on none
	[ "$status" -eq 3 ]
	run ci --fail-on refused
	[ "$status" -eq 3 ]
}

@test "trouble is 2" {
	small
	for wrong in '--fail-on often' '--fail-on' '--format pdf' '--write x=y' '--write sarif=' 'a b'; do
		# shellcheck disable=SC2086
		run ci $wrong
		[ "$status" -eq 2 ]
	done
	run ci nowhere.json
	[ "$status" -eq 2 ]
	mkdir bin && ln -s /bin/false bin/ninja
	PATH=$PWD/bin:$PATH run ci
	[ "$status" -eq 2 ]
	ci >/dev/null
	"$LANEWISE" apply
	echo '{' >reduce_tuned.json
	run ci
	[ "$status" -eq 2 ]
	sed -i 's/"BLOCK"/"BLOK"/' lanewise.json
	run ci
	[ "$status" -eq 2 ]
}

@test "a warm cache is enough for a fresh checkout" {
	small
	ci >before
	mv .lanewise/cache kept
	rm -rf .lanewise build.ninja
	mkdir .lanewise && mv kept .lanewise/cache
	find . -name '*.cu' -exec touch {} +
	ci >after
	cmp before after
	[ "$(ran lower)" -eq 0 ] && [ "$(ran gate)" -eq 0 ] && [ "$(ran estimate)" -eq 0 ]
}

@test "github: nothing but commands, places below the root, and a summary" {
	small
	cd ..
	mv reduce/.git . && mv reduce 'a,b%:c'
	mv 'a,b%:c/reduce.cu' 'a,b%:c/k%,1.cu'
	sed -i 's/reduce\.cu/k%,1.cu/' 'a,b%:c/lanewise.json'
	echo 'before' >summary
	GITHUB_STEP_SUMMARY=$PWD/summary run --separate-stderr ci 'a,b%:c/lanewise.json' --format github --fail-on refused
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "::error file=a%2Cb%25%3Ac/k%25%2C1.cu,line=36,title=refused LW003 in reduce::"* ]]
	[ "$(head -1 summary)" = before ]
	grep -q '^## lanewise: failed (4 refused)' summary
	grep -q '`a,b%:c/k%,1.cu:36`' summary
	# A warning when it fails nothing; the same for a finished run.
	run ci 'a,b%:c/lanewise.json' --format github
	[[ "$output" == "::warning file="* ]]
	cd 'a,b%:c'
	run "$LANEWISE" report --format github --root .
	[[ "$output" == "::warning file=k%25%2C1.cu,"* ]]
	# What a tool says cannot be a command either.
	mkdir ../bin
	cat >../bin/ninja <<-'END'
		#!/bin/sh
		[ "$1" != --version ] || { echo 1.11.1; exit; }
		printf '::error::a\n50%%\n' >&2
		exit 1
	END
	chmod +x ../bin/ninja
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run --separate-stderr ci --format github
	[ "$status" -eq 2 ]
	[ "$output" = '::error title=lanewise::::error::a%0A50%25' ]
}

@test "files of every format in one run" {
	python
	small
	"$LANEWISE" graph --device h200 --quiet
	ci >/dev/null
	"$LANEWISE" apply >/dev/null
	echo '// edit' >>reduce.cu
	mkdir out
	run ci --fail-on refused,stale --format json --write sarif=out/a.sarif --write junit=out/a.xml \
		--write markdown=out/a.md --write text=out/a.txt --write github=out/a.commands
	[ "$status" -eq 1 ]
	echo "$output" | python3 -c 'import json, sys; assert json.load(sys.stdin)["schema"] == "lanewise/report.v1"'
	[ "$(grep -c '^::error ' out/a.commands)" -eq 2 ]
	grep -q '^ci: ' out/a.txt
	grep -q '^| `reduce` | `1M` | `BLOCK=32,TILE=256` | ~.* ESTIMATED |' out/a.md
	python3 - <<-'END'
		import json, xml.etree.ElementTree as ET
		run, = json.load(open("out/a.sarif"))["runs"]
		stale, refused = run["results"]
		assert stale["ruleId"] == "stale" and "ruleIndex" not in stale
		def at(r): return r["locations"][0]["physicalLocation"]
		assert at(stale) == {"artifactLocation": {"uri": "reduce_tuned.json"}}
		assert "source reduce.cu" in stale["message"]["text"]
		assert run["tool"]["driver"]["rules"][refused["ruleIndex"]]["id"] == refused["ruleId"]
		assert at(refused)["artifactLocation"]["uri"] == "reduce.cu"
		assert at(refused)["region"]["startLine"] == 36
		assert refused["level"] == stale["level"] == "error"
		assert refused["properties"]["candidates"] == ["BLOCK=64,TILE=128", "BLOCK=64,TILE=256"]
		top = ET.parse("out/a.xml").getroot()
		assert top.tag == "testsuites"
		for node in [top] + list(top):
		    cases = node.findall(".//testcase")
		    assert int(node.get("tests")) == len(cases)
		    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
		        assert int(node.get(count)) == len(node.findall(".//" + tag)), (node.attrib, tag)
		names = [(c.get("classname"), c.get("name")) for c in top.iter("testcase")]
		assert len(names) == len(set(names)) == 11, names
		failed = {c.get("name"): c.find("failure").get("message") for c in top.iter("testcase")
		          if c.find("failure") is not None}
		assert set(failed) == {"BLOCK=64,TILE=128", "BLOCK=64,TILE=256",
		                       "the applied choice is current"}, failed
		assert "LW003 at reduce.cu:36: " in failed["BLOCK=64,TILE=256"]
	END
	# What is only skipped does not fail a pipeline.
	ci --fail-on none --write junit=out/b.xml >/dev/null
	run ! grep -q '<failure' out/b.xml
	[ "$(grep -c '<skipped' out/b.xml)" -eq 5 ]
}

@test "no device is looked for: nothing is measured unless one is named" {
	small
	run "$LANEWISE" ci
	[ "$status" -eq 0 ]
	[[ "$output" == *"ESTIMATED"* ]]
	grep -q 'backend model' build.ninja
	echo '{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000"}' >sim.json
	sed -i 's/"kernels"/"device": "sim.json", &/' lanewise.json
	run "$LANEWISE" ci --fail-on none
	[[ "$output" == *"SIMULATED"* ]]
}

@test "ninja gate alone needs no GPU, and a refusal is no failed build" {
	small
	"$LANEWISE" graph --device h200 --quiet
	ninja gate
	grep -q '"verdict": "refused"' .lanewise/reduce/gate/TILE=128.verdict.json
	[ "$(ran compile)" -eq 0 ] && [ "$(ran estimate)" -eq 0 ]
	run ninja check
	[ "$status" -eq 1 ]
	sed -i 's/__syncthreads/__syncthread/' reduce.cu
	ninja gate
	grep -q '"verdict": "error"' .lanewise/reduce/gate/TILE=128.verdict.json
	rm reduce.cu
	run ninja gate
	[ "$status" -eq 1 ]
}
