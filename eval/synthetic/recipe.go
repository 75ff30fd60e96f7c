package synthetic

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"schedmate"
	"schedmate/eval/traces"
	"schedmate/scheduler/sim"
)

// Recipe says what to make. Equal recipes give equal traces; two seeds never do.
type Recipe struct {
	Profile   string
	Jobs      int
	Seed      uint64
	Days      float64 // how long submissions go on; 0: as long as the cluster took for so many jobs
	Load      float64 // GPU time over that of the cluster while submissions go on, instead of Days; 0: as published
	Deadlines string  // a preset; empty: none
	States    *ByState

	// Burst is the share of the jobs that is submitted on the day before one date,
	// two thirds through, and whose first deadline, if they have one, is that date.
	Burst float64

	// InfeasibleGroups is how many groups there are besides, of three strict jobs
	// each that need more than half of the cluster at the same time, so that one of
	// them at most can meet its deadline.
	InfeasibleGroups int
	GroupGPUs        int // of each of these jobs; 0: just more than half of the profile's cluster
}

// MaxJobs keeps a slip from filling disks.
const MaxJobs = 10_000_000

const day = 86400

// Validate checks what can be checked without the published aggregates.
func (r *Recipe) Validate() error {
	switch {
	case r.Jobs < 1 || r.Jobs > MaxJobs:
		return fmt.Errorf("jobs must lie in [1, %d], got %d", MaxJobs, r.Jobs)
	case !(r.Days >= 0 && r.Days <= 36500):
		return fmt.Errorf("days must lie in [0, 36500], got %g", r.Days)
	case !(r.Load >= 0 && r.Load <= 1000):
		return fmt.Errorf("load must lie in [0, 1000], got %g", r.Load)
	case r.Days > 0 && r.Load > 0:
		return errors.New("days and load say the same: name one of them")
	case !(r.Burst >= 0 && r.Burst <= 1):
		return fmt.Errorf("burst must lie in [0, 1], got %g", r.Burst)
	case r.GroupGPUs < 0 || r.GroupGPUs > schedmate.MaxGangGPUs:
		return fmt.Errorf("GPUs of a group's jobs must lie in [0, %d], got %d", schedmate.MaxGangGPUs, r.GroupGPUs)
	case r.InfeasibleGroups < 0 || 3*r.InfeasibleGroups > MaxJobs:
		return fmt.Errorf("infeasible groups must lie in [0, %d], got %d", MaxJobs/3, r.InfeasibleGroups)
	}
	if s := r.States; s != nil {
		v := s.values()
		sum := v[0] + v[1] + v[2]
		if !(v[0] >= 0 && v[1] >= 0 && v[2] >= 0) || !(sum > 0 && sum < 1e9) {
			return errors.New("the shares of states must not be negative and not all 0")
		}
	}
	return nil
}

// String writes the recipe on one line, as the label of its trace.
func (r *Recipe) String() string {
	words := []string{fmt.Sprintf("profile %s, %d jobs, seed %d", r.Profile, r.Jobs, r.Seed)}
	if r.Days > 0 {
		words = append(words, fmt.Sprintf("%g days", r.Days))
	}
	if r.Load > 0 {
		words = append(words, fmt.Sprintf("load %g", r.Load))
	}
	if r.Deadlines != "" && r.Deadlines != "none" {
		words = append(words, "deadlines "+r.Deadlines)
	}
	if s := r.States; s != nil {
		v := s.shares()
		words = append(words, fmt.Sprintf("states completed %.4g, cancelled %.4g, failed %.4g", v[0], v[1], v[2]))
	}
	if r.Burst > 0 {
		words = append(words, fmt.Sprintf("burst %g", r.Burst))
	}
	if r.InfeasibleGroups > 0 {
		words = append(words, fmt.Sprintf("infeasible groups %d", r.InfeasibleGroups))
	}
	if r.InfeasibleGroups > 0 && r.GroupGPUs > 0 {
		words = append(words, fmt.Sprintf("their jobs %d GPUs", r.GroupGPUs))
	}
	return strings.Join(words, ", ")
}

// plan is a recipe with all that it refers to.
type plan struct {
	*Recipe
	profile   *Profile
	fit       *Fit
	arrivals  Arrivals
	deadlines *Deadlines
	span      float64 // seconds
}

func (p *Published) plan(r *Recipe) (*plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	profile, err := p.Profile(r.Profile)
	if err != nil {
		return nil, err
	}
	fit, err := profile.Fit(p.Gangs[profile.Gangs])
	if err != nil {
		return nil, err
	}
	if r.States != nil {
		fit.States = r.States.shares()
	}
	out := &plan{Recipe: r, profile: profile, fit: fit, arrivals: p.Arrivals[profile.Arrivals]}
	name := r.Deadlines
	if name == "" {
		name = "none"
	}
	if out.deadlines, err = p.DeadlinePreset(name); err != nil {
		return nil, err
	}
	days := profile.Days * float64(r.Jobs) / float64(profile.Jobs)
	switch {
	case r.Days > 0:
		days = r.Days
	case r.Load > 0:
		days = float64(r.Jobs) * fit.gpuTime() / (r.Load * float64(profile.Cluster.GPUs()) * day)
	}
	out.span = max(1, days*day)
	if out.span > float64(schedmate.MaxSeconds)/4 {
		return nil, fmt.Errorf("%d jobs at this rate take %.4g days, longer than any simulation: ask for fewer jobs or days", r.Jobs, days)
	}
	return out, nil
}

// gpuTime is the mean GPU time of a job, in seconds, of whole GPUs.
func (f *Fit) gpuTime() float64 {
	sum := 0.0
	for i, g := range f.Sizes {
		for s, share := range f.States {
			if share > 0 {
				sum += f.Shares[i] * share * math.Ceil(g) * f.mean(f.location(g, s))
			}
		}
	}
	return sum
}

// stream returns random numbers for one purpose: another use of numbers for
// deadlines changes no run time.
func (r *Recipe) stream(purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(r.Profile + "/" + purpose))
	return rand.New(rand.NewPCG(r.Seed, h.Sum64()))
}

// Jobs draws the jobs in the order of their submission and hands each on.
func (p *Published) jobs(r *Recipe, take func(*sim.Job, *drawn) error) error {
	pl, err := p.plan(r)
	if err != nil {
		return err
	}
	submits, inBurst, date := pl.submissions()
	groups := pl.groups()
	sizes, states, runs, slos := r.stream("gangs"), r.stream("states"), r.stream("runs"), r.stream("deadlines")
	pickSize, pickState := picker(pl.fit.Shares), picker(pl.fit.States[:])
	for i, submit := range submits {
		for len(groups) > 0 && groups[0].Submit <= submit {
			if err := take(&groups[0], &drawn{group: true}); err != nil {
				return err
			}
			groups = groups[1:]
		}
		g := pl.fit.Sizes[pickSize(sizes.Float64())]
		s := pickState(states.Float64())
		run := pl.fit.draw(g, s, runs.Float64())
		j := sim.Job{Job: schedmate.Job{
			ID: fmt.Sprintf("synthetic-%0*d", width(r.Jobs), i), GPUs: int(math.Ceil(g)), Submit: submit,
			Outcome: &schedmate.Outcome{Run: run, State: stateOf(s)},
		}}
		d := drawn{size: g, burst: inBurst(i)}
		j.SLO = pl.slo(&j, slos)
		if d.burst {
			j.Name = "burst"
			moveTo(&j, date)
		}
		if err := take(&j, &d); err != nil {
			return err
		}
	}
	for i := range groups {
		if err := take(&groups[i], &drawn{group: true}); err != nil {
			return err
		}
	}
	return nil
}

// drawn is what a trace does not tell about a job.
type drawn struct {
	size         float64 // as asked, perhaps a share of a GPU
	burst, group bool
}

func stateOf(s int) schedmate.State { return states[s] }

func width(n int) int { return len(fmt.Sprint(max(0, n-1))) }

// draw returns the run time at a share of the distribution, in whole seconds.
func (f *Fit) draw(gpus float64, state int, share float64) schedmate.Seconds {
	m := f.location(gpus, state)
	lo, hi := f.ends(m)
	u := min(max(lo+(hi-lo)*share, 1e-300), 1-1e-16)
	x := math.Exp(m + f.Sigma*math.Sqrt2*math.Erfinv(2*u-1))
	return schedmate.Seconds(min(max(math.Round(x), 1), math.Exp(f.max)))
}

// picker returns a function from a random share to an index.
func picker(weights []float64) func(float64) int {
	sums := make([]float64, len(weights))
	total := 0.0
	for i, w := range weights {
		total += w
		sums[i] = total
	}
	return func(u float64) int {
		i, found := slices.BinarySearch(sums, u*total)
		if found {
			i++
		}
		for i = min(i, len(weights)-1); weights[i] == 0; i-- { // behind the last one with a weight
		}
		return i
	}
}

// Trace makes the trace in memory.
func (p *Published) Trace(r *Recipe) ([]sim.Job, error) {
	var jobs []sim.Job
	err := p.jobs(r, func(j *sim.Job, _ *drawn) error {
		jobs = append(jobs, *j)
		return nil
	})
	return jobs, err
}

// Label is the first line of a synthetic trace.
func (r *Recipe) Label() string { return traces.SyntheticLabel + r.String() }
