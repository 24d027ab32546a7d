#!/usr/bin/env bats
# What is here, and what to install.

bats_require_minimum_version 1.5.0
load lib

@test "doctor lists everything and exits 0" {
	run "$LANEWISE" doctor
	[ "$status" -eq 0 ]
	for name in nvrtc nvcc clang ptx command ptxas ninja cc driver; do
		[[ $output == *" $name "* ]]
	done
}

@test "doctor --json is JSON with the same items" {
	"$LANEWISE" doctor --json >out.json
	grep -q '"schema": "lanewise/doctor.v1"' out.json
	[ "$(grep -c '"kind": ' out.json)" -ge 9 ]
	[ "$(grep -c '"present": ' out.json)" -eq "$(grep -c '"kind": ' out.json)" ]
	if command -v python3 >/dev/null; then python3 -m json.tool out.json >/dev/null; fi
}

@test "what is missing has a reason" {
	run "$LANEWISE" doctor
	# a '-' or NO line ends with words, not with a name
	run ! grep -E '^  (-|NO) +[a-z]+ *$' <<<"$output"
}

# Programs are looked up on PATH: without one, ninja is not there, and doctor says how to get it.
@test "without ninja the graph does not run" {
	mkdir empty
	PATH=$PWD/empty run "$LANEWISE" doctor
	[ "$status" -eq 0 ]
	[[ $output == *"NO  ninja"*"apt-get install ninja-build"* ]]
	[[ $output == *"The graph does not run: there is no ninja"* ]]
	[[ $output == *"cc        no C compiler"* ]]
}

@test "an old ninja is too old" {
	mkdir bin
	printf '#!/bin/sh\necho 1.9.0\n' >bin/ninja
	chmod +x bin/ninja
	PATH=$PWD/bin:$PATH run "$LANEWISE" doctor
	[[ $output == *"NO  ninja"*"1.9.0"*"too old"* ]]
	printf '#!/bin/sh\necho 1.10.2.git\n' >bin/ninja
	PATH=$PWD/bin:$PATH run "$LANEWISE" doctor
	[[ $output == *"ok  ninja"*"1.10.2.git"* ]]
}

# In a mount namespace of our own, where /usr/local is empty.
@test "without a CUDA toolkit clang lowers, and ptxas is optional" {
	unshare -rm true 2>/dev/null || skip "no mount namespaces here"
	command -v clang++ >/dev/null || skip "no clang++"
	case $LANEWISE in /usr/local/*) skip "the program is in /usr/local" ;; esac
	run unshare -rm sh -c 'mount -t tmpfs none /usr/local && PATH=/usr/bin:/bin \
		LD_LIBRARY_PATH= CUDA_HOME= CUDA_PATH= VIRTUAL_ENV= HOME=/ exec "$0" doctor' \
		"$LANEWISE"
	[ "$status" -eq 0 ]
	[[ $output == *"-   nvrtc     no libnvrtc"* ]]
	[[ $output == *"-   nvcc      no nvcc"* ]]
	[[ $output == *"-   ptxas     no ptxas"* ]]
	[[ $output == *"CUDA C++ is lowered by clang"* ]]
}

@test "Python packages of the active environment are found" {
	unshare -rm true 2>/dev/null || skip "no mount namespaces here"
	case $LANEWISE in /usr/local/*) skip "the program is in /usr/local" ;; esac
	mkdir -p env/lib/python3.11/site-packages/nvidia/cu13/bin
	cd env/lib/python3.11/site-packages/nvidia/cu13/bin
	printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.99"\n' >ptxas
	chmod +x ptxas
	cd - >/dev/null
	run unshare -rm sh -c 'mount -t tmpfs none /usr/local && PATH=/usr/bin:/bin \
		LD_LIBRARY_PATH= CUDA_HOME= CUDA_PATH= VIRTUAL_ENV=$PWD/env exec "$0" doctor' \
		"$LANEWISE"
	[ "$status" -eq 0 ]
	[[ $output == *"ok  ptxas     ptxas 13.0.99  "*"cu13/bin/ptxas"* ]]
}
