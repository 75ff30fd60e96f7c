package worth

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/eval/facts"
	"schedmate/eval/traces"
	"schedmate/scheduler/sim"
)

// Month is what a trace says about its own jobs.
type Month struct {
	Jobs      int  `json:"jobs"`
	Named     bool `json:"named"` // jobs have names, by which work that comes again is known
	Completed int  `json:"completed"`
	Failed    int  `json:"failed"`
	Cancelled int  `json:"cancelled"`
	// Hardware is how many of the failed jobs Slurm says that hardware failed.
	Hardware int `json:"hardware"`
	// Repeated is the share of the jobs whose user had a job of the same name and
	// number of GPUs that had ended before.
	Repeated float64 `json:"repeated"`
	// Believed is the share of the completed jobs whose run time lies within a
	// quarter of the mean of the user's last jobs.
	Believed float64 `json:"believed_within_25"`
	// Resubmitted is the median time until a user whose job hardware failed came
	// back with one of the same name; nil: nobody did.
	Resubmitted *schedmate.Seconds `json:"resubmitted_s"`

	again []bool        // of each job, whether its work has run before
	known []facts.Known // what completed runs of its work say of it
}

// lookBack is how many past jobs a belief is the mean of.
const lookBack = 5

// work is what makes two jobs the same, as far as accounting can tell.
type work struct {
	user, name string
	gpus       int
}

// read learns about the jobs of a trace, and returns them with what was believed
// of their run times when they were submitted: the mean of the last jobs of that
// user, name and size, of that user, or of all, that had ended by then.
func read(t *traces.Trace) (*Month, []sim.Job) {
	m := &Month{Jobs: len(t.Jobs), again: make([]bool, len(t.Jobs)), known: make([]facts.Known, len(t.Jobs))}
	jobs := slices.Clone(t.Jobs)
	byEnd := make([]int, len(jobs))
	ends := make([]schedmate.Seconds, len(jobs))
	for i := range jobs {
		byEnd[i] = i
		ends[i] = jobs[i].Submit + jobs[i].Outcome.Run
		if past, ok := t.Past(jobs[i].ID); ok {
			ends[i] = jobs[i].Submit + past.JCT
		}
		m.Named = m.Named || jobs[i].Name != ""
	}
	slices.SortStableFunc(byEnd, func(a, b int) int { return cmp.Compare(ends[a], ends[b]) })
	past := make(map[work][]float64)
	runs := make(map[work]*pastRuns)
	means := make([]float64, len(jobs))
	near, completed, again := 0, 0, 0
	for i := range jobs {
		j := &jobs[i]
		for len(byEnd) > 0 && ends[byEnd[0]] <= j.Submit {
			e := &jobs[byEnd[0]]
			byEnd = byEnd[1:]
			if e.Name != "" {
				w := works(e)[0]
				if runs[w] == nil {
					runs[w] = &pastRuns{}
				}
				runs[w].add(e.Outcome)
			}
			for _, w := range works(e) {
				list := append(past[w], float64(e.Outcome.Run))
				past[w] = list[max(0, len(list)-lookBack):]
			}
		}
		for k, w := range works(j) {
			if list := past[w]; len(list) > 0 {
				means[i] = mean(list)
				m.again[i] = k == 0 && j.Name != ""
				break
			}
		}
		if m.again[i] {
			again++
			m.known[i] = runs[works(j)[0]].say()
		}
		switch j.Outcome.State {
		case schedmate.Failed:
			m.Failed++
		case schedmate.Cancelled:
			m.Cancelled++
		default:
			m.Completed++
			if means[i] > 0 {
				completed++
				if run := float64(j.Outcome.Run); means[i] >= 0.75*run && means[i] <= 1.25*run {
					near++
				}
			}
		}
		if j.Outcome.Failure == schedmate.InfrastructureFailure {
			m.Hardware++
		}
	}
	m.Repeated = share(again, len(jobs))
	m.Believed = share(near, completed)
	m.Resubmitted = resubmitted(jobs, ends)
	believe(jobs, means)
	return m, jobs
}

// works are what a job is compared by, the closest first.
func works(j *sim.Job) [3]work { return [3]work{{j.User, j.Name, j.GPUs}, {user: j.User}, {}} }

// pastRuns are the runs of one work that have ended, in seconds.
type pastRuns struct {
	completed []float64 // the last ones
	all       []float64
}

func (p *pastRuns) add(o *schedmate.Outcome) {
	run := max(1, float64(o.Run))
	p.all = append(p.all, run)
	p.all = p.all[max(0, len(p.all)-4*lookBack):]
	if o.State == schedmate.Completed {
		p.completed = append(p.completed, run)
		p.completed = p.completed[max(0, len(p.completed)-2*lookBack):]
	}
}

// say is what an advisor says that has recognised the work: the median of its
// completed runs, between the shortest over and the longest times a margin that
// shrinks with their number, and the mean of all its runs as the time that it
// will hold its GPUs. Without a completed run it says nothing.
func (p *pastRuns) say() facts.Known {
	n := len(p.completed)
	if n == 0 {
		return facts.Known{}
	}
	sorted := slices.Sorted(slices.Values(p.completed))
	margin := 1 + 1/float64(n)
	bounded := func(x float64) int64 { return int64(min(max(x, 1), float64(schedmate.MaxSeconds))) }
	k := facts.Known{Run: bounded(sorted[n/2]), Low: bounded(sorted[0] / margin), High: bounded(sorted[n-1] * margin)}
	k.Held = min(max(1, bounded(mean(p.all))), k.High)
	return k
}

// believe writes the means as facts. Their interval is the one that nine of ten
// of them needed over the whole month.
func believe(jobs []sim.Job, means []float64) {
	var ratios []float64 // truth over belief
	for i := range jobs {
		if means[i] > 0 {
			ratios = append(ratios, float64(jobs[i].Outcome.Run)/means[i])
		}
	}
	if len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	at := func(q float64) float64 { return ratios[int(q*float64(len(ratios)-1))] }
	low, high := min(1, at(0.05)), max(1, at(0.95))
	for i := range jobs {
		if means[i] <= 0 {
			continue
		}
		bounded := func(x float64) int64 { return int64(min(max(x, 1), float64(schedmate.MaxSeconds))) }
		value := bounded(means[i])
		jobs[i].Facts = append(slices.Clone(jobs[i].Facts), schedmate.Fact{
			Kind: schedmate.RunSeconds, Value: value, Low: min(value, bounded(low*means[i])), High: max(value, bounded(high*means[i])),
			ConfidenceMilli: 900, Source: schedmate.FromPrior,
		})
	}
}

// resubmitted is the median time from the end of a job that hardware failed to
// the next submission of the same work.
func resubmitted(jobs []sim.Job, ends []schedmate.Seconds) *schedmate.Seconds {
	var waits []schedmate.Seconds
	for i := range jobs {
		if jobs[i].Outcome.Failure != schedmate.InfrastructureFailure || jobs[i].Name == "" {
			continue
		}
		for k := i + 1; k < len(jobs); k++ {
			if jobs[k].Submit >= ends[i] && works(&jobs[k])[0] == works(&jobs[i])[0] {
				waits = append(waits, jobs[k].Submit-ends[i])
				break
			}
		}
	}
	if len(waits) == 0 {
		return nil
	}
	slices.Sort(waits)
	return &waits[len(waits)/2]
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

func share(part, of int) float64 { return float64(part) / float64(max(1, of)) }
