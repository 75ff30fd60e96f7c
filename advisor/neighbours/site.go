package neighbours

import (
	"cmp"
	"fmt"
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
	records int // in the past when it was learnt
	at      schedmate.Seconds
	speeds  map[[2]string]*speeds // {from, to}
	drifts  map[[2]string]ratios
}

// speeds are how long works took on one GPU type over how long on another, as
// logarithms.
type speeds struct {
	logs   []float64 // by work
	of     map[string][]workLog
	kept   func(key string) ([]workLog, error) // instead of logs and of: looks it up
	median float64                             // of all
}

// workLog is the logarithm of one work; the number tells works apart.
type workLog struct {
	work int
	log  float64
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
// learnt again when the history has grown by a twentieth, unless [Teach] kept it.
func (e *Estimator) learn(at schedmate.Seconds) (*site, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	records, err := e.past.Len()
	if err != nil {
		return nil, err
	}
	if s := e.site; s != nil && s.at <= at && s.serves(records) {
		return s, nil
	}
	s, err := recalledSite(e.past, e.options)
	if err == nil && (s == nil || s.at > at || !s.serves(records)) {
		s, err = study(e.past, records, at, e.options)
	}
	if err != nil {
		return nil, fmt.Errorf("learn from history: %w", err)
	}
	e.site = s
	return s, nil
}

// serves tells whether a past of so many records teaches hardly anything else.
func (s *site) serves(records int) bool {
	return records >= s.records && records < s.records+s.records/20+10
}

// study takes the ratios over all works.
func study(past Past, records int, at schedmate.Seconds, o Options) (*site, error) {
	s := &site{records: records, at: at, speeds: make(map[[2]string]*speeds)}
	drifts := make(map[[2]string][]float64)
	err := past.Works(at, func(w *history.Work) error {
		runs, err := w.Latest(at, latest)
		if err != nil {
			return err
		}
		byType, bySoftware := make(map[string][]float64), make(map[[2]string][]float64)
		for _, r := range runs {
			if seconds, _, ok := whole(r, o.LeastProgress); ok {
				log := math.Log(seconds - o.startUp(seconds))
				byType[r.GPUType] = append(byType[r.GPUType], log)
				bySoftware[[2]string{r.GPUType, r.Software}] = append(bySoftware[[2]string{r.GPUType, r.Software}], log)
			}
		}
		pairs(byType, func(a, b string, log float64) {
			sp := s.speeds[[2]string{a, b}]
			if sp == nil {
				sp = &speeds{of: make(map[string][]workLog)}
				s.speeds[[2]string{a, b}] = sp
			}
			for _, key := range limits(w.Print) {
				sp.of[key] = append(sp.of[key], workLog{len(sp.logs), log})
			}
			sp.logs = append(sp.logs, log)
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
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, sp := range s.speeds {
		sp.median = median(sp.logs)
	}
	s.drifts = medians(drifts)
	return s, nil
}

// limits are what works may share that decides what limits them: the data set
// and the model.
func limits(p fingerprint.Print) []string {
	var keys []string
	for _, f := range []workload.Field{workload.Dataset, workload.ModelName} {
		if v, ok := p.Fields[f]; ok {
			keys = append(keys, string(f)+"="+v.Text)
		}
	}
	return keys
}

// akin are the ratios of works that share what may limit them.
func (sp *speeds) akin(p fingerprint.Print) ([]float64, error) {
	if sp == nil {
		return nil, nil
	}
	var works []workLog
	for _, key := range limits(p) {
		more := sp.of[key]
		if sp.kept != nil {
			var err error
			if more, err = sp.kept(key); err != nil {
				return nil, err
			}
		}
		works = append(works, more...)
	}
	slices.SortFunc(works, func(a, b workLog) int { return cmp.Compare(a.work, b.work) })
	var logs []float64
	for _, w := range slices.CompactFunc(works, func(a, b workLog) bool { return a.work == b.work }) {
		logs = append(logs, w.log)
	}
	return logs, nil
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

// bridge is the way from one GPU type to the query's, the same for all runs on
// that type but for their own tables.
type bridge struct {
	related float64 // median over related works
	count   int     // of them
	every   float64 // median over all works
	known   bool    // whether there is any
	nominal float64 // by the caller's speeds, 0: unknown
}

func (s *site) bridge(from string, q Query, speed func(string) (float64, bool)) (*bridge, error) {
	b := &bridge{}
	sp := s.speeds[[2]string{from, q.GPUType}]
	logs, err := sp.akin(q.Print)
	if err != nil {
		return nil, err
	}
	b.related, b.count = median(logs), len(logs)
	if sp != nil {
		b.every, b.known = sp.median, true
	}
	if speed != nil {
		old, have := speed(from)
		if fresh, ok := speed(q.GPUType); ok && have && old > 0 && fresh > 0 {
			b.nominal = old / fresh
		}
	}
	return b, nil
}

// factor is the factor from a run's GPU type to the query's. Related works that
// ran on both types tell most, because work that waits for its data or its
// processors gains nothing from a faster GPU; then the run's own table of
// throughputs, all works, and the caller's speeds.
func (b *bridge) factor(r *history.Record, q Query) (factor float64, why string, ok bool) {
	why = "GPU type " + typeName(r.GPUType) + " -> " + typeName(q.GPUType)
	if q.GPUType == "" || r.GPUType == "" {
		return 1, why + " as if equal", q.GPUs > 0 == (r.GPUs > 0)
	}
	table, inTable := perfRatio(r, q.GPUType)
	n := float64(b.count)
	switch {
	case n > 0 && inTable:
		return math.Exp((n*b.related + tableWeight*table) / (n + tableWeight)), why + ", by related works and a table", true
	case n > 0:
		return math.Exp(b.related), why + ", by related works", true
	case inTable && b.known:
		return math.Exp((table + b.every) / 2), why + ", by a table and other works", true
	case inTable:
		return math.Exp(table), why + ", by a table", true
	case b.known:
		return math.Exp(b.every), why + ", by other works", true
	}
	return b.nominal, why + ", by their nominal speeds", b.nominal > 0
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
