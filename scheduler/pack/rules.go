package pack

import (
	"cmp"
	"fmt"
	"slices"

	"schedmate"
)

// Rules say who may share GPUs with whom.
//
// Invariant: JobsPerGPU >= 2; MemoryMiB >= 0; 0 <= Scores; 0 <= LeastSpeed,
// LeastSum; MostGPUs >= 0.
type Rules struct {
	JobsPerGPU int   `json:"jobs_per_gpu"`      // at most
	MemoryMiB  int64 `json:"memory_mib"`        // the peak memories of all on a GPU stay below this; 0: memory is no question
	Scores     int   `json:"scores"`            // the sum of the scores on a GPU is at most this
	MostGPUs   int   `json:"most_gpus"`         // larger gangs are not packed; 0: any
	LeastSpeed int   `json:"least_speed_milli"` // no forecast speed of a pair may lie below; 0: no forecast is asked for
	LeastSum   int   `json:"least_sum_milli"`   // nor their sum below this: at 1000 a pair does as much as one after the other
	Worth      bool  `json:"worth"`             // a pair of which there is a forecast must end sooner in the mean than one after the other
	Choose     Pick  `json:"choose"`            // among several mates
}

// Pick says which of several possible mates is taken.
type Pick string

const (
	FirstMate   Pick = "first"   // the one that started first (Lucid's artifact)
	FastestPair Pick = "fastest" // the one with the highest sum of forecast speeds; without forecasts the first
)

// LucidRules are those of Lucid's artifact: gangs of up to eight GPUs, cards of
// 24 GiB, the first mate that will do, no forecast.
func LucidRules() Rules {
	return Rules{JobsPerGPU: 2, MemoryMiB: 24_576, Scores: 2, MostGPUs: 8, Choose: FirstMate}
}

// Validate checks the invariant of Rules.
func (r *Rules) Validate() error {
	switch {
	case r.JobsPerGPU < 2 || r.JobsPerGPU > int(schedmate.WholeGPU):
		return fmt.Errorf("jobs_per_gpu must lie in [2, %d], got %d", schedmate.WholeGPU, r.JobsPerGPU)
	case r.MemoryMiB < 0 || r.Scores < 0 || r.MostGPUs < 0:
		return fmt.Errorf("memory_mib, scores and most_gpus must not be negative, got %d, %d and %d", r.MemoryMiB, r.Scores, r.MostGPUs)
	case r.LeastSpeed < 0 || r.LeastSpeed > 1000 || r.LeastSum < 0 || r.LeastSum > 1000*r.JobsPerGPU:
		return fmt.Errorf("least_speed_milli must lie in [0, 1000] and least_sum_milli in [0, %d], got %d and %d", 1000*r.JobsPerGPU, r.LeastSpeed, r.LeastSum)
	case r.Choose != FirstMate && r.Choose != FastestPair:
		return fmt.Errorf("unknown choose %q: use %s or %s", r.Choose, FirstMate, FastestPair)
	}
	return nil
}

// Share is what a job takes of each of its GPUs so that others may come.
func (r *Rules) Share() schedmate.Share { return schedmate.WholeGPU / schedmate.Share(r.JobsPerGPU) }

// Member is a job with what the rules ask about it.
type Member struct {
	Job     *schedmate.JobStatus
	Score   Score
	MiB     int64
	Scored  bool // the score is known
	Weighed bool // the memory is known
	key     string
}

// MemberOf reads the facts about a job: a score that somebody states, else the one
// that its use suggests.
func MemberOf(j *schedmate.JobStatus, now schedmate.Seconds) Member {
	s := standingOf(j, now)
	return Member{Job: j, Score: s.score, MiB: s.mib, Scored: s.scoreKnown, Weighed: s.mibKnown}
}

// member is a job as the rules see it, with the key of its workload.
func (b *Board) member(j *schedmate.JobStatus) Member {
	m := MemberOf(j, b.now)
	m.key = b.key(j.Job.Workload)
	return m
}

// key names what a job trains: the hash of its workload. It is empty where the
// model is not known, and nothing is learned then.
func (b *Board) key(w schedmate.Workload) string {
	if w.Model == "" {
		return ""
	}
	k, known := b.keys[w]
	if !known {
		k = schedmate.Hash(w)[:16]
		b.keys[w] = k
	}
	return k
}

// Code says why two jobs are not packed.
type Code string

const (
	Fits       Code = ""
	Refused    Code = "never_again" // one was taken out of a pair before
	OtherGang  Code = "other_gang"  // another number of GPUs
	TooLarge   Code = "too_large"   // more than MostGPUs
	NoRoom     Code = "no_room"     // the mate has its GPUs whole, or enough jobs already
	NotKnown   Code = "not_known"   // no score or no memory of one of them
	Memory     Code = "memory"      // together as much as a GPU has, or more
	Scores     Code = "scores"      // together more than Scores
	NoForecast Code = "no_forecast" // nothing is known about the pair
	TooSlow    Code = "too_slow"    // a forecast speed, or their sum, is too low
	NotWorth   Code = "not_worth"   // one after the other they would end sooner in the mean
)

// Verdict is what the rules say about a newcomer and a mate.
//
// Invariant: Forecast is set if one was asked for and there is one.
type Verdict struct {
	Code     Code
	Need     int64 // what the pair comes to: MiB, scores, thousandths, GPUs
	Limit    int64
	Forecast Forecast
}

// String says it to a person.
func (v Verdict) String() string {
	switch v.Code {
	case Fits:
		return "fits"
	case Memory:
		return fmt.Sprintf("together they need %d MiB, and must stay below %d", v.Need, v.Limit)
	case Scores:
		return fmt.Sprintf("their scores add up to %d, and may reach %d", v.Need, v.Limit)
	case TooSlow:
		return fmt.Sprintf("the forecast speed is %.3f, and must reach %.3f (%s)", float64(v.Need)/1000, float64(v.Limit)/1000, v.Forecast.Source)
	case OtherGang:
		return fmt.Sprintf("one has %d GPUs, the other %d", v.Need, v.Limit)
	case TooLarge:
		return fmt.Sprintf("gangs of %d GPUs are not packed, only up to %d", v.Need, v.Limit)
	case NoRoom:
		return "there is no room on its GPUs"
	case NotKnown:
		return "memory or utilisation of one of them is not known"
	case NoForecast:
		return "nobody knows how fast the two would be"
	case NotWorth:
		return fmt.Sprintf("at %.3f and %.3f of their speed they would end later in the mean than one after the other (%s)", float64(v.Forecast.Newcomer)/1000, float64(v.Forecast.Mate)/1000, v.Forecast.Source)
	case Refused:
		return "one of them has been taken out of a pair before, and is not packed again"
	}
	return string(v.Code)
}

// Judge says whether the newcomer may join the mate, who shares its GPUs with
// others already. forecast may be nil if no speeds are asked for.
func (r *Rules) Judge(newcomer, mate Member, others []Member, forecast Forecaster, now schedmate.Seconds) Verdict {
	n, m := newcomer.Job, mate.Job
	switch {
	case n.Job.GPUs != m.Job.GPUs:
		return Verdict{Code: OtherGang, Need: int64(n.Job.GPUs), Limit: int64(m.Job.GPUs)}
	case r.MostGPUs > 0 && n.Job.GPUs > r.MostGPUs:
		return Verdict{Code: TooLarge, Need: int64(n.Job.GPUs), Limit: int64(r.MostGPUs)}
	case len(others)+2 > r.JobsPerGPU || m.Attempt == nil || m.Attempt.Allocations[0].Share > r.Share():
		return Verdict{Code: NoRoom}
	}
	mib, scores := int64(0), Score(0)
	for _, o := range append([]Member{newcomer, mate}, others...) {
		if !o.Scored || r.MemoryMiB > 0 && !o.Weighed {
			return Verdict{Code: NotKnown}
		}
		mib, scores = mib+o.MiB, scores+o.Score
	}
	switch {
	case r.MemoryMiB > 0 && mib >= r.MemoryMiB:
		return Verdict{Code: Memory, Need: mib, Limit: r.MemoryMiB}
	case int(scores) > r.Scores:
		return Verdict{Code: Scores, Need: int64(scores), Limit: int64(r.Scores)}
	}
	var v Verdict
	known := false
	if forecast != nil {
		v.Forecast, known = forecast.Forecast(newcomer, mate)
	}
	if r.Worth && known && !Worth(n, m, v.Forecast, now) {
		return Verdict{Code: NotWorth, Forecast: v.Forecast}
	}
	if r.LeastSpeed == 0 && r.LeastSum == 0 {
		return v
	}
	f := v.Forecast
	switch slower := min(f.Newcomer, f.Mate); {
	case !known:
		v.Code = NoForecast
	case slower < r.LeastSpeed:
		v.Code, v.Need, v.Limit = TooSlow, int64(slower), int64(r.LeastSpeed)
	case f.Newcomer+f.Mate < r.LeastSum:
		v.Code, v.Need, v.Limit = TooSlow, int64(f.Newcomer+f.Mate), int64(r.LeastSum)
	}
	return v
}

// Mate is a running job beside which another may run, and what is expected of it.
type Mate struct {
	Job      *schedmate.JobStatus
	Forecast Forecast
}

// Packed is what the start of the newcomer says about the pair.
func (m Mate) Packed() *schedmate.Packed {
	return &schedmate.Packed{Beside: m.Job.Job.ID, Speed: m.Forecast.Newcomer, BesideSpeed: m.Forecast.Mate}
}

// Mate finds the mate of a newcomer among those that run, in the order of their
// start. allow, if not nil, adds the policy's own condition.
func (b *Board) Mate(r *Rules, newcomer *schedmate.JobStatus, book *Book, forecast Forecaster, allow func(mate *schedmate.JobStatus) bool) (Mate, bool) {
	if book.Never(newcomer.Job.ID) {
		return Mate{}, false
	}
	if b.seats(newcomer.Job.GPUs, r.JobsPerGPU) == 0 {
		return Mate{}, false
	}
	n := b.member(newcomer)
	var best Mate
	found := false
	for _, t := range b.tables {
		if !t.seats(newcomer.Job.GPUs, r.JobsPerGPU) {
			continue
		}
		for _, m := range t.members {
			if n.Job.Job.GPUs != m.Job.Job.GPUs {
				continue // most are, and that is soon said
			}
			others := slices.DeleteFunc(slices.Clone(t.members), func(o Member) bool { return o.Job == m.Job })
			v := r.Judge(n, m, others, forecast, b.now)
			if v.Code != Fits || allow != nil && !allow(m.Job) || book.Apart(n, m) {
				continue
			}
			better := v.Forecast.Newcomer+v.Forecast.Mate > best.Forecast.Newcomer+best.Forecast.Mate
			if !found || r.Choose == FastestPair && better {
				best, found = Mate{m.Job, v.Forecast}, true
			}
			if r.Choose == FirstMate {
				return best, true
			}
		}
	}
	return best, found
}

// table is the jobs that share one set of GPUs, in the order of their start.
type table struct{ members []Member }

// seats reports whether one of the members has that gang and room beside it.
func (t *table) seats(gpus, most int) bool {
	return len(t.members) > 0 && len(t.members) < most && t.members[0].Job.Job.GPUs == gpus
}

// seats counts the tables with room for a gang.
func (b *Board) seats(gpus, most int) int {
	if b.free == nil || b.most != most {
		b.free, b.most = make(map[int]int), most
		for _, t := range b.tables {
			if len(t.members) > 0 && len(t.members) < most {
				b.free[t.members[0].Job.Job.GPUs]++
			}
		}
	}
	return b.free[gpus]
}

// Board is who shares GPUs with whom.
type Board struct {
	now    schedmate.Seconds
	keys   map[schedmate.Workload]string
	free   map[int]int // tables with a seat, by gang; nil: not counted
	most   int         // jobs a GPU for which they were counted
	tables []*table    // in the order in which the first of each started
}

// NewBoard reads a snapshot: the running jobs that leave room on their GPUs. Jobs
// that share only some of their GPUs sit at one table all the same.
func NewBoard(s *schedmate.Snapshot) *Board {
	b := &Board{now: s.Now, keys: make(map[schedmate.Workload]string)}
	type gpu struct {
		node  string
		index int
	}
	at := make(map[gpu]*table)
	running := slices.SortedFunc(slices.Values(s.Running), func(x, y *schedmate.JobStatus) int { return cmp.Compare(x.Seq, y.Seq) })
	for _, j := range running {
		as := j.Attempt.Allocations
		if as[0].Share >= schedmate.WholeGPU {
			continue
		}
		var t *table
		for _, a := range as {
			if t = at[gpu{a.Node, a.GPU}]; t != nil {
				break
			}
		}
		if t == nil {
			t = &table{}
			b.tables = append(b.tables, t)
		}
		t.members = append(t.members, b.member(j))
		for _, a := range as {
			at[gpu{a.Node, a.GPU}] = t
		}
	}
	return b
}

// Start seats a job at a table of its own, as if it ran already on these GPUs.
func (b *Board) Start(j *schedmate.JobStatus, as []schedmate.Allocation) {
	b.tables = append(b.tables, &table{[]Member{b.seated(j, as)}})
	b.free = nil
}

// Join seats a newcomer beside its mate, so that a plan that goes on sees it.
func (b *Board) Join(newcomer, mate *schedmate.JobStatus) {
	for _, t := range b.tables {
		if slices.ContainsFunc(t.members, func(m Member) bool { return m.Job == mate }) {
			t.members = append(t.members, b.seated(newcomer, mate.Attempt.Allocations))
			b.free = nil
			return
		}
	}
}

// seated is a job that waits as it will be when it runs on these GPUs.
func (b *Board) seated(j *schedmate.JobStatus, as []schedmate.Allocation) Member {
	runs := *j
	runs.Attempt = &schedmate.Attempt{Number: 1, Start: b.now, Allocations: as}
	return b.member(&runs)
}

// Leave takes a job from its table.
func (b *Board) Leave(id string) {
	b.free = nil
	for _, t := range b.tables {
		t.members = slices.DeleteFunc(t.members, func(m Member) bool { return m.Job.Job.ID == id })
	}
}
