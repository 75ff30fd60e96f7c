package traces

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"schedmate"
)

// AnonymousColumns are the columns of a trace that may be shared.
var AnonymousColumns = []string{"JobID", "JobName", "User", "Account", "Partition", "QOS", "State", "ExitCode",
	"Submit", "Eligible", "Start", "End", "ElapsedRaw", "Timelimit", "AllocTRES", "NodeList", "NNodes"}

// Anonymiser writes a trace of format sacct anew without anything that tells
// whose it is.
type Anonymiser struct {
	// Key makes the pseudonyms: the same text of the same column has the same
	// one as long as the key is the same. It must be random and forgotten
	// afterwards: whoever has it can try out names.
	Key [32]byte

	// KeepWeek keeps weekday and time of day: second 0 is midnight before a
	// Monday. Otherwise it is the first submission.
	KeepWeek bool
}

// Write reads a trace from r and writes its jobs to w, in format sacct:
//
//   - one row a job that can be simulated, the runs of a requeued job as one;
//   - ids counted anew; names, users, accounts, partitions, QOS, nodes and GPU
//     types as keyed hashes; every other column gone;
//   - all instants moved together, as seconds from 0, and rounded no further.
//
// What is simulated is the same, apart from names. It returns the trace that
// was read. The groups, the sizes and the rhythm of the jobs stay, or nothing
// could be learned from them: who knows when a certain job ran can find it.
func (a *Anonymiser) Write(w io.Writer, r io.Reader, name string) (*Trace, error) {
	src, err := newSource(r, name, usualLimits)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: filepath.Base(name), Format: Sacct}
	l := loader{trace: t, file: name, options: Options{Arrival: ArrivalSubmit}}
	jobs, err := sacctJobs(&l, src)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		t.Jobs = append(t.Jobs, jobs[i].job)
		l.lines = append(l.lines, jobs[i].runs[0].line)
	}
	l.fromFirst = true
	if err := l.finish(); err != nil { // moves copies of the jobs: those here keep their instants
		return nil, err
	}
	t.SHA256 = src.sum()

	zero := jobs[0].job.Submit
	for i := range jobs {
		zero = min(zero, jobs[i].job.Submit)
	}
	if a.KeepWeek {
		zero = mondayBefore(zero)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(AnonymousColumns, "|"))
	for i := range jobs { // in the order of the file, which decides between jobs of one second
		fmt.Fprintln(out, strings.Join(a.row(i+1, &jobs[i], zero), "|"))
	}
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("write anonymous trace: %w", err)
	}
	return t, nil
}

// mondayBefore is the last midnight before a Monday that is not after t. Unix
// time began on a Thursday.
func mondayBefore(t schedmate.Seconds) schedmate.Seconds {
	const day, week = 86400, 7 * 86400
	return t - (t+3*day)%week
}

// row is one job in the columns of AnonymousColumns.
func (a *Anonymiser) row(id int, s *sacctJob, zero schedmate.Seconds) []string {
	first, last := &s.runs[0], &s.runs[len(s.runs)-1]
	held := s.held()
	j := &s.job
	instant := func(t schedmate.Seconds) string {
		if t == unknown {
			return "Unknown"
		}
		return strconv.FormatInt(int64(max(0, t-zero)), 10)
	}
	gpus := "gres/gpu=" + strconv.Itoa(j.GPUs)
	if j.GPUType != "" {
		gpus += ",gres/gpu:" + a.pseudonym("t", j.GPUType) + "=" + strconv.Itoa(j.GPUs)
	}
	limit := "UNLIMITED"
	if j.TimeLimit > 0 {
		limit = fmt.Sprintf("%d-%02d:%02d:%02d", j.TimeLimit/86400, j.TimeLimit/3600%24, j.TimeLimit/60%60, j.TimeLimit%60)
	}
	exit := last.exit
	if strings.Trim(exit, "0123456789:") != "" {
		exit = ""
	}
	nodes := nodesOf(held.nodes)
	count := held.nodeCount
	if count == 0 {
		count = len(nodes)
	}
	for i, node := range nodes {
		nodes[i] = a.pseudonym("n", node)
	}
	nodeCount := ""
	if count > 0 {
		nodeCount = strconv.Itoa(count)
	}
	past := j.Submit + s.past.JCT
	return []string{
		strconv.Itoa(id), a.pseudonym("j", j.Name), a.pseudonym("u", j.User), a.pseudonym("a", j.Group),
		a.pseudonym("p", last.partition), a.pseudonym("q", last.qos), last.state, exit,
		instant(j.Submit), instant(s.eligible()), instant(first.start), instant(past),
		strconv.FormatInt(int64(j.Outcome.Run), 10), limit, gpus, strings.Join(nodes, ","), nodeCount,
	}
}

// pseudonym stands for a text of one kind. 64 bits do not meet by chance in
// any trace; nothing stays nothing.
func (a *Anonymiser) pseudonym(kind, text string) string {
	if text == "" {
		return ""
	}
	mac := hmac.New(sha256.New, a.Key[:])
	mac.Write([]byte(kind + "\x00" + text))
	return kind + hex.EncodeToString(mac.Sum(nil)[:8])
}
