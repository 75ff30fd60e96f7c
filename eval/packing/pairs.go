package packing

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"schedmate"
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

func readTable(name string, text []byte) (*Table, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	t := &Table{Pairs: make(sim.Pairs, len(rows))}
	for i, row := range rows[min(1, len(rows)):] {
		numbers := make([]int, 4)
		for k, column := range []int{1, 3, 4, 5} {
			if numbers[k], err = strconv.Atoi(row[column]); err != nil || numbers[k] < 0 {
				return nil, fmt.Errorf("read %s: line %d: column %d: %q is no count", name, i+2, column+1, row[column])
			}
		}
		a, b := schedmate.Workload{Model: row[0], BatchSize: numbers[0]}, schedmate.Workload{Model: row[2], BatchSize: numbers[1]}
		t.Pairs[sim.Pair{First: a, Second: b}] = sim.PairSpeeds{First: numbers[2], Second: numbers[3]}
		for _, w := range []schedmate.Workload{a, b} {
			if !slices.Contains(t.Workloads, w) {
				t.Workloads = append(t.Workloads, w)
			}
		}
	}
	return t, nil
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
