package pack

import (
	"testing"

	"schedmate"
)

// said is a forecast that somebody has.
type said Forecast

func (f said) Forecast(_, _ Member) (Forecast, bool) { return Forecast(f), f.Source != "" }

// One condition after the other stands between a newcomer and its mate. Lucid's rules:
// the same gang of up to eight GPUs, scores of at most 2 together, less than 24,576 MiB.
func TestRules(t *testing.T) {
	with := func(j *schedmate.JobStatus, score, mib int64) *schedmate.JobStatus {
		j.Facts = []schedmate.Fact{fact(schedmate.ShareScore, score), fact(schedmate.GPUMemoryMiB, mib)}
		return j
	}
	host := func() *schedmate.JobStatus { return halves(light("host", "a"), 1, 0) }
	nine := halves(light("nine", "a"), 1, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	whole := host()
	whole.Attempt.Allocations[0].Share = schedmate.WholeGPU
	bare := light("bare", "b")
	bare.Facts = nil
	fast, slow := said{900, 900, Measured, 0}, said{900, 500, Measured, 0}
	for _, c := range []struct {
		name           string
		rules          func(*Rules)
		newcomer, mate *schedmate.JobStatus
		others         int
		forecast       Forecaster
		code           Code
		says           string
	}{
		{"two light ones", nil, light("n", "b"), host(), 0, nil, Fits, "fits"},
		{"another gang", nil, light("n", "b"), halves(light("host", "a"), 1, 0, 1), 0, nil, OtherGang, "one has 1 GPUs, the other 2"},
		{"a gang of nine", nil, nine, nine, 0, nil, TooLarge, "gangs of 9 GPUs are not packed, only up to 8"},
		{"a gang of nine, of any", func(r *Rules) { r.MostGPUs = 0 }, nine, nine, 0, nil, Fits, "fits"},
		{"a mate that keeps its GPU whole", nil, light("n", "b"), whole, 0, nil, NoRoom, "no room"},
		{"a mate that waits itself", nil, light("n", "b"), light("m", "a"), 0, nil, NoRoom, "no room"},
		{"a third", nil, light("n", "b"), host(), 1, nil, NoRoom, "no room"},
		{"nothing is known", nil, bare, host(), 0, nil, NotKnown, "not known"},
		{"memory is no question", func(r *Rules) { r.MemoryMiB = 0 }, &schedmate.JobStatus{Job: bare.Job, Facts: []schedmate.Fact{fact(schedmate.ShareScore, 1)}}, host(), 0, nil, Fits, "fits"},
		{"as much memory as there is", nil, with(light("n", "b"), 0, 23_576), host(), 0, nil, Memory, "together they need 24576 MiB, and must stay below 24576"},
		{"one MiB less", nil, with(light("n", "b"), 0, 23_575), host(), 0, nil, Fits, "fits"},
		{"two and one", nil, with(light("n", "b"), 2, 1), with(host(), 1, 1), 0, nil, Scores, "their scores add up to 3, and may reach 2"},
		{"one and one", nil, with(light("n", "b"), 1, 1), with(host(), 1, 1), 0, nil, Fits, "fits"},
		{"nobody knows how fast", func(r *Rules) { r.LeastSpeed = 600 }, light("n", "b"), host(), 0, said{}, NoForecast, "nobody knows"},
		{"and nobody is asked", func(r *Rules) { r.LeastSpeed = 600 }, light("n", "b"), host(), 0, nil, NoForecast, "nobody knows"},
		{"the slower is too slow", func(r *Rules) { r.LeastSpeed = 600 }, light("n", "b"), host(), 0, slow, TooSlow, "the forecast speed is 0.500, and must reach 0.600 (measured)"},
		{"fast enough", func(r *Rules) { r.LeastSpeed = 600 }, light("n", "b"), host(), 0, fast, Fits, "fits"},
		{"together too slow", func(r *Rules) { r.LeastSum = 1401 }, light("n", "b"), host(), 0, slow, TooSlow, "the forecast speed is 1.400, and must reach 1.401"},
		{"not worth it", func(r *Rules) { r.Worth = true }, light("n", "b"), host(), 0, said{500, 500, OfClass, 0}, NotWorth, "at 0.500 and 0.500 of their speed they would end later in the mean than one after the other (class)"},
		{"worth it", func(r *Rules) { r.Worth = true }, light("n", "b"), host(), 0, fast, Fits, "fits"},
		{"worth it, for all anybody knows", func(r *Rules) { r.Worth = true }, light("n", "b"), host(), 0, said{}, Fits, "fits"},
	} {
		rules := LucidRules()
		if c.rules != nil {
			c.rules(&rules)
		}
		if err := rules.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var others []Member
		for range c.others {
			others = append(others, MemberOf(light("other", "c"), 0))
		}
		v := rules.Judge(MemberOf(c.newcomer, 0), MemberOf(c.mate, 0), others, c.forecast, 0)
		if v.Code != c.code || !contains(v.String(), c.says) {
			t.Errorf("%s: %q, %q, want %q and %q", c.name, v.Code, v, c.code, c.says)
		}
	}
}

// Three hosts have room. The first mate is the one that started first; the fastest pair
// is the one with b. A policy's own condition and a seat that is taken in the same plan
// count as well, and so does one that becomes free.
func TestWhichMate(t *testing.T) {
	hosts := []*schedmate.JobStatus{halves(light("h2", "b"), 2, 1), halves(light("h1", "a"), 1, 0), halves(light("h3", "c"), 3, 2)}
	s := running(hosts...)
	board := NewBoard(s)
	newcomer := light("n", "n")
	speeds := byMate{"a": 700, "b": 950, "c": 800}
	mate := func(pick Pick, allow func(*schedmate.JobStatus) bool) string {
		rules := LucidRules()
		rules.Choose = pick
		m, found := board.Mate(&rules, newcomer, Recall(s), speeds, allow)
		if !found {
			return ""
		}
		if p := m.Packed(); p.Beside != m.Job.Job.ID || p.BesideSpeed != speeds[m.Job.Job.Workload.Model] || p.Speed != 900 {
			t.Errorf("the start says %+v", p)
		}
		return m.Job.Job.ID
	}
	is := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	is("the first", mate(FirstMate, nil), "h1")
	is("the fastest", mate(FastestPair, nil), "h2")
	is("not h2", mate(FastestPair, func(j *schedmate.JobStatus) bool { return j.Job.ID != "h2" }), "h3")
	board.Join(light("other", "n"), hosts[1])
	is("h1 has company", mate(FirstMate, nil), "h2")
	board.Leave("other")
	is("and has not any more", mate(FirstMate, nil), "h1")
	board.Start(light("h4", "d"), []schedmate.Allocation{{Node: "n1", GPU: 3, Share: 500}})
	is("one that starts in this plan", mate(FirstMate, func(j *schedmate.JobStatus) bool { return j.Job.ID == "h4" }), "h4")
}

type byMate map[string]int

func (b byMate) Forecast(_, mate Member) (Forecast, bool) {
	v, ok := b[mate.Job.Job.Workload.Model]
	return Forecast{900, v, Measured, 0}, ok
}

// Rules that mean nothing are refused, and the error names the field.
func TestRulesAreChecked(t *testing.T) {
	for says, spoil := range map[string]func(*Rules){
		"jobs_per_gpu must lie in [2, 1000], got 1": func(r *Rules) { r.JobsPerGPU = 1 },
		"memory_mib":                     func(r *Rules) { r.MemoryMiB = -1 },
		"least_speed_milli":              func(r *Rules) { r.LeastSpeed = 1001 },
		"least_sum_milli in [0, 2000]":   func(r *Rules) { r.LeastSum = 2001 },
		`unknown choose "best": use fir`: func(r *Rules) { r.Choose = "best" },
	} {
		rules := LucidRules()
		spoil(&rules)
		if err := rules.Validate(); err == nil || !contains(err.Error(), says) {
			t.Errorf("want an error that says %q, got %v", says, err)
		}
	}
}
