package eval

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"schedmate"
)

// JobRow is one row of the per-job output. Times are seconds; those that the
// file leaves empty are NoInstant here, and null in JSON.
type JobRow struct {
	Job         string  `json:"-"`
	GPUs        int     `json:"-"`
	Submit      int64   `json:"submit_s"`
	Start       Instant `json:"start_s"`
	End         Instant `json:"end_s"`
	Queue       Instant `json:"queue_s"`
	JCT         Instant `json:"jct_s"`
	Preemptions int     `json:"preemptions"`
	Restarts    int     `json:"restarts"`
	State       string  `json:"state"`
	HasDeadline bool    `json:"has_deadline"`
	Missed      bool    `json:"missed"`
}

// Instant is a time in seconds that may be missing.
type Instant int64

// NoInstant is the time of what did not happen.
const NoInstant Instant = -1 << 62

// MarshalJSON writes null for a time that is missing.
func (t Instant) MarshalJSON() ([]byte, error) {
	if t == NoInstant {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(t), 10), nil
}

// RunJobs is one run of a per-job output.
type RunJobs struct {
	RunID
	Rows []JobRow
}

// ReadJobs reads what WriteJobs wrote: one table a run, in the order of the
// file. Errors name file, line and column.
func ReadJobs(name string, r io.Reader) ([]RunJobs, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read %s: it is empty; give a file that 'simulate --jobs-out' wrote", name)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w; give a file that 'simulate --jobs-out' wrote", name, err)
	case !isJobTable(header):
		return nil, fmt.Errorf("read %s: line 1 has other columns than a table of jobs; give a file that 'simulate --jobs-out' wrote, shards joined by 'schedmate merge'", name)
	}
	var tables []RunJobs
	index := make(map[RunID]int)
	seen := make(map[string]int) // of the run that the last row belonged to
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return tables, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w; write it again with 'simulate --jobs-out'", name, err)
		}
		line, _ := in.FieldPos(0)
		id, row, err := parseJobRow(record)
		if err != nil {
			return nil, fmt.Errorf("read %s: line %d: %w; write it again with 'simulate --jobs-out'", name, line, err)
		}
		k, ok := index[id]
		switch {
		case !ok:
			k = len(tables)
			index[id], tables = k, append(tables, RunJobs{RunID: id})
			clear(seen)
		case k != len(tables)-1:
			return nil, fmt.Errorf("read %s: line %d: rows of run %s are not together; write it again with 'simulate --jobs-out'", name, line, id)
		}
		if first, dup := seen[row.Job]; dup {
			return nil, fmt.Errorf("read %s: line %d: job %q stands on line %d already; write it again with 'simulate --jobs-out'", name, line, row.Job, first)
		}
		seen[row.Job] = line
		tables[k].Rows = append(tables[k].Rows, row)
	}
}

// String names a run for people: policy, preset, seed.
func (id RunID) String() string {
	text := id.Policy
	if id.Preset != "" {
		text += "/" + id.Preset
	}
	text += "/" + strconv.FormatInt(id.Seed, 10)
	if id.Experiment != "" {
		text = id.Experiment + ":" + text
	}
	return text
}

func parseJobRow(record []string) (id RunID, row JobRow, err error) {
	cell := func(name string) string { return record[slices.Index(jobColumns, name)] }
	number := func(name string) int64 {
		text := cell(name)
		n, e := strconv.ParseInt(text, 10, 64)
		if e != nil && err == nil {
			err = fmt.Errorf("column %s: %q is no whole number", name, text)
		}
		if limit := int64(schedmate.MaxSeconds); err == nil && name != "seed" && (n < -limit || n > limit) {
			err = fmt.Errorf("column %s: %d lies outside [%d, %d]", name, n, -limit, limit)
		}
		return n
	}
	instant := func(name string) Instant {
		if cell(name) == "" {
			return NoInstant
		}
		return Instant(number(name))
	}
	id = RunID{Experiment: cell("experiment"), Policy: cell("policy"), Preset: cell("preset"), Seed: number("seed")}
	row = JobRow{
		Job: cell("job"), GPUs: int(number("gpus")), Submit: number("submit_s"),
		Start: instant("start_s"), End: instant("end_s"), Queue: instant("queue_s"), JCT: instant("jct_s"),
		Preemptions: int(number("preemptions")), Restarts: int(number("restarts")), State: cell("state"),
		HasDeadline: cell("deadline_s") != "", Missed: cell("missed") == "1",
	}
	if err == nil && (row.GPUs < 1 || row.Preemptions < 0 || row.Restarts < 0) {
		err = fmt.Errorf("%d GPUs, %d preemptions, %d restarts: a job has at least 1, 0 and 0", row.GPUs, row.Preemptions, row.Restarts)
	}
	return id, row, err
}
