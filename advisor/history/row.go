package history

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedmate"
)

// Row is a finished job as accounting knows it: without the work it did. It
// serves estimates by user and name from the first day.
type Row struct {
	ID, User, JobName     string
	State                 string // of accounting, or an end state
	SubmitS, StartS, EndS schedmate.Seconds
	Request
	Software string
}

// Record returns the row as a record.
func (row Row) Record() (*Record, error) {
	state, err := ParseState(row.State)
	if err != nil {
		return nil, fmt.Errorf("job %.40q: %w", row.ID, err)
	}
	r := &Record{
		ID: row.ID, User: row.User, JobName: row.JobName, State: state, SubmitS: row.SubmitS, StartS: row.StartS, EndS: row.EndS,
		Request: row.Request, Software: row.Software, Progress: -1,
	}
	if state == Completed {
		r.Progress = 1
	}
	return r, r.Validate()
}

// rowColumns are the columns of a CSV of rows; the first six are needed.
var rowColumns = []string{"id", "user", "state", "submit_s", "start_s", "end_s", "job_name", "gpus", "nodes", "gpu_type", "software"}

// ReadCSV reads rows below a header line with the columns id, user, state,
// submit_s, start_s and end_s (seconds of one clock) and, where known,
// job_name, gpus, nodes, gpu_type and software, in any order. Other columns are
// ignored. An error names the line.
func ReadCSV(name string, r io.Reader) ([]*Record, error) {
	lines := csv.NewReader(r)
	lines.ReuseRecord = true
	header, err := lines.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: read header: %w: the first line must name the columns %s", name, err, strings.Join(rowColumns, ","))
	}
	column := make(map[string]int)
	for _, c := range rowColumns {
		column[c] = slices.Index(header, c)
	}
	for _, c := range rowColumns[:6] {
		if column[c] < 0 {
			return nil, fmt.Errorf("%s:1: column %s is missing: the first line must name it", name, c)
		}
	}
	var records []*Record
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: mend the line or leave it out", name, err)
		}
		line, _ := lines.FieldPos(0)
		record, err := readRow(cells, column)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		records = append(records, record)
	}
}

func readRow(cells []string, column map[string]int) (*Record, error) {
	cell := func(c string) string {
		if i := column[c]; i >= 0 {
			return strings.Clone(strings.TrimSpace(cells[i]))
		}
		return ""
	}
	var broken error
	whole := func(c string) int {
		text := cell(c)
		if text == "" {
			return 0
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.Abs(x) > 1e12 {
			broken = errors.Join(broken, fmt.Errorf("column %s: %.40q is no number: write whole seconds or a count", c, text))
			return 0
		}
		return int(math.Round(x))
	}
	row := Row{
		ID: cell("id"), User: cell("user"), JobName: cell("job_name"), State: cell("state"),
		SubmitS: schedmate.Seconds(whole("submit_s")), StartS: schedmate.Seconds(whole("start_s")), EndS: schedmate.Seconds(whole("end_s")),
		Request:  Request{GPUs: whole("gpus"), Nodes: whole("nodes"), GPUType: cell("gpu_type")},
		Software: cell("software"),
	}
	if broken != nil {
		return nil, broken
	}
	return row.Record()
}
