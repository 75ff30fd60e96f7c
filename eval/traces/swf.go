package traces

import (
	"fmt"
	"io"
	"strings"

	"schedmate"
	"schedmate/scheduler/sim"
)

// swf is the Standard Workload Format, version 2.2, of the Parallel Workloads
// Archive (Chapin et al., JSSPP 1999; Feitelson): one job a line, 18 numbers
// between blanks, -1 for what is not known. Lines that begin with a semicolon
// are comments. All times are seconds.
//
// The format counts processors and knows no GPUs: one processor is one GPU here.
//
//	requested_processors  the gang; unknown: allocated_processors
//	requested_time        the limit, unless the job ran longer
//	run_time              the work
//	status                1 completed, 0 failed, 5 cancelled, -1 unknown (taken
//	                      for completed); 2, 3 and 4 are parts of a job that has a
//	                      line of its own, and are dropped
//	partition             the VC, with Options.VC partition
//	user_id, group_id     kept as they are
//	executable            the name
//
// Waiting times, memory, CPU time, queues and the jobs that came before are
// known and not used: submissions are already those of the log.
var swf = format{
	name:    "swf",
	summary: "Standard Workload Format of the Parallel Workloads Archive: 18 numbers a job, a processor taken for a GPU, in seconds",
	load:    loadSWF,
	choices: []string{"vc"},
}

// swfFields are the fields of a line, in order.
var swfFields = []string{
	"job_number", "submit_time", "wait_time", "run_time", "allocated_processors", "average_cpu_time",
	"used_memory", "requested_processors", "requested_time", "requested_memory", "status", "user_id",
	"group_id", "executable", "queue", "partition", "preceding_job", "think_time",
}

// swfUnused are the fields that must be numbers and are not looked at.
var swfUnused = []string{"wait_time", "average_cpu_time", "used_memory", "requested_memory", "queue", "preceding_job", "think_time"}

const (
	swfFailed    = 0
	swfCompleted = 1
	swfPartial   = 2 // and 3, 4
	swfCancelled = 5
	swfUnknown   = -1
)

func loadSWF(l *loader, src *source) error {
	r := &swfRow{newRow(l.file, l.trace.Name, swfFields, &l.clock)}
	r.options = l.options
	blank := 0
	for {
		text, err := src.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if src.line == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		switch cells := strings.Fields(text); {
		case strings.HasPrefix(text, ";"):
			continue
		case len(cells) == 0:
			if blank == 0 {
				blank = src.line
			}
			continue
		case blank > 0:
			return &InputError{File: l.file, Line: blank, Problem: "is empty, but jobs follow", Next: "remove the line"}
		case len(cells) != len(swfFields):
			return &InputError{File: l.file, Line: src.line, Problem: fmt.Sprintf("has %d fields", len(cells)),
				Next: fmt.Sprintf("write the %d fields of the format, -1 for what is not known; comments begin with a semicolon", len(swfFields))}
		default:
			r.set(src.line, cells)
		}
		job, dropped := r.job()
		if r.err != nil {
			return r.err
		}
		if dropped == swfPart {
			l.trace.drop(dropped, 1, src.line) // it has the number of its job
			continue
		}
		if err := l.take(job, dropped, src.line); err != nil {
			return err
		}
	}
}

const swfPart = "is a part of a job that has a line of its own"

// swfRow is a row in which -1 stands for what is not known.
type swfRow struct{ *row }

// known reports whether a field has a value; some logs write -1 as -1.00.
func (r *swfRow) known(field string) bool {
	rest, unknown := strings.CutPrefix(r.cell(field), "-1")
	return !unknown || rest != "" && (rest[0] != '.' || strings.Trim(rest, ".0") != "")
}

// number returns a number of the log as a name, or nothing.
func (r *swfRow) number(field string) string {
	if !r.known(field) {
		return ""
	}
	r.whole(field, 1<<53)
	return r.text(field)
}

func (r *swfRow) job() (sim.Job, string) {
	status := swfUnknown
	if r.known("status") {
		status = int(r.whole("status", swfCancelled))
	}
	for _, field := range swfUnused {
		if r.known(field) {
			r.scaled(field, 1, 1<<53)
		}
	}
	j := sim.Job{Job: schedmate.Job{
		ID: r.id("job_number"), Name: r.number("executable"), User: r.number("user_id"), Group: r.number("group_id"),
		Outcome: &schedmate.Outcome{State: swfState(status)},
	}}
	r.whole("job_number", 1<<53)
	if partition := r.number("partition"); r.options.VC == VCPartition {
		j.VC = partition
	}
	for _, field := range []string{"allocated_processors", "requested_processors"} {
		if r.known(field) {
			j.GPUs = r.gpus(field)
		}
	}
	var limit schedmate.Seconds
	if r.known("requested_time") {
		limit = r.seconds("requested_time")
	}
	if r.known("submit_time") {
		j.Submit = r.seconds("submit_time")
	}
	if r.known("run_time") {
		j.Outcome.Run = r.seconds("run_time")
	}
	if j.Outcome.Run <= limit { // a longer one was let run
		j.TimeLimit = limit
	}
	return j, r.leftOut(status, j.GPUs)
}

// leftOut says why no simulation can run the job, or nothing.
func (r *swfRow) leftOut(status, gpus int) string {
	switch {
	case status >= swfPartial && status < swfCancelled:
		return swfPart
	case !r.known("submit_time"):
		return "has no submission"
	case !r.known("run_time") && status == swfCancelled:
		return "never started"
	case !r.known("run_time"):
		return "has no run time"
	case !r.known("requested_processors") && !r.known("allocated_processors"):
		return "has no number of processors"
	case gpus == 0:
		return noGPUs
	}
	return ""
}

func swfState(status int) schedmate.State {
	switch status {
	case swfFailed:
		return schedmate.Failed
	case swfCancelled:
		return schedmate.Cancelled
	}
	return schedmate.Completed
}
