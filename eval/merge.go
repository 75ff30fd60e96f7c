package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate"
)

// ShardFile is the report or the table of jobs of one shard.
type ShardFile struct {
	Name string // for errors
	Text io.Reader
}

// MergeError says why files cannot be joined. Something about the files must
// change, not the program.
type MergeError struct {
	File    string // empty: no single one
	Problem string
	Next    string
}

func (e *MergeError) Error() string {
	if e.File == "" {
		return "merge: " + e.Problem + "; " + e.Next
	}
	return "merge " + e.File + ": " + e.Problem + "; " + e.Next
}

// maxRuns keeps a damaged file from filling the memory.
const maxRuns = 1_000_000

// shardSet checks that files are the shards of one sweep, each once.
type shardSet struct {
	of    ShardOf
	files map[int]string // by index of the shard
	first string
}

func (s *shardSet) add(file string, of *ShardOf) error {
	fail := func(problem, next string) error { return &MergeError{file, problem, next} }
	const remake = "make it again"
	switch {
	case of.Of < 1 || of.Of > MaxShards || of.Index < 1 || of.Index > of.Of || of.Runs < 1 || of.Runs > maxRuns || of.Sweep == "":
		return fail(fmt.Sprintf("shard %s of %d runs cannot be", of.Shard, of.Runs), remake)
	case s.files == nil:
		s.of, s.files, s.first = *of, make(map[int]string), file
	case s.of.Of != of.Of || s.of.Runs != of.Runs:
		return fail(fmt.Sprintf("is shard %s of %d runs, %s is %s of %d runs", of.Shard, of.Runs, s.first, s.of.Shard, s.of.Runs),
			"join shards of one command line only")
	case s.of.Sweep != of.Sweep:
		return fail("is of another sweep than "+s.first, "join shards that one version of the program made of one command line")
	}
	if other, ok := s.files[of.Index]; ok {
		return fail(fmt.Sprintf("shard %s is also %s", of.Shard, other), "give each shard once")
	}
	s.files[of.Index] = file
	return nil
}

// complete returns an error that names the shards that are missing.
func (s *shardSet) complete() error {
	var missing []string
	more := 0
	for i := 1; i <= s.of.Of; i++ {
		switch _, ok := s.files[i]; {
		case ok:
		case len(missing) < 10:
			missing = append(missing, Shard{i, s.of.Of}.String())
		default:
			more++
		}
	}
	if len(missing) == 0 {
		return nil
	}
	text := strings.Join(missing, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return &MergeError{"", "missing of a sweep of " + fmt.Sprint(s.of.Runs) + " runs: " + text, "run them with --shard, and give all files at once"}
}

// MergedReport is a report whose parts are kept as the shards wrote them.
type MergedReport struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Shard      *ShardOf          `json:"shard,omitempty"`
	Inputs     []json.RawMessage `json:"inputs"`
	Runs       []json.RawMessage `json:"runs"`
	Spreads    []Spread          `json:"spreads,omitempty"`
}

// MergeReports joins the JSON reports of all shards of a sweep, in any order,
// to the report of the sweep.
func MergeReports(files []ShardFile) (*MergedReport, error) {
	var set shardSet
	var runs, inputs []json.RawMessage // runs by their number in the sweep, inputs by the first run of each
	from := make(map[string]ownedInput)
	for _, f := range files {
		r, err := readShard(f)
		if err != nil {
			return nil, err
		}
		if err := set.add(f.Name, r.Shard); err != nil {
			return nil, err
		}
		mine := r.Shard.mine()
		if len(mine) != len(r.Runs) {
			return nil, &MergeError{f.Name, fmt.Sprintf("shard %s of %d runs has %d runs, this file has %d", r.Shard.Shard, r.Shard.Runs, len(mine), len(r.Runs)), "make it again"}
		}
		if err := own(from, f.Name, r.Inputs); err != nil {
			return nil, err
		}
		if runs == nil {
			runs = make([]json.RawMessage, r.Shard.Runs)
		}
		for i, k := range mine {
			runs[k] = r.Runs[i]
		}
	}
	if err := set.complete(); err != nil {
		return nil, err
	}
	taken := make(map[string]bool)
	for k, raw := range runs {
		name, err := experimentOf(raw)
		in, ok := from[name]
		if err != nil || !ok {
			return nil, &MergeError{set.files[k%set.of.Of+1], fmt.Sprintf("run %d names no experiment of the file's inputs", k+1), "make it again"}
		}
		if !taken[name] {
			taken[name], inputs = true, append(inputs, in.raw)
		}
	}
	merged := &MergedReport{APIVersion: schedmate.APIVersion, Kind: ReportKind, Inputs: inputs, Runs: runs}
	figures := make([]Run, len(runs))
	for k, raw := range runs {
		if err := json.Unmarshal(raw, &figures[k]); err != nil {
			return nil, &MergeError{set.files[k%set.of.Of+1], fmt.Sprintf("run %d cannot be read (%v)", k+1, err), "make it again"}
		}
	}
	merged.Spreads = Spreads(figures)
	return merged, nil
}

// ownedInput is what one experiment's runs were given, and which file said so first.
type ownedInput struct {
	raw  json.RawMessage
	file string
}

// own takes the inputs of a file, which must be those that other files have.
func own(all map[string]ownedInput, file string, inputs []json.RawMessage) error {
	for _, raw := range inputs {
		name, err := experimentOf(raw)
		if err != nil {
			return &MergeError{file, "an input has no experiment", "make it again"}
		}
		before, ok := all[name]
		if ok && !sameJSON(before.raw, raw) {
			return &MergeError{file, fmt.Sprintf("experiment %s has another trace or cluster than in %s", name, before.file), "make all shards with the same trace files"}
		}
		if !ok {
			all[name] = ownedInput{raw, file}
		}
	}
	return nil
}

func experimentOf(raw json.RawMessage) (string, error) {
	var named struct {
		Experiment string `json:"experiment"`
	}
	err := json.Unmarshal(raw, &named)
	return named.Experiment, err
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func readShard(f ShardFile) (*MergedReport, error) {
	dec := json.NewDecoder(f.Text)
	dec.DisallowUnknownFields()
	var r MergedReport
	err := dec.Decode(&r)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text follows the document")
		}
	}
	switch {
	case err != nil:
		return nil, &MergeError{f.Name, fmt.Sprintf("is no JSON report (%v)", err), "give what simulate --shard -o json wrote"}
	case r.APIVersion != schedmate.APIVersion || r.Kind != ReportKind:
		return nil, &MergeError{f.Name, fmt.Sprintf("is a %.40q of %.40q, not a %s of %s", r.Kind, r.APIVersion, ReportKind, schedmate.APIVersion), "give what simulate --shard -o json wrote"}
	case r.Shard == nil:
		return nil, &MergeError{f.Name, "is a whole report, not a shard", "only files made with --shard can be joined"}
	case slices.ContainsFunc(r.Runs, func(raw json.RawMessage) bool { return len(raw) == 0 }):
		return nil, &MergeError{f.Name, "has an empty run", "make it again"}
	}
	return &r, nil
}
