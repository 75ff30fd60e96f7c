package eval

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// column is the name of the last column of a shard's table of jobs. It says of
// which sweep the table is a part; each cell holds the number of the row's run
// in the sweep, from 1, and how many rows of that run follow.
func (s *ShardOf) column() string {
	return fmt.Sprintf("shard %s of %d runs of sweep %s", s.Shard, s.Runs, s.Sweep)
}

func shardCell(run, rest int) string { return strconv.Itoa(run+1) + ":" + strconv.Itoa(rest) }

// parseColumn reads what column wrote, and nothing else.
func parseColumn(name string) (*ShardOf, bool) {
	words := strings.Fields(name)
	if len(words) != 8 {
		return nil, false
	}
	shard, err1 := ParseShard(words[1])
	runs, err2 := strconv.Atoi(words[3])
	of := &ShardOf{Shard: shard, Runs: runs, Sweep: words[7]}
	return of, err1 == nil && err2 == nil && of.column() == name
}

// MergeJobs joins the tables of jobs of all shards of a sweep, in any order, to
// the table of the sweep. It reads the files side by side, a row of each at a
// time. What it has written is worthless when it returns an error.
func MergeJobs(w io.Writer, files []ShardFile) error {
	var set shardSet
	tables := make(map[int]*jobShard, len(files)) // by index of the shard
	var header []string
	for _, f := range files {
		t, columns, err := openJobShard(f)
		if err != nil {
			return err
		}
		if err := set.add(f.Name, t.of); err != nil {
			return err
		}
		if header == nil {
			header = columns
		} else if !slices.Equal(header, columns) {
			return &MergeError{f.Name, "has other columns than " + set.first, "make all shards with one version of the program"}
		}
		tables[t.of.Index] = t
	}
	if err := set.complete(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	write := func(row []string) error {
		if err := out.Write(row); err != nil {
			return fmt.Errorf("merge jobs: %w", err)
		}
		return nil
	}
	if err := write(header); err != nil {
		return err
	}
	for k := range set.of.Runs {
		if err := tables[k%set.of.Of+1].copyRun(k, write); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if _, err := t.rows.Read(); !errors.Is(err, io.EOF) {
			return t.fail("has rows behind its last run")
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("merge jobs: %w", err)
	}
	return nil
}

// runColumns are the first columns of a table of jobs, which name the run.
const runColumns = 4

// jobShard is the table of jobs of one shard while it is read.
type jobShard struct {
	file string
	of   *ShardOf
	rows *csv.Reader
}

func (t *jobShard) fail(format string, args ...any) error {
	return &MergeError{t.file, fmt.Sprintf(format, args...), "make it again"}
}

// openJobShard reads the header and returns it without the shard's column.
func openJobShard(f ShardFile) (*jobShard, []string, error) {
	t := &jobShard{file: f.Name, rows: csv.NewReader(f.Text)}
	t.rows.ReuseRecord = true
	header, err := t.rows.Read()
	const give = "give what simulate --shard wrote to --jobs-out, or its JSON reports"
	if err != nil {
		return nil, nil, &MergeError{f.Name, fmt.Sprintf("is no table of jobs (%v)", err), give}
	}
	last := len(header) - 1
	of, ok := parseColumn(header[last])
	switch {
	case ok:
	case isJobTable(header):
		return nil, nil, &MergeError{f.Name, "is a whole table, not a shard", "only files made with --shard can be joined"}
	default:
		return nil, nil, &MergeError{f.Name, "is no shard's table of jobs", give}
	}
	t.of = of
	return t, slices.Clone(header[:last]), nil
}

// copyRun hands on the rows of a run, which must be the next ones and complete.
func (t *jobShard) copyRun(run int, write func([]string) error) error {
	var first []string
	for rest := -1; rest != 0; {
		row, err := t.rows.Read()
		if errors.Is(err, io.EOF) {
			return t.fail("ends within run %d: it is cut off", run+1)
		}
		if err != nil {
			return t.fail("is damaged (%v)", err)
		}
		last := len(row) - 1
		number, left, ok := strings.Cut(row[last], ":")
		k, err1 := strconv.Atoi(number)
		n, err2 := strconv.Atoi(left)
		line, _ := t.rows.FieldPos(last)
		switch {
		case !ok || err1 != nil || err2 != nil || n < 0:
			return t.fail("line %d: the last cell must be RUN:ROWS, got %.40q", line, row[last])
		case k != run+1 || rest > 0 && n != rest-1:
			return t.fail("line %d: a row is missing, doubled or out of place", line)
		}
		if first == nil {
			first = slices.Clone(row[:min(runColumns, last)])
		} else if !slices.Equal(first, row[:len(first)]) {
			return t.fail("line %d: names another run than the rows before it", line)
		}
		rest = n
		if err := write(row[:last]); err != nil {
			return err
		}
	}
	return nil
}
