package admit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"schedmate"
	"schedmate/scheduler/admit"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

// The admissions of the published vectors, proven by enumeration and by HiGHS, as
// clusters and jobs: one node has the capacity, a lease is 1,200 s. Slot and shortage
// of a refusal are those that plan --rounds names. Left out are cases that no
// cluster of whole nodes has: capacity that changes.
func TestVectorsOfAdmissions(t *testing.T) {
	files := []string{"../milp/roundfile/testdata/admit.json"}
	if dir := os.Getenv("SCHEDMATE_CASES"); dir != "" { // there may be more
		files = append(files, filepath.Join(dir, "milp/admit.json"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := roundfile.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for _, raw := range cases {
			if vector(t, raw) {
				tried++
			}
		}
		if tried < 15 {
			t.Errorf("%s: only %d of %d cases are clusters", file, tried, len(cases))
		}
	}
}

type vectorJob struct {
	ID       string
	Steps    []struct{ By int }
	Policies []struct{ GPUs, Leases int }
}

func (v *vectorJob) status(seq int64) *schedmate.JobStatus {
	run := int64(v.Policies[0].Leases) * 1200
	return &schedmate.JobStatus{
		Seq: seq,
		Job: schedmate.Job{ID: v.ID, GPUs: v.Policies[0].GPUs, SLO: schedmate.SLO{
			Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: schedmate.Seconds(v.Steps[0].By) * 1200, Reward: 100}},
		}},
		Facts: []schedmate.Fact{{Kind: schedmate.RunSeconds, Low: run, Value: run, High: run, ConfidenceMilli: 1000, Source: schedmate.FromUser}},
	}
}

func vector(t *testing.T, raw json.RawMessage) bool {
	var c struct {
		Name  string
		Round struct {
			Capacity []int
			Jobs     []vectorJob
		}
		New    vectorJob
		Expect struct{ Admit bool }
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if slices.Min(c.Round.Capacity) != slices.Max(c.Round.Capacity) {
		return false
	}
	s := schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n", GPUs: c.Round.Capacity[0]}}},
	}
	for i := range c.Round.Jobs {
		s.Waiting = append(s.Waiting, c.Round.Jobs[i].status(int64(i)))
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	o := admit.Default()
	o.RoundUp = false
	book := admit.Open(&s, o)
	if len(book.Promises()) != len(s.Waiting) {
		t.Errorf("%s: of %d accepted promises %d are", c.Name, len(s.Waiting), len(book.Promises()))
	}
	a := book.Ask(&s, c.New.status(int64(len(s.Waiting))), o)
	if a.Admitted != c.Expect.Admit {
		t.Errorf("%s: want %v, got %v: %s", c.Name, c.Expect.Admit, a.Admitted, a.Code)
	}
	round, err := roundfile.Solve(raw, roundfile.Options{Options: milp.Options{Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	last := slices.MaxFunc(append(c.Round.Jobs, c.New), func(x, y vectorJob) int { return x.Steps[0].By - y.Steps[0].By }).Steps[0].By
	if last <= len(c.Round.Capacity) && (a.Binding != round.BindingSlot || a.ShortBy != round.ShortBy) {
		t.Errorf("%s: %d short by slot %d, a round says %d by slot %d", c.Name, a.ShortBy, a.Binding, round.ShortBy, round.BindingSlot)
	}
	return true
}
