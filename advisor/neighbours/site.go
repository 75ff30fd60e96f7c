package neighbours

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
	"schedmate/advisor/workload"
)

// site is what a site's own history teaches about its GPU types and changes of
// software: ratios of runs of one work.
type site struct {
	records int // in the index when it was learnt
	at      schedmate.Seconds
	speeds  map[[2]string][]moved // {from, to}
	drifts  map[[2]string]ratios
}

// moved is how long a work took on one GPU type over how long on another, as a
// logarithm.
type moved struct {
	print fingerprint.Print
	log   float64
}

type ratios struct {
	median float64
	count  int
}

const (
	shrink      = 3.0 // works that a median of drifts must be made from to be half believed
	ownWeight   = 4.0 // of a run on the asked type against what conversions say
	tableWeight = 0.5 // of a table of throughputs against one related work that ran on both types
)

// learn returns what the records that have ended by an instant teach. It is
// learnt again when the history has grown by a twentieth.
func (e *Estimator) learn(at schedmate.Seconds) *site {
	e.mu.Lock()
	defer e.mu.Unlock()
	records := e.index.Len()
	if s := e.site; s != nil && s.at <= at && records >= s.records && records < s.records+s.records/20+10 {
		return s
	}
	works, _ := e.index.Visible(at)
	e.site = study(works, records, at, e.options)
	return e.site
}

// study takes the ratios over all works.
func study(works []*history.Work, records int, at schedmate.Seconds, o Options) *site {
	s := &site{records: records, at: at, speeds: make(map[[2]string][]moved)}
	drifts := make(map[[2]string][]float64)
	for _, w := range works {
		byType, bySoftware := make(map[string][]float64), make(map[[2]string][]float64)
		for _, r := range w.Visible(at) {
			if seconds, _, ok := whole(r, o.LeastProgress); ok {
				log := math.Log(seconds - o.startUp(seconds))
				byType[r.GPUType] = append(byType[r.GPUType], log)
				bySoftware[[2]string{r.GPUType, r.Software}] = append(bySoftware[[2]string{r.GPUType, r.Software}], log)
			}
		}
		pairs(byType, func(a, b string, log float64) {
			s.speeds[[2]string{a, b}] = append(s.speeds[[2]string{a, b}], moved{w.Print, log})
		})
		for gpuType := range byType {
			same := make(map[string][]float64)
			for key, logs := range bySoftware {
				if key[0] == gpuType {
					same[key[1]] = logs
				}
			}
			pairs(same, func(a, b string, log float64) { drifts[[2]string{a, b}] = append(drifts[[2]string{a, b}], log) })
		}
	}
	s.drifts = medians(drifts)
	return s
}

// pairs visits all ordered pairs of keys with the difference of their medians.
func pairs(lists map[string][]float64, visit func(a, b string, log float64)) {
	keys := slices.Sorted(maps.Keys(lists))
	for _, a := range keys {
		for _, b := range keys {
			if a != b {
				visit(a, b, median(lists[b])-median(lists[a]))
			}
		}
	}
}

// hardware is the factor from a run's GPU type to the query's. Related works
// that ran on both types tell most, because work that waits for its data or
// its processors gains nothing from a faster GPU; then the run's own table of
// throughputs, all works, and the caller's speeds.
func (s *site) hardware(r *history.Record, q Query, speed func(string) (float64, bool)) (factor float64, why string, ok bool) {
	why = "GPU type " + typeName(r.GPUType) + " -> " + typeName(q.GPUType)
	if q.GPUType == "" || r.GPUType == "" {
		return 1, why + " as if equal", q.GPUs > 0 == (r.GPUs > 0)
	}
	table, inTable := perfRatio(r, q.GPUType)
	var related, every []float64
	for _, m := range s.speeds[[2]string{r.GPUType, q.GPUType}] {
		every = append(every, m.log)
		if akin(m.print, q.Print) {
			related = append(related, m.log)
		}
	}
	n := float64(len(related))
	switch {
	case n > 0 && inTable:
		return math.Exp((n*median(related) + tableWeight*table) / (n + tableWeight)), why + ", by related works and a table", true
	case n > 0:
		return math.Exp(median(related)), why + ", by related works", true
	case inTable && len(every) > 0:
		return math.Exp((table + median(every)) / 2), why + ", by a table and other works", true
	case inTable:
		return math.Exp(table), why + ", by a table", true
	case len(every) > 0:
		return math.Exp(median(every)), why + ", by other works", true
	}
	if speed != nil {
		from, have := speed(r.GPUType)
		if to, ok := speed(q.GPUType); ok && have && from > 0 && to > 0 {
			return from / to, why + ", by their nominal speeds", true
		}
	}
	return 0, "", false
}

// akin tells whether two works are limited by the same things: they share the
// data set or the model.
func akin(a, b fingerprint.Print) bool {
	for _, f := range []workload.Field{workload.Dataset, workload.ModelName} {
		if v, ok := a.Fields[f]; ok && v.Text == b.Fields[f].Text {
			return true
		}
	}
	return false
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

func typeName(gpuType string) string {
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
