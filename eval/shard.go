package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Shard is a part of a sweep: run k of its runs, counted from 0 in the order of
// the report, belongs to shard k mod Of + 1. The zero value is the whole sweep.
//
// Invariant: 1 <= Index <= Of <= MaxShards, or both are 0.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

// MaxShards is far more than any sweep has runs.
const MaxShards = 1_000_000

// ParseShard reads INDEX/OF, for example 3/8.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > MaxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("shard %q: write INDEX/OF with 1 <= INDEX <= OF <= %d, for example 3/8", text, MaxShards)
	}
	return Shard{i, n}, nil
}

// String writes the shard as ParseShard reads it.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

func (s Shard) has(run int) bool { return s.Of == 0 || run%s.Of == s.Index-1 }

// ShardOf says of which sweep a report or a table of jobs is a part, so that
// parts of different sweeps are never joined.
type ShardOf struct {
	Shard
	Runs  int    `json:"runs"`  // of the whole sweep
	Sweep string `json:"sweep"` // SHA-256 over everything that decides what the runs do, but the traces
}

// mine lists the runs of the sweep that belong to the shard, from 0.
func (s *ShardOf) mine() []int {
	var runs []int
	for k := s.Index - 1; k < s.Runs; k += s.Of {
		runs = append(runs, k)
	}
	return runs
}

// sweep returns the identity of a request: the experiments as documents, the
// runs with their readings, the scale and the program that makes them. Where
// trace files lie is left out, because machines differ in it; the traces
// themselves are compared when reports are joined.
func sweep(es []*Experiment, runs []preparedRun, req *Request) (string, error) {
	type identity struct {
		ID      RunID
		Reading string
	}
	doc := struct {
		Program     string
		Experiments []Experiment
		Runs        []identity
		Scale       Scale
	}{Program: req.Program, Scale: Scale{max(1, req.Scale.Repeat), max(1, req.Scale.Widen)}}
	for _, e := range es {
		own := *e
		own.Trace.File = filepath.Base(own.Trace.File)
		doc.Experiments = append(doc.Experiments, own)
	}
	for i := range runs {
		doc.Runs = append(doc.Runs, identity{runs[i].id, runs[i].reading})
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return "", fmt.Errorf("encode the sweep: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Part returns which part of which sweep a request asks for; nil for all of it.
func (s *Suite) Part(es []*Experiment, req Request) (*ShardOf, error) {
	all, err := s.all(es, &req)
	if err != nil {
		return nil, err
	}
	return req.shardOf(es, all)
}

// shardOf returns what the report says of a part; nil for the whole sweep.
func (r *Request) shardOf(es []*Experiment, all []preparedRun) (*ShardOf, error) {
	if r.Shard.Of == 0 {
		return nil, nil
	}
	id, err := sweep(es, all, r)
	return &ShardOf{Shard: r.Shard, Runs: len(all), Sweep: id}, err
}
