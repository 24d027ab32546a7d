#!/usr/bin/env bats
# The champion under a checker that is a script of the test.

bats_require_minimum_version 1.5.0
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset LANEWISE_CACHE
	mkdir -p run bin && export XDG_RUNTIME_DIR=$PWD/run
	fake 0
	PATH=$PWD/bin:$PATH
	project reduce
	sed -i 's/"1M": { "n": 1048576 }, "64M": { "n": 67108864 }/"4K": { "n": 4096 }/
		s/\[32, 64, 128, 256\]/[32]/' lanewise.json
	cat >sim.json <<-'END'
		{"schema": "lanewise/sim.v1", "device": "h200",
		 "time_ns": "20000 + 20 * abs(TILE - 256)", "noise": {"sigma": 0.001}}
	END
}

teardown() {
	"$LANEWISE" worker --stop >/dev/null 2>&1 || true
}

# Runs the program as the real one does; racecheck finds N hazards.
fake() { # fake N
	cat >bin/compute-sanitizer <<-END
		#!/bin/sh
		[ "\$1" = --version ] && { echo "NVIDIA (R) Compute Sanitizer"; echo "Version 2025.3.1.0"; exit; }
		[ "\$1" = --tool ] || exit 9
		tool=\$2
		shift 2
		# Its own option, and no other tool's.
		case \$tool in memcheck) [ "\$1 \$2" = "--report-api-errors no" ] && shift 2 || exit 9 ;; esac
		echo "\$tool \$*" >>"$PWD/asked"
		echo "========= COMPUTE-SANITIZER"
		"\$@" || exit
		if [ \$tool = racecheck ]; then
			[ $1 = 0 ] || echo "========= Error: Race reported between Write access at reduce"
			echo "========= RACECHECK SUMMARY: $1 hazards displayed ($1 errors, 0 warnings)"
		else
			echo "========= ERROR SUMMARY: 0 errors"
		fi
	END
	chmod +x bin/compute-sanitizer
}

certify() {
	"$LANEWISE" certify --device sim.json
}

@test "four tools run the champion, and what each said is recorded" {
	certify >out
	[ "$(cut -d' ' -f1 ../asked | tr '\n' ' ')" = "memcheck racecheck initcheck synccheck " ]
	grep -q 'executor --device .lanewise/device.json --job' ../asked
	grep -q 'reduce at 4K: BLOCK=32,TILE=256, SIMULATED' out
	[ "$(grep -c 'found nothing' out)" -eq 4 ]
	grep -q '"schema": "lanewise/certify.v1"' .lanewise/reduce/certify/4K.json
	grep -q '"candidate": "BLOCK=32,TILE=256"' .lanewise/reduce/certify/4K.json
	[ ! -e .lanewise/reduce/certify/4K.json.job ]
	"$LANEWISE" report | grep -q 'racecheck found nothing'
	rm ../asked
	certify
	[ ! -e ../asked ]
}

@test "a hazard is told, and the exit status says so" {
	(cd .. && fake 2)
	run certify
	[ "$status" -eq 1 ]
	[[ "$output" == *"racecheck FOUND 2 ERRORS: Error: Race reported between"* ]]
	[[ "$output" == *"memcheck found nothing"* ]]
}

@test "a checker that is not here is no pass" {
	rm ../bin/compute-sanitizer
	command -v compute-sanitizer >/dev/null && skip "there is a real one"
	run certify
	[ "$status" -eq 3 ]
	[[ "$output" == *"NOT CHECKED: there was no compute-sanitizer"* ]]
	grep -q '"status": "absent"' .lanewise/reduce/certify/4K.json
}

@test "a checker that dies is no pass" {
	printf '#!/bin/sh\n[ "$1" = --version ] && { echo Version 1.0; exit; }\necho broken\nexit 5\n' \
		>../bin/compute-sanitizer
	run certify
	[ "$status" -eq 3 ]
	[[ "$output" == *"memcheck did not finish: exit status 5: broken"* ]]
}

@test "a certificate of another champion is stale" {
	certify
	sed -i 's/TILE - 256/TILE - 512/' sim.json
	run "$LANEWISE" tune --device sim.json --no-progress
	[[ "$output" == *"BLOCK=32,TILE=256, SIMULATED, STALE"* ]]
}

@test "estimates have nobody to certify" {
	run "$LANEWISE" certify --device h200
	[ "$status" -eq 2 ]
	[[ "$output" == *"there is no device to run a champion on"* ]]
}
