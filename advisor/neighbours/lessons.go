package neighbours

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"schedmate"
	"schedmate/advisor/history"
)

// Keys of what is kept of a history, and the version of its layout.
const (
	siteKey        = "site"
	akinKey        = "akin" // and GPU types and a limit
	calibrationKey = "calibration"
	lessonsVersion = 1
)

// keptSite is a site without the ratios of single works, which have keys of their
// own.
type keptSite struct {
	Version       int               `json:"version"`
	Records       int               `json:"records"`
	At            schedmate.Seconds `json:"at"`
	StartUp       float64           `json:"start_up"`       // of the options that it was learnt with
	LeastProgress float64           `json:"least_progress"` // the same
	Speeds        []keptRatio       `json:"speeds,omitempty"`
	Drifts        []keptRatio       `json:"drifts,omitempty"`
}

type keptRatio struct {
	From   string  `json:"from"`
	To     string  `json:"to"`
	Median float64 `json:"median"`
	Count  int     `json:"count"`
}

type keptCalibration struct {
	Version  int                   `json:"version"`
	Outcomes int                   `json:"outcomes"` // of the past that it was learnt from
	Coverage float64               `json:"coverage"`
	Buckets  map[string]keptBucket `json:"buckets"`
	Seen     map[Rung]int          `json:"seen"`
}

type keptBucket struct {
	Errors []float64 `json:"errors"`
	Miss   float64   `json:"miss"`
}

// Teach keeps in a history what estimates need of all its records, so that no
// estimate has to read them all. It belongs behind each change of the history and
// does nothing where what is kept still serves.
func Teach(h *history.History, options Options, at schedmate.Seconds) error {
	records, err := h.Len()
	if err != nil {
		return err
	}
	outcomes, err := h.OutcomeCount()
	if err != nil {
		return err
	}
	s, err := recalledSite(h, options)
	if err != nil {
		return err
	}
	fresh := s != nil && s.at <= at && s.serves(records)
	if fresh {
		var kept keptCalibration
		if err := recall(h, calibrationKey, &kept); err != nil {
			return err
		}
		if kept.serves(outcomes, options.Coverage) {
			return nil
		}
	}
	lessons := make(map[string][]byte)
	if s, err = study(h, records, at, options); err != nil {
		return err
	}
	if err := s.keep(lessons, options); err != nil {
		return err
	}
	c, err := observed(h, options.Coverage)
	if err != nil {
		return err
	}
	if err := c.keep(lessons, outcomes); err != nil {
		return err
	}
	return h.Teach(lessons)
}

func recall(past Past, key string, into any) error {
	text, err := past.Lesson(key)
	if err != nil || text == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("what was learnt of %s: %w: 'schedmate history index' makes it anew", key, err)
	}
	return nil
}

func (s *site) keep(lessons map[string][]byte, o Options) error {
	k := keptSite{Version: lessonsVersion, Records: s.records, At: s.at, StartUp: o.StartUp, LeastProgress: o.LeastProgress}
	byTypes := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, types := range slices.SortedFunc(maps.Keys(s.speeds), byTypes) {
		sp := s.speeds[types]
		k.Speeds = append(k.Speeds, keptRatio{types[0], types[1], sp.median, len(sp.logs)})
		for limit, works := range sp.of { //schedmate:ordered keys are apart
			var b []byte
			for _, w := range works {
				b = binary.LittleEndian.AppendUint32(b, uint32(w.work))
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.log))
			}
			lessons[akinOf(types, limit)] = b
		}
	}
	for _, change := range slices.SortedFunc(maps.Keys(s.drifts), byTypes) {
		d := s.drifts[change]
		k.Drifts = append(k.Drifts, keptRatio{change[0], change[1], d.median, d.count})
	}
	text, err := json.Marshal(k)
	lessons[siteKey] = text
	return err
}

func akinOf(types [2]string, limit string) string {
	return history.LessonKey(strings.Join([]string{akinKey, types[0], types[1], limit}, "\x00"))
}

// recalledSite is the site that was kept, nil if there is none for these options.
func recalledSite(past Past, o Options) (*site, error) {
	var k keptSite
	if err := recall(past, siteKey, &k); err != nil || k.Version != lessonsVersion || k.StartUp != o.StartUp || k.LeastProgress != o.LeastProgress {
		return nil, err
	}
	s := &site{records: k.Records, at: k.At, speeds: make(map[[2]string]*speeds), drifts: make(map[[2]string]ratios)}
	for _, r := range k.Speeds {
		types := [2]string{r.From, r.To}
		s.speeds[types] = &speeds{median: r.Median, kept: func(limit string) ([]workLog, error) {
			text, err := past.Lesson(akinOf(types, limit))
			if err != nil {
				return nil, err
			}
			var works []workLog
			for b := range slices.Chunk(text, 12) {
				if len(b) < 12 {
					return nil, fmt.Errorf("what was learnt of %s is cut off: 'schedmate history index' makes it anew", limit)
				}
				works = append(works, workLog{int(binary.LittleEndian.Uint32(b)), math.Float64frombits(binary.LittleEndian.Uint64(b[4:]))})
			}
			return works, nil
		}}
	}
	for _, r := range k.Drifts {
		s.drifts[[2]string{r.From, r.To}] = ratios{r.Median, r.Count}
	}
	return s, nil
}

func (c *calibration) keep(lessons map[string][]byte, outcomes int) error {
	k := keptCalibration{Version: lessonsVersion, Outcomes: outcomes, Coverage: c.coverage, Buckets: make(map[string]keptBucket), Seen: c.seen}
	for name, b := range c.buckets { //schedmate:ordered into a map
		k.Buckets[name] = keptBucket{b.errors, b.miss}
	}
	text, err := json.Marshal(k)
	lessons[calibrationKey] = text
	return err
}

func (k *keptCalibration) serves(outcomes int, coverage float64) bool {
	return k.Version == lessonsVersion && k.Outcomes == outcomes && k.Coverage == coverage
}

// recalled is the calibration that was kept, else that of all outcomes.
func recalled(past Past, coverage float64) (calibration, error) {
	outcomes, err := past.OutcomeCount()
	if err != nil {
		return calibration{}, err
	}
	var k keptCalibration
	if err := recall(past, calibrationKey, &k); err != nil {
		return calibration{}, err
	}
	if !k.serves(outcomes, coverage) {
		return observed(past, coverage)
	}
	c := newCalibration(coverage)
	for name, b := range k.Buckets { //schedmate:ordered into a map
		c.buckets[name] = &bucket{b.Errors, b.Miss}
	}
	maps.Copy(c.seen, k.Seen)
	return c, nil
}

// observed learns from all outcomes.
func observed(past Past, coverage float64) (calibration, error) {
	c := newCalibration(coverage)
	err := past.Outcomes(func(r *history.Record) error {
		c.observe(r.Estimated, float64(r.Duration()))
		return nil
	})
	return c, err
}
