package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/profile"
)

// Two nodes of 4 GPUs, windows of 100 s. a and b take both until 100. c, then d,
// then e wait in this order. At 100 there is room for c on one node and the first
// run of d on the other, and for e beside c: its work is done after 30 s. d is
// measured on both nodes next, which are free at 200.
func TestFirstComeFirstMeasured(t *testing.T) {
	o := profile.Options{Window: 100, Nodes: 2, MostNodes: 2}
	got, sizes := o.Run(4, []profile.Request{
		{GPUs: 4, Submit: 0, Run: 900}, {GPUs: 4, Submit: 0, Run: 900}, {GPUs: 2, Submit: 10, Run: 900},
		{GPUs: 8, Submit: 20, Run: 900}, {GPUs: 1, Submit: 30, Run: 30},
	})
	want := []profile.Measured{
		{Queued: 0, Start: 0, End: 100, GPUs: 400}, {Queued: 0, Start: 0, End: 100, GPUs: 400},
		{Queued: 10, Start: 100, End: 200, GPUs: 200},
		{Queued: 20, Start: 100, End: 300, GPUs: 400 + 800}, {Queued: 30, Start: 100, End: 130, Ended: true, GPUs: 30},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]profile.Size{{At: 0, Nodes: 2}}, sizes); diff != "" {
		t.Error(diff)
	}
}

// c waits from 10 on. At 40 a third node is taken for it, which is idle again from
// 140 on and goes back at 190.
func TestCapacityFollowsTheQueue(t *testing.T) {
	o := profile.Options{Window: 100, Nodes: 2, MostNodes: 3, GrowAfter: 30, ShrinkAfter: 50}
	got, sizes := o.Run(4, []profile.Request{{GPUs: 4, Run: 900}, {GPUs: 4, Run: 900}, {GPUs: 2, Submit: 10, Run: 900}})
	if want := (profile.Measured{Queued: 10, Start: 40, End: 140, GPUs: 200}); got[2] != want {
		t.Errorf("want %+v, got %+v", want, got[2])
	}
	if diff := cmp.Diff([]profile.Size{{At: 0, Nodes: 2}, {At: 40, Nodes: 3}, {At: 190, Nodes: 2}}, sizes); diff != "" {
		t.Error(diff)
	}
}

// u may have 4 GPUs of measurements: its second job is turned away at 0 and at 60,
// and comes in at 120, after its first was measured. That of v passes it. w asks for
// more than a user may have, and has nothing else: it is taken.
func TestWhoHasEnoughIsTurnedAway(t *testing.T) {
	o := profile.Options{Window: 100, Nodes: 2, MostNodes: 2, UserGPUs: 4, BackOff: 60}
	got, _ := o.Run(4, []profile.Request{
		{User: "u", GPUs: 4, Run: 900}, {User: "u", GPUs: 2, Run: 900}, {User: "v", GPUs: 4, Submit: 5, Run: 900},
		{User: "w", GPUs: 8, Submit: 300, Run: 900},
	})
	want := []profile.Measured{
		{Queued: 0, Start: 0, End: 100, GPUs: 400}, {Queued: 120, Start: 120, End: 220, GPUs: 200},
		{Queued: 5, Start: 5, End: 105, GPUs: 400}, {Queued: 300, Start: 300, End: 500, GPUs: 1200},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Everybody is measured, in time order; never do measurements hold more GPUs than the
// profiler has, nor has it fewer nodes than Nodes or more than MostNodes; in the end it
// has Nodes; and with no limit for users the queue is served in order of arrival.
func TestStageProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := profile.Options{
			Window: schedmate.Seconds(rapid.IntRange(1, 200).Draw(t, "window")),
			Nodes:  rapid.IntRange(2, 3).Draw(t, "nodes"), GrowAfter: schedmate.Seconds(rapid.IntRange(0, 90).Draw(t, "grow")),
			ShrinkAfter: schedmate.Seconds(rapid.IntRange(0, 300).Draw(t, "shrink")), UserGPUs: rapid.SampledFrom([]int{0, 4, 12}).Draw(t, "user"), BackOff: 60,
		}
		o.MostNodes = o.Nodes + rapid.IntRange(0, 3).Draw(t, "more")
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		const node = 4
		var requests []profile.Request
		at := schedmate.Seconds(0)
		for range rapid.IntRange(1, 25).Draw(t, "jobs") {
			at += schedmate.Seconds(rapid.IntRange(0, 80).Draw(t, "gap"))
			requests = append(requests, profile.Request{
				User: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "u")), GPUs: rapid.SampledFrom([]int{1, 2, 3, 4, 6, 8, 32}).Draw(t, "gpus"),
				Submit: at, Run: schedmate.Seconds(rapid.IntRange(0, 400).Draw(t, "run")),
			})
		}
		got, sizes := o.Run(node, requests)
		nodes := func(at schedmate.Seconds) (n int) {
			for _, s := range sizes {
				if s.At <= at {
					n = s.Nodes
				}
			}
			return n
		}
		for i, m := range got {
			q := requests[i]
			if q.Submit > m.Queued || m.Queued > m.Start || m.Start > m.End || m.Ended != (q.Run <= o.Window) {
				t.Fatalf("request %+v: %+v", q, m)
			}
			if i > 0 && o.UserGPUs == 0 && got[i-1].Start > m.Start {
				t.Fatalf("request %d starts at %d, before %d at %d", i, m.Start, i-1, got[i-1].Start)
			}
			held := 0
			for k, x := range got { // of first runs that are under way at this start
				if until := min(x.End, x.Start+o.Window); x.Start <= m.Start && m.Start < until {
					held += min(requests[k].GPUs, node)
				}
			}
			if held > node*nodes(m.Start) {
				t.Fatalf("at %d first runs hold %d GPUs of %d nodes", m.Start, held, nodes(m.Start))
			}
		}
		for i, s := range sizes {
			if s.Nodes < o.Nodes || s.Nodes > o.MostNodes || i > 0 && s.At <= sizes[i-1].At {
				t.Fatalf("sizes %+v", sizes)
			}
		}
		if last := sizes[len(sizes)-1]; last.Nodes != o.Nodes {
			t.Fatalf("it ends with %d nodes", last.Nodes)
		}
	})
}

func TestOptionsNameWhatIsWrong(t *testing.T) {
	for name, o := range map[string]profile.Options{
		"window_s":   {Nodes: 2, MostNodes: 2},
		"nodes":      {Window: 1, Nodes: 1, MostNodes: 2},
		"most_nodes": {Window: 1, Nodes: 3, MostNodes: 2},
		"back_off_s": {Window: 1, Nodes: 2, MostNodes: 2, UserGPUs: 4},
	} {
		if err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []profile.Options{profile.Static(), profile.Dynamic()} {
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
}
