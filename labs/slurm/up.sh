#!/usr/bin/env bash
# Starts a real, throw-away Slurm on this machine and prints what names it as
# "export NAME=value" lines; progress goes to standard error.
#
#   eval "$(labs/slurm/up.sh)"; sinfo; labs/slurm/down.sh
#
#   -d DIR     keep everything below DIR (default: a new folder below $TMPDIR)
#   -o PID     take the lab down when this process has ended
#
# Four nodes of 8 GPUs (character devices that nobody opens), 32 shards, 64
# CPUs, with slurmctld, slurmdbd on MariaDB, and slurmrestd. Every daemon listens
# on 127.0.0.1, on ports that were free, or on a socket below DIR. The
# configuration says what is there to wait for: see conf.sh.
#
# Needs root: jobs of several users and device nodes. It does not need systemd.
# Exit code 3: this machine cannot have the lab; the last line says why.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$PATH:/usr/sbin:/sbin

say() { echo "slurm-up: $*" >&2; }
cannot() { say "no Slurm lab: $*"; exit 3; }

dir='' owner=''
while getopts d:o: flag; do
	case $flag in
	d) dir=$OPTARG ;;
	o) owner=$OPTARG ;;
	*) exit 2 ;;
	esac
done

((EUID == 0)) || cannot "it needs root, for jobs of several users"
for program in slurmctld slurmd slurmdbd slurmrestd munged mariadbd sbatch setpriv flock; do
	command -v "$program" >/dev/null || cannot "$program is not installed; run make setup-slurm"
done

[[ -n $dir ]] || dir=$(mktemp -d "${TMPDIR:-/tmp}/schedmate-slurm.XXXXXX")
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
((${#dir} <= 70)) || cannot "the path of $dir is too long for a socket in it"
if [[ -e $dir/pids ]]; then
	say "$dir holds a lab already; take it down first: $here/down.sh $dir"
	exit 1
fi

umask 022
chmod 755 "$dir"
mkdir -p "$dir"/{etc,run,rest,log,state,dev,spool/n1,spool/n2,spool/n3,spool/n4}
mkdir -m 1777 "$dir/jobs" # jobs of all users write here
: >"$dir/pids"
failed() {
	say "$1 did not start; what it said:"
	tail -n 5 "$dir/log/$1.log" "$dir/log/await.log" >&2 2>/dev/null || true
	"$here/down.sh" -k "$dir" || true
	say "its logs are kept in $dir/log"
	exit 1
}

# start NAME COMMAND... runs a daemon in the foreground of a session of its own.
# With the time of its start a process is known even after its id was given away.
start() {
	local name=$1
	shift
	setsid "$@" >>"$dir/log/$name.log" 2>&1 </dev/null 9>&- &
	echo "$! $(cut -d' ' -f22 "/proc/$!/stat" 2>/dev/null || echo 0) $name" >>"$dir/pids"
}

# await NAME SECONDS COMMAND... waits until the command succeeds.
await() {
	local name=$1 deadline=$((SECONDS + $2))
	shift 2
	until "$@" &>"$dir/log/await.log"; do
		((SECONDS < deadline)) || failed "$name"
		sleep 0.1
	done
}

# From here on an end of the owner is an end of all that follows.
if [[ -n $owner ]]; then
	start watch bash -c 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; exec "$2" "$3"' - "$owner" "$here/down.sh" "$dir"
fi

# Two labs that start at once must not choose the same ports: one after the other.
exec 9>"${TMPDIR:-/tmp}/schedmate-slurm.lock"
flock 9
taken=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '{split($2, a, ":"); print a[2]}')
free() { # PORT: it and the five after it are free
	local p
	for p in {0..5}; do
		! grep -qx "$(printf '%04X' $(($1 + p)))" <<<"$taken" || return 1
	done
}
port=20000
until free "$port"; do
	((port += 10))
	((port < 30000)) || cannot "no six free ports in a row from 20000 to 30000"
done

# shellcheck source=conf.sh
source "$here/conf.sh"
write_conf "$dir" "$port"
export SLURM_CONF=$dir/etc/slurm.conf

for i in {0..7}; do
	[[ -c $dir/dev/nvidia$i ]] || mknod -m 666 "$dir/dev/nvidia$i" c 1 3 ||
		cannot "device nodes may not be made here (mknod): is this an unprivileged container?"
done

head -c 128 /dev/urandom >"$dir/etc/munge.key"
head -c 32 /dev/urandom >"$dir/etc/jwt.key"
chmod 600 "$dir/etc/munge.key" "$dir/etc/jwt.key" "$dir/etc/slurmdbd.conf"

start munged munged --foreground --force --num-threads=4 --socket="$dir/run/munge.sock" \
	--key-file="$dir/etc/munge.key" --pid-file="$dir/run/munged.pid" \
	--seed-file="$dir/run/munged.seed" --log-file="$dir/log/munged-own.log"
mariadb-install-db --no-defaults --force --datadir="$dir/mysql" --user=root \
	--auth-root-authentication-method=normal --skip-test-db >"$dir/log/mariadb.log" 2>&1 || failed mariadb
start mariadb mariadbd --no-defaults --user=root --datadir="$dir/mysql" --socket="$dir/run/mysql.sock" \
	--pid-file="$dir/run/mysql.pid" --skip-networking --innodb-buffer-pool-size=128M \
	--innodb-lock-wait-timeout=900 --innodb-flush-log-at-trx-commit=0
await munged 20 test -S "$dir/run/munge.sock"
await mariadb 60 mariadb-admin --no-defaults --socket="$dir/run/mysql.sock" -u root ping

start slurmdbd env MYSQL_UNIX_PORT="$dir/run/mysql.sock" slurmdbd -D
await slurmdbd 60 timeout 5 sacctmgr -n show cluster
start slurmctld slurmctld -D
await slurmctld 60 bash -c 'scontrol ping | grep -q "is UP"'
# A GPU can be limited once the controller has told the books that there are some.
await slurmctld 30 bash -c 'sacctmgr -nP show tres format=name | grep -qx gpu:a100'
accounts >"$dir/log/accounts.log" 2>&1 || failed accounts
for node in n1 n2 n3 n4; do
	start "slurmd-$node" slurmd -D -N "$node"
done
nodes_idle() { (($(sinfo -h -N -p batch,short -t idle -o %N | sort -u | wc -l) == 4)); }
await slurmd-n1 60 nodes_idle

# slurmrestd refuses to be root.
chown nobody "$dir/rest"
start slurmrestd setpriv --reuid=nobody --regid=nogroup --clear-groups env SLURM_JWT=daemon \
	slurmrestd -a rest_auth/jwt "unix:$dir/rest/slurmrestd.sock"
await slurmrestd 20 test -S "$dir/rest/slurmrestd.sock"
chmod 777 "$dir/rest/slurmrestd.sock"

token=$(scontrol token username=root lifespan=86400)
# Kept for whoever takes this lab by the name of its folder.
(umask 077; cat >"$dir/env") <<EXPORTS
export SCHEDMATE_SLURM_LAB=$dir
export SLURM_CONF=$SLURM_CONF
export SLURMRESTD_SOCKET=$dir/rest/slurmrestd.sock
export SLURMRESTD_TOKEN=${token#SLURM_JWT=}
EXPORTS
cat "$dir/env"
say "Slurm $(slurmctld -V | cut -d' ' -f2) in $dir after $SECONDS s"
