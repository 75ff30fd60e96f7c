# The configuration of the lab. Sourced by up.sh.
#
# What is there to wait for:
#
#   partition batch    n1-n3, up to two days; the default
#   partition short    n3-n4, up to 30 minutes, one node a job
#   partition spare    n4, its jobs are cancelled when another partition needs the node
#   partition closed   DOWN
#   feature ib         n4 alone
#   licences           matlab 2, ansys 1
#   QOS small          2 GPUs a user;  QOS single: 1 running job a user;  QOS high: first in line
#   account capped     4 GPUs in all (user nobody);  account lab: root, daemon, nobody
#
# Time passes quickly: nodes are given up after 20 s, a requeued job may start
# again after 5 s, memory is looked at every second and a job that takes more
# than it asked for is killed.

# write_conf DIR PORT writes DIR/etc; six ports from PORT on are free.
write_conf() {
	local dir=$1 port=$2
	cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=lab
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock,cred_expire=5
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$dir/etc/jwt.key
CredType=cred/munge

StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld-own.log
SlurmdLogFile=$dir/log/slurmd-%n-own.log

# Several slurmd on one machine, each with more than the machine has.
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
PropagateResourceLimits=NONE

SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu,shard
DefMemPerCPU=200
Licenses=matlab:2,ansys:1
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=1
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightQOS=10000
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
ReturnToService=2
SlurmdTimeout=20
SlurmctldTimeout=30
KillWait=2
InactiveLimit=0
MinJobAge=7200
MaxJobCount=50000
MaxArraySize=20001

AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 1))
AccountingStoragePass=$dir/run/munge.sock
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/shard
AccountingStorageEnforce=limits,qos
AccountingStoreFlags=job_comment

NodeName=DEFAULT CPUs=64 RealMemory=512000 Gres=gpu:a100:8,shard:32 State=UNKNOWN
NodeName=n[1-3] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 2))-$((port + 4))] Feature=a100
NodeName=n4 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 5)) Feature=a100,ib
PartitionName=batch Nodes=n[1-3] Default=YES PriorityTier=2 MaxTime=2-00:00:00 DefaultTime=01:00:00
PartitionName=short Nodes=n[3-4] PriorityTier=2 MaxTime=00:30:00 DefaultTime=00:10:00 MaxNodes=1
PartitionName=spare Nodes=n4 PriorityTier=1 PreemptMode=CANCEL MaxTime=INFINITE DefaultTime=01:00:00
PartitionName=closed Nodes=n[1-2] State=DOWN PriorityTier=2 MaxTime=INFINITE DefaultTime=01:00:00
CONF
	cat >"$dir/etc/gres.conf" <<CONF
AutoDetect=off
NodeName=n[1-4] Name=gpu Type=a100 File=$dir/dev/nvidia[0-7]
NodeName=n[1-4] Name=shard Count=32
CONF
	printf 'CgroupPlugin=cgroup/v1\n' >"$dir/etc/cgroup.conf"
	cat >"$dir/etc/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$dir/etc/jwt.key
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((port + 1))
CommunicationParameters=NoInAddrAny
SlurmUser=root
LogFile=$dir/log/slurmdbd-own.log
PidFile=$dir/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_acct
CommitDelay=1
CONF
}

# accounts fills the books: who may submit, and under which limits.
accounts() {
	sacctmgr -i <<-'BOOKS'
		add qos small set MaxTRESPerUser=gres/gpu=2
		add qos single set MaxJobsPerUser=1
		add qos high set Priority=100
		add account lab Description=lab Organization=lab
		add account capped Description=capped Organization=lab GrpTRES=gres/gpu=4
		add user root,daemon,nobody Account=lab DefaultAccount=lab QOS=normal,small,single,high
		add user nobody Account=capped QOS=normal
	BOOKS
	# Read from its standard input, sacctmgr does not fail when a line does.
	[[ $(sacctmgr -nP show qos where name=small format=MaxTRESPerUser) == gres/gpu=2 ]] &&
		[[ $(sacctmgr -nP show assoc where account=lab user=daemon format=QOS) == high,normal,single,small ]] &&
		[[ $(sacctmgr -nP show assoc where account=capped user=nobody format=User) == nobody ]]
}
