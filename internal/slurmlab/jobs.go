package slurmlab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Phase is what a job of the scenario does when the scenario is ready.
type Phase string

// The phases.
const (
	Running Phase = "running"
	Waiting Phase = "waiting"
	Ended   Phase = "ended"
)

// Job is a job of the scenario and the truth about it.
type Job struct {
	Name  string // as in the table of the package comment; Slurm's job name too, without an array's _N
	ID    string // 7, or 7_2 of an array
	User  string
	Phase Phase
	Style string // of its log: hf, tqdm, lightning, megatron, keras; empty: it writes none of those
	Log   string // path of its standard output; standard error goes there too

	Kind   string // of one that waits: resources, priority ...
	Reason string // Slurm's word for it, or the beginning of its sentence

	Ending Ending // of one that ended
}

// Truth is how far a running job is by its own count.
type Truth struct {
	Step     int     `json:"step"`
	Total    int     `json:"total"`
	StepTime float64 `json:"step_time_s"` // mean of all steps, measured
}

// Truth reads how far a running job is. The count goes on while its log is read.
func (j Job) Truth() (Truth, error) {
	var truth Truth
	text, err := os.ReadFile(filepath.Join(filepath.Dir(j.Log), "truth-"+j.ID+".json"))
	if err == nil {
		err = json.Unmarshal(text, &truth)
	}
	if err != nil {
		return truth, fmt.Errorf("read the truth about %s: %w", j.Name, err)
	}
	return truth, nil
}

// Ending is how a job ended.
type Ending struct {
	State    string   // COMPLETED, FAILED, TIMEOUT ...
	Exit     string   // code:signal, as sacct has it: 1:0; squeue and scontrol have 0:15 for some that have 0:0 here
	Line     string   // part of the line in its log that tells the cause; empty: the log does not tell
	Earlier  []string // states of runs before the last one
	Restarts int
}

// spec is what is submitted for a Job.
type spec struct {
	Job
	stage int      // see stages
	args  []string // of sbatch
	run   string   // last lines of its script
}

// The stages of the scenario.
const (
	first   = iota // runs at once
	whenRan        // submitted when the first ones run or have ended
	n4Down         // submitted when node n4 is down
)

func runs(name, user, style, run string, args ...string) spec {
	return spec{Job: Job{Name: name, User: user, Phase: Running, Style: style}, stage: first, run: run, args: args}
}

func waits(stage int, name, user, kind, reason string, args ...string) spec {
	return spec{Job: Job{Name: name, User: user, Phase: Waiting, Kind: kind, Reason: reason}, stage: stage, run: "trainer -style hf -steps 1000", args: args}
}

func ends(name, style string, ending Ending, run string, args ...string) spec {
	return spec{Job: Job{Name: name, User: "root", Phase: Ended, Style: style, Ending: ending}, stage: first, run: run, args: append([]string{"--partition=short"}, args...)}
}

// specs lists the scenario. What takes longest comes first; {NAME} in an
// argument is the id of that job.
var specs = []spec{
	ends("end-time", "lightning", Ending{State: "TIMEOUT", Exit: "0:0", Line: "DUE TO TIME LIMIT"}, "trainer -style lightning -steps 10000", "--time=1"),
	ends("end-preempted", "tqdm", Ending{State: "PREEMPTED", Exit: "0:0", Line: "DUE TO PREEMPTION"}, "trainer -style tqdm -steps 10000", "--partition=spare", "--gres=gpu:8"),

	runs("run-hf", "root", "hf", "trainer -style hf -steps 20000", "--gres=gpu:8", "--cpus-per-task=8", "--time=8:00:00", "--nodelist=n1"),
	runs("run-megatron", "root", "megatron", "srun --unbuffered bash -c '((SLURM_PROCID == 0)) || exec >/dev/null; exec trainer -style megatron -steps 50000'", "--nodes=2", "--ntasks-per-node=1", "--gres=gpu:4", "--cpus-per-task=4", "--time=1-00:00:00", "--nodelist=n[2-3]"),
	runs("run-tqdm", "nobody", "tqdm", "trainer -style tqdm -steps 30000 -step 700ms", "--account=capped", "--gres=gpu:a100:4", "--time=4:00:00", "--nodelist=n2"),
	runs("run-lightning", "daemon", "lightning", "trainer -style lightning -steps 9000 -step 900ms", "--qos=small", "--gres=gpu:2", "--time=3:00:00", "--nodelist=n3"),
	runs("run-keras", "daemon", "keras", "trainer -style keras -steps 8000", "--qos=single", "--gres=gpu:1", "--time=2:30:00", "--nodelist=n3"),
	runs("run-share-a", "root", "tqdm", "trainer -style tqdm -steps 5000", "--gres=shard:2", "--time=2:00:00", "--nodelist=n3"),
	runs("run-share-b", "root", "hf", "trainer -style hf -steps 5000", "--gres=shard:2", "--time=2:00:00", "--nodelist=n3"),
	runs("run-licence", "root", "hf", "trainer -style hf -steps 5000", "--licenses=matlab:2", "--time=2:00:00"),
	runs("run-array_1", "root", "keras", "trainer -style keras -steps 5000", "--array=1-2%1", "--time=2:00:00"),

	ends("end-ok", "hf", Ending{State: "COMPLETED", Exit: "0:0"}, "trainer -style hf -steps 10 -step 300ms"),
	ends("end-raise", "hf", Ending{State: "FAILED", Exit: "1:0", Line: "RuntimeError: mat1 and mat2 shapes"}, "trainer -style hf -steps 10 -step 300ms -end raise"),
	ends("end-signal", "keras", Ending{State: "FAILED", Exit: "0:11"}, "exec trainer -style keras -steps 10 -step 300ms -end segv"),
	ends("end-memory", "megatron", Ending{State: "FAILED", Exit: "0:9", Line: "exceeded memory limit"}, "trainer -style megatron -steps 10 -step 300ms -end memory", "--mem=200"),
	ends("end-disk", "hf", Ending{State: "FAILED", Exit: "1:0", Line: "No space left on device"}, "trainer -style hf -steps 10 -step 300ms -end disk"),
	ends("end-binary", "", Ending{State: "FAILED", Exit: "127:0", Line: "torchrun-2.9: command not found"}, "torchrun-2.9 --nproc-per-node 8 train.py"),
	ends("end-launch", "", Ending{State: "FAILED", Exit: "0:53"}, "trainer -style hf -steps 10", "--output=missing/folder/%x-%j.out"),
	ends("end-cancelled", "tqdm", Ending{State: "CANCELLED", Exit: "0:0", Line: "CANCELLED AT"}, "trainer -style tqdm -steps 10000"),
	ends("end-requeued", "keras", Ending{State: "COMPLETED", Exit: "0:0", Earlier: []string{"REQUEUED"}, Restarts: 1}, "trainer -style keras -steps 25"),

	// It takes n4 from end-preempted, and then n4 falls silent.
	{Job: Job{Name: "end-node", User: "root", Phase: Ended, Style: "hf", Ending: Ending{State: "NODE_FAIL", Exit: "0:0"}}, stage: whenRan,
		run: "trainer -style hf -steps 10000", args: []string{"--partition=short", "--gres=gpu:8", "--nodelist=n4", "--no-requeue"}},

	waits(whenRan, "wait-qos-gpus", "daemon", "limit", "QOSMaxGRESPerUser", "--qos=small", "--gres=gpu:1"),
	waits(whenRan, "wait-qos-jobs", "daemon", "limit", "QOSMaxJobsPerUserLimit", "--qos=single"),
	waits(whenRan, "wait-account", "nobody", "limit", "AssocGrpGRES", "--account=capped", "--gres=gpu:2"),
	waits(whenRan, "wait-licence", "root", "licence", "Licenses", "--licenses=matlab:1"),
	waits(whenRan, "wait-dependency", "root", "dependency", "Dependency", "--dependency=afterok:{run-hf}"),
	waits(whenRan, "wait-never", "root", "dependency", "DependencyNeverSatisfied", "--dependency=afterok:{end-raise}"),
	waits(whenRan, "wait-time", "root", "limit", "PartitionTimeLimit", "--partition=short", "--time=2:00:00"),
	waits(whenRan, "wait-nodes", "root", "limit", "PartitionNodeLimit", "--partition=short", "--nodes=2"),
	waits(whenRan, "wait-closed", "root", "partition", "PartitionDown", "--partition=closed", "--gres=gpu:2"),
	waits(whenRan, "wait-reservation", "root", "reservation", "Reservation", "--reservation=upgrade"),
	waits(whenRan, "wait-held-user", "daemon", "held", "JobHeldUser", "--hold"),
	waits(whenRan, "wait-held-admin", "root", "held", "JobHeldAdmin", "--begin=now+3hours"), // then held by scontrol
	waits(whenRan, "wait-begin", "root", "begin", "BeginTime", "--begin=now+3hours"),
	waits(whenRan, "wait-resources", "root", "resources", "Resources", "--gres=gpu:8"),
	waits(whenRan, "wait-priority-1", "root", "priority", "Priority", "--gres=gpu:4"),
	waits(whenRan, "wait-priority-2", "nobody", "priority", "Priority", "--nodes=2", "--gres=gpu:2"),
	waits(n4Down, "wait-feature", "root", "constraint", "Nodes required for job are DOWN", "--partition=short", "--constraint=ib", "--gres=gpu:1"),
	waits(n4Down, "wait-node", "root", "constraint", "ReqNodeNotAvail", "--partition=short", "--nodelist=n4"),

	// The second task of the array that run-array_1 is of.
	{Job: Job{Name: "wait-array_2", User: "root", Phase: Waiting, Kind: "limit", Reason: "JobArrayTaskLimit"}, stage: first},
}
