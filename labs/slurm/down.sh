#!/usr/bin/env bash
# Takes a lab down that up.sh started: its jobs, then its daemons. A process is
# ended only if the lab's own list names it, or if it is of a job, or watches one,
# and its environment names the lab; none is chosen by its name alone.
#
#   labs/slurm/down.sh [-k] [DIR]     (default: $SCHEDMATE_SLURM_LAB)
#
#   -k   keep DIR with its logs
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin
keep=no
if [[ ${1:-} == -k ]]; then
	keep=yes
	shift
fi
dir=${1:-${SCHEDMATE_SLURM_LAB:-}}
if [[ -z $dir || ! -e $dir/pids ]]; then
	echo "slurm-down: no lab in '$dir'; name the folder that up.sh printed as SCHEDMATE_SLURM_LAB" >&2
	exit 1
fi
dir=$(cd "$dir" && pwd)
export SLURM_CONF=$dir/etc/slurm.conf

# alive PID START: the process that was started then has not ended.
alive() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) }
	set -- "$1" "$2" $stat
	[[ $3 != Z && ${22} == "$2" ]]
}

# Whoever waits for the end of the owner must not do this a second time.
mapfile -t daemons < <(tac "$dir/pids")
for line in "${daemons[@]}"; do
	read -r pid born name <<<"$line"
	[[ $name == watch && $pid != "$$" ]] && alive "$pid" "$born" && kill "$pid"
done

# The controller goes first, so that it gives no job to a node that still runs.
for sig in TERM KILL; do
	for line in "${daemons[@]}"; do
		read -r pid born name <<<"$line"
		[[ $pid != "$$" ]] && alive "$pid" "$born" && kill "-$sig" "$pid" 2>/dev/null
	done
	for ((i = 0; i < 50; i++)); do
		left=0
		for line in "${daemons[@]}"; do
			read -r pid born name <<<"$line"
			[[ $pid != "$$" ]] && alive "$pid" "$born" && left=1
		done
		((left == 0)) && break 2
		sleep 0.1
	done
done

# What jobs left behind, and the slurmstepd above them, also one whose job is gone.
for environ in $(grep -lsaF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
	pid=${environ//[!0-9]/}
	if [[ $(cat "/proc/$pid/comm" 2>/dev/null) == slurmstepd ]] || grep -qsaF SLURM_JOB_ID= "$environ"; then
		kill -KILL "$pid" 2>/dev/null || true
	fi
done

rm -f "$dir/pids"
[[ $keep == yes ]] || rm -rf "$dir"
