package pack

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A test's own words: at most one in 1,000, from eight steps before on.
var ordinary = Test{Tolerated: 1250, OneIn: 1000, Least: 8}

// Eight steps of 100 before; an eighth of them may lie above the limit, so r = 7, the
// limit is the seventh, 100, and a step counts as slow above 125. By hand, each slow
// step multiplies the evidence by what the alternative says over what the null says:
//
//	step  factor                     evidence
//	1     (19/20) / (2/9)  = 4.275       4.28
//	2     (20/21) / (3/10) = 3.175      13.57
//	3     (21/22) / (4/11) = 2.625      35.62
//	4     (22/23) / (5/12) = 2.296      81.78
//	5     (23/24) / (6/13) = 2.076     169.81
//	6     (24/25) / (7/14) = 1.920     326.04
//	7     (25/26) / (8/15) = 1.803     587.81
//	8     (26/27) / (9/16) = 1.712    1006.30
//
// It reaches 1,000 at the eighth step; what comes after that is not looked at.
func TestEvidenceByHand(t *testing.T) {
	before := []int64{100, 100, 100, 100, 100, 100, 100, 100}
	slow := []int64{126, 126, 126, 126, 126, 126, 126, 126, 126}
	for steps, want := range map[int]Finding{ //schedmate:ordered each is a question of its own
		1: {Known: true, Steps: 1, Ratio: 1260},
		7: {Known: true, Steps: 7, Ratio: 1260},
		8: {Known: true, Slower: true, Steps: 8, Ratio: 1260},
		9: {Known: true, Slower: true, Steps: 8, Ratio: 1260},
	} {
		if got := ordinary.Judge(before, slow[:steps]); got != want {
			t.Errorf("after %d slow steps: %+v, want %+v", steps, got, want)
		}
	}
	// The evidence itself, by goals on either side of each row.
	for steps, evidence := range []float64{4.275, 13.571, 35.625, 81.78, 169.8, 326.0, 587.8, 1006.3} {
		below, above := ordinary, ordinary
		below.OneIn, above.OneIn = int(evidence), int(evidence)+1
		if !below.Judge(before, slow[:steps+1]).Slower || above.Judge(before, slow[:steps+1]).Slower {
			t.Errorf("after %d slow steps the evidence is not between %d and %d", steps+1, below.OneIn, above.OneIn)
		}
	}
	for _, after := range [][]int64{{125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125}, {90}} {
		if f := ordinary.Judge(before, after); f.Slower {
			t.Errorf("steps of %v are not above the limit, yet %+v", after, f)
		}
	}
}

// Without enough steps before, or without any after, nothing is said.
func TestNoSignalNoFinding(t *testing.T) {
	seven, many := make([]int64, 7), make([]int64, 60)
	for i := range many {
		many[i] = 1000
	}
	for i := range seven {
		seven[i] = 100
	}
	for _, c := range []struct{ before, after []int64 }{{seven, many}, {nil, many}, {many, nil}} {
		if f := ordinary.Judge(c.before, c.after); f != (Finding{}) {
			t.Errorf("%d before and %d after: %+v", len(c.before), len(c.after), f)
		}
	}
}

// The paper's rule: thirty steps, means, throughput below one half.
func TestFixedRatioByHand(t *testing.T) {
	rule := FixedRatio{Threshold: 500, Steps: 30}
	before, after := []int64{90, 110}, make([]int64, 30)
	for _, c := range []struct {
		us     int64
		slower bool
	}{{200, false}, {201, true}, {150, false}} {
		for i := range after {
			after[i] = c.us
		}
		if f := rule.Judge(before, after); f.Slower != c.slower || !f.Known {
			t.Errorf("steps of %d after 100: %+v", c.us, f)
		}
		if f := rule.Judge(before, after[:29]); f.Known {
			t.Errorf("29 steps are not 30: %+v", f)
		}
	}
}

// whether the test ever says slower, in all ways in which ranks can fall: of n steps
// before and m after that are alike, each of the C(n+m, m) orders is as likely. The
// dumb twin of the bound: it enumerates what Ville's inequality promises.
func TestNeverMoreFalseAlarmsThanStatedExactly(t *testing.T) {
	for _, n := range []int{8, 16, 32} {
		for _, oneIn := range []int{20, 1000} {
			got := chance(Test{Tolerated: 1000, OneIn: oneIn, Least: 2}, n, 64)
			if got > 1/float64(oneIn) {
				t.Errorf("%d steps before: a false alarm in %.1f, stated one in %d", n, 1/got, oneIn)
			}
			t.Logf("%2d steps before, one in %4d stated: one in %.0f within 64 steps", n, oneIn, 1/got)
		}
	}
}

// chance sums over how many of the steps so far lay above the limit: given the n
// before, the chance that the next one does is (n-r+1+above)/(n+1+seen) (Polya's urn,
// which is what ranks of independent, equal values are).
func chance(test Test, n, most int) float64 {
	r := n - n/8
	before := make([]int64, n)
	for i := range before {
		before[i] = int64(10 * (i + 1))
	}
	low, high := int64(1), int64(10*n+5)
	now := map[int]float64{0: 1} // by how many lay above
	alarms := 0.0
	for seen := range most {
		next := map[int]float64{}
		for above, p := range now {
			up := float64(n-r+1+above) / float64(n+1+seen)
			for _, c := range []struct {
				p  float64
				us int64
				d  int
			}{{up, high, 1}, {1 - up, low, 0}} {
				after := make([]int64, seen+1)
				for i := range seen { // evidence depends on counts alone; any order of them does
					after[i] = low
					if i < above {
						after[i] = high
					}
				}
				after[seen] = c.us
				if crosses(test, before, after) {
					alarms += p * c.p
					continue
				}
				next[above+c.d] += p * c.p
			}
		}
		now = next
	}
	return alarms
}

// crosses reports whether the evidence of exactly these counts reaches the goal: the
// same quotient of beta functions as the test's product, from the logarithms of the
// gamma function.
func crosses(test Test, before, after []int64) bool {
	n := len(before)
	r := n - n/8
	above := 0
	for _, us := range after {
		if us > before[r-1] {
			above++
		}
	}
	below := len(after) - above
	evidence := beta(19+above, 1+below) - beta(19, 1) - beta(n-r+1+above, r+below) + beta(n-r+1, r)
	return evidence >= math.Log(float64(test.OneIn))
}

func beta(a, b int) float64 {
	x, _ := math.Lgamma(float64(a))
	y, _ := math.Lgamma(float64(b))
	z, _ := math.Lgamma(float64(a + b))
	return x + y - z
}

// The walk over single steps finds the same as the closed form over counts.
func TestEvidenceIsItsClosedFormProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(rapid.Int64Range(50, 150), 8, 32).Draw(t, "before")
		after := rapid.SliceOfN(rapid.Int64Range(50, 300), 1, 40).Draw(t, "after")
		test := Test{Tolerated: 1000, OneIn: 50, Least: 8}
		f := test.Judge(before, after)
		sorted := append([]int64(nil), before...)
		for i := range sorted { // insertion sort: the dumb one
			for k := i; k > 0 && sorted[k] < sorted[k-1]; k-- {
				sorted[k], sorted[k-1] = sorted[k-1], sorted[k]
			}
		}
		want := 0
		for k := range after {
			if crosses(test, sorted, after[:k+1]) {
				want = k + 1
				break
			}
		}
		if f.Slower != (want > 0) || f.Slower && f.Steps != want {
			t.Fatalf("want an alarm at step %d, got %+v", want, f)
		}
	})
}

// Whatever the readings scatter like, as long as they scatter alike before and after,
// no more than the stated share of jobs that are not slower than tolerated is called
// slower. Seeds are fixed; with 40,000 jobs a share of 1 in 100 has a standard error of
// 0.05 in 100.
func TestFalseAlarmsWhateverTheNoise(t *testing.T) {
	const jobs = 40_000
	noises := map[string]func(*rand.Rand) float64{
		"normal, a tenth":       func(r *rand.Rand) float64 { return math.Max(0.01, 1+0.1*r.NormFloat64()) },
		"a factor of two often": func(r *rand.Rand) float64 { return 1 + float64(r.IntN(10)/8) },
		"heavy tails":           func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -1/1.1) },
	}
	for name, noise := range noises { //schedmate:ordered each noise has numbers of its own
		test := Test{Tolerated: 1250, OneIn: 100, Least: 8}
		for _, slowdown := range []float64{1, 1.25} {
			r := rand.New(rand.NewPCG(7, uint64(slowdown*1000)))
			alarms := 0
			for range jobs {
				before, after := make([]int64, 16), make([]int64, 64)
				for i := range before {
					before[i] = int64(1e9 * noise(r))
				}
				for i := range after {
					after[i] = int64(1e9 * slowdown * noise(r))
				}
				if test.Judge(before, after).Slower {
					alarms++
				}
			}
			if most := jobs/100 + 4*int(math.Sqrt(jobs/100)); alarms > most {
				t.Errorf("%s, slowdown %g: %d of %d jobs, at most %d may be", name, slowdown, alarms, jobs, most)
			}
			t.Logf("%-22s slowdown %.2f: %d of %d called slower, stated at most %d", name, slowdown, alarms, jobs, jobs/100)
		}
	}
}
