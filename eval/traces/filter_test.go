package traces

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/sim"
)

// fourJobs is a trace of two VCs: a at 100 s, b at 200 s, c at 200 s, d at 300 s.
func fourJobs(t *testing.T) *Trace {
	t.Helper()
	return mustRead(t, "lucid", "job_id,gpu_num,submit_s,duration,vc,estimate_s\n"+
		"a,1,100,10,red,12\n"+
		"b,8,200,20,blue,\n"+
		"c,32,200,100000,red,\n"+
		"z,0,250,1,grey,\n"+
		"d,2,300,40,blue,50\n")
}

func ids(t *Trace) (names []string) {
	for i := range t.Jobs {
		names = append(names, t.Jobs[i].ID)
	}
	return names
}

func apply(t *testing.T, tr *Trace, f Filter) *Trace {
	t.Helper()
	out, err := tr.Apply(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func seconds(s schedmate.Seconds) *schedmate.Seconds { return &s }

func TestZeroFilterChangesNothing(t *testing.T) {
	before := fourJobs(t)
	if diff := cmp.Diff(before, apply(t, before, Filter{})); diff != "" {
		t.Error(diff)
	}
}

func TestEachFilterKeepsWhatItSays(t *testing.T) {
	keeps := func(f Filter, want ...string) {
		t.Helper()
		got := apply(t, fourJobs(t), f)
		if diff := cmp.Diff(want, ids(got)); diff != "" {
			t.Errorf("%+v: %s", f, diff)
		}
	}
	keeps(Filter{VCs: []string{"red"}}, "a", "c")
	keeps(Filter{ExcludeVCs: []string{"red"}}, "b", "d")
	keeps(Filter{MaxGPUs: 8}, "a", "b", "d")
	keeps(Filter{FromSeconds: 200}, "b", "c", "d")
	keeps(Filter{ToSeconds: 200}, "a")
	keeps(Filter{FromSeconds: 200, ToSeconds: 300}, "b", "c")
	keeps(Filter{FirstJobs: 2}, "a", "b")
	keeps(Filter{FirstJobs: 99}, "a", "b", "c", "d")
	// Together: of the blue jobs, those from second 150 on, the first.
	keeps(Filter{VCs: []string{"blue"}, FromSeconds: 150, FirstJobs: 1}, "b")
}

func TestDropsAreCountedByReasonAfterThoseOfTheLoader(t *testing.T) {
	got := apply(t, fourJobs(t), Filter{MaxGPUs: 8, FromSeconds: 150, FirstJobs: 1})
	want := []Drop{
		{Reason: "asks 0 GPUs", Count: 1, FirstLine: 5},
		{Reason: "filter: submitted before second 150", Count: 1},
		{Reason: "filter: asks more than 8 GPUs", Count: 1},
		{Reason: "filter: after the first 1 jobs", Count: 1},
	}
	if diff := cmp.Diff(want, got.Dropped); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"blue"}, got.VCs); diff != "" {
		t.Errorf("only VCs that still occur are listed: %s", diff)
	}
}

func TestCapCutsLongRunsAndCountsThem(t *testing.T) {
	before := fourJobs(t)
	got := apply(t, before, Filter{CapRunSeconds: 86400})
	if run := got.Jobs[2].Outcome.Run; run != 86400 || got.Capped != 1 {
		t.Errorf("job c runs %d s, %d capped; want 86400 and 1", run, got.Capped)
	}
	if run := before.Jobs[2].Outcome.Run; run != 100000 {
		t.Errorf("the trace before the filter changed: job c runs %d s there", run)
	}
	if twice := apply(t, got, Filter{CapRunSeconds: 30}); twice.Capped != 3 {
		t.Errorf("a second cap cuts c again and d: counted %d, want 3", twice.Capped)
	}
}

func TestDropVCPutsAllJobsIntoOnePartition(t *testing.T) {
	got := apply(t, fourJobs(t), Filter{VCs: []string{"red"}, DropVC: true})
	if len(got.VCs) != 0 || got.Jobs[0].VC != "" {
		t.Errorf("VCs %v, job a in %q; want none", got.VCs, got.Jobs[0].VC)
	}
}

// The files of CHRONUS call the VC a user. It stays one when the VCs are forgotten; a
// job that names a user keeps it.
func TestVCAsUser(t *testing.T) {
	before := fourJobs(t)
	before.Jobs[1].User = "ann"
	got := apply(t, before, Filter{VCAsUser: true, DropVC: true})
	if a, b := &got.Jobs[0], &got.Jobs[1]; a.User != before.Jobs[0].VC || a.VC != "" || b.User != "ann" {
		t.Errorf("users %q and %q", a.User, b.User)
	}
}

func TestShiftMovesSubmissionsDeadlinesAndFactsTogether(t *testing.T) {
	before := mustRead(t, "chronus", chronusHeader+
		"0,vc,1,10,1,alexnet,20,5,30-40,10-8,0,soft\n"+
		"1,vc,1,12,1,alexnet,20,5,30,10,0,strict\n")
	got := apply(t, before, Filter{ShiftTo: seconds(0)})
	if got.Jobs[0].Submit != 0 || got.Jobs[1].Submit != 120 {
		t.Errorf("submitted at %d and %d, want 0 and 120", got.Jobs[0].Submit, got.Jobs[1].Submit)
	}
	want := []schedmate.Tier{{Deadline: 30 * 60, Reward: 100}, {Deadline: 40 * 60, Reward: 80}}
	if diff := cmp.Diff(want, got.Jobs[0].SLO.Tiers); diff != "" {
		t.Error(diff)
	}
	if d := before.Jobs[0].SLO.Tiers[0].Deadline; d != 40*60 {
		t.Errorf("the trace before the filter changed: deadline %d", d)
	}
	facts := apply(t, fourJobs(t), Filter{FromSeconds: 300, ShiftTo: seconds(7)})
	if at := facts.Jobs[0].Facts[0].ObservedAt; at != 7 {
		t.Errorf("the estimate of job d is observed at %d, want 7", at)
	}
}

func TestFiltersThatMakeNoSenseAreRefused(t *testing.T) {
	refused := func(f Filter, want string) {
		t.Helper()
		_, err := fourJobs(t).Apply(f)
		if err == nil || err.Error() != "trace filter: "+want {
			t.Errorf("%+v:\n got %v\nwant trace filter: %s", f, err, want)
		}
	}
	refused(Filter{VCs: []string{"green"}}, `trace trace.csv has no vc "green"; it has: blue, red`)
	refused(Filter{ExcludeVCs: []string{"grey"}}, `trace trace.csv has no vc "grey"; it has: blue, red`)
	refused(Filter{VCs: []string{"red"}, ExcludeVCs: []string{"blue"}}, `exclude_vcs: cannot stand beside vcs; use one of them`)
	refused(Filter{VCs: []string{""}}, `vcs: a name is empty; remove it`)
	refused(Filter{MaxGPUs: -1}, `max_gpus: must not be negative, got -1; use 0 for no limit`)
	refused(Filter{FromSeconds: -1}, `from_s: must lie in [0, 6324480000], got -1; count seconds as the trace does`)
	refused(Filter{ToSeconds: -1}, `to_s: must lie in [0, 6324480000], got -1; use 0 for the end of the trace`)
	refused(Filter{FromSeconds: 5, ToSeconds: 5}, `to_s: must lie after from_s 5, got 5; use 0 for the end of the trace`)
	refused(Filter{FirstJobs: -1}, `first_jobs: must not be negative, got -1; use 0 for all`)
	refused(Filter{CapRunSeconds: -1}, `cap_run_s: must lie in [0, 6324480000], got -1; use 0 for no cap`)
	refused(Filter{ShiftTo: seconds(-1)}, `shift_to_s: must lie in [0, 6324480000], got -1; leave it out to keep the times`)
	refused(Filter{FromSeconds: 301}, `no job of trace trace.csv is left: 1 dropped (asks 0 GPUs), 4 dropped (filter: submitted before second 301); widen the filter`)
	refused(Filter{ShiftTo: seconds(schedmate.MaxSeconds)}, `shift_to_s 6324480000: job b: job.submit_s: must lie in [0, 6324480000] seconds, got 6324480100; shift to an earlier second`)

	noVCs := mustRead(t, "philly", "job_id,arrival_s,num_gpus,duration_s\na,0,1,10\n")
	if _, err := noVCs.Apply(Filter{VCs: []string{"x"}}); err == nil || !strings.HasSuffix(err.Error(), "it has: none") {
		t.Errorf("a trace without VCs: got %v", err)
	}
	var field *schedmate.FieldError
	if err := (&Filter{MaxGPUs: -1}).Validate(); !errors.As(err, &field) || field.Path != "max_gpus" {
		t.Errorf("got %v, want the FieldError of max_gpus", err)
	}
}

// The names in documents are a contract, and 0 is different from nothing.
func TestFilterInYAMLAndJSON(t *testing.T) {
	const text = "vcs: [red]\nmax_gpus: 32\nfrom_s: 1\nto_s: 2\nfirst_jobs: 3\ncap_run_s: 86400\ndrop_vc: true\nshift_to_s: 0\n"
	want := Filter{VCs: []string{"red"}, MaxGPUs: 32, FromSeconds: 1, ToSeconds: 2, FirstJobs: 3, CapRunSeconds: 86400, DropVC: true, ShiftTo: seconds(0)}
	var got Filter
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(Filter{ExcludeVCs: []string{"red"}, ShiftTo: seconds(0)})
	if err != nil {
		t.Fatal(err)
	}
	if string(raw) != `{"exclude_vcs":["red"],"shift_to_s":0}` {
		t.Errorf("got %s", raw)
	}
}

// drawTrace makes a trace of up to 30 jobs with deadlines.
func drawTrace(t *rapid.T) *Trace {
	var text strings.Builder
	text.WriteString(chronusHeader)
	n := rapid.IntRange(1, 30).Draw(t, "jobs")
	for i := range n {
		fmt.Fprintf(&text, "%d,%s,%d,%d,1,m,%d,1,%d,10,0,strict\n", i,
			rapid.SampledFrom([]string{"x", "y"}).Draw(t, "vc"),
			rapid.IntRange(1, 40).Draw(t, "gpus"),
			rapid.IntRange(0, 50).Draw(t, "submit"),
			rapid.IntRange(1, 60).Draw(t, "duration"),
			rapid.IntRange(0, 90).Draw(t, "deadline"))
	}
	trace, err := Read(strings.NewReader(text.String()), "drawn.csv", "chronus")
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestShiftKeepsEveryGapAndEverySlack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawTrace(t)
		to := schedmate.Seconds(rapid.IntRange(0, 1<<20).Draw(t, "to"))
		after, err := before.Apply(Filter{ShiftTo: &to})
		if err != nil {
			t.Fatal(err)
		}
		if after.Jobs[0].Submit != to {
			t.Fatalf("the first job is submitted at %d, want %d", after.Jobs[0].Submit, to)
		}
		by := to - before.Jobs[0].Submit
		for i := range before.Jobs {
			b, a := &before.Jobs[i], &after.Jobs[i]
			if a.ID != b.ID || a.Submit-b.Submit != by || a.SLO.Tiers[0].Deadline-b.SLO.Tiers[0].Deadline != by {
				t.Fatalf("job %s did not move by %d", b.ID, by)
			}
		}
	})
}

func TestEveryJobIsEitherKeptOrCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawTrace(t)
		f := Filter{
			MaxGPUs:     rapid.IntRange(0, 40).Draw(t, "max"),
			FromSeconds: schedmate.Seconds(rapid.IntRange(0, 3000).Draw(t, "from")),
			FirstJobs:   rapid.IntRange(0, 30).Draw(t, "first"),
		}
		after, err := before.Apply(f)
		if err != nil {
			return // nothing left, and it says so
		}
		total := len(after.Jobs)
		for _, d := range after.Dropped {
			total += d.Count
		}
		if total != len(before.Jobs) {
			t.Fatalf("%d jobs in, %d kept or counted", len(before.Jobs), total)
		}
		if !slices.IsSortedFunc(after.Jobs, func(a, b sim.Job) int { return compareSubmit(&a, &b) }) {
			t.Fatal("the jobs are no longer sorted")
		}
	})
}
