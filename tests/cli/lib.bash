# Helpers of the CLI scenarios. Each test runs in an empty folder of its own.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE LANEWISE_REMOTE
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/.run
	mkdir -m 700 .run
}

# What measures in the background would stay for a while.
teardown() {
	[ ! -d "$XDG_RUNTIME_DIR/lanewise" ] || "$LANEWISE" worker --stop || true
}

# A fresh copy of an example, without anything a run left in it.
project() {
	mkdir -p "$1"
	(cd "$SRCDIR/examples/$1" && tar cf - --exclude=.lanewise --exclude=build.ninja .) |
		tar xf - -C "$1"
	cd "$1" || exit 1
}

# How many times a node ran since the log was last forgotten: `ran gate`.
ran() {
	[ -f .lanewise/events.jsonl ] || { echo 0; return; }
	grep -c "\"node\": \"$1\"" .lanewise/events.jsonl || true
}

# Names of all nodes that ran, with counts: "lower 3 stage 1".
all_ran() {
	[ -f .lanewise/events.jsonl ] || return 0
	sed -n 's/^{"node": "\([a-z]*\)".*/\1/p' .lanewise/events.jsonl | sort | uniq -c |
		awk '{printf "%s%s %s", (NR > 1 ? " " : ""), $2, $1}'
}

forget() {
	rm -f .lanewise/events.jsonl
}

# Skips the test where there is nothing to read JSON with.
python() {
	command -v python3 >/dev/null || skip "no python3 to read JSON with"
}

tune() {
	"$LANEWISE" tune --backend model --device h200 --no-progress "$@"
}
