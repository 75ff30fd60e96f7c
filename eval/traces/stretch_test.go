package traces

import (
	"testing"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Jobs come at 100 and 300 and run for 50 s; the second has deadlines 20 s and 60 s
// after its end at best. At twice the load it comes at 200 instead. With half the
// slack they are 10 s and 30 s after it, with none they are 0 and 1.
func TestLoadAndSlack(t *testing.T) {
	job := func(id string, submit schedmate.Seconds, deadlines ...schedmate.Seconds) sim.Job {
		j := sim.Job{Job: schedmate.Job{ID: id, GPUs: 1, Submit: submit, Outcome: &schedmate.Outcome{Run: 50, State: schedmate.Completed}}}
		for i, d := range deadlines {
			j.SLO.Class = schedmate.Soft
			j.SLO.Tiers = append(j.SLO.Tiers, schedmate.Tier{Deadline: d, Reward: 100 - 20*i})
		}
		return j
	}
	in := &Trace{Name: "x", Jobs: []sim.Job{job("a", 100), job("b", 300, 370, 410)}}
	for _, tc := range []struct {
		filter        Filter
		submit        schedmate.Seconds
		first, second schedmate.Seconds
	}{
		{Filter{LoadMilli: 2000}, 200, 270, 310},
		{Filter{LoadMilli: 500}, 500, 570, 610},
		{Filter{SlackMilli: 500}, 300, 360, 380},
		{Filter{SlackMilli: 1}, 300, 350, 351},
		{Filter{LoadMilli: 2000, SlackMilli: 2000}, 200, 290, 370},
	} {
		out, err := in.Apply(tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		b := &out.Jobs[1]
		if out.Jobs[0].Submit != 100 || b.Submit != tc.submit || b.SLO.Tiers[0].Deadline != tc.first || b.SLO.Tiers[1].Deadline != tc.second {
			t.Errorf("%+v: comes at %d, due %+v", tc.filter, b.Submit, b.SLO.Tiers)
		}
	}
	if in.Jobs[1].Submit != 300 || in.Jobs[1].SLO.Tiers[0].Deadline != 370 {
		t.Errorf("the trace itself has changed: %+v", in.Jobs[1])
	}
	for _, f := range []Filter{{LoadMilli: -1}, {SlackMilli: -1}, {LoadMilli: 100_001}, {SlackMilli: 1_000_001}} {
		if f.Validate() == nil {
			t.Errorf("%+v is not refused", f)
		}
	}
}
