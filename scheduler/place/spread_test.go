package place_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/place"
)

// n0 has 3 of 4 GPUs free, n1 one, n2 two.
func TestSpread(t *testing.T) {
	for _, tc := range []struct {
		name   string
		gang   int
		spread bool
		want   choice
	}{
		{"fits on a node", 2, true, choice{"n2": 2}},
		{"fits on none", 4, true, choice{"n0": 3, "n2": 1}},
		{"fits on none, and may not be spread", 4, false, nil},
		{"all that is free", 6, true, choice{"n0": 3, "n1": 1, "n2": 2}},
		{"more than is free", 7, true, nil},
	} {
		o := schedmate.NewOccupancy(schedmate.Cluster{
			Nodes: []schedmate.Node{{ID: "n0", GPUs: 4}, {ID: "n1", GPUs: 4}, {ID: "n2", GPUs: 4}}, Spread: tc.spread,
		})
		for i, used := range []int{1, 3, 2} {
			o.Take(&schedmate.Job{ID: "busy"}, o.Pick(nil, i, used))
		}
		as := place.Spread(o, &schedmate.Job{ID: "j", GPUs: tc.gang})
		if as == nil && tc.want == nil {
			continue
		}
		if diff := cmp.Diff(tc.want, counted(as)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}
