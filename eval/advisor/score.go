package advisor

import (
	"fmt"
	"io"
	"math"
	"slices"

	"schedmate"
	"schedmate/eval/jsonl"
)

// Truth is what grading knows of a run, read from the same file as the run but
// never handed to an estimator.
type Truth struct {
	Seq           int               `json:"seq"`
	ID            string            `json:"id"`
	WorkloadGroup string            `json:"workload_group"` // equal: the same work
	SubmitS       schedmate.Seconds `json:"submit_s"`
	StartS        schedmate.Seconds `json:"start_s"`
	EndS          schedmate.Seconds `json:"end_s"`
	EndState      string            `json:"end_state"`
	ProfiledUtil  float64           `json:"profile_100s_sm_util"` // by a profiler of the first 100 s
	Oracle        struct {
		SameCompleted int `json:"visible_same_completed"`
	} `json:"oracle"`
	Hidden struct {
		SteadyUtil float64 `json:"steady_sm_util"`
	} `json:"truth"`
}

// ReadTruths reads one truth a line.
func ReadTruths(name string, r io.Reader) ([]Truth, error) {
	return jsonl.Read(name, r, func(t *Truth) error {
		if t.ID == "" || t.EndS <= t.StartS {
			return fmt.Errorf("run %.40q: its id and an end after its start are needed", t.ID)
		}
		return nil
	})
}

// Errors sums up relative errors.
type Errors struct {
	Count     int     `json:"n"`
	Median    float64 `json:"median"`
	Mean      float64 `json:"mean"`
	Within25  float64 `json:"within_25"`  // share
	Within100 float64 `json:"within_100"` // share
}

// Score compares answers with the truth. Shares are 0 to 1; those of nothing
// are 0.
type Score struct {
	Queries          int     `json:"queries"`
	FutureLeaks      int     `json:"future_leaks"`   // runs named that had not ended
	HitRate          float64 `json:"hit_rate"`       // of queries whose work had completed before: the best match is a run of it
	Answerable       int     `json:"answerable"`     // such queries
	FalseHitRate     float64 `json:"false_hit_rate"` // of all others: something was matched
	Unanswerable     int     `json:"unanswerable"`
	Coverage         float64 `json:"coverage"` // of completed runs: a duration was answered
	IntervalCoverage float64 `json:"interval_coverage"`
	IntervalRatio    float64 `json:"interval_ratio_median"` // upper over lower bound
	Duration         Errors  `json:"duration"`
	Utilisation      Errors  `json:"sm_util"`
	Profiler         Errors  `json:"sm_util_of_100s_profile"` // on the same queries
}

// Grade scores answers. A run without an answer counts as one that says
// nothing.
func Grade(truths []Truth, answers []Answer) Score {
	byID, bySeq := make(map[string]Truth), make(map[int]Answer)
	for _, t := range truths {
		byID[t.ID] = t
	}
	for _, a := range answers {
		bySeq[a.Seq] = a
	}
	s := Score{Queries: len(truths)}
	var hits, falseHits, completed, covered, intervals int
	var duration, busy, profiled, widths []float64
	for _, t := range truths {
		a := bySeq[t.Seq]
		for _, id := range slices.Concat(a.Top, a.Basis) {
			if of, ok := byID[id]; !ok || of.EndS > t.SubmitS {
				s.FutureLeaks++
			}
		}
		if t.Oracle.SameCompleted > 0 {
			s.Answerable++
			hits += count(len(a.Top) > 0 && byID[a.Top[0]].WorkloadGroup == t.WorkloadGroup)
		} else {
			s.Unanswerable++
			falseHits += count(len(a.Top) > 0)
		}
		if t.EndState != "COMPLETED" {
			continue
		}
		completed++
		took := float64(t.EndS - t.StartS)
		if a.Seconds != nil {
			duration = append(duration, math.Abs(*a.Seconds-took)/took)
		}
		if a.Low != nil && a.High != nil {
			intervals++
			covered += count(*a.Low <= took && took <= *a.High)
			widths = append(widths, *a.High/max(1, *a.Low))
		}
		if u := t.Hidden.SteadyUtil; u > 0 && a.Utilisation != nil {
			busy = append(busy, math.Abs(*a.Utilisation-u)/u)
			profiled = append(profiled, math.Abs(t.ProfiledUtil-u)/u)
		}
	}
	s.HitRate, s.FalseHitRate = share(hits, s.Answerable), share(falseHits, s.Unanswerable)
	s.Coverage, s.IntervalCoverage, s.IntervalRatio = share(len(duration), completed), share(covered, intervals), middle(widths)
	s.Duration, s.Utilisation, s.Profiler = sumUp(duration), sumUp(busy), sumUp(profiled)
	return s
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func share(part, of int) float64 { return float64(part) / float64(max(1, of)) }

func sumUp(relative []float64) Errors {
	e := Errors{Count: len(relative), Median: middle(relative)}
	var within25, within100 int
	for _, x := range relative {
		e.Mean += x / float64(len(relative))
		within25, within100 = within25+count(x <= 0.25), within100+count(x <= 1)
	}
	e.Within25, e.Within100 = share(within25, len(relative)), share(within100, len(relative))
	return e
}

// middle is the median, 0 of nothing.
func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
