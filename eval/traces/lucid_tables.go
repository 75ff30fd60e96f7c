package traces

import (
	"fmt"
	"io"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// The tables that the Lucid artifact measured and that its traces leave out. They
// may not be redistributed, so they are read from the data folder.
//
// The profiles (single_job_profile) say how much of a GPU a configuration takes
// from others: label, which becomes the fact share_score. The pairs
// (colocate_pairs) say how fast two configurations are on one GPU. Their numbers
// of GPUs are all 1, and the artifact takes the speeds for gangs of any size.
const (
	lucidProfiles = "profiles"
	lucidPairs    = "pairs"
)

// readLucid reads the tables that the reader has asked for.
func readLucid(l *loader) error {
	for _, t := range []struct {
		file, what string
		columns    []string
		row        func(*row) error
	}{
		{l.options.Profiles, lucidProfiles, []string{"model", "dataset", "batchsize", "amp", "label"}, func(r *row) error {
			score := r.whole("label", 2)
			if l.scores == nil {
				l.scores = make(map[schedmate.Workload]int64)
			}
			l.scores[configuration(r, "")] = score
			return r.err
		}},
		{l.options.Pairs, lucidPairs, []string{"model1", "dataset1", "batchsize1", "amp1", "speed1", "model2", "dataset2", "batchsize2", "amp2", "speed2"}, func(r *row) error {
			pair := sim.Pair{First: configuration(r, "1"), Second: configuration(r, "2")}
			speeds := sim.PairSpeeds{
				First:  int(r.scaled("speed1", scheduler.AloneSpeed, scheduler.MaxSpeed)),
				Second: int(r.scaled("speed2", scheduler.AloneSpeed, scheduler.MaxSpeed)),
			}
			if _, twice := l.trace.Pairs[pair]; twice {
				r.fail("model1", "the pair was measured twice", "keep one of the rows")
			}
			if l.trace.Pairs == nil {
				l.trace.Pairs = make(sim.Pairs)
			}
			l.trace.Pairs[pair] = speeds
			return r.err
		}},
	} {
		if t.file == "" {
			continue
		}
		if l.options.Beside == nil {
			return &InputError{File: l.file, Problem: fmt.Sprintf("needs %s, which the product does not carry", t.file), Next: "name the folder of traces with --data or $SCHEDMATE_DATA"}
		}
		if err := table(l.options.Beside, t.file, t.columns, t.row); err != nil {
			return err
		}
	}
	return nil
}

func configuration(r *row, suffix string) schedmate.Workload {
	return schedmate.Workload{
		Model:     r.text("model" + suffix),
		Dataset:   r.text("dataset" + suffix),
		BatchSize: int(r.whole("batchsize"+suffix, 1<<30)),
		AMP:       r.flag("amp" + suffix),
	}
}

// table reads a table of the data folder that is no trace, row by row.
func table(open func(string) (io.ReadCloser, error), name string, columns []string, each func(*row) error) error {
	f, err := open(name)
	if err != nil {
		return fmt.Errorf("read the tables of format lucid: %w", err)
	}
	defer f.Close()
	src, err := newSource(f, name, usualLimits)
	if err != nil {
		return err
	}
	header, err := src.header()
	if err != nil {
		return err
	}
	r := newRow(name, name, header, &clock{})
	for _, c := range columns {
		if _, ok := r.column[c]; !ok {
			return &InputError{File: name, Line: 1, Column: c, Problem: "is missing", Next: "use the table of the Lucid artifact"}
		}
	}
	for {
		line, cells, err := src.row(r.cells[:0])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.set(line, cells)
		if err := each(r); err != nil {
			return err
		}
	}
}
