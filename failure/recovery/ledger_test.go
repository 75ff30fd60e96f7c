package recovery_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/failure"
	"schedmate/failure/recovery"
)

func drawHit(t *rapid.T, node string) recovery.Hit {
	h := recovery.Hit{
		Node: node, Incident: fmt.Sprintf("i%d", rapid.IntRange(0, 40).Draw(t, "incident")), Revision: rapid.IntRange(0, 1).Draw(t, "revision"),
		At: schedmate.Seconds(43_200*rapid.IntRange(0, 9).Draw(t, "half day") + rapid.IntRange(0, 1).Draw(t, "second")), Job: "j", User: rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "user"),
		Kind: rapid.SampledFrom([]string{"gpu_ecc", "segfault"}).Draw(t, "kind"), Class: schedmate.InfrastructureFailure, Grade: failure.QuarantineSecond, Template: "00",
	}
	if h.Kind == "segfault" {
		h.Class, h.Grade = schedmate.FrameworkFailure, failure.QuarantineNo
	}
	return h
}

func drawFacts(t *rapid.T) (hits []recovery.Hit, tests []recovery.Test, work []recovery.Work) {
	for range rapid.IntRange(0, 12).Draw(t, "facts") {
		node := rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node")
		at := schedmate.Seconds(rapid.IntRange(0, 400_000).Draw(t, "from"))
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			tests = append(tests, recovery.Test{Node: node, Name: "diag", At: at / 100_000, Passed: rapid.Bool().Draw(t, "passed")})
		case 1:
			work = append(work, recovery.Work{Node: node, Span: recovery.Span{From: at, To: at + schedmate.Seconds(rapid.IntRange(0, 90_000).Draw(t, "for"))}})
		default:
			hits = append(hits, drawHit(t, node))
		}
	}
	return hits, tests, work
}

// The ledger is the same in whatever order, in however many parts and however
// often its facts come.
func TestLedgerOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits, tests, work := drawFacts(t)
		once := recovery.Ledger{}.With(hits, tests, work)
		var oneByOne recovery.Ledger
		for _, h := range rapid.Permutation(hits).Draw(t, "hits") {
			oneByOne = oneByOne.With([]recovery.Hit{h}, nil, nil)
		}
		for _, x := range rapid.Permutation(tests).Draw(t, "tests") {
			oneByOne = oneByOne.With(nil, []recovery.Test{x}, nil)
		}
		for _, x := range rapid.Permutation(work).Draw(t, "work") {
			oneByOne = oneByOne.With(nil, nil, []recovery.Work{x})
		}
		for _, l := range []recovery.Ledger{oneByOne, oneByOne.With(hits, tests, work), recovery.Merge(once, oneByOne), recovery.Merge(recovery.Ledger{}, once)} {
			if diff := cmp.Diff(once.Nodes, l.Nodes, equateEmpty); diff != "" {
				t.Fatal(diff)
			}
		}
		if err := once.Validate("ledger"); err != nil {
			t.Fatal(err)
		}
		a, b, c := drawLedger(t), drawLedger(t), drawLedger(t)
		if diff := cmp.Diff(recovery.Merge(a, recovery.Merge(b, c)).Nodes, recovery.Merge(recovery.Merge(c, a), b).Nodes, equateEmpty); diff != "" {
			t.Fatalf("merging depends on the order:\n%s", diff)
		}
	})
}

var equateEmpty = cmp.Transformer("empty", func(r []recovery.Record) []recovery.Record {
	if len(r) == 0 {
		return nil
	}
	return r
})

func drawLedger(t *rapid.T) recovery.Ledger {
	hits, tests, work := drawFacts(t)
	return recovery.Ledger{}.With(hits, tests, work)
}

// What was pruned is valid, younger than the limit, and pruned for good.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t)
		before := schedmate.Seconds(rapid.IntRange(0, 400_000).Draw(t, "before"))
		p := l.Prune(before)
		if err := p.Validate("ledger"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, p.Prune(before)); diff != "" {
			t.Fatal(diff)
		}
		for _, r := range p.Nodes {
			for _, h := range r.Hits {
				if h.At < before {
					t.Fatalf("a hit of %d is left", h.At)
				}
			}
		}
	})
}

// A further failure of a node never lowers its suspicion; further time at work
// without one never raises it.
func TestMoreEvidenceNeverLowersSuspicion(t *testing.T) {
	prior := recovery.DefaultLimits().Prior
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t)
		h := drawHit(t, "n1")
		h.Incident = "another"
		less, more := l.Rate("n1", 500_000, prior), recoveryRate(l.With([]recovery.Hit{h}, nil, nil), prior)
		if more.Suspicion < less.Suspicion || more.Hits < less.Hits || more.PerHour < less.PerHour {
			t.Fatalf("%+v became %+v by %+v", less, more, h)
		}
		from := schedmate.Seconds(rapid.IntRange(0, 499_999).Draw(t, "from"))
		idle := recoveryRate(l.With(nil, nil, []recovery.Work{{Node: "n1", Span: recovery.Span{From: from, To: 500_000}}}), prior)
		if idle.Suspicion > less.Suspicion {
			t.Fatalf("%+v became %+v by work", less, idle)
		}
	})
}

func recoveryRate(l recovery.Ledger, p recovery.Prior) recovery.Rate {
	return l.Rate("n1", 500_000, p)
}

// The number of independent failures is the largest set of them in which no two
// of one user lie closer than the window. The twin tries every set.
func TestIndependentHitsAgainstEverySet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var hits []recovery.Hit
		for i := range rapid.IntRange(0, 10).Draw(t, "n") {
			h := drawHit(t, "n1")
			h.Incident = fmt.Sprint(i)
			hits = append(hits, h)
		}
		prior := recovery.Prior{Hours: 100, Lemon: 3, Window: 86_400}
		now := schedmate.Seconds(300_000)
		best := 0
		for set := range 1 << len(hits) {
			n, ok := 0, true
			for i, a := range hits {
				if set>>i&1 == 0 {
					continue
				}
				n++
				ok = ok && a.Grade != failure.QuarantineNo && a.At <= now
				for j, b := range hits[:i] {
					ok = ok && (set>>j&1 == 0 || a.User != b.User || max(a.At-b.At, b.At-a.At) >= prior.Window)
				}
			}
			if ok {
				best = max(best, n)
			}
		}
		l := recovery.Ledger{}.With(hits, nil, nil)
		if got := l.Rate("n1", now, prior).Hits; got != best {
			t.Fatalf("%d independent failures, every set says %d", got, best)
		}
	})
}

// The suspicion is the area of the Gamma density above the rate of a lemon. The
// twin adds it up in small steps.
func TestSuspicionAgainstIntegration(t *testing.T) {
	for _, c := range []struct {
		hits  int
		hours int
	}{{0, 0}, {1, 0}, {2, 500}, {3, 500}, {5, 10_000}, {12, 40_000}, {1, 60_000}} {
		var hits []recovery.Hit
		for i := range c.hits {
			hits = append(hits, recovery.Hit{Node: "n", Incident: fmt.Sprint(i), User: fmt.Sprint(i), At: 1, Job: "j", Kind: "k", Class: schedmate.InfrastructureFailure, Grade: failure.QuarantineYes, Template: "0"})
		}
		l := recovery.Ledger{}.With(hits, nil, []recovery.Work{{Node: "n", Span: recovery.Span{To: schedmate.Seconds(c.hours) * 3600}}})
		prior := recovery.DefaultLimits().Prior
		got := l.Rate("n", schedmate.MaxSeconds/2, prior).Suspicion

		rate := float64(prior.Hours + c.hours) // of the posterior; its shape is 1 + hits
		lemon := float64(prior.Lemon) / float64(prior.Hours)
		step := 0.001 / rate
		area := 0.0
		factorial := 1.0
		for i := 2; i <= c.hits; i++ {
			factorial *= float64(i)
		}
		for x := lemon + step/2; x < lemon+200/rate; x += step {
			area += step * rate * math.Pow(rate*x, float64(c.hits)) * math.Exp(-rate*x) / factorial
		}
		if math.Abs(got-area) > 0.001 {
			t.Errorf("%d failures in %d h: suspicion %g, by integration %g", c.hits, c.hours, got, area)
		}
	}
}

// By hand: with nothing on record the suspicion is exp(-3), as the prior is
// exponential and a lemon is three means away.
func TestSuspicionOfAnUnknownNode(t *testing.T) {
	var l recovery.Ledger
	if got := l.Rate("n", 0, recovery.DefaultLimits().Prior); got.Suspicion != 0.05 || got.Hits != 0 { // exp(-3) = 0.0498
		t.Errorf("got %+v", got)
	}
}

// Ledger, world and proposal read back from JSON and YAML as they were written.
func TestDocumentsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.Ledger = drawLedger(t)
		in := drawIncident(t, &w, "i1")
		p, err := recovery.Propose(&w, &in)
		if err != nil {
			t.Fatal(err)
		}
		w = w.With(p)
		for _, c := range []struct {
			write func(any) ([]byte, error)
			read  func([]byte, any) error
		}{{json.Marshal, json.Unmarshal}, {yaml.Marshal, yaml.Unmarshal}} {
			data, err := c.write(w)
			if err != nil {
				t.Fatal(err)
			}
			var back recovery.World
			if err := c.read(data, &back); err != nil {
				t.Fatal(err)
			}
			if err := back.Validate(); err != nil {
				t.Fatal(err)
			}
			again, err := c.write(back)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(data, again) {
				t.Fatalf("%s\nbecame\n%s", data, again)
			}
		}
	})
}
