package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/scheduler/profile"
)

// 200 ms on one node and 230 on two: every doubling of the nodes adds 30. Three
// nodes are 1.585 doublings, 47.5 ms more.
func TestTimeOnManyNodes(t *testing.T) {
	for nodes, want := range map[int]int64{1: 200, 2: 230, 3: 248, 4: 260, 8: 290, 16: 320} {
		if got, err := profile.OnNodes(200, 230, nodes); err != nil || got != want {
			t.Errorf("%d nodes: %d, %v, want %d", nodes, got, err, want)
		}
	}
	for _, bad := range [][3]int64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}} {
		if _, err := profile.OnNodes(bad[0], bad[1], int(bad[2])); err == nil {
			t.Errorf("%v passes", bad)
		}
	}
}

// Windows of 120 s on nodes of 8: a gang of 4 is measured once, on 4 GPUs; one of 8
// once, on its node; one of 64 on one node and on two, never on its eight.
func TestCostOfAMeasurement(t *testing.T) {
	p := profile.Options{Window: 120}
	for gang, want := range map[int]profile.Measurement{
		4:  {GPUs: []int{4}, Seconds: 120, GPUSeconds: 480},
		8:  {GPUs: []int{8}, Seconds: 120, GPUSeconds: 960},
		12: {GPUs: []int{8, 12}, Seconds: 240, GPUSeconds: 2400},
		64: {GPUs: []int{8, 16}, Seconds: 240, GPUSeconds: 2880},
	} {
		if diff := cmp.Diff(want, p.Cost(gang, 8)); diff != "" {
			t.Errorf("a gang of %d: %s", gang, diff)
		}
	}
}
