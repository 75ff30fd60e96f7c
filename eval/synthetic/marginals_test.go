package synthetic

import (
	"math"
	"testing"
)

// Distances worked out by hand. Of 1, 2, 2, 10 a quarter is at most 1 and three
// quarters are at most 9.
func TestKolmogorovDistances(t *testing.T) {
	sorted := []float64{1, 2, 2, 10}
	for _, c := range []struct {
		points []Point
		want   float64
	}{
		{[]Point{{1, 0.25}, {2, 0.75}, {10, 1}}, 0},
		{[]Point{{1, 0.5}, {2, 0.75}}, 0.25},
		{[]Point{{0, 0.1}, {9, 0.35}}, 0.4},
	} {
		if got := distance(sorted, c.points); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("distance to %v is %g, by hand it is %g", c.points, got, c.want)
		}
	}
	if got := steps([]float64{1, 1, 2}, []float64{0.5, 0.25, 0.25}); math.Abs(got-0.25) > 1e-12 { // 1/4, 1/2 against 1/2, 3/4
		t.Errorf("distance of the steps is %g, by hand it is 0.25", got)
	}
}

// A large trace has the published marginals. How far it may be off is what
// single jobs move: the longest ones carry much of the mean.
func TestLargeTracesHaveThePublishedMarginals(t *testing.T) {
	p := Load()
	for _, name := range []string{"venus", "philly", "kalos", "pai"} {
		marginals, err := p.Compare(&Recipe{Profile: name, Jobs: 60_000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		within := map[string]float64{
			"mean run": 0.06, "median run": 0.03, "mean gang": 0.05, "median gang": 0, "jobs a day": 0.001,
			"GPU time a job": 0.25, "GPU time completed": 0.2, "GPU time cancelled": 0.2, "GPU time failed": 0.3,
		}
		distances := map[string]float64{
			"run times": 0.01, "gangs": 0.01, "end states": 0.01, "hours of the day": 0.07, "weekdays": 0.05,
			"jobs in ten minutes": 0.1, // the ratios are independent here, in Venus they are not
		}
		if name == "philly" {
			distances["run times"] = 0.08 // one log-normal for each gang and state has no peaks
		}
		for _, m := range marginals {
			if most, ok := within[m.Name]; ok && math.Abs(*m.Generated / *m.Published - 1) > most {
				t.Errorf("%s: %s is %g, published is %g", name, m.Name, *m.Generated, *m.Published)
			}
			if m.Kolmogorov != nil && *m.Kolmogorov > distances[m.Name] {
				t.Errorf("%s: %s is %g off", name, m.Name, *m.Kolmogorov)
			}
		}
	}
}
