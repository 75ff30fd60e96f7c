package packing

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/scheduler"
	"schedmate/scheduler/pack"
	"schedmate/scheduler/sim"
)

//go:embed gavel-v100-pairs.csv
var gavel []byte

// Table is measured pairs and the workloads that occur in them, in the order of the
// file.
type Table struct {
	Workloads []schedmate.Workload
	Pairs     sim.Pairs
}

// Gavel returns the pairs that come with the program.
func Gavel() *Table {
	t, err := readTable("gavel-v100-pairs.csv", gavel)
	if err != nil {
		panic("BUG: the embedded pairs: " + err.Error())
	}
	return t
}

// columns are those of a table of pairs, in this order.
var columns = []string{"model", "batch_size", "beside_model", "beside_batch_size", "speed_milli", "beside_speed_milli"}

// readTable reads a table of pairs. Errors name file, line and column.
func readTable(name string, text []byte) (*Table, error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1 // the widths are checked here, with a better message
	in.ReuseRecord = true
	t := &Table{Pairs: make(sim.Pairs)}
	for first := true; ; first = false {
		row, err := in.Read()
		line := 0
		if err == nil {
			line, _ = in.FieldPos(0)
		}
		refuse := func(column, next, format string, args ...any) error {
			return &docfile.Error{File: name, Line: line, Path: column, Problem: fmt.Sprintf(format, args...), Next: next}
		}
		var syntax *csv.ParseError
		switch {
		case err == io.EOF && first:
			return nil, &docfile.Error{File: name, Problem: "is empty", Next: "give a table of pairs, or another file"}
		case err == io.EOF:
			return t, nil
		case errors.As(err, &syntax):
			line = syntax.Line
			return nil, refuse("", "check the quotes there", "is no CSV: %v", syntax.Err)
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		case first && !slices.Equal(row, columns):
			return nil, refuse("", "begin with these columns, in this order", "the columns are %s, and must be %s", strings.Join(row, ","), strings.Join(columns, ","))
		case first:
			continue
		case len(row) != len(columns):
			return nil, refuse("", "check for a missing or an extra comma", "has %d cells, and must have %d", len(row), len(columns))
		}
		numbers := make(map[string]int, 4)
		for i, column := range columns {
			least, most := 0, 1<<30
			switch column {
			case "model", "beside_model":
				if row[i] == "" {
					return nil, refuse(column, "name what is trained", "is empty")
				}
				continue
			case "speed_milli", "beside_speed_milli":
				least, most = 1, scheduler.MaxSpeed
			}
			n, err := strconv.Atoi(row[i])
			if err != nil || n < least || n > most {
				return nil, refuse(column, "write a plain number", "must be a whole number in [%d, %d], got %q", least, most, row[i])
			}
			numbers[column] = n
		}
		a := schedmate.Workload{Model: row[0], BatchSize: numbers["batch_size"]}
		b := schedmate.Workload{Model: row[2], BatchSize: numbers["beside_batch_size"]}
		pair := sim.Pair{First: a, Second: b}
		if _, twice := t.Pairs[pair]; twice {
			return nil, refuse("", "keep one of the rows", "%s at %d beside %s at %d stands here twice", a.Model, a.BatchSize, b.Model, b.BatchSize)
		}
		t.Pairs[pair] = sim.PairSpeeds{First: numbers["speed_milli"], Second: numbers["beside_speed_milli"]}
		for _, w := range []schedmate.Workload{a, b} {
			if !slices.Contains(t.Workloads, w) {
				t.Workloads = append(t.Workloads, w)
			}
		}
	}
}

// Score is how much the workload takes from others: the score of the mean speed of
// those beside it.
func (t *Table) Score(w schedmate.Workload) (pack.Score, bool) {
	var speeds []int
	for _, o := range t.Workloads {
		if _, other, ok := t.Pairs.Beside(w, o); ok {
			speeds = append(speeds, other)
		}
	}
	return pack.ScoreOf(speeds)
}

// Mix gives every job a workload of the table, drawn evenly from the seed in the
// order of the trace, and the score of that workload as a fact.
func (t *Table) Mix(jobs []sim.Job, seed int64) []sim.Job {
	rng := rand.New(rand.NewPCG(uint64(seed), 0x9ac4))
	out := slices.Clone(jobs)
	for i := range out {
		w := t.Workloads[rng.IntN(len(t.Workloads))]
		out[i].Workload = w
		if score, ok := t.Score(w); ok {
			v := int64(score)
			out[i].Facts = append(slices.Clone(out[i].Facts), schedmate.Fact{
				Kind: schedmate.ShareScore, Value: v, Low: v, High: v, ConfidenceMilli: 1000, Source: schedmate.FromTrace,
			})
		}
	}
	return out
}
