package schedmate_test

import (
	"slices"
	"testing"

	"schedmate"
)

// noon is the lab at instant 43200, valid and with something of everything.
//
//	node  owner   GPUs      carries
//	a     nlp     8 V100    job 1 on GPUs 0 to 3, job 3 on half of GPU 4
//	b     shared  8 V100    job 2 on all eight
//	c     shared  4 A100    nothing, and takes nothing: draining
//
// Jobs 4, 5 and 6 wait: for two GPUs, for two V100 with a deadline, for sixteen.
func noon() *schedmate.Snapshot {
	runs := func(seconds int64) []schedmate.Fact {
		return []schedmate.Fact{{
			Kind: schedmate.RunSeconds, Value: seconds, Low: seconds / 2, High: seconds * 2,
			ConfidenceMilli: 800, Source: schedmate.FromUser,
		}}
	}
	whole := func(node string, first, n int) (as []schedmate.Allocation) {
		for gpu := first; gpu < first+n; gpu++ {
			as = append(as, schedmate.Allocation{Node: node, GPU: gpu, Share: schedmate.WholeGPU})
		}
		return as
	}
	return &schedmate.Snapshot{
		APIVersion: schedmate.APIVersion, Kind: schedmate.SnapshotKind, Now: 43200, Cluster: *validCluster(),
		Running: []*schedmate.JobStatus{
			{
				Job: schedmate.Job{ID: "1", VC: "nlp", GPUs: 4, Submit: 25200}, Seq: 1,
				Done: 3600, Owed: 120, Held: 5400, Waited: 60, Preemptions: 1, Facts: runs(21600),
				Attempt: &schedmate.Attempt{Number: 2, Start: 30600, Allocations: whole("a", 0, 4)},
			},
			{
				Job: schedmate.Job{ID: "2", GPUs: 8, Submit: 7200}, Seq: 2, Facts: runs(600000),
				Attempt: &schedmate.Attempt{Number: 1, Start: 7200, Allocations: whole("b", 0, 8)},
			},
			{
				Job: schedmate.Job{ID: "3", VC: "nlp", GPUs: 1, Submit: 40000}, Seq: 5,
				Attempt: &schedmate.Attempt{Number: 1, Start: 43200, Allocations: []schedmate.Allocation{{Node: "a", GPU: 4, Share: 500}}},
			},
		},
		Waiting: []*schedmate.JobStatus{
			{Job: schedmate.Job{ID: "4", User: "ann", VC: "nlp", GPUs: 2, Submit: 36000}, Seq: 3, Waited: 7200, Facts: runs(3600)},
			{
				Job: schedmate.Job{ID: "5", User: "eve", VC: "vision", GPUs: 2, GPUType: "V100", Submit: 42600, SLO: schedmate.SLO{
					Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 54000, Reward: 100}},
				}},
				Seq: 4, Waited: 600, Facts: runs(1500),
			},
			{Job: schedmate.Job{ID: "6", User: "dora", GPUs: 16, Submit: 43200}, Seq: 6},
		},
	}
}

func validateSnapshot(s *schedmate.Snapshot) error { return s.Validate() }

func TestSnapshotValidate(t *testing.T) {
	type snapshot = schedmate.Snapshot
	checkRows(t, noon, validateSnapshot, []row[snapshot]{
		{"another version", func(s *snapshot) { s.APIVersion = "schedmate/v2" }, `apiVersion: must be "schedmate/v1", got "schedmate/v2"`},
		{"no version", func(s *snapshot) { s.APIVersion = "" }, `apiVersion: must be "schedmate/v1", got ""`},
		{"another kind", func(s *snapshot) { s.Kind = "Job" }, `kind: must be "Snapshot", got "Job"`},

		{"now before the epoch", func(s *snapshot) { s.Now = -1 }, "now_s: must lie in [0, 6324480000] seconds, got -1"},
		{"now beyond all times", func(s *snapshot) { s.Now = 6324480001 }, "now_s: must lie in [0, 6324480000] seconds, got 6324480001"},
		{"now at the end of all times", func(s *snapshot) { s.Now = 6324480000 }, ""},
		{"now at the epoch, nobody there", func(s *snapshot) { s.Now, s.Waiting, s.Running = 0, nil, nil }, ""},

		{"an invalid cluster", func(s *snapshot) { s.Cluster.Nodes[2].MemoryMiB = -1 }, "cluster.nodes[2].memory_mib: must not be negative, got -1"},

		{"waiting jobs out of order", func(s *snapshot) { s.Waiting[1].Seq = 2 }, "waiting[1].seq: jobs must be sorted by seq without duplicates: 2 follows 3"},
		{"two waiting jobs of one seq", func(s *snapshot) { s.Waiting[2].Seq = 4 }, "waiting[2].seq: jobs must be sorted by seq without duplicates: 4 follows 4"},
		{"running jobs out of order", func(s *snapshot) { s.Running[2].Seq = 0 }, "running[2].seq: jobs must be sorted by seq without duplicates: 0 follows 2"},
		{"two running jobs of one seq", func(s *snapshot) { s.Running[1].Seq = 1 }, "running[1].seq: jobs must be sorted by seq without duplicates: 1 follows 1"},
		{"a job waits and runs", func(s *snapshot) { s.Running[1].Job.ID = "5" }, "running[1].job.id: job 5 is listed twice, first at waiting[1]"},
		{"a job waits twice", func(s *snapshot) { s.Waiting[2].Job.ID = "4" }, "waiting[2].job.id: job 4 is listed twice, first at waiting[0]"},

		{"a hole among the waiting jobs", func(s *snapshot) { s.Waiting[1] = nil }, "waiting[1]: must not be empty"},
		{"a hole among the running jobs", func(s *snapshot) { s.Running[0] = nil }, "running[0]: must not be empty"},

		{"a waiting job has an attempt", func(s *snapshot) { s.Waiting[0].Attempt = s.Running[0].Attempt }, "waiting[0].attempt: job 4 waits, so it has no attempt"},
		{"a running job has none", func(s *snapshot) { s.Running[1].Attempt = nil }, "running[1].attempt: job 2 runs, so it needs an attempt"},

		{"a waiting job's end is known", func(s *snapshot) { s.Waiting[0].Job.Outcome = &schedmate.Outcome{State: schedmate.Completed} },
			"waiting[0].job.outcome: a snapshot must not know how job 4 ends"},
		{"a running job's end is known", func(s *snapshot) { s.Running[0].Job.Outcome = &schedmate.Outcome{State: schedmate.Completed} },
			"running[0].job.outcome: a snapshot must not know how job 1 ends"},

		{"a job of an undeclared vc", func(s *snapshot) { s.Waiting[0].Job.VC = "audio" }, `waiting[0].job.vc: unknown vc "audio": declare it under cluster.vcs`},
		{"a job submitted tomorrow", func(s *snapshot) { s.Waiting[0].Job.Submit = 43201 }, "waiting[0].job.submit_s: job 4 is submitted at 43201, after now_s 43200"},

		{"job 3 takes more of GPU 4 than there is left", func(s *snapshot) { s.Running[2].Attempt.Allocations[0].GPU = 3 }, "running[2].attempt.allocations[0].share: GPU 3 of node a would carry 1500 thousandths"},
		{"a thousandth too much", func(s *snapshot) {
			s.Running[0].Attempt.Allocations[3].Share = 501
			s.Running[2].Attempt.Allocations[0].GPU = 3
		}, "running[2].attempt.allocations[0].share: GPU 3 of node a would carry 1001 thousandths"},
		{"three jobs together a thousandth too much", func(s *snapshot) {
			s.Running[0].Attempt.Allocations[3].Share = 400
			s.Running[2].Attempt.Allocations[0] = schedmate.Allocation{Node: "a", GPU: 3, Share: 400}
			s.Running = append(s.Running, &schedmate.JobStatus{
				Job: schedmate.Job{ID: "7", GPUs: 1}, Seq: 7,
				Attempt: &schedmate.Attempt{Number: 1, Allocations: []schedmate.Allocation{{Node: "a", GPU: 3, Share: 201}}},
			})
		}, "running[3].attempt.allocations[0].share: GPU 3 of node a would carry 1001 thousandths"},
		{"two halves on one GPU", func(s *snapshot) {
			s.Running[0].Attempt.Allocations[3].Share = 500
			s.Running[2].Attempt.Allocations[0].GPU = 3
		}, ""},
	})
}

func TestJobStatusValidate(t *testing.T) {
	type snapshot = schedmate.Snapshot
	seconds := func(f func(j *schedmate.JobStatus, t schedmate.Seconds), t schedmate.Seconds) func(*snapshot) {
		return func(s *snapshot) { f(s.Running[0], t) }
	}
	rows := []row[snapshot]{
		{"seq below 0", func(s *snapshot) { s.Waiting[0].Seq = -1 }, "waiting[0].seq: must not be negative, got -1"},
		{"seq 0", func(s *snapshot) { s.Waiting[0].Seq = 0 }, ""},
		{"crashes below 0", func(s *snapshot) { s.Running[0].Crashes = -1 }, "running[0].crashes: must not be negative, got -1"},
		{"preemptions below 0", func(s *snapshot) { s.Running[0].Preemptions = -1 }, "running[0].preemptions: must not be negative, got -1"},
		{"never preempted", func(s *snapshot) { s.Running[0].Preemptions = 0 }, ""},

		{"an invalid job", func(s *snapshot) { s.Waiting[2].Job.GPUs = 0 }, "waiting[2].job.gpus: must lie in [1, 1048576], got 0"},
		{"an invalid SLO", func(s *snapshot) { s.Waiting[1].Job.SLO.Tiers[0].Reward = 101 }, "waiting[1].job.slo.tiers[0].reward: must lie in [0, 100], got 101"},
		{"an invalid fact", func(s *snapshot) { s.Waiting[1].Facts[0].ConfidenceMilli = -1 }, "waiting[1].facts[0].confidence_milli: must lie in [0, 1000], got -1"},
		{"an invalid second fact", func(s *snapshot) {
			s.Running[0].Facts = append(s.Running[0].Facts, schedmate.Fact{Kind: schedmate.GPUUtilisation, Source: "hearsay"})
		}, `running[0].facts[1].source: unknown source "hearsay"`},
		{"two facts of one kind", func(s *snapshot) { s.Waiting[0].Facts = append(s.Waiting[0].Facts, s.Waiting[1].Facts[0]) },
			"waiting[0].facts[1].kind: kind run_seconds occurs twice for job 4"},
		{"two facts of one kind, one expired", func(s *snapshot) {
			old := s.Waiting[1].Facts[0]
			old.ExpiresAt = 1
			s.Waiting[0].Facts = append(s.Waiting[0].Facts, old)
		}, "waiting[0].facts[1].kind: kind run_seconds occurs twice for job 4"},
		{"a fact of each kind", func(s *snapshot) {
			s.Waiting[0].Facts = append(s.Waiting[0].Facts,
				schedmate.Fact{Kind: schedmate.GPUUtilisation, Source: schedmate.FromTelemetry},
				schedmate.Fact{Kind: schedmate.GPUMemoryMiB, Source: schedmate.FromTelemetry})
		}, ""},
		{"nothing known", func(s *snapshot) { s.Waiting[0].Facts = nil }, ""},
	}
	for field, set := range map[string]func(*schedmate.JobStatus, schedmate.Seconds){
		"done_s":   func(j *schedmate.JobStatus, t schedmate.Seconds) { j.Done = t },
		"owed_s":   func(j *schedmate.JobStatus, t schedmate.Seconds) { j.Owed = t },
		"held_s":   func(j *schedmate.JobStatus, t schedmate.Seconds) { j.Held = t },
		"waited_s": func(j *schedmate.JobStatus, t schedmate.Seconds) { j.Waited = t },
	} {
		rows = append(rows,
			row[snapshot]{field + " below 0", seconds(set, -1), "running[0]." + field + ": must lie in [0, 6324480000] seconds, got -1"},
			row[snapshot]{field + " beyond all times", seconds(set, 6324480001), "running[0]." + field + ": must lie in [0, 6324480000] seconds, got 6324480001"},
			row[snapshot]{field + " 0", seconds(set, 0), ""},
			row[snapshot]{field + " as long as all times", seconds(set, 6324480000), ""},
		)
	}
	checkRows(t, noon, validateSnapshot, rows)
}

func TestAttemptValidate(t *testing.T) {
	type snapshot = schedmate.Snapshot
	attempt := func(f func(a *schedmate.Attempt)) func(*snapshot) {
		return func(s *snapshot) { f(s.Running[0].Attempt) } // job 1: four GPUs of node a, submitted at 25200
	}
	checkRows(t, noon, validateSnapshot, []row[snapshot]{
		{"attempt 0", attempt(func(a *schedmate.Attempt) { a.Number = 0 }), "running[0].attempt.number: must be at least 1, got 0"},
		{"the first attempt", attempt(func(a *schedmate.Attempt) { a.Number = 1 }), ""},

		{"starts before the submission", attempt(func(a *schedmate.Attempt) { a.Start = 25199 }), "running[0].attempt.start_s: must lie in [25200, 6324480000] seconds, got 25199"},
		{"starts at the submission", attempt(func(a *schedmate.Attempt) { a.Start = 25200 }), ""},
		{"starts now", attempt(func(a *schedmate.Attempt) { a.Start = 43200 }), ""},
		{"starts in a second", attempt(func(a *schedmate.Attempt) { a.Start = 43201 }), "running[0].attempt.start_s: job 1 starts at 43201, after now_s 43200"},
		{"starts beyond all times", attempt(func(a *schedmate.Attempt) { a.Start = 6324480001 }), "running[0].attempt.start_s: must lie in [25200, 6324480000] seconds, got 6324480001"},

		{"no GPUs", attempt(func(a *schedmate.Attempt) { a.Allocations = nil }), "running[0].attempt.allocations: a gang of 4 GPUs needs exactly 4 allocations, got 0"},
		{"one GPU too few", attempt(func(a *schedmate.Attempt) { a.Allocations = a.Allocations[:3] }), "running[0].attempt.allocations: a gang of 4 GPUs needs exactly 4 allocations, got 3"},
		{"one GPU too many", attempt(func(a *schedmate.Attempt) {
			a.Allocations = append(a.Allocations, schedmate.Allocation{Node: "c", Share: schedmate.WholeGPU})
		}), "running[0].attempt.allocations: a gang of 4 GPUs needs exactly 4 allocations, got 5"},
		{"GPUs out of order", attempt(func(a *schedmate.Attempt) { slices.Reverse(a.Allocations) }), "running[0].attempt.allocations[1]: allocations must be sorted by node and GPU without duplicates"},
		{"a GPU twice", attempt(func(a *schedmate.Attempt) { a.Allocations[3].GPU = 2 }), "running[0].attempt.allocations[3]: allocations must be sorted by node and GPU without duplicates"},
		{"nodes out of order", attempt(func(a *schedmate.Attempt) { a.Allocations[0].Node = "c" }), "running[0].attempt.allocations[1]: allocations must be sorted by node and GPU without duplicates"},
		{"spread over two nodes", attempt(func(a *schedmate.Attempt) { a.Allocations[3].Node, a.Allocations[3].GPU = "c", 0 }), ""},

		{"no node", attempt(func(a *schedmate.Attempt) { a.Allocations[1].Node = "" }), "running[0].attempt.allocations[1].node: must not be empty"},
		{"an unknown node", attempt(func(a *schedmate.Attempt) { a.Allocations[3].Node = "z" }), `running[0].attempt.allocations[3].node: unknown node "z"`},
		{"a GPU below 0", attempt(func(a *schedmate.Attempt) { a.Allocations[0].GPU = -1 }), "running[0].attempt.allocations[0].gpu: must not be negative, got -1"},
		{"the last GPU of the node", attempt(func(a *schedmate.Attempt) { a.Allocations[3].GPU = 7 }), ""},
		{"a GPU that the node does not have", attempt(func(a *schedmate.Attempt) { a.Allocations[3].GPU = 8 }), "running[0].attempt.allocations[3].gpu: node a has GPUs 0 to 7, got 8"},

		{"no share", attempt(func(a *schedmate.Attempt) { a.Allocations[0].Share = 0 }), "running[0].attempt.allocations[0].share: must lie in [1, 1000] thousandths, got 0"},
		{"a share below 0", attempt(func(a *schedmate.Attempt) { a.Allocations[0].Share = -1 }), "running[0].attempt.allocations[0].share: must lie in [1, 1000] thousandths, got -1"},
		{"more than a GPU", attempt(func(a *schedmate.Attempt) { a.Allocations[0].Share = 1001 }), "running[0].attempt.allocations[0].share: must lie in [1, 1000] thousandths, got 1001"},
		{"a thousandth", attempt(func(a *schedmate.Attempt) { a.Allocations[0].Share = 1 }), ""},
	})
}

// Job 1 at 43200, by hand. It has run twice: 5,400 s, of which 3,600 s of work
// were saved, and since 30600, that is 12,600 s, of which the first 120 s only
// brought it back to where it was. It needs 21,600 s of work on four GPUs.
func TestJobStatusByHand(t *testing.T) {
	for _, tc := range []struct {
		what      string
		change    func(j *schedmate.JobStatus)
		now       schedmate.Seconds
		elapsed   schedmate.Seconds
		attained  int64
		remaining schedmate.Seconds
		known     bool
	}{
		{"job 1", func(*schedmate.JobStatus) {}, 43200,
			12600,       // 43200 - 30600
			72000,       // 4 x (5400 + 12600)
			5520, true}, // 21600 - 3600 + 120 - 12600
		{"as it starts again", func(*schedmate.JobStatus) {}, 30600,
			0,
			21600,        // 4 x 5400
			18120, true}, // 21600 - 3600 + 120
		{"half of the restart is paid", func(*schedmate.JobStatus) {}, 30660,
			60,
			21840,        // 4 x (5400 + 60)
			18060, true}, // 21600 - 3600 + 120 - 60
		{"it should end now", func(*schedmate.JobStatus) {}, 48720,
			18120,    // 48720 - 30600
			94080,    // 4 x (5400 + 18120)
			0, true}, // 21600 - 3600 + 120 - 18120
		{"it takes longer than was thought", func(*schedmate.JobStatus) {}, 50000,
			19400,    // 50000 - 30600
			99200,    // 4 x (5400 + 19400)
			0, true}, // never below 0
		{"the estimate is used up, half of the restart is not paid", func(j *schedmate.JobStatus) { j.Done = 30000 }, 30660,
			60,
			21840,     // 4 x (5400 + 60)
			60, true}, // 120 - 60, whatever the work
		{"preempted, it waits", func(j *schedmate.JobStatus) { j.Attempt = nil }, 43200,
			0,
			21600,        // 4 x 5400
			18120, true}, // 21600 - 3600 + 120
		{"new, it waits", func(j *schedmate.JobStatus) { j.Attempt, j.Done, j.Owed, j.Held = nil, 0, 0, 0 }, 43200,
			0, 0, 21600, true},
		{"its clock is behind", func(*schedmate.JobStatus) {}, 30000,
			0, 21600, 18120, true},
		{"nothing is known", func(j *schedmate.JobStatus) { j.Facts = nil }, 43200,
			12600, 72000, 0, false},
		{"the estimate has expired", func(j *schedmate.JobStatus) { j.Facts[0].ExpiresAt = 43200 }, 43200,
			12600, 72000, 0, false},
		{"the estimate has not been made yet", func(j *schedmate.JobStatus) { j.Facts[0].ObservedAt = 43201 }, 43200,
			12600, 72000, 0, false},
		{"another kind of fact", func(j *schedmate.JobStatus) { j.Facts[0].Kind = schedmate.GPUMemoryMiB }, 43200,
			12600, 72000, 0, false},
	} {
		j := noon().Running[0]
		tc.change(j)
		if got := j.Elapsed(tc.now); got != tc.elapsed {
			t.Errorf("%s: elapsed %d s, want %d", tc.what, got, tc.elapsed)
		}
		if got := j.Attained(tc.now); got != tc.attained {
			t.Errorf("%s: attained %d GPU-seconds, want %d", tc.what, got, tc.attained)
		}
		if got, known := j.Remaining(tc.now); got != tc.remaining || known != tc.known {
			t.Errorf("%s: remaining %d s (known: %v), want %d (%v)", tc.what, got, known, tc.remaining, tc.known)
		}
	}
}

// The largest gang that has held its GPUs for all times: no overflow.
func TestAttainedDoesNotOverflow(t *testing.T) {
	j := schedmate.JobStatus{
		Job: schedmate.Job{GPUs: schedmate.MaxGangGPUs}, Held: schedmate.MaxSeconds,
		Attempt: &schedmate.Attempt{Number: 1, Start: 0},
	}
	if got := j.Attained(schedmate.MaxSeconds); got != 13_263_395_880_960_000 { // 2^20 x 2 x 6,324,480,000
		t.Errorf("attained %d GPU-seconds", got)
	}
}

func TestSnapshotFind(t *testing.T) {
	s := noon()
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			if s.Find(j.Job.ID) != j {
				t.Errorf("job %s is not found", j.Job.ID)
			}
		}
	}
	if j := s.Find("7"); j != nil {
		t.Errorf("there is no job 7, found %v", j)
	}
}
