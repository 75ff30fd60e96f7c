package neighbours

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/advisor/history"
)

func TestSchedulersReadFacts(t *testing.T) {
	p := newPast(t)
	for range 3 {
		p.ran(1000, func(r *history.Record) { r.Utilisation = &history.Utilisation{Mean: 87.5} })
	}
	facts := p.ask(nil).Facts(p.clock)
	if len(facts) != 2 || facts[0].Kind != schedmate.RunSeconds || facts[0].Value != 1000 || facts[1].Value != 875 || len(facts[0].Evidence) != 3 {
		t.Fatalf("got %+v", facts)
	}
	for _, f := range facts {
		if err := f.Validate("fact"); err != nil || f.ConfidenceMilli != 800 { // nothing measured yet: what is hoped
			t.Errorf("confidence %d: %v", f.ConfidenceMilli, err)
		}
	}
	if none := (&Estimate{Rung: None}).Facts(0); none != nil {
		t.Errorf("nothing known, yet %+v", none)
	}
}

func TestElasticSchedulersReadRates(t *testing.T) {
	p := newPast(t)
	measured := func(rate float64) func(*history.Record) {
		return func(r *history.Record) {
			r.Throughput = rate
			r.Perf = map[string]map[string]float64{"A100": {"8": 1, "16": 2100, "many": 7}, "H100": {"8": 2500}}
		}
	}
	for _, rate := range []float64{1100, 1200, 1000} {
		p.ran(900, measured(rate))
	}
	p.ran(900, func(r *history.Record) { measured(300)(r); r.Slowed = true })
	want := []Rate{{"A100", 8, 1100, true}, {"A100", 16, 2100, false}, {"H100", 8, 2500, false}}
	if diff := cmp.Diff(want, p.ask(nil).Rates); diff != "" {
		t.Error(diff)
	}
}
