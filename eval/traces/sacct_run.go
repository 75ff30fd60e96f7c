package traces

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"schedmate"
)

// sacctRun is one row: a job, or one of the runs of a job that was requeued.
type sacctRun struct {
	line                                    int
	id, name, user, account, partition, qos string
	state, exit                             string
	nodes                                   string // as Slurm lists them; empty: none
	nodeCount                               int    // 0: not told
	submit, eligible, start, end, elapsed   schedmate.Seconds
	limit                                   schedmate.Seconds // 0: none
	gpus                                    int
	gpuType                                 string
	tres, shared                            bool // it names resources at all; shares of GPUs
}

// unknown stands for an instant or a duration that Slurm does not tell.
const unknown schedmate.Seconds = -1

// started reports whether the run ever held its resources. A job that was
// cancelled while it waited has a start in some versions, but no node.
func (r *sacctRun) started() bool {
	return r.start != unknown && !(r.elapsed <= 0 && r.nodes == "" && !r.tres)
}

// sacctCells is one row with access to its cells by the column's name.
type sacctCells struct {
	row
	rows *sacctRows
}

func newSacctCells(l *loader, rows *sacctRows) *sacctCells {
	c := &sacctCells{rows: rows}
	c.row = *newRow(l.file, l.trace.Name, nil, &l.clock)
	for i, name := range rows.names {
		c.column[strings.ToLower(name)] = i
	}
	return c
}

// either returns the cell of the first of the columns that the file has and
// that is not empty, with the column's name.
func (c *sacctCells) either(columns ...string) (name, cell string) {
	for _, name := range columns {
		if cell := c.cell(strings.ToLower(name)); cell != "" {
			return name, cell
		}
	}
	return columns[0], ""
}

// known returns a name on one line, each stored once.
func (c *sacctCells) known(columns ...string) string {
	_, cell := c.either(columns...)
	if clean := readable(cell); clean != cell {
		return strings.TrimSpace(clean)
	}
	if name, ok := c.names[cell]; ok {
		return name
	}
	if len(c.names) >= 1<<16 {
		clear(c.names)
	}
	own := strings.Clone(cell)
	c.names[own] = own
	return own
}

// run reads the row.
func (c *sacctCells) run() (sacctRun, error) {
	state, _, _ := strings.Cut(c.cell("state"), " ")
	r := sacctRun{
		line: c.line, state: c.once(strings.TrimSuffix(state, "+")),
		name: c.known("JobName"), user: c.known("User"), account: c.known("Account", "Group"),
		partition: c.known("Partition"), qos: c.known("QOS"), exit: c.known("ExitCode"),
		submit: c.instant("Submit"), eligible: c.instant("Eligible"), start: c.instant("Start"), end: c.instant("End"),
		elapsed: c.duration(1, "ElapsedRaw", "Elapsed"),
		limit:   max(0, c.duration(60, "TimelimitRaw", "Timelimit")),
	}
	name, id := c.either("JobID", "JobIDRaw")
	if r.id = strings.Clone(readable(id)); id == "" {
		c.fail(name, "is empty", "give every job an id")
	}
	if nodes := c.known("NodeList"); nodes != "None assigned" && nodes != "(null)" {
		r.nodes = nodes
	}
	if cell := c.cell("nnodes"); cell != "" {
		n, problem := whole(cell, schedmate.MaxGangGPUs)
		if problem != "" {
			c.fail("NNodes", problem, correctCell)
		}
		r.nodeCount = int(n)
	}
	c.resources(&r)
	if r.submit == unknown {
		c.fail("Submit", "is not known", correctCell)
	}
	switch {
	case r.start != unknown && r.end != unknown && r.elapsed == unknown:
		r.elapsed = r.end - r.start
	case r.start != unknown && r.end == unknown && r.elapsed != unknown && sacctEnds[r.state].state != "":
		r.end = r.start + r.elapsed
	}
	return r, c.err
}

func (c *sacctCells) once(s string) string {
	if name, ok := c.names[s]; ok {
		return name
	}
	own := strings.Clone(s)
	c.names[own] = own
	return own
}

// resources reads what the job got, or asked for where it got nothing.
func (c *sacctCells) resources(r *sacctRun) {
	column, list := c.either("AllocTRES", "ReqTRES")
	r.tres = c.cell("alloctres") != ""
	gpus, gpuType, shared, problem := gpusOf(list)
	if problem != "" {
		c.fail(column, problem, correctCell)
	}
	if gpuType == "" { // sites that account GPUs without their type still tell it in the request
		if n, asked, _, problem := gpusOf(c.cell("reqtres")); problem == "" && n == gpus {
			gpuType = asked
		}
	}
	r.gpus, r.shared = gpus, shared
	if gpuType != "" {
		r.gpuType = c.once(readable(gpuType))
	}
}

// instant reads a time of day or Unix seconds; unknown where Slurm knows none.
func (c *sacctCells) instant(column string) schedmate.Seconds {
	cell := c.cell(strings.ToLower(column))
	switch strings.ToLower(cell) {
	case "", "unknown", "none", "n/a":
		return unknown
	}
	if strings.Trim(cell, "0123456789") == "" {
		n, problem := whole(cell, int64(schedmate.MaxSeconds))
		if problem != "" {
			c.fail(column, problem, correctCell)
		}
		c.tellsClock("seconds", column, cell)
		return schedmate.Seconds(n)
	}
	at, err := time.Parse("2006-01-02T15:04:05", strings.Replace(cell, " ", "T", 1))
	if err != nil || len(cell) != len(timestamp) || at.Unix() < 0 {
		c.fail(column, fmt.Sprintf("must be a time like 2026-01-31T09:00:00 or Unix seconds, got %.40q", cell), "run: "+sacctCommand)
		return unknown
	}
	c.tellsClock("calendar", column, cell)
	return schedmate.Seconds(at.Unix())
}

// tellsClock refuses a file that writes instants in two ways.
func (c *sacctCells) tellsClock(kind, column, cell string) {
	if c.clock.kind != "" && c.clock.kind != kind {
		c.fail(column, fmt.Sprintf("mixes times of day and seconds: %.40s here, the other on line %d", cell, c.clock.line), "write all of them in one way")
		return
	}
	if c.clock.kind == "" {
		c.clock.kind, c.clock.line = kind, c.line
	}
}

// duration reads raw, a whole number in units of so many seconds, or text, a
// duration such as 1-02:03:04. A word such as UNLIMITED is unknown.
func (c *sacctCells) duration(unit int64, raw, text string) schedmate.Seconds {
	column, cell := c.either(raw, text)
	if cell == "" || isWord(cell) {
		return unknown
	}
	var n int64
	var problem string
	if column == raw {
		n, problem = whole(cell, int64(schedmate.MaxSeconds)/unit)
		n *= unit
	} else {
		n, problem = daysAndClock(cell)
	}
	if problem != "" {
		c.fail(column, problem, correctCell)
		return unknown
	}
	return schedmate.Seconds(n)
}

// daysAndClock reads [days-]hours:minutes:seconds or minutes:seconds, in
// seconds.
func daysAndClock(text string) (seconds int64, problem string) {
	days, clock, dashed := strings.Cut(text, "-")
	if !dashed {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	if len(parts) < 2 || len(parts) > 3 || dashed && len(parts) != 3 {
		return 0, fmt.Sprintf("must be a duration like 1-02:03:04, got %.40q", text)
	}
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return 0, fmt.Sprintf("must be a duration like 1-02:03:04, got %.40q", text)
		}
		seconds = seconds*60 + int64(n)
	}
	n, err := strconv.ParseUint(days, 10, 32)
	if seconds += int64(n) * 86400; err != nil || n > 1<<20 || seconds > int64(schedmate.MaxSeconds) {
		return 0, fmt.Sprintf("must be a duration below 200 years like 1-02:03:04, got %.40q", text)
	}
	return seconds, ""
}

// byStart orders the runs of a job; one that never started is the last.
func byStart(a, b sacctRun) int {
	never := func(r *sacctRun) int {
		if r.start == unknown {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(never(&a), never(&b)), cmp.Compare(a.start, b.start))
}
