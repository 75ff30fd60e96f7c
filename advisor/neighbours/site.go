package neighbours

import (
	"math"
	"slices"
	"strconv"

	"schedmate"
	"schedmate/advisor/history"
)

// site is what a site's own history teaches about its GPU types and changes of
// software: medians of ratios of runs of one work.
type site struct {
	records int // visible when it was learnt
	at      schedmate.Seconds
	speeds  map[[2]string]ratios // {from, to} -> log of duration on to over that on from
	drifts  map[[2]string]ratios
}

type ratios struct {
	median float64
	count  int
}

// shrink is how many works a median of drifts must be made from to be half
// believed.
const shrink = 3

// learn returns what the records that have ended by an instant teach. It is
// learnt again when the history has grown by a tenth.
func (e *Estimator) learn(at schedmate.Seconds) *site {
	e.mu.Lock()
	defer e.mu.Unlock()
	records := e.index.Len()
	if s := e.site; s != nil && s.at <= at && records >= s.records && records < s.records+s.records/10+10 {
		return s
	}
	works, _ := e.index.Visible(at)
	e.site = study(works, records, at, e.options.LeastProgress)
	return e.site
}

// study takes the ratios over all works.
func study(works []*history.Work, records int, at schedmate.Seconds, least float64) *site {
	speeds, drifts := make(map[[2]string][]float64), make(map[[2]string][]float64)
	for _, w := range works {
		byType, bySoftware := make(map[string][]float64), make(map[[2]string][]float64)
		var perf *history.Record
		for _, r := range w.Visible(at) {
			if len(r.Perf) > 1 {
				perf = r
			}
			if seconds, _, ok := whole(r, least); ok {
				byType[r.GPUType] = append(byType[r.GPUType], math.Log(seconds))
				bySoftware[[2]string{r.GPUType, r.Software}] = append(bySoftware[[2]string{r.GPUType, r.Software}], math.Log(seconds))
			}
		}
		for _, a := range sortedKeys(byType) {
			for _, b := range sortedKeys(byType) {
				if a != b {
					speeds[[2]string{a, b}] = append(speeds[[2]string{a, b}], median(byType[b])-median(byType[a]))
				} else if perf != nil && perf.GPUType == a {
					for _, other := range sortedKeys(perf.Perf) {
						if log, ok := perfRatio(perf, other); ok && byType[other] == nil {
							speeds[[2]string{a, other}] = append(speeds[[2]string{a, other}], log)
							speeds[[2]string{other, a}] = append(speeds[[2]string{other, a}], -log)
						}
					}
				}
			}
		}
		for key, a := range bySoftware {
			for other, b := range bySoftware {
				if key[0] == other[0] && key[1] != other[1] {
					pair := [2]string{key[1], other[1]}
					drifts[pair] = append(drifts[pair], median(b)-median(a))
				}
			}
		}
	}
	return &site{records: records, at: at, speeds: medians(speeds), drifts: medians(drifts)}
}

// perfRatio is the log of the duration on another GPU type over that on the
// run's own, from the run's table of throughputs.
func perfRatio(r *history.Record, other string) (float64, bool) {
	count := strconv.Itoa(max(1, r.GPUs))
	own, there := r.Perf[r.GPUType][count], r.Perf[other][count]
	if r.GPUType == other || own <= 0 || there <= 0 {
		return 0, false
	}
	return math.Log(own / there), true
}

// hardware is the factor from a run's GPU type to the query's, from the run's
// own table of throughputs, else from works that ran on both types, else from
// the caller's speeds.
func (s *site) hardware(r *history.Record, q Query, speed func(string) (float64, bool)) (factor float64, why string, ok bool) {
	why = "GPU type " + name(r.GPUType) + " -> " + name(q.GPUType)
	if q.GPUType == "" || r.GPUType == "" {
		return 1, why + " (as if equal)", q.GPUs > 0 == (r.GPUs > 0)
	}
	if log, ok := perfRatio(r, q.GPUType); ok {
		return math.Exp(log), why + ", measured", true
	}
	if m, ok := s.speeds[[2]string{r.GPUType, q.GPUType}]; ok {
		return math.Exp(m.median), why + ", by other works", true
	}
	if speed != nil {
		from, have := speed(r.GPUType)
		if to, ok := speed(q.GPUType); ok && have && from > 0 && to > 0 {
			return from / to, why + ", by a table", true
		}
	}
	return 0, "", false
}

func name(gpuType string) string {
	if gpuType == "" {
		return "unknown"
	}
	return gpuType
}

// drift is the factor from old software to new. The work's own runs on both
// count most, then what the change did to other works.
func (s *site) drift(from, to string, old, fresh []float64) float64 {
	m := s.drifts[[2]string{from, to}]
	log := m.median * float64(m.count) / float64(m.count+shrink)
	if n := float64(len(fresh)); n > 0 && len(old) > 0 {
		own := median(fresh) - median(old)
		log = (n*own + log) / (n + 1)
	}
	return math.Exp(log)
}

func medians(lists map[[2]string][]float64) map[[2]string]ratios {
	all := make(map[[2]string]ratios, len(lists))
	for key, list := range lists {
		all[key] = ratios{median(list), len(list)}
	}
	return all
}

// median of a list in any order; 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	if n := len(list); n%2 == 0 {
		return (list[n/2-1] + list[n/2]) / 2
	}
	return list[len(list)/2]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
