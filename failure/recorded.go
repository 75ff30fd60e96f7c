package failure

import (
	"regexp"
	"strings"

	"schedmate"
)

// recorded is what the scheduler's record says of the latest run of the job.
type recorded struct {
	place
	text  string
	state string // empty: there is no record
	exit  string // code:signal
	nodes string // parted by commas; "(null)" when it never had one
}

// jobRecorded is a line of the record that is of the job, not of one of its nodes, where
// text of people stands.
var (
	jobRecorded   = regexp.MustCompile(`^(?:\S+ )?JobId=\S+ (?:UserId=\S+ )?JobState=(\w+)`)
	exitRecorded  = regexp.MustCompile(` ExitCode=(\d+:\d+)`)
	nodesRecorded = regexp.MustCompile(` NodeList=(\S+)`)
)

// calledWell is said of what a log shows of a job that the scheduler calls completed.
var calledWell = Text{
	"Slurm calls the job completed: the program caught this, or its script went on after it",
	"Slurm 记录作业正常完成：程序捕获了该错误，或脚本在其后继续执行",
}

func (r *recorded) read(text []byte, at place) {
	m := jobRecorded.FindSubmatch(text)
	if m == nil {
		return
	}
	*r = recorded{place: at, text: clipped(text, maxText), state: string(m[1])}
	if m := exitRecorded.FindSubmatch(text); m != nil {
		r.exit = string(m[1])
	}
	if m := nodesRecorded.FindSubmatch(text); m != nil {
		r.nodes = string(m[1])
	}
}

// well tells whether the job ended well by its record.
func (r *recorded) well() bool { return r.state == "COMPLETED" && r.exit == "0:0" }

// neverRan tells whether the job never had a node.
func (r *recorded) neverRan() bool { return r.nodes == "(null)" }

// only is the one node that the job had, "" when it had none or several.
func (r *recorded) only() string {
	if r.neverRan() || strings.ContainsAny(r.nodes, ",[") {
		return ""
	}
	return r.nodes
}

// ranAgain tells whether a place in the record is of a run before the latest, and that
// one ended too: the job got over what ended the earlier one.
func (r *recorded) ranAgain(p place) bool {
	over := (&schedmate.ObservedJob{State: r.state}).Over()
	return over && p.source == r.source && p.line < r.line
}

func (r *recorded) quote(s *Scanner) schedmate.Quote {
	return schedmate.Quote{File: s.sources[r.source].name, Line: r.line, Byte: r.byte, Text: r.text, Why: calledWell.English}
}
