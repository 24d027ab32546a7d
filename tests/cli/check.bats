#!/usr/bin/env bats
# One launch of one PTX file, judged by itself.

bats_require_minimum_version 1.5.0
load lib

ptx() {
	cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [k_param_1];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra SKIP;
	bar.sync 0;
SKIP:
	ret;
}
END
}

@test "one argument decides" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=64
	[ "$status" -eq 0 ]
	[[ "$output" == "clean: k,"* ]]
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=10
	[ "$status" -eq 1 ]
	[[ "$output" == "refused: k,"* ]]
}

@test "what is not known is named where it leaves a caveat" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 0=ptr
	[ "$status" -eq 3 ]
	[[ "$output" == *"not known: argument 1;"* ]]
}

@test "a name that PTX does not have is told its position" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg n=10
	[ "$status" -eq 2 ]
	[[ "$output" == *"PTX does not keep their names; it has 2, so write 0=VALUE"* ]]
}

@test "a file that is not there is named with the reason" {
	run "$LANEWISE" check none.ptx --block 64 --grid 1
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read 'none.ptx': No such file"* ]]
}

@test "bytes are as many as the parameter has" {
	ptx
	run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg 1=bytes:40000000
	[ "$status" -eq 0 ]
	for hex in '' 40 4000000000; do
		run "$LANEWISE" check k.ptx --block 64 --grid 1 --arg "1=bytes:$hex"
		[ "$status" -eq 2 ]
		[[ "$output" == *"bytes for a parameter of 4"* ]]
	done
}

@test "a cubin is told from PTX" {
	printf '\177ELF\2\1\1' >k.cubin
	run "$LANEWISE" check k.cubin --block 64 --grid 1
	[ "$status" -eq 2 ]
	[[ "$output" == *"ELF file (a cubin?)"* ]]
}

@test "several blocks, with one grid for all or one each" {
	ptx
	run "$LANEWISE" check k.ptx -b 32 -b 64 -b 16,2 -g 4 -a 1=32
	[ "$status" -eq 1 ]
	[[ "$output" == *"clean: k, block 32,1,1, grid 4,1,1"* ]]
	[[ "$output" == *"refused: k, block 64,1,1, grid 4,1,1"* ]]
	[[ "$output" == *"clean: k, block 16,2,1, grid 4,1,1"* ]]
	[ "${lines[-1]}" = "3 launches: 2 clean, 1 refused" ]
	run "$LANEWISE" check k.ptx -b 32 -g 4 -b 16 -g 8 -a 1=32
	[ "$status" -eq 0 ]
	[[ "$output" == *"block 32,1,1, grid 4,1,1"*"block 16,1,1, grid 8,1,1"* ]]
	run "$LANEWISE" check k.ptx -b 32 -g 4 -b 16 -g 8 -b 8 -a 1=32
	[ "$status" -eq 2 ]
	[[ "$output" == *"2 --grid for 3 --block"* ]]
}

@test "the worst verdict is the exit status" {
	ptx
	run "$LANEWISE" check k.ptx -b 32 -b 16 -g 1
	[ "$status" -eq 3 ]
	# Known to be too big, and not known to be safe.
	run "$LANEWISE" check k.ptx -b 32 -b 2048 -g 1
	[ "$status" -eq 1 ]
}

@test "one verdict, or a list of them, as JSON" {
	python
	ptx
	run "$LANEWISE" check k.ptx -b 64 -g 1 -a 1=10 --json
	[ "$status" -eq 1 ]
	echo "$output" | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["schema"] == "lanewise/verdict.v1" and j["verdict"] == "refused"'
	run "$LANEWISE" check k.ptx -b 64 -b 8 -g 1 -a 1=10 --json
	[ "$status" -eq 1 ]
	echo "$output" | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["schema"] == "lanewise/verdicts.v1" and j["entry"] == "k"
assert [v["verdict"] for v in j["verdicts"]] == ["refused", "clean"]
assert [v["launch"] for v in j["verdicts"]] == ["64,1,1/1,1,1/1,1,1/0", "8,1,1/1,1,1/1,1,1/0"]'
}

@test "a name of the PTX, and unknown again" {
	ptx
	run "$LANEWISE" check k.ptx -b 64 -g 1 --arg k_param_1=64
	[ "$status" -eq 0 ]
	run "$LANEWISE" check k.ptx -b 64 -g 1 --arg k_param_1=64 --arg 1=unknown
	[ "$status" -eq 3 ]
}

@test "values that do not fit are refused with the reason" {
	ptx
	said() {
		run "$LANEWISE" check k.ptx -b 64 -g 1 --arg "$1"
		[ "$status" -eq 2 ]
		[[ "$output" == *"$2"* ]] || { echo "$output"; return 1; }
	}
	said 1=4294967296 'does not fit in 32 bits'
	said 1=-2147483649 'does not fit in 32 bits'
	said 1=1.5 'the parameter is an integer (.u32)'
	said 1=ten "'ten' is no number"
	said 1= "'' is no number"
	said 1 'N=VALUE is needed'
	said 1=bytes:4000000g "'0g' is no hex"
	said 1=bytes:400 'two hex digits'
	said 0=18446744073709551616 'the parameter is an integer (.u64)'
}

@test "wrong options end with what to do" {
	ptx
	for wrong in '' '-b 64' '-g 1' '-b 0 -g 1' '-b 64 -g 1,1,1,1' '-b 64 -g 1 --cluster x' \
		'-b 64 -g 1 --shared -1' '-b 64 -g 1 --cc 0.1' '-b 64 -g 1 --exit-policy x' \
		'-b 64 -g 1 --site-policy release' \
		'-b 64 -g 1 -e none' '-b 64 -g 1 --json --sarif' '-b 64 -g 1 k.ptx' \
		'--batch -' '-b 64 -g 1 --batch k.ptx'; do
		# shellcheck disable=SC2086
		run "$LANEWISE" check k.ptx $wrong </dev/null
		[ "$status" -eq 2 ]
	done
	run "$LANEWISE" check --batch - --cc 9.0 </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"--batch takes everything from its lines"* ]]
}

@test "the source line is shown, from beside the PTX too" {
	ptx
	mkdir -p d
	sed -e 's/^\tbar.sync/\t.loc 1 2 0\n&/' -e '$a .file 1 "src.cu"' k.ptx >d/k.ptx
	printf 'one\n\t__syncthreads();\033[31m\n' >d/src.cu
	run "$LANEWISE" check d/k.ptx -b 64 -g 1 -a 1=10
	[ "$status" -eq 1 ]
	[[ "$output" == *"src.cu:2: refused: "* ]]
	[[ "$output" == *"    2 | "*"__syncthreads();\x1b[31m"* ]]
	[[ "$output" == *"warp  0  WWWWWWWWWW"* ]]
	# A pipe of that name is not waited for.
	rm d/src.cu && mkfifo d/src.cu
	run timeout 20 "$LANEWISE" check d/k.ptx -b 64 -g 1 -a 1=10
	[ "$status" -eq 1 ]
}

@test "SARIF names the rule, the place and the launch" {
	python
	ptx
	mkdir -p d
	sed -e 's/^\tbar.sync/\t.loc 1 2 0\n&/' -e '$a .file 1 "src.cu"' k.ptx >d/k.ptx
	printf 'one\n\t__syncthreads();\n' >d/src.cu
	run "$LANEWISE" check d/k.ptx -b 64 -b 8 -b 64,32 -g 1 -a 1=10 --sarif
	[ "$status" -eq 1 ]
	echo "$output" | python3 -c '
import json, sys
j = json.load(sys.stdin)
assert j["version"] == "2.1.0" and "sarif" in j["$schema"]
run, = j["runs"]
rules = run["tool"]["driver"]["rules"]
assert run["tool"]["driver"]["name"] == "lanewise"
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
    assert r["level"] == "error" and r["message"]["text"]
    assert len(r["partialFingerprints"]["lanewiseSite/v1"]) == 32
a, b = run["results"]
at = a["locations"][0]["physicalLocation"]
assert at["artifactLocation"]["uri"] == "d/src.cu", at
assert at["region"]["startLine"] == 2 and "__syncthreads" in at["region"]["snippet"]["text"]
assert a["properties"]["block"] == "64,1,1" and a["properties"]["lanes"]
assert b["ruleId"] == "LW040" and b["properties"]["block"] == "64,32,1"
assert b["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "d/k.ptx"'
	run "$LANEWISE" check d/k.ptx -b 8 -g 1 -a 1=10 --sarif
	[ "$status" -eq 0 ]
	echo "$output" | python3 -c '
import json, sys
assert json.load(sys.stdin)["runs"][0]["results"] == []'
}

@test "a batch: an answer for every line, in order" {
	python
	ptx
	cat >b.jsonl <<'END'
{"id": "a", "file": "k.ptx", "block": 64, "grid": 1, "args": {"1": 64}}
{"id": 2, "file": "k.ptx", "entry": "k", "block": [64, 1], "grid": "2,1", "args": ["1=10", "0=ptr"]}

{"file": "k.ptx", "block": "64", "grid": 1, "cluster": [1, 1, 1], "shared": 0, "cooperative": false, "cc": 9.0, "exit_policy": "strict", "site_policy": "lenient"}
{"id": {"n": [1, null]}, "file": "k.ptx", "block": 64, "grid": 1, "args": {"k_param_1": "0x40"}, "cc": "8.0"}
END
	run "$LANEWISE" check --batch b.jsonl
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 4 ]
	echo "$output" | python3 -c '
import json, sys
a, b, c, d = map(json.loads, sys.stdin)
assert [x["line"] for x in (a, b, c, d)] == [1, 2, 4, 5]
assert a["id"] == "a" and b["id"] == 2 and "id" not in c and d["id"] == {"n": [1, None]}
assert [x["result"]["verdict"] for x in (a, b, c, d)] == ["clean", "refused", "caveat", "clean"]
assert b["result"]["launch"] == "64,1,1/2,1,1/1,1,1/0" and b["result"]["findings"]'
	run "$LANEWISE" check --batch - <b.jsonl
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 4 ]
}

@test "a wrong line of a batch is an answer and never stops it" {
	python
	ptx
	printf '\177ELF\2\1\1' >k.cubin
	echo 'no PTX' >text.ptx
	mkfifo pipe
	cat >b.jsonl <<'END'
{
not json
[]
1
{}
{"id": 6}
{"file": 1}
{"file": "none.ptx", "block": 1, "grid": 1}
{"file": ".", "block": 1, "grid": 1}
{"file": "pipe", "block": 1, "grid": 1}
{"file": "/dev/zero", "block": 1, "grid": 1}
{"file": "k.cubin", "block": 1, "grid": 1}
{"file": "text.ptx", "block": 1, "grid": 1}
{"file": "text.ptx", "block": 1, "grid": 1}
{"file": "k.ptx\u0000", "block": 1, "grid": 1}
{"file": "k.ptx", "grid": 1}
{"file": "k.ptx", "block": 1}
{"file": "k.ptx", "block": 0, "grid": 1}
{"file": "k.ptx", "block": [1, 2, 3, 4], "grid": 1}
{"file": "k.ptx", "block": [], "grid": 1}
{"file": "k.ptx", "block": ["1"], "grid": 1}
{"file": "k.ptx", "block": 1.5, "grid": 1}
{"file": "k.ptx", "block": 1e300, "grid": 1}
{"file": "k.ptx", "block": true, "grid": 1}
{"file": "k.ptx", "block": 1, "grid": 1, "entry": "none"}
{"file": "k.ptx", "block": 1, "grid": 1, "entry": 1}
{"file": "k.ptx", "block": 1, "grid": 1, "cc": "7"}
{"file": "k.ptx", "block": 1, "grid": 1, "cc": -1e99}
{"file": "k.ptx", "block": 1, "grid": 1, "cc": []}
{"file": "k.ptx", "block": 1, "grid": 1, "shared": -1}
{"file": "k.ptx", "block": 1, "grid": 1, "shared": 1.5}
{"file": "k.ptx", "block": 1, "grid": 1, "cooperative": 1}
{"file": "k.ptx", "block": 1, "grid": 1, "exit_policy": "x"}
{"file": "k.ptx", "block": 1, "grid": 1, "args": 1}
{"file": "k.ptx", "block": 1, "grid": 1, "args": [1]}
{"file": "k.ptx", "block": 1, "grid": 1, "args": ["1"]}
{"file": "k.ptx", "block": 1, "grid": 1, "args": {"1": null}}
{"file": "k.ptx", "block": 1, "grid": 1, "args": {"2": 1}}
{"file": "k.ptx", "block": 1, "grid": 1, "args": {"0": 18446744073709551615}}
{"file": "k.ptx", "block": 1, "grid": 1, "blok": 2}
{"file": "k.ptx", "block": 1, "grid": 1, "block": 2}
END
	n=$(grep -c . b.jsonl)
	head -c 1100000 /dev/zero | tr '\0' '[' >>b.jsonl
	printf '\n\0\0\n' >>b.jsonl
	printf '\377\376{}\n' >>b.jsonl
	printf '{"id": "last", "file": "k.ptx", "block": 64, "grid": 1, "args": {"1": 64}}' >>b.jsonl
	run --separate-stderr timeout 60 "$LANEWISE" check --batch b.jsonl
	[ "$status" -eq 2 ]
	[ -z "$stderr" ]
	echo "$output" | N=$n python3 -c '
import json, os, sys
n = int(os.environ["N"])
v = [json.loads(x) for x in sys.stdin]
assert [x["line"] for x in v] == list(range(1, n + 5)), [x["line"] for x in v]
good = [x["line"] for x in v if "result" in x]
assert good == [27, n + 4], good
assert v[5]["id"] == 6 and v[-1]["id"] == "last" and v[-1]["result"]["verdict"] == "clean"
says = {8: "No such file", 9: "directory", 10: "no regular file", 12: "ELF", 13: "text.ptx:1:1: error: ",
    14: "text.ptx:1:1: error: ", 16: "block is needed", 25: "no entry", 36: "N=VALUE", 39: "as a string",
    40: "did you mean", n + 1: "longer than 1 MiB"}
for line, words in says.items():
    assert words in v[line - 1]["error"], v[line - 1]'
}

@test "a batch that is not there is trouble" {
	run "$LANEWISE" check --batch none.jsonl
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot read 'none.jsonl': No such file"* ]]
	run "$LANEWISE" check --batch .
	[ "$status" -eq 2 ]
	run "$LANEWISE" check --batch - </dev/null
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a batch answers each line before it waits for the next" {
	ptx
	# shellcheck disable=SC2016
	run timeout 20 bash -c '
		coproc L { "$LANEWISE" check --batch -; }
		for i in 1 2 3; do
			echo "{\"id\": $i, \"file\": \"k.ptx\", \"block\": 8, \"grid\": 1, \"args\": {\"1\": 8}}" >&"${L[1]}"
			IFS= read -r line <&"${L[0]}"
			[[ "$line" == *"\"id\": $i, \"result\": {\"verdict\": \"clean\""* ]] || exit 1
		done'
	[ "$status" -eq 0 ]
}

@test "the labelled launches as a batch" {
	python
	cd "$SRCDIR/tests/gate"
	python3 -c '
import json
for line in open("launches.txt"):
    w = line.split("#")[0].split()
    if not w:
        continue
    block, grid, cluster, shared, *coop = w[1].split("/")
    args = {} if w[2] == "-" else dict(a.split("=") for a in w[2].split(","))
    print(json.dumps({"id": w[4].split(","), "file": w[0] + ".ptx", "block": block, "grid": grid,
        "cluster": cluster, "shared": int(shared), "cooperative": bool(coop),
        "args": {k: "bytes:" + v for k, v in args.items()}}))' >"$BATS_TEST_TMPDIR/b.jsonl"
	run "$LANEWISE" check --batch "$BATS_TEST_TMPDIR/b.jsonl"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -ge 300 ]
	echo "$output" | python3 -c '
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    assert a["result"]["verdict"] in a["id"], a'
}

@test "values with many paths to an undefined shuffle are asked once each" {
	# Random code in which one shuffle reaches a value on 2^40 paths.
	run timeout 20 "$LANEWISE" check "$SRCDIR/tests/ptx/undefined_paths.ptx" --block 64 --grid 4
	[ "$status" -eq 3 ]
}

@test "a map that leaves out warps says so" {
	ptx
	run "$LANEWISE" check k.ptx -b 128 -g 1 -a 1=100
	[ "$status" -eq 1 ]
	[[ "$output" != *"warp  2"* && "$output" == *"of warps that look alike two are shown"* ]]
	run "$LANEWISE" check k.ptx -b 64 -g 1 -a 1=10
	[[ "$output" != *alike* ]]
}
