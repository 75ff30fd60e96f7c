package lucid

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/sim"
)

// The first packed jobs of the artifact's stored run, on one node, with what that
// run says of them (times and ends are its own). All larger than 80 s, so that
// none ends in the profiler.
//
// p00004 (score 2) is joined by p00006 (score 0) although seven GPUs are free:
// packing comes first. p00007 finds nobody: both on GPU 0 share already. p00008
// joins p00007, its estimated GPU time, 84,961 s, being less than twice 45,510.
// Hosts end first, in both pairs; their guests keep the speeds that they had.
func TestTheArtifactsFirstPairs(t *testing.T) {
	p, w, _ := preset(t, "lucid")
	w.Profiler = nil
	load := sim.Workload{
		Jobs: []sim.Job{
			job("p00004", "LSTM", 64, false, 1, 1888, 43200, use{score: 2, mib: 3884, estimate: 39263}),
			job("p00006", "PointNet", 128, true, 1, 2475, 43200, use{score: 0, mib: 6976, estimate: 18681}),
			job("p00007", "EfficientNet", 32, false, 1, 2623, 43200, use{score: 0, mib: 2308, estimate: 45510}),
			job("p00008", "PointNet", 64, false, 1, 2650, 43200, use{score: 0, mib: 6346, estimate: 84961}),
		},
		Pairs: pairs(
			sim.Pair{First: workload("PointNet", 128, true), Second: workload("LSTM", 64, false)},
			sim.Pair{First: workload("PointNet", 64, false), Second: workload("EfficientNet", 32, false)},
		)(902, 936, 940, 1076),
	}
	same(t, diary(t, p, w, 1, 8, load), `
1888 start p00004 on n0:0 with room
2475 start p00006 on n0:0 with room
2623 start p00007 on n0:1 with room
2650 start p00008 on n0:1 with room
42775 end p00007
48003 end p00004
48609 end p00008
50370 end p00006
p00006 beside p00004 from 2475 to 48003
p00008 beside p00007 from 2650 to 42775
`)
}

// A guest that ends first gives its host the GPUs back, and another may come: the
// ResNet18 of 81 s works at 1.084, so that its 75th second leaves -0.3 s; that is
// seen a second later. At 7,200 s the next one joins.
func TestAHostHasOneGuestAfterTheOther(t *testing.T) {
	p, w, _ := preset(t, "lucid")
	w.Profiler = nil
	load := sim.Workload{
		Jobs: []sim.Job{
			job("p00013", "TD3", 1, false, 1, 3195, 43200, use{score: 0, mib: 2059, estimate: 43200}),
			job("p00017", "ResNet18", 32, true, 1, 4200, 81, use{score: 1, mib: 2330, estimate: 81}),
			job("p00024", "ResNet18", 32, true, 1, 7200, 81, use{score: 1, mib: 2330, estimate: 81}),
		},
		Pairs: pairs(sim.Pair{First: workload("ResNet18", 32, true), Second: workload("TD3", 1, false)})(1084, 1000),
	}
	same(t, diary(t, p, w, 1, 8, load), `
3195 start p00013 on n0:0 with room
4200 start p00017 on n0:0 with room
4276 end p00017
7200 start p00024 on n0:0 with room
7276 end p00024
46396 end p00013
p00017 beside p00013 from 4200 to 4276
p00024 beside p00013 from 7200 to 7276
`)
}

// In the artifact a guest that survives its host is joined by nobody. Otherwise it
// has the GPUs to itself at full speed, and is a host like any other. Guest and
// host work at half speed: the host's 100 s end at 200, when 400 s of the guest's
// 500 are left.
func TestWhoSurvivesItsHost(t *testing.T) {
	_, w, o := preset(t, "lucid")
	w.Profiler, w.EndLag, w.Sharing = nil, 0, scheduler.Sharing{}
	load := sim.Workload{Jobs: []sim.Job{
		job("host", "a", 1, false, 1, 0, 100, use{mib: 1, estimate: 500}),
		job("guest", "b", 1, false, 1, 0, 500, use{mib: 1, estimate: 600}),
		job("later", "c", 1, false, 1, 300, 10, use{mib: 1, estimate: 10}),
	}}
	run := func() string {
		p, err := build(o)
		if err != nil {
			t.Fatal(err)
		}
		return diary(t, p, w, 1, 1, load)
	}
	same(t, run(), `
0 start host on n0:0 with room
0 start guest on n0:0 with room
200 end host
600 end guest
600 start later on n0:0 with room
610 end later
guest beside host from 0 to 200
`)
	o.GuestsStay = false
	same(t, run(), `
0 start host on n0:0 with room
0 start guest on n0:0 with room
200 end host
300 start later on n0:0 with room
320 end later
610 end guest
guest beside host from 0 to 200
later beside guest from 300 to 320
`)
}

// The default profiles jobs first, on the last node: nobody starts elsewhere before
// that is over. A job that ends in its window has ended. The others pay 62 s for
// their restart like anybody who is preempted, and keep the 100 s that they have
// done: 1,000 s of work end at 1,062. For the gang of eight the profiler has no
// room until 100 s; it has waited long enough then, and as nobody knows whether it
// could share, it gets its GPUs whole.
func TestTheDefaultPaysForProfiles(t *testing.T) {
	p, w, _ := preset(t, scheduler.DefaultPreset)
	load := sim.Workload{Jobs: []sim.Job{
		job("short", "a", 1, false, 1, 0, 50, use{mib: 1, estimate: 50}),
		job("long", "a", 1, false, 2, 0, 1000, use{mib: 1, estimate: 1000}),
		job("large", "a", 1, false, 8, 0, 1000, use{mib: 1, estimate: 1000}),
	}}
	same(t, diary(t, p, w, 4, 8, load), `
0 start short on n3:0 for a profile until 100
0 start long on n3:1 for a profile until 100
50 end short
100 preempt long
100 start long on n0:0 with room
100 start large on n1:0
1062 end long
1100 end large
`)
}

// Where neighbours have told how a job uses its GPU, it needs no profile.
func TestFactsSpareProfiles(t *testing.T) {
	p, w, _ := preset(t, scheduler.DefaultPreset)
	load := sim.Workload{Jobs: []sim.Job{
		job("known", "a", 1, false, 1, 0, 1000, use{mib: 1, estimate: 1000, source: schedmate.FromNeighbours}),
	}}
	same(t, diary(t, p, w, 8, 8, load), `
0 start known on n0:0 with room
1000 end known
`)
}

// The default shares only where no GPU is free, and only if enough is known of
// both: b would fit beside a, but has a GPU to itself; c joins a; nobody has told
// the run time of d, which waits for a GPU of its own.
func TestTheDefaultSharesLast(t *testing.T) {
	_, w, o := preset(t, scheduler.DefaultPreset)
	o.Profiler = Profiler{}
	p, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	load := sim.Workload{
		Jobs: []sim.Job{
			job("a", "a", 1, false, 1, 0, 1000, use{mib: 1, estimate: 1000}),
			job("b", "a", 1, false, 1, 1, 1000, use{mib: 1, estimate: 1000}),
			job("c", "a", 1, false, 1, 2, 100, use{mib: 1, estimate: 100}),
			job("d", "a", 1, false, 1, 3, 100, use{mib: 1}),
		},
		Pairs: pairs(sim.Pair{First: workload("a", 1, false), Second: workload("a", 1, false)})(1000, 1000),
	}
	same(t, diary(t, p, w, 1, 2, load), `
0 start a on n0:0 with room
1 start b on n0:1 with room
2 start c on n0:0 with room
102 end c
1000 end a
1000 start d on n0:0 with room
1001 end b
1100 end d
c beside a from 2 to 102
`)
}

// Each rule of packing keeps the newcomer from the one GPU for another reason.
func TestWhoIsNotPacked(t *testing.T) {
	for _, tc := range []struct {
		why      string
		host     use
		newcomer use
		packs    bool
	}{
		{"nothing against it", use{2, 10_000, 100, ""}, use{0, 14_575, 200, ""}, true},
		{"one MiB too much", use{2, 10_000, 100, ""}, use{0, 14_576, 200, ""}, false},
		{"scores of three", use{2, 1, 100, ""}, use{1, 1, 200, ""}, false},
		{"more than twice the GPU time", use{0, 1, 100, ""}, use{0, 1, 201, ""}, false},
		{"no estimate", use{0, 1, 100, ""}, use{0, 1, 0, ""}, false},
		{"no estimate of the host", use{0, 1, 0, ""}, use{0, 1, 100, ""}, false},
	} {
		p, w, _ := preset(t, "lucid")
		w.Profiler = nil
		load := sim.Workload{Jobs: []sim.Job{
			job("host", "NeuMF", 1, false, 1, 0, 100, tc.host),
			job("newcomer", "NeuMF", 1, false, 1, 1, 100, tc.newcomer),
		}}
		want := "0 start host on n0:0 with room\n1 start newcomer on n0:0 with room\n101 end host\n102 end newcomer\nnewcomer beside host from 1 to 101\n"
		if !tc.packs {
			want = "0 start host on n0:0 with room\n101 end host\n101 start newcomer on n0:0 with room\n202 end newcomer\n"
		}
		t.Run(tc.why, func(t *testing.T) { same(t, diary(t, p, w, 1, 1, load), want) })
	}
}

// While few jobs come the paper's preset shares nothing, and who does not fit
// blocks those behind: gangs of two GPUs keep early from the GPU that is free.
// Twelve jobs in the fifty minutes up to 3,000 s are more than two in ten; from
// then on early shares, and nobody blocks.
func TestPackingWaitsForArrivals(t *testing.T) {
	_, w, o := preset(t, "paper")
	o.Profiler = Profiler{}
	p, err := build(o)
	if err != nil {
		t.Fatal(err)
	}
	var load sim.Workload
	load.Jobs = append(load.Jobs, job("first", "a", 1, false, 1, 0, 100_000, use{mib: 1, estimate: 100_000}))
	for i := range 10 {
		load.Jobs = append(load.Jobs, job(string(rune('a'+i)), "big", 1, false, 2, schedmate.Seconds(300*(i+1)-1), 10, use{mib: 1, estimate: 10}))
	}
	load.Jobs = append(load.Jobs,
		job("early", "a", 1, false, 1, 2999, 10, use{mib: 1, estimate: 1000}),
		job("late", "a", 1, false, 1, 3000, 10, use{mib: 1, estimate: 1000}))
	load.Pairs = pairs(sim.Pair{First: workload("a", 1, false), Second: workload("a", 1, false)})(1000, 1000)
	lines := strings.SplitAfter(diary(t, p, w, 1, 2, load), "\n")
	same(t, strings.Join(lines[:5], ""), `
0 start first on n0:0 with room
3000 start early on n0:0 with room
3000 start late on n0:1 with room
3010 end early
3010 end late
`)
}
