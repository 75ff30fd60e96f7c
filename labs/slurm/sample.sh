#!/usr/bin/env bash
# Writes what the adapter reads from a Slurm into files, for tests of parsers:
#
#   labs/slurm/sample.sh DIR          (of the Slurm that $SLURM_CONF names)
#
# Only reading commands are run. Fields are separated by the byte 0x1f and times
# are seconds since 1970. The host's name, its kernel and the lab's folder are
# replaced, so that two samples differ where Slurm differs.
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
us=$'\x1f'
export SLURM_TIME_FORMAT=%s
host=$(uname -n) kernel=$(uname -rv)

fields() { # NAME... as -O wants them
	local list
	list=$(printf "%s:$us," "$@")
	echo "${list%,}"
}

sample() { # FILE COMMAND...
	local file=$1
	shift
	"$@" 2>"$out/$file.err" | SAMPLE_LAB=${SCHEDMATE_SLURM_LAB:-} SAMPLE_HOST=$host SAMPLE_KERNEL=$kernel perl -pe '
		BEGIN { $lab = join "[\\\\]?/", map quotemeta, split m{/}, $ENV{SAMPLE_LAB} } # JSON writes \/
		s{$lab}{/lab}g if $lab ne "";
		s/\Q$ENV{SAMPLE_KERNEL}\E/6.1.0 #1 SMP/g;
		s/\b\Q$ENV{SAMPLE_HOST}\E\b/host/g' >"$out/$file" || {
		echo "slurm-sample: $* failed: $(cat "$out/$file.err")" >&2
		rm -f "$out/$file"
	}
	rm -f "$out/$file.err"
}

sample squeue.txt squeue -a -r -h -t all -O "$(fields JobID JobArrayID ArrayJobID HetJobID Name UserName Account QOS Partition \
	State Reason ReasonList PriorityLong RestartCnt SubmitTime EligibleTime StartTime EndTime TimeLimit NumNodes MinCpus MinMemory \
	NumTasks NumCPUs cpus-per-task tres-per-node tres-per-job tres-per-task tres-alloc Feature ReqNodes ExcNodes OverSubscribe Reservation Licenses Dependency \
	NodeList WorkDir Command STDOUT STDERR Comment exit_code)"
sample sinfo.txt sinfo -a -h -N -O "$(fields NodeList PartitionName StateComplete CPUsState Memory AllocMem Gres GresUsed Features Reason Timestamp UserLong Weight Version)"
sample scontrol-jobs.txt scontrol -a -d -o show job
sample scontrol-nodes.txt scontrol -a -d -o show node
sample scontrol-partitions.txt scontrol -a -o show partition
sample scontrol-reservations.txt scontrol -a -o show reservation
sample scontrol-licenses.txt scontrol -o show license
sample scontrol-config.txt scontrol show config
sample sdiag.txt sdiag
sample squeue.json squeue -a --json
sample sinfo.json sinfo -a --json
sample sacct.txt sacct -X --allusers --duplicates -P --delimiter="$us" -S 2020-01-01 \
	-o JobID,JobIDRaw,JobName,User,Account,Partition,QOS,State,ExitCode,DerivedExitCode,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,AllocTRES,ReqTRES,NodeList,NNodes,WorkDir,Comment
sample sacct-steps.txt sacct --allusers --duplicates -P -S 2020-01-01 -o JobID,JobName,State,ExitCode,Start,End,MaxRSS,AllocTRES,NodeList
sample sacct.json env -u SLURM_TIME_FORMAT sacct --allusers -S 2020-01-01 --json
echo "slurm-sample: $(cd "$out" && ls | wc -l) files of Slurm $(squeue -V | cut -d' ' -f2) in $out" >&2
