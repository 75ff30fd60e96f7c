package slurm

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"schedmate"
)

// sample opens real output of a Slurm.
func sample(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// tellJob writes what is known of a job on one line; nothing of what is zero.
func tellJob(j *schedmate.ObservedJob) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %s", j.ID, j.Name, j.State)
	add := func(name string, value any, there bool) {
		if there {
			fmt.Fprintf(&b, " %s=%v", name, value)
		}
	}
	r := &j.Request
	add("flags", strings.Join(j.Flags, ","), len(j.Flags) > 0)
	add("why", j.Reason, j.Reason != "")
	add("says", strconv.Quote(j.Description), j.Description != "")
	add("restarts", j.Restarts, j.Restarts > 0)
	add("tasks", j.Tasks, j.Tasks > 0)
	add("in", strings.Join(j.Partitions, ","), true)
	add("limit", j.TimeLimit, j.TimeLimit > 0)
	add("nodes", r.MinNodes, r.MinNodes != 1)
	add("max", r.MaxNodes, r.MaxNodes > 0)
	add("procs", r.Tasks, r.Tasks != 1)
	add("cpus", r.CPUs, true)
	add("gpus", fmt.Sprintf("%d%s", r.GPUs, r.GPUType), r.GPUs > 0)
	add("per-node", r.GPUsPerNode, r.GPUsPerNode > 0)
	add("per-task", r.GPUsPerTask, r.GPUsPerTask > 0)
	add("shards", r.Shards, r.Shards > 0)
	add("mem", r.MemoryMiB, true)
	add("mem/node", r.MinMemoryMiB, r.MinMemoryMiB > 0)
	add("mem/cpu", r.MemoryPerCPU, r.MemoryPerCPU > 0)
	add("features", r.Features, r.Features != "")
	add("exclusive", "yes", r.Exclusive)
	add("on", strings.Join(r.Nodes, ","), len(r.Nodes) > 0)
	add("not-on", strings.Join(r.Exclude, ","), len(r.Exclude) > 0)
	add("reservation", j.Reservation, j.Reservation != "")
	add("licences", j.Licences, j.Licences != "")
	add("after", j.Dependency, j.Dependency != "")
	for _, h := range j.Allocation {
		fmt.Fprintf(&b, " holds=%s:%dc/%dM", h.Node, h.CPUs, h.MemoryMiB)
		if h.GPUs > 0 {
			fmt.Fprintf(&b, "/%d%s%v", h.GPUs, h.GPUType, h.GPUIndices)
		}
		if h.Shards > 0 {
			fmt.Fprintf(&b, "/%dshards", h.Shards)
		}
	}
	add("out", j.Stdout, j.Stdout != "")
	add("err", j.Stderr, j.Stderr != "")
	if e := j.Ending; e != nil {
		fmt.Fprintf(&b, " ended=%d:%d", e.ExitCode, e.Signal)
	}
	return b.String()
}

func tellJobs(jobs []schedmate.ObservedJob) string {
	var b strings.Builder
	for i := range jobs {
		b.WriteString(tellJob(&jobs[i]) + "\n")
	}
	return b.String()
}

func tellNode(n *schedmate.ObservedNode) string {
	s := fmt.Sprintf("%s %s %d/%dc %d/%dM", n.Name, strings.Join(n.States, "+"), n.CPUsUsed, n.CPUs, n.MemoryUsedMiB, n.MemoryMiB)
	for _, d := range n.GPUs {
		s += fmt.Sprintf(" %d/%d%s%v", d.Used, d.Count, d.Type, d.InUse)
	}
	s += fmt.Sprintf(" %d/%dshards in=%s", n.ShardsUsed, n.Shards, strings.Join(n.Partitions, ","))
	if n.Reason != "" {
		s += fmt.Sprintf(" %q by %s", n.Reason, n.ReasonBy)
	}
	return s
}

// The scenario of the samples, as it was typed in each version:
//
//	1  sbatch --gres=gpu:a100:2 -c 2 -t 30 -o logs-%j.out train.sh   runs on n1
//	2  sbatch --gres=shard:2 -t 10 -J pack-b train.sh                was requeued, waits to begin
//	5  sbatch --gres=gpu:4 -N 2 --exclusive train.sh                waits: n2 is drained
//	6  an array of three, one at a time: the first runs
//	7  submitted held
//	8  after job 1
//
// 100 MiB a CPU is the cluster's default. n2 is drained, n1 has 4 GPUs.
const scenario = `1 "bert-finetune" RUNNING in=batch limit=1800 cpus=2 gpus=2a100 per-node=2 mem=200 mem/cpu=100 holds=n1:2c/200M/2a100[0 1] out=/lab/home/logs-1.out
2 "pack-b" PENDING why=BeginTime restarts=1 in=batch limit=600 cpus=1 shards=2 mem=100 mem/cpu=100 out=/lab/home/slurm-2.out
5 "bert-finetune" PENDING why=Resources says="Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions" in=batch limit=3600 nodes=2 max=2 procs=2 cpus=2 gpus=8 per-node=4 mem=200 mem/cpu=100 exclusive=yes out=/lab/home/slurm-5.out
6_0 "sweep" RUNNING in=batch limit=3600 cpus=1 gpus=1 per-node=1 mem=100 mem/cpu=100 holds=n1:1c/100M/1a100[2] out=/lab/home/slurm-6_0.out
6_[1-2%1] "sweep" PENDING why=JobArrayTaskLimit tasks=2 in=batch limit=3600 cpus=1 gpus=1 per-node=1 mem=100 mem/cpu=100
7 "held" PENDING why=JobHeldUser in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/slurm-7.out
8 "after" PENDING why=Dependency in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 after=afterok:1(unfulfilled) out=/lab/home/slurm-8.out
`

// Of the two jobs that were over, only 22.05 tells in its queue: 3 exits with 17,
// 4 dies by signal 11. Others leave them to sacct.
const scenarioOver = `3 "fail.sh" FAILED why=NonZeroExitCode in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/lab/home/f-3.out err=/lab/home/f-3.err ended=17:0
4 "wrap" FAILED why=JobLaunchFailure in=batch limit=3600 cpus=1 mem=100 mem/cpu=100 out=/dev/null ended=0:11
`

// different is what a version tells otherwise, and why that is kept.
type different struct{ common, here string }

var differences = map[string][]different{
	"22.05": {},
	"24.11": {
		// It tells the most nodes of a job also where the user gave none.
		{`JobHeldUser in=batch limit=3600 cpus`, `JobHeldUser in=batch limit=3600 max=1 cpus`},
	},
	"26.05": {
		{`JobHeldUser in=batch limit=3600 cpus`, `JobHeldUser in=batch limit=3600 max=1 cpus`},
		// It has no field any more for whole nodes: a gap tells so.
		{` exclusive=yes`, ``},
	},
}

func TestThreeVersionsTellTheSameQueue(t *testing.T) {
	for _, version := range []string{"22.05", "24.11", "26.05"} {
		q, err := readJobsJSON(sample(t, version+"/squeue.json"))
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if untold := slices.Contains(q.gaps, untoldExclusive); untold != (version == "26.05") || len(q.gaps) > 1 {
			t.Errorf("%s: gaps %v", version, q.gaps)
		}
		want := scenario
		for _, d := range differences[version] {
			if !strings.Contains(want, d.common) {
				t.Fatalf("%q is not in the scenario", d.common)
			}
			want = strings.ReplaceAll(want, d.common, d.here)
		}
		var live, over []schedmate.ObservedJob
		for _, j := range q.jobs {
			if j.Over() {
				over = append(over, j)
			} else {
				live = append(live, j)
			}
		}
		if got := tellJobs(live); got != want {
			t.Errorf("%s tells another queue:\n%s", version, lineDiff(want, got))
		}
		want = ""
		if version == "22.05" {
			want = scenarioOver
		}
		if got := tellJobs(over); got != want {
			t.Errorf("%s tells other jobs that are over:\n%s", version, lineDiff(want, got))
		}
		if !strings.HasPrefix(q.system.Version, version) || q.system.Cluster != "lab" {
			t.Errorf("%s says it is %+v", version, q.system)
		}
	}
}

// What versions tell differently and what is kept as told:
//
//   - 22.05 loses CPUs of a task in JSON, also where -c 2 was given; later ones tell
//     them, also the default of 1.
//   - 22.05 gives finished jobs in the queue (above).
func TestWhatTheThreeVersionsTellDifferently(t *testing.T) {
	want := map[string]int{"22.05": 0, "24.11": 2, "26.05": 2}
	for version, cpus := range want {
		q, err := readJobsJSON(sample(t, version+"/squeue.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := q.jobs[0].Request.CPUsPerTask; got != cpus {
			t.Errorf("%s: job 1 asks for %d CPUs a task, must be %d", version, got, cpus)
		}
	}
}

func TestThreeVersionsTellTheSameNodes(t *testing.T) {
	const want = `n1 MIXED 3/8c 300/512000M 3/4a100%s 0/16shards in=batch,urgent
n2 IDLE+DRAIN 0/8c 0/512000M 0/4a100[] 0/16shards in=batch,urgent "suspected ECC, job 3" by root
`
	tell := func(nodes []schedmate.ObservedNode) string {
		var b strings.Builder
		for i := range nodes {
			b.WriteString(tellNode(&nodes[i]) + "\n")
		}
		return b.String()
	}
	drained := map[string]schedmate.Seconds{"22.05": 1795976161, "24.11": 1795976171, "26.05": 1795976181}
	for version, json := range map[string]string{"22.05": "sinfo.json", "24.11": "nodes.json", "26.05": "nodes.json"} {
		nodes, gaps, err := readNodesJSON(sample(t, version+"/"+json))
		if err != nil || len(gaps) > 0 {
			t.Fatalf("%s: %v, gaps %v", version, err, gaps)
		}
		if got, want := tell(nodes), fmt.Sprintf(want, "[0 1 2]"); got != want {
			t.Errorf("%s, JSON:\n%s", version, lineDiff(want, got))
		}
		if nodes[1].ReasonAt != drained[version] {
			t.Errorf("%s: n2 was drained at %d, must be %d", version, nodes[1].ReasonAt, drained[version])
		}
		// These were asked for without -d, which tells GPUs in use by their index.
		nodes, gaps, err = readNodes(sample(t, version+"/scontrol-nodes.txt"))
		if err != nil || len(gaps) > 0 {
			t.Fatalf("%s: %v, gaps %v", version, err, gaps)
		}
		if got, want := tell(nodes), fmt.Sprintf(want, "[]"); got != want {
			t.Errorf("%s, text:\n%s", version, lineDiff(want, got))
		}
	}
}

// The samples of sacct have fewer columns than are asked for, between bars. What
// they show is the same in all versions.
func TestThreeVersionsTellTheSamePast(t *testing.T) {
	const want = `1 "bert-finetune" RUNNING in= limit=1800 procs=0 cpus=2 gpus=2 mem=200
2 "pack-b" REQUEUED in= limit=600 procs=0 cpus=1 shards=2 mem=100 ended=0:0
3 "fail.sh" FAILED in= limit=3600 procs=0 cpus=1 mem=100 ended=17:0
4 "wrap" FAILED in= limit=3600 procs=0 cpus=1 mem=100 ended=0:11
5 "bert-finetune" PENDING in= limit=3600 nodes=0 procs=0 cpus=0 mem=0
6_[0-2%1] "sweep" PENDING in= limit=3600 nodes=0 procs=0 cpus=0 mem=0
`
	for _, version := range []string{"22.05", "24.11", "26.05"} {
		from := bufio.NewReader(sample(t, version+"/sacct-P.txt"))
		header, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		rows := table{"|", strings.Split(strings.TrimSpace(header), "|"), false}
		var got strings.Builder
		if err := rows.rows(from, func(row map[string]string) error {
			j, err := pastJob(row)
			got.WriteString(strings.ReplaceAll(tellJob(&j), " in=", " in="+strings.Join(j.Partitions, ",")) + "\n")
			return err
		}); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if got.String() != want {
			t.Errorf("%s:\n%s", version, lineDiff(want, got.String()))
		}
	}
}

// lineDiff shows the lines that differ.
func lineDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, line := range w {
		if !slices.Contains(g, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}
