package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

func TestAGangIsOneBlockANode(t *testing.T) {
	page := twoPolicies()
	got := blocks(page.Runs[1].Bars, newLayout(page.Runs[1].Nodes))
	want := []block{
		{Bar{"big", 0, 0, 60, 4, true}, 2, false}, {Bar{"big", 2, 0, 60, 4, true}, 2, false},
		{Bar{"small", 0, 60, 120, 1, false}, 1, false},
		{Bar{"big", 0, 120, 3660, 4, false}, 2, false}, {Bar{"big", 2, 120, 3660, 4, false}, 2, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestTheSecondJobOnAGPUIsDrawnOverItsLowerHalf(t *testing.T) {
	run := Run{Policy: "lucid", GPUs: 1, Nodes: []Node{{"n", 1}}, Bars: []Bar{
		{Job: "first", Start: 0, End: 100, GPUs: 1}, {Job: "second", Start: 50, End: 150, GPUs: 1}, {Job: "third", Start: 150, End: 200, GPUs: 1},
	}}
	shared := make(map[string]bool)
	for _, b := range blocks(run.Bars, newLayout(run.Nodes)) {
		shared[b.Job] = b.Shared
	}
	if want := map[string]bool{"first": false, "second": true, "third": false}; !cmp.Equal(want, shared) {
		t.Errorf("shared blocks are %v, want %v", shared, want)
	}
	if got := render(t, Page{Runs: []Run{run}}); !strings.Contains(got, "half a row: shares the GPU") {
		t.Error("legend does not explain shared GPUs")
	}
}

func TestBarsThatAreNotDrawnAreCounted(t *testing.T) {
	for _, c := range []struct {
		shown, inside, given, omitted int
		want                          string
	}{
		{10, 10, 10, 0, "All 10 bars shown."},
		{1, 1, 1, 0, "The only bar is shown."},
		{8, 10, 12, 3, "8 of 15 bars shown: 2 with the least GPU time are left out, 2 start after the axis ends and 3 were not recorded."},
		{10, 10, 10, 5000, "10 of 5,010 bars shown: 5,000 were not recorded."},
	} {
		if got := plain(shownBars(c.shown, c.inside, c.given, c.omitted)); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestGangSizesFallIntoSixClasses(t *testing.T) {
	for gpus, want := range map[int]string{1: "1", 2: "2", 3: "3–4", 4: "3–4", 5: "5–8", 8: "5–8", 9: "9–16", 16: "9–16", 17: "17 or more", 4096: "17 or more"} {
		if got := gangs[gangOf(gpus)].Label; got != want {
			t.Errorf("a gang of %d is in class %q, want %q", gpus, got, want)
		}
	}
}

func bars(t *rapid.T, rows int) []Bar {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Bar {
		start := schedmate.Seconds(rapid.Int64Range(0, 50).Draw(t, "start"))
		return Bar{
			Job: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "job"), Row: rapid.IntRange(0, rows-1).Draw(t, "row"),
			Start: start, End: start + schedmate.Seconds(rapid.Int64Range(0, 20).Draw(t, "length")), GPUs: 2,
		}
	}), 0, 60).Draw(t, "bars")
}

// Property: joining bars into blocks and keeping the largest ones loses and
// invents none, and no block crosses a node.
func TestBlocksHoldAllBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLayout([]Node{{"n1", 3}, {"n2", 0}, {"n3", 4}})
		given := bars(t, 7)
		all := blocks(given, l)
		rows, time := 0, 0.0
		for _, b := range all {
			rows += b.Rows
			time += b.size()
			if l.node[b.Row] != l.node[b.Row+b.Rows-1] {
				t.Fatalf("block %+v crosses a node", b)
			}
		}
		want := 0.0
		for _, b := range given {
			want += float64(b.End - b.Start)
		}
		if rows != len(given) || time != want {
			t.Fatalf("blocks hold %d bars of %v GPU-seconds, want %d of %v", rows, time, len(given), want)
		}
		n := rapid.IntRange(1, 60).Draw(t, "limit")
		smallest := 1e9
		before := len(all)
		kept := largest(append([]block(nil), all...), n)
		for _, b := range kept {
			smallest = min(smallest, b.size())
		}
		if len(kept) != min(n, before) {
			t.Fatalf("kept %d of %d blocks, want %d", len(kept), before, min(n, before))
		}
		larger := 0
		for _, b := range all {
			if b.size() > smallest {
				larger++
			}
		}
		if larger > len(kept) {
			t.Fatalf("left out a block larger than the smallest one kept")
		}
	})
}

func TestManyNodesShareTheRoomForNames(t *testing.T) {
	var nodes []Node
	for range 1000 {
		nodes = append(nodes, Node{"a-very-long-name-of-a-node", 8})
	}
	l := newLayout(nodes)
	ticks := l.ticks()
	if len(ticks) > l.pixels()/labelHeight {
		t.Errorf("%d names in %d pixels", len(ticks), l.pixels())
	}
	if want := "…me-of-a-node"; ticks[0].Label != want {
		t.Errorf("name is %q, want %q", ticks[0].Label, want)
	}
}
