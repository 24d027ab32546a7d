#!/usr/bin/env bats
# Measurements as jobs of Slurm: a controller and a node daemon on loopback, for the time of a
# test. Skipped where Slurm is not installed (Debian: slurmctld, slurmd, slurm-client).

bats_require_minimum_version 1.5.0
load lib

ready() {
	for program in slurmctld slurmd srun; do
		command -v $program >/dev/null || PATH=$PATH:/usr/sbin
		command -v $program >/dev/null || skip "no $program"
	done
	[ "$(id -u)" = 0 ] || skip "slurmd wants root"
}

# A port nobody listens on, as far as the kernel tells.
free_port() {
	local port
	for port in $(shuf -i 20000-30000 -n 20); do
		grep -q ":$(printf %04X "$port") " /proc/net/tcp /proc/net/tcp6 || break
	done
	echo "$port"
}

# No accounting, no credentials of others: it is for one machine and one user.
slurm() {
	local host name
	host=$(hostname -s) name=$(id -un)
	mkdir -p slurm/state slurm/spool
	cat >slurm/slurm.conf <<-END
	ClusterName=lanewise
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$(free_port)
	SlurmdPort=$(free_port)
	AuthType=auth/none
	CredType=cred/none
	SlurmUser=$name
	SlurmdUser=$name
	SlurmctldPidFile=$PWD/slurm/ctld.pid
	SlurmdPidFile=$PWD/slurm/d.pid
	SlurmctldLogFile=$PWD/slurm/ctld.log
	SlurmdLogFile=$PWD/slurm/d.log
	StateSaveLocation=$PWD/slurm/state
	SlurmdSpoolDir=$PWD/slurm/spool
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	JobCompType=jobcomp/filetxt
	JobCompLoc=$PWD/slurm/jobs
	ReturnToService=2
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	GresTypes=gpu
	NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) Gres=gpu:1 State=UNKNOWN
	PartitionName=gpus Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	touch slurm/gpu0
	echo "Name=gpu File=$PWD/slurm/gpu0" >slurm/gres.conf
	export SLURM_CONF=$PWD/slurm/slurm.conf
	slurmctld -D >slurm/ctld.out 2>&1 3>&- &
	echo $! >slurm/pids
	slurmd -D >slurm/d.out 2>&1 3>&- &
	echo $! >>slurm/pids
	timeout 60 sh -c 'until srun --gres=gpu:1 -t 1 true 2>/dev/null; do sleep 0.2; done' ||
		{ tail slurm/*.log slurm/*.out; return 1; }
}

teardown() {
	local file=$BATS_TEST_TMPDIR/slurm/pids
	[ ! -f "$file" ] || { xargs kill <"$file"; wait; } || true
	[ ! -d "$XDG_RUNTIME_DIR/lanewise" ] || "$LANEWISE" worker --stop || true
}

jobs() {
	grep -c "Name=$1 .*JobState=$2 " "$BATS_TEST_TMPDIR/slurm/jobs" || true
}

@test "benches and finals are jobs of Slurm, and the report is the one without" {
	ready
	slurm
	project reduce
	sed -i 's/\[128, 256, 512\]/[128, 256]/' lanewise.json
	echo '{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000 + TILE",
	       "cost": {"open_ms": 1}}' >sim.json
	"$LANEWISE" tune --device sim.json --no-progress >../plain || [ $? -eq 1 ]
	benches=$(ran bench) finals=$(ran final)
	rm -r .lanewise
	"$LANEWISE" tune --device sim.json --no-progress \
		--device-launcher 'srun --gres=gpu:1 --time=5 --quiet --job-name="$LANEWISE_NODE"' \
		>../out || [ $? -eq 1 ]
	diff <(grep -v '^readings' ../plain) <(grep -v '^readings' ../out)
	sleep 1 # the controller writes what ended a little later
	cat ../slurm/jobs
	[ "$benches" -ge 4 ]
	[ "$(jobs bench COMPLETED)" -eq "$benches" ]
	[ "$(jobs final COMPLETED)" -eq "$finals" ]
	# nothing is measured again, so nothing is submitted
	ninja -t clean >/dev/null
	"$LANEWISE" tune --device sim.json --no-progress --device-launcher false >../out || [ $? -eq 1 ]
}

@test "a run that is interrupted takes its job along" {
	ready
	slurm
	project reduce
	sed -i 's/\[128, 256, 512\]/[128]/; s/\[32, 64, 128, 256\]/[32]/; s/"verify": .*/"timeout": 600,/' lanewise.json
	echo '{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": 1000,
	       "faults": [{"fault": "hang"}]}' >sim.json
	"$LANEWISE" graph --quiet --device sim.json --device-launcher \
		'srun --gres=gpu:1 --time=5 --disable-status --job-name=hangs'
	setsid ninja tune >../out 2>&1 3>&- &
	timeout 120 sh -c 'until squeue -h -n hangs -t R | grep -q .; do sleep 0.1; done'
	sleep 2 # srun itself has to be up
	kill -INT -- "-$!"
	timeout 120 sh -c 'while squeue -h -n hangs -t R,PD,CG | grep -q .; do sleep 0.2; done'
	[ "$(jobs hangs COMPLETED)" -eq 0 ]
}
