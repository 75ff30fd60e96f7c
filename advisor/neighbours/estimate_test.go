package neighbours

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/adapters/store/bolt"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
	"schedmate/advisor/workload"
)

// training is a print of a model trained on ImageNet.
func training(model string, epochs, batch float64) fingerprint.Print {
	return fingerprint.New(fingerprint.Canonical{
		workload.ModelName: fingerprint.Words(model), workload.Dataset: fingerprint.Words("imagenet"), workload.Task: fingerprint.Words("image-classification"),
		workload.Iterations: fingerprint.Number(epochs), workload.IterationType: fingerprint.Words("epoch"),
		workload.PerDeviceBatchSize: fingerprint.Number(batch), workload.GPUsTotal: fingerprint.Number(8),
	}, "")
}

// site is a history that is told run by run; each begins when the last ended.
type past struct {
	t       testing.TB
	index   *history.Index
	clock   schedmate.Seconds
	options Options
}

func newPast(t testing.TB) *past {
	o := Default()
	o.StartUp = 0 // so that expected seconds are plain products
	return &past{t: t, index: history.NewIndex(nil), options: o}
}

func (p *past) ran(seconds float64, change func(*history.Record)) string {
	p.t.Helper()
	r := &history.Record{
		ID: fmt.Sprintf("r%d", len(p.index.All())), User: "ann", JobName: "resnet-run", Print: training("resnet-50", 90, 32),
		Request: history.Request{GPUs: 8, GPUType: "A100"}, Software: "torch 2.3", SubmitS: p.clock, StartS: p.clock,
		State: history.Completed, Progress: 1,
	}
	r.EndS = r.StartS + schedmate.Seconds(seconds)
	if change != nil {
		change(r)
	}
	p.clock = max(p.clock, r.EndS)
	if err := p.index.Add(context.Background(), r); err != nil {
		p.t.Fatal(err)
	}
	return r.ID
}

func (p *past) ask(change func(*Query)) *Estimate {
	p.t.Helper()
	q := Query{
		Print: training("resnet-50", 90, 32), User: "ann", JobName: "resnet-run", Request: history.Request{GPUs: 8, GPUType: "A100"},
		Software: "torch 2.3", At: p.clock,
	}
	if change != nil {
		change(&q)
	}
	e, err := estimate(p.index, p.options, q)
	if err != nil {
		p.t.Fatal(err)
	}
	kept, _ := onDisk(p.t, p.index.All(), p.options, q.At)
	if other, err := estimate(kept, p.options, q); err != nil || cmp.Diff(e, other) != "" {
		p.t.Errorf("what is on disk answers otherwise: %v %s", err, cmp.Diff(e, other))
	}
	return e
}

func estimate(past Past, o Options, q Query) (*Estimate, error) {
	e, err := New(past, o)
	if err != nil {
		return nil, err
	}
	return e.Estimate(context.Background(), q)
}

// onDisk is a history of runs in a file, written by one program and read by the
// next, with what they teach.
func onDisk(t testing.TB, runs []*history.Record, o Options, at schedmate.Seconds) (h *history.History, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "history.db")
	store, err := bolt.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	h, err = history.Open(t.Context(), history.Over[*bolt.Tx](store), nil, history.Retention{})
	if err == nil {
		_, err = h.Append(t.Context(), runs...)
	}
	if err == nil {
		err = Teach(h, o, at)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	if store, err = bolt.OpenToRead(file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) // it is only read
	h, err = history.OpenToRead(t.Context(), history.Over[*bolt.Tx](store), nil)
	if err != nil || !h.Indexed() {
		t.Fatalf("opened without an index: %v", err)
	}
	return h, file
}

// near tells whether two numbers of seconds agree to a thousandth.
func near(a, b float64) bool { return math.Abs(a-b) <= b/1000 }

func TestTheMedianOfTheSameWorkIsTheEstimate(t *testing.T) {
	p := newPast(t)
	for _, s := range []float64{1000, 3000, 1010} {
		p.ran(s, nil)
	}
	e := p.ask(nil)
	if e.Rung != Exact || e.Seconds != 1010 {
		t.Errorf("%s: %v s, want exact 1010", e.Rung, e.Seconds)
	}
	if diff := cmp.Diff([]string{"r2", "r1", "r0"}, e.Top); diff != "" {
		t.Errorf("completed runs, the latest first: %s", diff)
	}
	if !(e.Low < 1010 && 1010 < e.High) || e.Spread != 3 || len(e.Basis) != 3 {
		t.Errorf("interval %v to %v, spread %v, basis %v", e.Low, e.High, e.Spread, e.Basis)
	}
}

func TestAFailedRunCountsByItsProgress(t *testing.T) {
	p := newPast(t)
	p.ran(250, func(r *history.Record) { r.State, r.Progress = history.UserFailure, 0.25 })
	p.ran(30, func(r *history.Record) { r.State, r.Progress = history.InfraFailure, 0.03 }) // too early to tell
	p.ran(500, func(r *history.Record) { r.State, r.Progress = history.Cancelled, -1 })     // nobody tracked it
	e := p.ask(nil)
	if e.Rung != Exact || e.Seconds != 1000 || len(e.Basis) != 1 {
		t.Errorf("%s: %v s from %d runs, want exact 1000 from 1", e.Rung, e.Seconds, len(e.Basis))
	}
	if len(e.Top) != 0 {
		t.Errorf("no run of this work has completed, yet %v is matched", e.Top)
	}
	// One run to the end for hope, and 0.25, 0.03 and 500 of 1000 s.
	if want := 1000 * (1 + 0.25 + 0.03 + 0.5) / 4; !near(e.Occupancy, want) {
		t.Errorf("expected occupancy %v, want %v", e.Occupancy, want)
	}
}

func TestAnotherAmountIsScaled(t *testing.T) {
	p := newPast(t)
	id := p.ran(9000, nil)
	e := p.ask(func(q *Query) { q.Print = training("resnet-50", 30, 32) })
	if e.Rung != Scaled || !near(e.Seconds, 3000) || len(e.Top) != 0 {
		t.Errorf("%s: %v s, top %v, want scaled 3000 and no match", e.Rung, e.Seconds, e.Top)
	}
	if e.Basis[0].ID != id || !strings.Contains(e.Basis[0].Why, "iterations 90 -> 30") || len(e.Fallbacks) != 1 {
		t.Errorf("evidence %+v, fallbacks %v", e.Basis, e.Fallbacks)
	}
}

func TestStartUpIsNotScaled(t *testing.T) {
	p := newPast(t)
	p.options.StartUp = 150
	p.ran(1050, nil)
	if e := p.ask(func(q *Query) { q.Print = training("resnet-50", 30, 32) }); !near(e.Seconds, 450) { // 150 + 900/3
		t.Errorf("%v s, want 450", e.Seconds)
	}
}

func TestADifferentModelIsNoMatch(t *testing.T) {
	p := newPast(t)
	p.ran(9000, nil)
	e := p.ask(func(q *Query) { q.Print, q.JobName = training("vit-huge-14", 300, 256), "vit" })
	if e.Rung != None || e.Seconds != 0 || len(e.Top) != 0 || len(e.Fallbacks) != 4 {
		t.Errorf("%+v, want nothing and four reasons", e)
	}
}

func TestTheUsersJobsOfThisNameAreTheLastRung(t *testing.T) {
	p := newPast(t)
	for _, s := range []float64{100, 120, 140} {
		p.ran(s, func(r *history.Record) { r.Print = fingerprint.Print{} })
	}
	if e := p.ask(func(q *Query) { q.JobName = "resnet-run-7" }); e.Rung != Name || e.Seconds != 120 {
		t.Errorf("%s: %v s, want name 120", e.Rung, e.Seconds)
	}
	p.options.Lowest = Scaled
	if e := p.ask(nil); e.Rung != None {
		t.Errorf("%s although rungs below scaled are closed", e.Rung)
	}
}

func TestAPriorAnswersWhereHistoryIsSilent(t *testing.T) {
	p := newPast(t)
	p.options.Lowest, p.options.Prior = Prior, func(Query) (float64, bool) { return 777, true }
	if e := p.ask(nil); e.Rung != Prior || e.Seconds != 777 || e.High < 2*e.Seconds {
		t.Errorf("%s: %v s up to %v, want a prior of 777 with a wide interval", e.Rung, e.Seconds, e.High)
	}
}

func TestRunsThatDisagreeTooMuchAreNotAveraged(t *testing.T) {
	p := newPast(t)
	p.ran(100, func(r *history.Record) { r.JobName = "other" })
	p.ran(4800, func(r *history.Record) { r.JobName = "other" })
	e := p.ask(nil)
	if e.Rung != None || !strings.Contains(e.Fallbacks[0], "differ by a factor of 48") {
		t.Errorf("%s, fallbacks %v", e.Rung, e.Fallbacks)
	}
}

func TestWhereRunsDisagreeTheUsersOwnOfThisNameCount(t *testing.T) {
	p := newPast(t)
	p.ran(100, func(r *history.Record) { r.User = "bob" })
	p.ran(4800, nil)
	p.ran(110, func(r *history.Record) { r.User = "bob" })
	if e := p.ask(nil); e.Rung != Exact || e.Seconds != 4800 {
		t.Errorf("%s: %v s, want that of the user's own run, 4800", e.Rung, e.Seconds)
	}
}

func TestAnotherGPUTypeIsBridgedByTheBestEvidence(t *testing.T) {
	faster := func(q *Query) { q.GPUType = "H100" }
	p := newPast(t)
	p.ran(3000, nil)
	if e := p.ask(faster); e.Rung != None {
		t.Errorf("nothing tells how fast an H100 is, yet %v s is answered", e.Seconds)
	}
	p.options.Speed = func(gpuType string) (float64, bool) {
		return map[string]float64{"A100": 1, "H100": 1.5}[gpuType], true
	}
	if e := p.ask(faster); !near(e.Seconds, 2000) {
		t.Errorf("by nominal speeds: %v s, want 2000", e.Seconds)
	}
	// Other work was twice as fast; nothing tells that it is limited by the same.
	other := fingerprint.New(fingerprint.Canonical{workload.ModelName: fingerprint.Words("bert"), workload.Dataset: fingerprint.Words("wiki")}, "")
	for gpuType, s := range map[string]float64{"A100": 800, "H100": 400} {
		p.ran(s, func(r *history.Record) { r.Print, r.GPUType = other, gpuType })
	}
	if e := p.ask(faster); !near(e.Seconds, 1500) {
		t.Errorf("by other work: %v s, want 1500", e.Seconds)
	}
	// Another model on the same data gained nothing: it waits for its data.
	for _, gpuType := range []string{"A100", "H100"} {
		p.ran(5000, func(r *history.Record) { r.Print, r.GPUType = training("vgg-19", 90, 32), gpuType })
	}
	if e := p.ask(faster); !near(e.Seconds, 3000) {
		t.Errorf("by related work: %v s, want 3000", e.Seconds)
	}
	// Its own runs on the new type beat all that.
	for range 7 {
		p.ran(2400, func(r *history.Record) { r.GPUType = "H100" })
	}
	if e := p.ask(faster); e.Seconds != 2400 {
		t.Errorf("by its own runs: %v s, want 2400", e.Seconds)
	}
}

func TestNewSoftwareOpensAnEpoch(t *testing.T) {
	p := newPast(t)
	for range 5 {
		p.ran(1000, nil)
	}
	fresh := func(q *Query) { q.Software = "torch 2.4" }
	if e := p.ask(fresh); e.Seconds != 1000 {
		t.Errorf("before any run on it: %v s, want 1000", e.Seconds)
	}
	for range 3 {
		p.ran(800, func(r *history.Record) { r.Software = "torch 2.4" })
	}
	if e := p.ask(fresh); e.Seconds != 800 || e.Spread > 1.1 {
		t.Errorf("after three runs on it: %v s with a spread of %v, want 800 and old runs brought near", e.Seconds, e.Spread)
	}
}

func TestSlowedRunsWeighLess(t *testing.T) {
	p := newPast(t)
	p.ran(1000, nil)
	for range 2 {
		p.ran(2000, func(r *history.Record) { r.Slowed = true })
	}
	if e := p.ask(nil); e.Seconds != 1000 {
		t.Errorf("%v s, want that of the run alone, 1000", e.Seconds)
	}
}

func TestUtilisationIsThatAfterTheWarmUp(t *testing.T) {
	p := newPast(t)
	busy := func(mean float64) func(*history.Record) {
		return func(r *history.Record) { r.Utilisation = &history.Utilisation{Mean: mean} }
	}
	p.ran(100, busy(30))
	if e := p.ask(nil); e.Utilisation == nil || *e.Utilisation != 30 {
		t.Errorf("from a short run only: %v, want 30", e.Utilisation)
	}
	p.ran(5000, busy(88))
	p.ran(200, busy(45))
	if e := p.ask(nil); *e.Utilisation != 88 {
		t.Errorf("with one long run: %v, want its 88", *e.Utilisation)
	}
}

func TestAMatchWithoutKnownAmountNeedsTheSameUserAndName(t *testing.T) {
	unknown := fingerprint.New(fingerprint.Canonical{workload.ModelName: fingerprint.Words("resnet-50"), workload.Dataset: fingerprint.Words("imagenet")}, "")
	p := newPast(t)
	p.ran(1000, func(r *history.Record) { r.Print = unknown })
	if e := p.ask(func(q *Query) { q.Print = unknown }); e.Rung != Exact || len(e.Top) != 1 {
		t.Errorf("the same user and name: %s, top %v", e.Rung, e.Top)
	}
	if e := p.ask(func(q *Query) { q.Print, q.User = unknown, "bob" }); e.Rung == Exact || len(e.Top) != 0 {
		t.Errorf("another user: %s, top %v", e.Rung, e.Top)
	}
}

func TestThePaperAveragesTheThreeMostSimilar(t *testing.T) {
	p := newPast(t)
	p.options = Paper()
	p.ran(9000, func(r *history.Record) { r.Print = training("resnet-50", 90, 256) }) // a little less similar
	for _, s := range []float64{1000, 2000, 3000} {
		p.ran(s, nil)
	}
	p.ran(50, func(r *history.Record) { r.State, r.Progress = history.UserFailure, 0.5 })
	if e := p.ask(nil); e.Seconds != 2000 || len(e.Top) != 3 {
		t.Errorf("%v s from %v, want 2000 from three", e.Seconds, e.Top)
	}
	if e := p.ask(func(q *Query) {
		q.Print = fingerprint.New(fingerprint.Canonical{workload.ModelName: fingerprint.Words("bert")}, "")
	}); e.Rung != None {
		t.Errorf("nothing is similar, yet %s is answered", e.Rung)
	}
}

func TestIntervalsLearnHowWrongEstimatesWere(t *testing.T) {
	c := newCalibration(0.9)
	if low, high := c.interval(Exact, 7); high < 1.5 || low > 0.7 {
		t.Errorf("without experience: %v to %v, want wide", low, high)
	}
	// Estimates of 100 s that took 1 to 200 s, evenly: 90 % lie within 10 to 190.
	for i := range 200 {
		c.observe(&history.Estimated{Seconds: 100, Low: 0, High: 0, Rung: "exact", Evidence: 7}, float64((i*37)%200+1))
	}
	low, high := c.interval(Exact, 7)
	if math.Abs(low-0.10) > 0.015 || math.Abs(high-1.91) > 0.03 {
		t.Errorf("after 200 errors: x%.3f to x%.3f, want about x0.10 to x1.91", low, high)
	}
	if l, h := c.interval(Exact, 1); l != low || h != high {
		t.Errorf("a bucket without errors of its own: x%.3f to x%.3f, want those of its rung", l, h)
	}
}

func TestNoRunThatEndsLaterIsUsed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPast(t)
		for range rapid.IntRange(1, 25).Draw(rt, "runs") {
			p.ran(float64(rapid.IntRange(1, 5000).Draw(rt, "seconds")), func(r *history.Record) {
				r.GPUType = rapid.SampledFrom([]string{"A100", "H100"}).Draw(rt, "GPU")
				r.Software = rapid.SampledFrom([]string{"torch 2.3", "torch 2.4"}).Draw(rt, "software")
				r.Print = training("resnet-50", rapid.SampledFrom([]float64{90, 60}).Draw(rt, "epochs"), 32)
			})
		}
		at := schedmate.Seconds(rapid.IntRange(0, int(p.clock)+1).Draw(rt, "at"))
		e := p.ask(func(q *Query) { q.At = at })

		known := newPast(t) // a history that ends there
		for _, r := range p.index.All() {
			if r.EndS <= at {
				if err := known.index.Add(context.Background(), r); err != nil {
					rt.Fatal(err)
				}
			}
		}
		known.clock = at
		if diff := cmp.Diff(known.ask(nil), e); diff != "" {
			rt.Fatalf("the estimate knows the future: %s", diff)
		}
		if e.Seconds > 0 && !(e.Low <= e.Seconds && e.Seconds <= e.High) {
			rt.Fatalf("%v is outside %v to %v", e.Seconds, e.Low, e.High)
		}
	})
}

func TestTheOrderOfAddingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPast(t)
		for range rapid.IntRange(1, 15).Draw(rt, "runs") {
			p.ran(float64(rapid.IntRange(1, 5000).Draw(rt, "seconds")), nil)
		}
		shuffled := newPast(t)
		shuffled.clock = p.clock
		for _, r := range rapid.Permutation(p.index.All()).Draw(rt, "order") {
			if err := shuffled.index.Add(context.Background(), r); err != nil {
				rt.Fatal(err)
			}
		}
		if diff := cmp.Diff(p.ask(nil), shuffled.ask(nil)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestRungsStandInTheirOrder(t *testing.T) {
	for i, a := range ladder {
		for j, b := range ladder {
			if below(a, b) != (i > j) {
				t.Errorf("%s below %s: %v", a, b, below(a, b))
			}
		}
	}
	if below(Prior, "") || !slices.Contains(ladder, Default().Lowest) {
		t.Error("an unnamed lowest rung closes nothing")
	}
}
