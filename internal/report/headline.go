package report

import "fmt"

// headline is what the page found, in one sentence and one remark.
type headline struct {
	Scene  string   // "2,000 jobs on 256 GPUs under 5 policies"
	Best   []string // policies with the lowest mean JCT; empty when no job ended
	JCT    string
	Raw    string // JCT in seconds
	Others []lead
	Uneven string // why the means may not be comparable; empty when they are
}

// lead is how far the best policy is ahead of another one.
type lead struct{ Less, Than, JCT, Role string }

func newHeadline(all []*series) headline {
	var h headline
	fewest, most, seeds, gpus := 0, 0, 0, all[0].first().GPUs
	sameGPUs := true
	for i, s := range all {
		seeds = max(seeds, len(s.Runs))
		for k, r := range s.Runs {
			if n := len(r.JCT); i+k == 0 {
				fewest, most = n, n
			} else {
				fewest, most = min(fewest, n), max(most, n)
			}
			sameGPUs = sameGPUs && r.GPUs == gpus
		}
	}
	jobs := counted(most, "job", "jobs")
	if fewest != most {
		jobs = fmt.Sprintf("%s to %s", Count(fewest), jobs)
		h.Uneven = fmt.Sprintf("Not every run ended the same number of jobs (%s), so the means are not over the same jobs.", jobs)
	}
	where := ""
	if sameGPUs {
		where = " on " + counted(gpus, "GPU", "GPUs")
	}
	simulated := len(policies(all))
	h.Scene = fmt.Sprintf("%s%s under %s", jobs, where, counted(simulated, "policy", "policies"))
	if seeds > 1 {
		h.Scene += fmt.Sprintf(", up to %s each", counted(seeds, "seed", "seeds"))
	}

	if simulated < len(all) {
		h.Scene += ", and as it was"
	}

	ranked := byMeanJCT(all)
	best, ok := mean(ranked[0].jct)
	if !ok {
		return h
	}
	h.JCT, h.Raw = show(best, UnitSeconds)
	var behind []*series
	for _, s := range ranked {
		if v, ok := mean(s.jct); ok && v == best {
			h.Best = append(h.Best, s.Label)
		} else if ok {
			behind = append(behind, s)
		}
	}
	for i, s := range behind {
		if i > 0 && i < len(behind)-1 {
			continue // the next one and the last one say enough
		}
		v, _ := mean(s.jct)
		role := "the next"
		if i > 0 {
			role = "the longest"
		}
		h.Others = append(h.Others, lead{Less: percent((v - best) / v), Than: s.Label, JCT: Duration(v), Role: role})
	}
	return h
}
