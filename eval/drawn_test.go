package eval

import (
	"testing"

	"schedmate"
	"schedmate/eval/traces"
)

// A trace with deadlines offers the stated load as one without does, has the same
// jobs, and as many groups besides as were asked for, of just more than half of the
// cluster. Seven of ten jobs and more have deadlines in MIX2, all after their submission.
func TestDrawnTracesWithDeadlines(t *testing.T) {
	plain := DrawnTrace{Profile: "venus", Jobs: 500, Load: 0.8}
	due := DrawnTrace{Profile: "venus", Jobs: 500, Load: 0.8, Deadlines: "chronus-mix2", Burst: 0.3, InfeasibleGroups: 4}
	f := traces.Filter{MaxGPUs: 65}
	a, err := plain.draw(7, f, 128)
	if err != nil {
		t.Fatal(err)
	}
	b, err := due.draw(7, f, 128)
	if err != nil {
		t.Fatal(err)
	}
	groups, late := 0, 0
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j.GPUs == 65 && j.SLO.Class == schedmate.Strict {
			groups++
		}
		if j.SLO.HasDeadline() {
			late++
		}
	}
	if len(b.Jobs)-12 != len(a.Jobs) || groups != 12 || late < len(b.Jobs)*7/10 {
		t.Errorf("%d jobs and %d of groups, %d with deadlines; without deadlines %d", len(b.Jobs), groups, late, len(a.Jobs))
	}
	span := float64(b.Jobs[len(b.Jobs)-1].Submit - b.Jobs[0].Submit)
	if load := float64(gpuTime(a.Jobs)) / span / 128; load < 0.75 || load > 0.95 {
		t.Errorf("the offered load is %.2f, want about 0.8", load)
	}
	for _, bad := range []DrawnTrace{
		{Profile: "venus", Jobs: 5, Load: 1, Burst: 0.3}, {Profile: "venus", Jobs: 5, Load: 1, InfeasibleGroups: 1},
		{Profile: "venus", Jobs: 5, Load: 1, Deadlines: "chronus-slo", Burst: 2}, {Profile: "venus", Jobs: 5, Load: 1, Deadlines: "chronus-slo", InfeasibleGroups: -1},
	} {
		if bad.validate() == nil {
			t.Errorf("%+v is not refused", bad)
		}
	}
}
