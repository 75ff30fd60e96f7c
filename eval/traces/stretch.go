package traces

import (
	"fmt"
	"slices"

	"schedmate"
	"schedmate/scheduler/sim"
)

// The bounds of Filter.LoadMilli and SlackMilli.
const (
	mostLoadMilli  = 100_000
	mostSlackMilli = 1_000_000
)

// press brings the submissions closer together, or further apart: the n-th thousandth
// of the trace's time becomes so much shorter. Deadlines and facts move with their jobs.
func press(jobs []sim.Job, loadMilli int) error {
	first := jobs[0].Submit
	for i := range jobs {
		j := &jobs[i]
		after := int64(j.Submit - first)
		j.SLO.Tiers, j.Facts = slices.Clone(j.SLO.Tiers), slices.Clone(j.Facts)
		shift(j, schedmate.Seconds(after*1000/int64(loadMilli)-after))
		if err := validate(j); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	return nil
}

// slacken changes how much longer than its run time a job may take until each of its
// deadlines, by so many thousandths. A deadline before the end of a job that begins at
// once stays where it is. Deadlines of a job stay apart by a second at least.
func slacken(jobs []sim.Job, slackMilli int) error {
	for i := range jobs {
		j := &jobs[i]
		earliest := j.Submit + j.Outcome.Run
		j.SLO.Tiers = slices.Clone(j.SLO.Tiers)
		before := j.Submit
		for k := range j.SLO.Tiers {
			t := &j.SLO.Tiers[k]
			if spare := t.Deadline - earliest; spare > 0 {
				t.Deadline = earliest + spare*schedmate.Seconds(slackMilli)/1000
			}
			t.Deadline = max(t.Deadline, before+1)
			before = t.Deadline
		}
		if err := validate(j); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	return nil
}
