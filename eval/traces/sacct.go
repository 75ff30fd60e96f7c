package traces

import (
	"fmt"
	"strings"

	"schedmate"
)

// Sacct is the format of Slurm's accounting.
const Sacct Format = "sacct"

// sacct is the output of Slurm's accounting command with --parsable2. Its
// columns are found by name, in any order; those that nobody needs are passed
// over, because a site prints what it likes. See sacctKinds for what is read,
// sacct_rows.go for how lines become rows, sacct_jobs.go for how rows become
// jobs.
var sacct = format{
	name:    Sacct,
	summary: "Slurm accounting: jobs as sacct --parsable2 prints them, with what the real scheduler did",
	load:    loadSacct,
	choices: []string{"vc", "arrival"},
}

// sacctCommand makes a trace of the last month. SLURM_TIME_FORMAT makes sacct
// write instants as Unix seconds: no change to summer time can get in. JobName
// stands last because a user may write anything into it.
const sacctCommand = "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --duplicates --parsable2 --starttime now-30days " +
	"--format=JobID,User,Account,Partition,QOS,State,ExitCode,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,ReqTRES,AllocTRES,NodeList,NNodes,JobName > jobs.txt"

// kind is what the cells of a column look like. It tells where a row that was
// torn apart by a name belongs together.
type kind int

const (
	free      kind = iota // any text: it may hold the delimiter and line ends
	word                  // text on one line, without the delimiter
	number                // digits, or a word such as UNLIMITED
	clockTime             // a duration such as 1-02:03:04, or a word
	instant
	tres
	jobID
	state
	exitCode
	nothing // behind the last delimiter of --parsable
)

// sacctKinds are the columns that have a known look, in lower case, and those
// that are free because users write them. Every other one is a word.
var sacctKinds = map[string]kind{
	"jobname": free, "comment": free, "admincomment": free, "systemcomment": free, "extra": free, "workdir": free, "submitline": free,
	"constraints": free, "container": free, "wckey": free, "stdin": free, "stdout": free, "stderr": free,
	"stdinexpanded": free, "stdoutexpanded": free, "stderrexpanded": free,
	"jobid": jobID, "jobidraw": jobID, "state": state, "exitcode": exitCode, "derivedexitcode": exitCode,
	"user": word, "account": word, "group": word, "partition": word, "qos": word, "cluster": word, "nodelist": word,
	"submit": instant, "eligible": instant, "start": instant, "end": instant,
	"elapsed": clockTime, "elapsedraw": number, "timelimit": clockTime, "timelimitraw": number, "nnodes": number, "allocnodes": number,
	"uid": number, "gid": number, "priority": number, "ncpus": number, "alloccpus": number, "reqcpus": number, "restarts": number,
	"alloctres": tres, "reqtres": tres,
	"": nothing,
}

// sacctNeeds are the columns without which no job can be made: one of each.
var sacctNeeds = [][]string{{"JobID", "JobIDRaw"}, {"State"}, {"Submit"}, {"Start"}, {"End", "ElapsedRaw", "Elapsed"}, {"AllocTRES", "ReqTRES"}}

// fits reports whether a cell can stand in a column of this kind.
func (k kind) fits(cell string) bool {
	only := func(extra string) bool {
		return strings.Trim(cell, "0123456789"+extra) == ""
	}
	switch k {
	case free:
		return true
	case word:
		return !strings.ContainsAny(cell, "\n")
	case number:
		return only("") || isWord(cell)
	case clockTime:
		return cell == "" || only(".:-") && strings.Contains(cell, ":") || isWord(cell)
	case instant:
		return only("-:T ") || isWord(cell) || cell == "N/A"
	case tres:
		return cell == "" || strings.Contains(cell, "=") && !strings.ContainsAny(cell, "\n ")
	case jobID:
		number, step, _ := strings.Cut(cell, ".")
		return number != "" && number[0] >= '0' && number[0] <= '9' &&
			strings.Trim(number, "0123456789_[]%,-+:.") == "" && (step == "" || isWord(strings.Trim(step, "0123456789+")) || strings.Trim(step, "0123456789+") == "")
	case state:
		name, by, cancelled := strings.Cut(cell, " by ")
		return isWord(strings.TrimSuffix(name, "+")) && name == strings.ToUpper(name) && (!cancelled || strings.Trim(by, "0123456789") == "" || isWord(by))
	case exitCode:
		return only(":")
	}
	return cell == ""
}

// isWord reports whether a text is letters and underscores.
func isWord(s string) bool {
	for _, b := range []byte(s) {
		if b != '_' && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// sacctEnds are the states that end a job. FAILED does not say whose fault it
// was, nor does OUT_OF_MEMORY: it is the job's own limit or the node's.
// PREEMPTED ends a job where preemption cancels.
var sacctEnds = map[string]lucidState{
	"COMPLETED":     {state: schedmate.Completed},
	"FAILED":        {state: schedmate.Failed},
	"OUT_OF_MEMORY": {state: schedmate.Failed},
	"NODE_FAIL":     {state: schedmate.Failed, failure: schedmate.InfrastructureFailure},
	"BOOT_FAIL":     {state: schedmate.Failed, failure: schedmate.InfrastructureFailure},
	"LAUNCH_FAILED": {state: schedmate.Failed, failure: schedmate.InfrastructureFailure},
	"CANCELLED":     {state: schedmate.Cancelled},
	"PREEMPTED":     {state: schedmate.Cancelled},
	"TIMEOUT":       {state: schedmate.TimedOut},
	"DEADLINE":      {state: schedmate.TimedOut},
}

// sacctHolds are the states of a job that has GPUs and is not over.
var sacctHolds = map[string]bool{
	"RUNNING": true, "COMPLETING": true, "SUSPENDED": true, "STOPPED": true, "SIGNALING": true, "STAGE_OUT": true,
}

// sacctWaits are the states of a job that will run, or run again.
var sacctWaits = map[string]bool{
	"PENDING": true, "CONFIGURING": true, "REQUEUED": true, "REQUEUE_FED": true, "REQUEUE_HOLD": true, "SPECIAL_EXIT": true,
	"RESIZING": true, "RESV_DEL_HOLD": true, "POWER_UP_NODE": true, "REVOKED": true,
}

// missingSacct says which column a header lacks, and how to make the file.
func missingSacct(file, column string) error {
	return &InputError{File: file, Line: 1, Column: column, Problem: "is missing", Next: "run: " + sacctCommand}
}

// gpusOf returns how many whole GPUs a list of trackable resources names and
// of which type. The number without a type is the whole; those with a type say
// how it is made up and are not added to it. The type is empty where none or
// several are named. Shared says that the list names shares of GPUs.
func gpusOf(list string) (gpus int, gpuType string, shared bool, problem string) {
	const gpu = "gres/gpu"
	typed, types, untyped := 0, 0, false
	for entry := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(entry, "=")
		if name == "gres/shard" || name == "gres/mps" || strings.HasPrefix(name, "gres/shard:") || strings.HasPrefix(name, "gres/mps:") {
			shared = true
		}
		if name != gpu && !strings.HasPrefix(name, gpu+":") {
			continue
		}
		n, problem := whole(value, schedmate.MaxGangGPUs)
		if problem != "" {
			return 0, "", shared, fmt.Sprintf("%s %s", gpu, problem)
		}
		switch {
		case name == gpu:
			gpus, untyped = int(n), true
		case n > 0:
			typed += int(n)
			types++
			gpuType = name[len(gpu)+1:]
		}
	}
	if !untyped {
		gpus = typed
	}
	if types != 1 {
		gpuType = ""
	}
	if gpus > schedmate.MaxGangGPUs {
		return 0, "", shared, fmt.Sprintf("%s must lie in [0, %d], got %d", gpu, schedmate.MaxGangGPUs, gpus)
	}
	return gpus, gpuType, shared, ""
}
