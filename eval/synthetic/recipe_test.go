package synthetic

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler/sim"
)

func drawRecipe(t *rapid.T) *Recipe {
	p := Load()
	r := &Recipe{
		Profile:   rapid.SampledFrom(p.ProfileNames()).Draw(t, "profile"),
		Jobs:      rapid.IntRange(1, 300).Draw(t, "jobs"),
		Seed:      rapid.Uint64().Draw(t, "seed"),
		Deadlines: rapid.SampledFrom(p.DeadlineNames()).Draw(t, "deadlines"),
	}
	switch rapid.IntRange(0, 2).Draw(t, "span") {
	case 1:
		r.Days = rapid.Float64Range(0.001, 400).Draw(t, "days")
	case 2:
		r.Load = rapid.Float64Range(0.01, 5).Draw(t, "load")
	}
	if rapid.Bool().Draw(t, "other states") {
		r.States = &ByState{Completed: 1, Cancelled: rapid.Float64Range(0, 3).Draw(t, "cancelled"), Failed: rapid.Float64Range(0, 3).Draw(t, "failed")}
	}
	if rapid.Bool().Draw(t, "burst") {
		r.Burst = rapid.Float64Range(0, 1).Draw(t, "share")
	}
	r.InfeasibleGroups = rapid.IntRange(0, 3).Draw(t, "groups")
	return r
}

func write(t rapid.TB, r *Recipe) string {
	var out bytes.Buffer
	if err := Load().Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What is written is what is made: the loader reads every trace, and finds the
// jobs in the order of their submission, with all that they have.
func TestWrittenTracesAreTheJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecipe(t)
		trace, err := traces.Read(strings.NewReader(write(t, r)), "t.csv", "synthetic")
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Load().Trace(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(jobs, trace.Jobs); diff != "" {
			t.Fatal(diff)
		}
		if len(jobs) != r.Jobs+3*r.InfeasibleGroups || trace.Synthetic != r.String() {
			t.Fatalf("%d jobs of %q", len(jobs), trace.Synthetic)
		}
		load := sim.Workload{Jobs: jobs}
		if err := load.Validate(&schedmate.Cluster{}); err != nil {
			t.Fatal(err)
		}
	})
}

// One seed gives the same bytes, two seeds never do.
func TestSeedsDecideTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecipe(t)
		if first, second := write(t, r), write(t, r); first != second {
			t.Fatal("one recipe gave two traces")
		}
		other := *r
		other.Seed = rapid.Uint64().Filter(func(s uint64) bool { return s != r.Seed }).Draw(t, "other seed")
		if write(t, r) == write(t, &other) {
			t.Fatal("two seeds gave one trace")
		}
	})
	jobs := func(seed uint64) string { // without the label, which names the seed
		text := write(t, &Recipe{Profile: "venus", Jobs: 100, Seed: seed})
		_, rest, _ := strings.Cut(text, "\n")
		return rest
	}
	seen := make(map[string]uint64)
	for seed := range uint64(200) {
		text := jobs(seed)
		if before, ok := seen[text]; ok {
			t.Errorf("seeds %d and %d gave the same jobs", before, seed)
		}
		seen[text] = seed
	}
}

// Deadlines change nothing else, and neither do end states their times.
func TestEachChoiceHasItsOwnRandomNumbers(t *testing.T) {
	jobs := func(change func(*Recipe)) []sim.Job {
		r := &Recipe{Profile: "saturn", Jobs: 200, Seed: 3}
		change(r)
		out, err := Load().Trace(r)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := jobs(func(*Recipe) {})
	for i, j := range jobs(func(r *Recipe) { r.Deadlines = "chronus-mix2" }) {
		j.SLO = plain[i].SLO
		if diff := cmp.Diff(plain[i], j); diff != "" {
			t.Fatalf("deadlines changed a job: %s", diff)
		}
	}
	for i, j := range jobs(func(r *Recipe) { r.States = &ByState{Failed: 1} }) {
		if j.Outcome.State != schedmate.Failed || j.Submit != plain[i].Submit || j.GPUs != plain[i].GPUs {
			t.Fatalf("end states changed more than run times: %+v", j)
		}
	}
}

// Every preset keeps its factor, its addition, its rewards and its shares.
func TestDeadlinesAreThoseOfThePreset(t *testing.T) {
	p := Load()
	for _, d := range p.Deadlines {
		const n = 4000
		jobs, err := p.Trace(&Recipe{Profile: "venus", Jobs: n, Seed: 5, Deadlines: d.Name})
		if err != nil {
			t.Fatal(err)
		}
		count := make(map[schedmate.SLOClass]int)
		for i := range jobs {
			j := &jobs[i]
			count[j.SLO.Class]++
			if !j.SLO.HasDeadline() {
				continue
			}
			run, after := float64(j.Outcome.Run), float64(j.SLO.Tiers[0].Deadline-j.Submit)
			if after < math.Max(1, d.Factor.From*run+d.Add.From-1) || after > math.Max(1, d.Factor.To*run+d.Add.To+1) {
				t.Errorf("%s: a run of %g s has its first deadline after %g s", d.Name, run, after)
			}
			for k := 1; k < len(j.SLO.Tiers); k++ {
				later := float64(j.SLO.Tiers[k].Deadline - j.SLO.Tiers[0].Deadline)
				if j.SLO.Tiers[k].Reward != d.Rewards[k] || math.Mod(later, 600) != 0 || later < d.Later[k-1]*after-600 || later < float64(k)*d.Step.From {
					t.Errorf("%s: deadline %d of a job comes %g s after the first, which comes after %g s", d.Name, k+1, later, after)
				}
			}
		}
		for class, share := range map[schedmate.SLOClass]float64{schedmate.Strict: d.Strict, schedmate.Soft: d.Soft, schedmate.BestEffort: 1 - d.Strict - d.Soft} {
			if got := float64(count[class]) / n; math.Abs(got-share) > 0.03 { // four standard errors
				t.Errorf("%s: %.3f of the jobs are %s, the preset says %.3f", d.Name, got, class, share)
			}
		}
	}
}

// In no order can two jobs of an infeasible group meet their deadlines: neither
// fits beside another, and one after the other is too late.
func TestInfeasibleGroupsAreInfeasible(t *testing.T) {
	p := Load()
	q, err := p.Profile("saturn")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := p.Trace(&Recipe{Profile: "saturn", Jobs: 10, Seed: 1, InfeasibleGroups: 4})
	if err != nil {
		t.Fatal(err)
	}
	groups := make(map[string][]sim.Job)
	for _, j := range jobs {
		if strings.HasPrefix(j.Name, "infeasible-") {
			groups[j.Name] = append(groups[j.Name], j)
		}
	}
	if len(groups) != 4 {
		t.Errorf("%d groups, want 4", len(groups))
	}
	for name, group := range groups {
		for i, a := range group {
			if a.Submit+a.Outcome.Run > a.SLO.Tiers[0].Deadline {
				t.Errorf("%s: alone, a job could not meet its deadline", name)
			}
			for k, b := range group {
				if i != k && (a.GPUs+b.GPUs <= q.Cluster.GPUs() || a.Submit+a.Outcome.Run+b.Outcome.Run <= b.SLO.Tiers[0].Deadline) {
					t.Errorf("%s: jobs %d and %d can both meet their deadlines", name, i, k)
				}
			}
		}
	}
}

// A burst is on the day before one date, which is its deadline.
func TestABurstHasOneDate(t *testing.T) {
	jobs, err := Load().Trace(&Recipe{Profile: "venus", Jobs: 3000, Seed: 8, Deadlines: "chronus-slo", Burst: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	var dates []schedmate.Seconds
	n := 0
	for _, j := range jobs {
		if j.Name != "burst" {
			continue
		}
		n++
		date := j.SLO.Tiers[0].Deadline
		if date%day != 0 || j.Submit >= date || j.Submit < date-day {
			t.Errorf("a job of the burst is submitted at %d for %d", j.Submit, date)
		}
		dates = append(dates, date)
	}
	if len(slices.Compact(dates)) != 1 || math.Abs(float64(n)/3000-0.2) > 0.03 {
		t.Errorf("%d of 3000 jobs burst, on %d dates", n, len(slices.Compact(dates)))
	}
}

func TestRecipesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		recipe Recipe
		want   string
	}{
		{Recipe{Profile: "venus"}, "jobs must lie in [1, 10000000], got 0"},
		{Recipe{Profile: "pluto", Jobs: 1}, `unknown profile "pluto": use one of venus`},
		{Recipe{Profile: "venus", Jobs: 1, Deadlines: "soon"}, `unknown deadlines "soon": use one of none`},
		{Recipe{Profile: "venus", Jobs: 1, Days: 1, Load: 1}, "days and load say the same"},
		{Recipe{Profile: "venus", Jobs: 1, Days: math.NaN()}, "days must lie in"},
		{Recipe{Profile: "venus", Jobs: 1, Load: -1}, "load must lie in"},
		{Recipe{Profile: "venus", Jobs: 1, Burst: 1.5}, "burst must lie in"},
		{Recipe{Profile: "venus", Jobs: 1, InfeasibleGroups: -1}, "infeasible groups must lie in"},
		{Recipe{Profile: "venus", Jobs: 1, States: &ByState{}}, "not all 0"},
		{Recipe{Profile: "kalos", Jobs: MaxJobs, Load: 1e-5}, "longer than any simulation"},
	} {
		if err := Load().Write(&bytes.Buffer{}, &c.recipe); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.recipe, err, c.want)
		}
	}
}
