package slurm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// The lab: 22.05 with four nodes of 64 CPUs and 8 A100, 100 MiB a CPU by default,
// licences matlab:4 and ansys:2. What each job asked for is its line in order:
//
//	1  --exclusive -w n4                2  -n 4 --gpus-per-task=a100:1 -c 2
//	3  --gpus-per-socket=1 --sockets-per-node=2 -n 2
//	4  --mem=4G -c 3                    6  -N 2 --gres=gpu:a100:2
//	7  -p batch,urgent,short            8  -N 2 -C "[rack1*1&rack2*1]"
//	9  -C "ib|rack2"                    10 -n1 --gres=gpu:1 : -n2 --mem=1G
//	12 --array=0-9%2 -o out-%x-%A_%a.%N.log -e err-%A_%4a.log, named swe|ep
//	13 -o a path with quotes            14 --gres=shard:3
//	15 suspended                        16 requeued, and runs again
//	17 -L matlab:3                      18 -L matlab:3,ansys
//	19 in a partition that is down      21 60 minutes where 30 are allowed
//	22 -N 3 --gres=gpu:8 -x n1          27 --deadline
//	29 salloc, 30 srun: no log          35 in a reservation that is not yet
//	36 exit 17, 37 a SEGV, 38 no folder for its log
//	39 of nobody, with a name that looks like another record
//	40 cancelled, its epilogue runs
const lab = `1 "exclusive" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 exclusive=yes on=n4 holds=n4:64c/6400M/8a100[0 1 2 3 4 5 6 7] out=/lab/home/slurm-1.out
2 "per-task" RUNNING in=batch limit=3600 procs=4 cpus=8 gpus=4a100 per-task=1 mem=800 mem/cpu=100 holds=n1:8c/800M/4a100[1 2 3 4] out=/lab/home/slurm-2.out
3 "per-socket" RUNNING in=batch limit=3600 procs=2 cpus=2 gpus=2 mem=200 mem/cpu=100 holds=n2:2c/200M/2a100[0 1] out=/lab/home/slurm-3.out
4 "mem-node" RUNNING in=batch limit=3600 cpus=3 mem=4096 mem/node=4096 holds=n1:3c/4096M out=/lab/home/slurm-4.out
6 "two-nodes" RUNNING in=batch limit=3600 nodes=2 procs=2 cpus=2 gpus=4a100 per-node=2 mem=200 mem/cpu=100 holds=n1:1c/100M/2a100[5 6] holds=n2:1c/100M/2a100[2 3] out=/lab/home/slurm-6.out
7 "multi-part" PENDING why=BeginTime in=urgent,batch,short limit=1200 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-7.out
8 "features" PENDING why=BeginTime in=batch limit=3600 nodes=2 max=2 procs=2 cpus=2 mem=200 mem/cpu=100 features=[rack1*1&rack2*1] out=/lab/home/slurm-8.out
9 "feature-or" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 features=ib|rack2 holds=n1:1c/100M out=/lab/home/slurm-9.out
10+0 "het" RUNNING in=batch limit=3600 cpus=1 gpus=1 per-node=1 mem=1024 mem/node=1024 holds=n1:1c/1024M/1a100[7] out=/lab/home/slurm-10.out
10+1 "het" RUNNING in=batch limit=3600 procs=2 cpus=2 mem=1024 mem/node=1024 holds=n2:2c/1024M out=/lab/home/slurm-10.out
12_0 "swe|ep" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n3:1c/100M out=/lab/home/out-swe|ep-12_0.n3.log err=/lab/home/err-12_0000.log
12_1 "swe|ep" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n3:1c/100M out=/lab/home/out-swe|ep-12_1.n3.log err=/lab/home/err-12_0001.log
12_[2-9%2] "swe|ep" PENDING why=JobArrayTaskLimit tasks=8 in=batch limit=3600 cpus=1 mem=100 mem/cpu=100
13 "it's" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n3:1c/100M out=/lab/home/odd 'dir' "q"/13-root.out
14 "sharer" RUNNING in=batch limit=3600 cpus=1 shards=3 mem=100 mem/cpu=100 holds=n3:1c/100M/3shards out=/lab/home/slurm-14.out
15 "suspended" SUSPENDED in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n3:1c/100M out=/lab/home/slurm-15.out
16 "requeued" RUNNING restarts=1 in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M out=/lab/home/requeued.out
17 "licensed" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 licences=matlab:3 holds=n3:1c/100M out=/lab/home/slurm-17.out
18 "licensed-waits" PENDING why=Licenses in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 licences=ansys:1,matlab:3 out=/lab/home/slurm-18.out
19 "part-down" PENDING why=PartitionDown in=closed limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-19.out
20 "held" PENDING why=JobHeldUser in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-20.out
21 "too-long" PENDING why=PartitionTimeLimit in=short limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-21.out
22 "too-big" PENDING why=Resources says="Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions" in=batch limit=3600 nodes=3 max=3 procs=3 cpus=3 gpus=24 per-node=8 mem=300 mem/cpu=100 not-on=n1 out=/lab/home/slurm-22.out
27 "deadline" PENDING why=BeginTime in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-27.out
29 "interactive-shell" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M
30 "interactive" RUNNING in=batch limit=3600 cpus=1 gpus=1 per-node=1 mem=100 mem/cpu=100 holds=n1:1c/100M/1a100[0]
33 "after" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M out=/lab/home/slurm-33.out
34 "after" PENDING why=Dependency in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 after=afterok:1(unfulfilled),afterok:4(unfulfilled) out=/lab/home/slurm-34.out
35 "in-resv" PENDING why=Reservation in=batch limit=1800 cpus=1 mem=100 mem/cpu=100 reservation=course out=/lab/home/slurm-35.out
36 "fails" FAILED why=NonZeroExitCode in=batch limit=300 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-36.out ended=17:0
37 "signalled" FAILED why=JobLaunchFailure in=batch limit=300 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-37.out ended=0:11
38 "no-folder" FAILED why=JobLaunchFailure in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/missing/38.out ended=0:53
39 "evil\nJobId=1 JobState=FAILED|x" RUNNING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M out=/lab/home/slurm-39.out
40 "cancelled-soon" COMPLETING in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M out=/lab/home/slurm-40.out
41 "overlong" RUNNING in=batch limit=60 cpus=1 mem=100 mem/cpu=100 holds=n1:1c/100M out=/lab/home/slurm-41.out
`

func TestEveryKindOfJobOfTheLab(t *testing.T) {
	q, err := readJobsJSON(sample(t, "lab-22.05/squeue.json"))
	if err != nil || len(q.gaps) > 0 {
		t.Fatal(err, q.gaps)
	}
	if got := tellJobs(q.jobs); got != lab {
		t.Errorf("the queue reads otherwise:\n%s", lineDiff(lab, got))
	}
}

// The columns of squeue tell the same but for what their gap names.
func TestColumnsTellTheSameAsJSON(t *testing.T) {
	inJSON, err := readJobsJSON(sample(t, "lab-22.05/squeue.json"))
	if err != nil {
		t.Fatal(err)
	}
	columns, err := readQueueColumns(sample(t, "lab-22.05/columns.txt"), "~~")
	if err != nil || len(columns.gaps) != 1 || columns.gaps[0] != columnsGap {
		t.Fatal(err, columns.gaps)
	}
	var live []schedmate.ObservedJob
	for _, j := range inJSON.jobs {
		if !j.Over() { // squeue without --json leaves them out
			live = append(live, j)
		}
	}
	if diff := cmp.Diff(withoutColumnsGap(live), withoutColumnsGap(columns.jobs)); diff != "" {
		t.Errorf("columns (+) tell otherwise than JSON (-):\n%s", diff)
	}
}

// withoutColumnsGap leaves out what columnsGap names, and what only one of the two
// can tell: 22.05 loses CPUs of a task in JSON.
func withoutColumnsGap(jobs []schedmate.ObservedJob) []schedmate.ObservedJob {
	var out []schedmate.ObservedJob
	for _, j := range jobs {
		r := &j.Request
		r.Exclude, r.MaxNodes, r.MinMemoryMiB, r.MemoryPerCPU, r.CPUsPerTask, r.TasksPerNode = nil, 0, 0, 0, 0, 0
		j.Looked, j.PlannedNodes = 0, nil
		if j.Runs() {
			r.GPUType = ""
		}
		if r.Exclusive && j.Runs() {
			r.CPUs, r.MemoryMiB, r.GPUs = 0, 0, 0
		}
		if j.Description != "" {
			j.Reason = ""
		}
		var holds []schedmate.NodeHolding
		for _, h := range j.Allocation {
			h.GPUIndices, h.GPUType = nil, ""
			if len(j.Allocation) > 1 {
				h.CPUs, h.MemoryMiB = 0, 0
			}
			holds = append(holds, h)
		}
		j.Allocation = holds
		out = append(out, j)
	}
	return out
}

// n2 was drained with a reason that looks like fields, n3 is failing, n4 is in a
// reservation for maintenance. The suspended job 15 holds its memory on n3 and no
// CPU. scontrol and sinfo tell the same.
func TestNodesOfTheLab(t *testing.T) {
	const want = `n1 MIXED+COMPLETING 20/64c 6720/512000M 8/8a100[0 1 2 3 4 5 6 7] 0/32shards in=batch,closed,short,urgent
n2 MIXED+DRAIN 5/64c 1324/512000M 4/8a100[0 1 2 3] 0/32shards in=batch,closed,short,urgent "ECC on [GPU 3] xid=79 Comment=none State=IDLE" by root
n3 MIXED+FAIL 5/64c 600/512000M 0/8a100[] 3/32shards in=batch,closed,hidden,urgent "a b" by root
n4 ALLOCATED+MAINTENANCE+RESERVED 64/64c 6400/512000M 8/8a100[0 1 2 3 4 5 6 7] 0/32shards in=batch,closed,hidden,urgent
`
	text, gaps, err := readNodes(sample(t, "lab-22.05/nodes.txt"))
	if err != nil || len(gaps) > 0 {
		t.Fatal(err, gaps)
	}
	inJSON, gaps, err := readNodesJSON(sample(t, "lab-22.05/nodes.json"))
	if err != nil || len(gaps) > 0 {
		t.Fatal(err, gaps)
	}
	if diff := cmp.Diff(text, inJSON); diff != "" {
		t.Errorf("sinfo --json (+) tells otherwise than scontrol (-):\n%s", diff)
	}
	var got strings.Builder
	for i := range text {
		got.WriteString(tellNode(&text[i]) + "\n")
	}
	if got.String() != want {
		t.Errorf("nodes read otherwise:\n%s", lineDiff(want, got.String()))
	}
}

func TestPartitionsReservationsAndLicencesOfTheLab(t *testing.T) {
	all := []string{"n1", "n2", "n3", "n4"}
	partitions, gaps, err := readPartitions(sample(t, "lab-22.05/partitions.txt"))
	if diff := cmp.Diff([]schedmate.Partition{
		{Name: "batch", State: "UP", Default: true, Nodes: all, DefaultTime: 3600, Tier: 1},
		{Name: "closed", State: "DOWN", Nodes: all, Tier: 1, AllowAccounts: []string{"vision", "nlp"}},
		{Name: "hidden", State: "UP", Nodes: all[2:], Tier: 1},
		{Name: "short", State: "UP", Nodes: all[:2], MaxTime: 1800, DefaultTime: 600, MaxNodes: 1, Tier: 1},
		{Name: "urgent", State: "UP", Nodes: all, DefaultTime: 3600, Tier: 10},
	}, partitions); diff != "" || len(gaps) > 0 || err != nil {
		t.Error(err, gaps, diff)
	}
	// Slurm makes a year of a reservation without end.
	reservations, gaps, err := readReservations(sample(t, "lab-22.05/reservations.txt"))
	if diff := cmp.Diff([]schedmate.Reservation{
		{Name: "course", Start: 1796112121, End: 1796112121 + 2*3600, Nodes: all[:2], Accounts: []string{"root"}, State: "INACTIVE"},
		{Name: "endless", Start: 1796025721, End: 1796025721 + 365*86400, Nodes: all[3:], Users: []string{"root"}, Flags: []string{"MAINT", "IGNORE_JOBS", "SPEC_NODES"}, State: "ACTIVE"},
	}, reservations); diff != "" || len(gaps) > 0 || err != nil {
		t.Error(err, gaps, diff)
	}
	licences, gaps, err := readLicences(sample(t, "lab-22.05/licenses.txt"))
	if diff := cmp.Diff([]schedmate.Licence{{Name: "ansys", Total: 2}, {Name: "matlab", Total: 4, Used: 3}}, licences); diff != "" || len(gaps) > 0 || err != nil {
		t.Error(err, gaps, diff)
	}
}

func TestPastJobsOfTheLab(t *testing.T) {
	jobs, gaps, err := readPast(sample(t, "lab-22.05/past.txt"), pastTable)
	if err != nil || len(gaps) > 0 {
		t.Fatal(err, gaps)
	}
	ended := map[string]string{}
	for _, j := range jobs {
		if j.Ending != nil {
			ended[fmt.Sprintf("%s run %d", j.ID, j.Restarts)] = fmt.Sprintf("%s %d:%d by %q", j.State, j.Ending.ExitCode, j.Ending.Signal, j.Ending.CancelledBy)
		}
	}
	want := map[string]string{
		"5 run 0": `CANCELLED 0:0 by "0"`, "16 run 0": `REQUEUED 0:0 by ""`, "23 run 0": `FAILED 17:0 by ""`, "25 run 0": `FAILED 0:11 by ""`,
		"26 run 0": `FAILED 0:53 by ""`, "28 run 0": `CANCELLED 0:0 by "0"`, "36 run 0": `FAILED 17:0 by ""`, "37 run 0": `FAILED 0:11 by ""`,
		"38 run 0": `FAILED 0:53 by ""`, "40 run 0": `CANCELLED 0:0 by "0"`,
	}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Error(diff)
	}
}
