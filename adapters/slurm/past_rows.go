package slurm

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"schedmate"
)

// pastColumns are the fields of sacct that are read. The last is Slurm's own.
var pastColumns = []string{
	"JobIDRaw", "JobID", "User", "Account", "Partition", "QOS", "State", "ExitCode", "DerivedExitCode", "Submit", "Eligible", "Start", "End",
	"TimelimitRaw", "ReqTRES", "AllocTRES", "NNodes", "NodeList", "Reason", "JobName", "WorkDir", "Comment", "ElapsedRaw",
}

// pastColumnsWithLogs are the same with where a job logged, which sacct tells from
// 24.05 on.
var pastColumnsWithLogs = append([]string{"StdOut", "StdErr"}, pastColumns...)

// readPast reads the output of sacct -P -D -X: each run of a job is a row. 22.05
// loses exit codes in JSON, so that columns are read in all versions.
func readPast(from io.Reader, t table) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	var jobs []schedmate.ObservedJob
	bad := 0
	var firstBad error
	runs := map[string]int{}
	err := t.rows(from, func(row map[string]string) error {
		j, err := pastJob(row)
		if err != nil {
			if bad++; firstBad == nil {
				firstBad = fmt.Errorf("job %.20s: %w", row["JobID"], err)
			}
			return nil
		}
		j.Restarts = runs[j.ID]
		runs[j.ID]++
		jobs = append(jobs, j)
		return nil
	})
	var gaps []schedmate.Gap
	if bad > 0 {
		gaps = append(gaps, schedmate.Gap{What: plural(bad, "past job"), Why: "what Slurm's database says of them could not be read: " + firstBad.Error(), Next: "report this with the output of 'sacct -P'"})
	}
	jobs = sortedJobs(jobs, func(a, b *schedmate.ObservedJob) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), schedmate.CompareJobIDs(a.ID, b.ID), cmp.Compare(a.Restarts, b.Restarts))
	})
	return jobs, gaps, err
}

func pastJob(row map[string]string) (schedmate.ObservedJob, error) {
	var failed error
	at := func(name string) schedmate.Seconds {
		s, err := instant(row[name])
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		return s
	}
	j := schedmate.ObservedJob{
		ID: clean(text(row["JobID"])), Name: valid(text(row["JobName"])), User: clean(text(row["User"])), Account: clean(text(row["Account"])), QOS: clean(text(row["QOS"])),
		Reason: reason(text(row["Reason"])), Submit: at("Submit"), Eligible: at("Eligible"), Start: at("Start"), End: at("End"),
		WorkDir: clean(text(row["WorkDir"])), Comment: valid(text(row["Comment"])),
	}
	if raw, err := strconv.ParseInt(row["JobIDRaw"], 10, 64); err == nil {
		j.Number = raw
	}
	if array, _, ok := strings.Cut(j.ID, "_"); ok {
		j.Array = array
	}
	if het, _, ok := strings.Cut(j.ID, "+"); ok {
		j.Het = het
	}
	if p := none(row["Partition"]); p != "" {
		j.Partitions = strings.Split(p, ",")
	}
	if minutes, err := strconv.ParseInt(row["TimelimitRaw"], 10, 64); err == nil {
		j.TimeLimit = number(minutes * 60).seconds()
	}
	end := &schedmate.Ending{}
	j.State = strings.ToUpper(clean(text(row["State"])))
	if by, ok := strings.CutPrefix(j.State, "CANCELLED BY "); ok { // the user's number, or name
		j.State, end.CancelledBy = "CANCELLED", by
	}
	if j.State == "" || j.ID == "" {
		return j, fmt.Errorf("has no state or no id")
	}
	asked, err := readTRES(row["ReqTRES"])
	if err != nil {
		return j, err
	}
	got, err := readTRES(row["AllocTRES"])
	if err != nil {
		return j, err
	}
	if got.told {
		asked = got
	}
	j.Request = schedmate.NodeRequest{MinNodes: asked.nodes, CPUs: asked.cpus, MemoryMiB: asked.memoryMiB, GPUs: asked.gpus, GPUType: asked.gpuType, Shards: asked.shards}
	if j.Nodes, err = Hosts(row["NodeList"]); err != nil {
		return j, err
	}
	if j.Over() {
		if end.ExitCode, end.Signal, err = exitCode(row["ExitCode"]); err != nil {
			return j, err
		}
		if end.StepExit, _, err = exitCode(row["DerivedExitCode"]); err != nil {
			return j, err
		}
		j.Ending = end
	}
	pastLogs(&j, row)
	return j, failed
}

// pastLogs works out where a job logged; sacct tells the patterns that were asked for.
func pastLogs(j *schedmate.ObservedJob, row map[string]string) {
	names := logNames{job: j.Number, array: j.Number, name: j.Name, user: j.User, workDir: j.WorkDir}
	if len(j.Nodes) > 0 {
		names.node = j.Nodes[0]
	}
	if array, task, ok := strings.Cut(j.ID, "_"); ok {
		if number, err := strconv.ParseInt(array, 10, 64); err == nil {
			names.array, names.task = number, task
		}
	}
	for column, file := range map[string]*string{"StdOut": &j.Stdout, "StdErr": &j.Stderr} {
		if pattern := clean(text(row[column])); pattern != "" {
			*file = names.expand(pattern)
		}
	}
	if j.Stderr == j.Stdout {
		j.Stderr = ""
	}
}

// exitCode reads code:signal.
func exitCode(s string) (code, signal int, err error) {
	if s = none(s); s == "" {
		return 0, 0, nil
	}
	c, g, _ := strings.Cut(s, ":")
	if code, err = strconv.Atoi(c); err == nil && g != "" {
		signal, err = strconv.Atoi(g)
	}
	if err != nil || code < 0 || signal < 0 {
		return 0, 0, fmt.Errorf("is no exit code: %.20q", s)
	}
	return code, signal, nil
}
