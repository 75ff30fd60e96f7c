package schedmate_test

import (
	"math"
	"testing"

	"schedmate"
)

func validJob() *schedmate.Job {
	return &schedmate.Job{
		ID: "7", Name: "bert", User: "ann", Group: "nlp", VC: "nlp", GPUs: 8, GPUType: "V100",
		Submit: 1000, TimeLimit: 86400, Iterations: 90000,
		Workload: schedmate.Workload{Model: "bert-large", Dataset: "wikipedia", BatchSize: 256, AMP: true},
		SLO: schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{
			{Deadline: 2000, Reward: 100}, {Deadline: 3000, Reward: 50}, {Deadline: 4000, Reward: 0},
		}},
		Outcome: &schedmate.Outcome{Run: 500, State: schedmate.Failed, Failure: schedmate.UserFailure},
	}
}

func validateJob(j *schedmate.Job) error { return j.Validate("job") }

func TestJobValidate(t *testing.T) {
	type job = schedmate.Job
	checkRows(t, validJob, validateJob, []row[job]{
		{"nothing but an id and a GPU", func(j *job) { *j = job{ID: "7", GPUs: 1} }, ""},
		{"texts of any characters", func(j *job) {
			j.ID, j.Name, j.User, j.Group, j.VC, j.GPUType = anyUnicode, anyUnicode, anyUnicode, anyUnicode, anyUnicode, anyUnicode
			j.Workload.Model, j.Workload.Dataset = anyUnicode, anyUnicode
		}, ""},

		{"no id", func(j *job) { j.ID = "" }, "job.id: must not be empty"},

		{"no GPU", func(j *job) { j.GPUs = 0 }, "job.gpus: must lie in [1, 1048576], got 0"},
		{"GPUs below 0", func(j *job) { j.GPUs = -4 }, "job.gpus: must lie in [1, 1048576], got -4"},
		{"more GPUs than the largest gang", func(j *job) { j.GPUs = 1048577 }, "job.gpus: must lie in [1, 1048576], got 1048577"},
		{"one GPU", func(j *job) { j.GPUs = 1 }, ""},
		{"the largest gang", func(j *job) { j.GPUs = 1048576 }, ""},

		{"submitted before the epoch", func(j *job) { j.Submit = -1 }, "job.submit_s: must lie in [0, 6324480000] seconds, got -1"},
		{"submitted beyond all times", func(j *job) { j.Submit = 6324480001 }, "job.submit_s: must lie in [0, 6324480000] seconds, got 6324480001"},
		{"submitted at the epoch", func(j *job) { j.Submit = 0 }, ""},
		{"submitted at the end of all times", func(j *job) { j.Submit, j.SLO = 6324480000, schedmate.SLO{} }, ""},

		{"time limit below 0", func(j *job) { j.TimeLimit = -1 }, "job.time_limit_s: must lie in [0, 6324480000] seconds, got -1"},
		{"time limit beyond all times", func(j *job) { j.TimeLimit = math.MaxInt64 }, "job.time_limit_s: must lie in [0, 6324480000] seconds, got 9223372036854775807"},
		{"no time limit", func(j *job) { j.TimeLimit = 0 }, ""},
		{"the longest time limit", func(j *job) { j.TimeLimit = 6324480000 }, ""},

		{"iterations below 0", func(j *job) { j.Iterations = -1 }, "job.iterations: must not be negative, got -1"},
		{"iterations unknown", func(j *job) { j.Iterations = 0 }, ""},
		{"very many iterations", func(j *job) { j.Iterations = math.MaxInt64 }, ""},

		{"batch size below 0", func(j *job) { j.Workload.BatchSize = -1 }, "job.workload.batch_size: must not be negative, got -1"},
		{"batch size unknown", func(j *job) { j.Workload.BatchSize = 0 }, ""},

		{"id in Latin-1", func(j *job) { j.ID = "\xe9t\xe9" }, `job.id: must be UTF-8, got "\xe9t\xe9"`},
		{"name in Latin-1", func(j *job) { j.Name = "\xe9" }, `job.name: must be UTF-8, got "\xe9"`},
		{"user in Latin-1", func(j *job) { j.User = "\xe9" }, `job.user: must be UTF-8, got "\xe9"`},
		{"group in Latin-1", func(j *job) { j.Group = "\xe9" }, `job.group: must be UTF-8, got "\xe9"`},
		{"vc in Latin-1", func(j *job) { j.VC = "\xe9" }, `job.vc: must be UTF-8, got "\xe9"`},
		{"GPU type in Latin-1", func(j *job) { j.GPUType = "\xe9" }, `job.gpu_type: must be UTF-8, got "\xe9"`},
		{"model in Latin-1", func(j *job) { j.Workload.Model = "\xe9" }, `job.workload.model: must be UTF-8, got "\xe9"`},
		{"data set with half of a surrogate pair", func(j *job) { j.Workload.Dataset = "\xed\xa0\xbd" }, `job.workload.dataset: must be UTF-8, got "\xed\xa0\xbd"`},
	})
}

func TestSLOValidate(t *testing.T) {
	type job = schedmate.Job
	tiers := func(class schedmate.SLOClass, tiers ...schedmate.Tier) func(*job) {
		return func(j *job) { j.SLO = schedmate.SLO{Class: class, Tiers: tiers} }
	}
	type tier = schedmate.Tier
	checkRows(t, validJob, validateJob, []row[job]{
		{"unknown class", tiers("urgent"), `job.slo.class: unknown class "urgent": use best_effort, strict or soft`},

		{"no class", tiers(""), ""},
		{"no class, an empty list", func(j *job) { j.SLO = schedmate.SLO{Tiers: []tier{}} }, ""},
		{"no class, a tier", tiers("", tier{2000, 100}), "job.slo.tiers: a best-effort job has no deadline, got 1 tiers"},
		{"best effort", tiers(schedmate.BestEffort), ""},
		{"best effort with a tier", tiers(schedmate.BestEffort, tier{2000, 100}), "job.slo.tiers: a best-effort job has no deadline, got 1 tiers"},

		{"strict", tiers(schedmate.Strict, tier{2000, 100}), ""},
		{"strict without a tier", tiers(schedmate.Strict), "job.slo.tiers: a strict job has exactly one tier, got 0"},
		{"strict with two tiers", tiers(schedmate.Strict, tier{2000, 100}, tier{3000, 50}), "job.slo.tiers: a strict job has exactly one tier, got 2"},

		{"soft with one tier", tiers(schedmate.Soft, tier{2000, 100}), ""},
		{"soft without a tier", tiers(schedmate.Soft), "job.slo.tiers: a soft job has at least one tier"},

		{"deadlines one second apart", tiers(schedmate.Soft, tier{2000, 100}, tier{2001, 50}), ""},
		{"the same deadline twice", tiers(schedmate.Soft, tier{2000, 100}, tier{2000, 50}), "job.slo.tiers[1].deadline_s: deadlines must increase: 2000 follows 2000"},
		{"an earlier deadline second", tiers(schedmate.Soft, tier{2000, 100}, tier{1999, 50}), "job.slo.tiers[1].deadline_s: deadlines must increase: 1999 follows 2000"},
		{"a deadline at the submission", tiers(schedmate.Strict, tier{1000, 100}), ""},
		{"a deadline at the submission and a reward below 0", tiers(schedmate.Strict, tier{1000, -1}), "job.slo.tiers[0].reward: must lie in [0, 100], got -1"},
		{"a deadline before the submission", tiers(schedmate.Strict, tier{999, 100}), "job.slo.tiers[0].deadline_s: must lie in [1000, 6324480000] seconds, got 999"},
		{"a deadline at the end of all times", tiers(schedmate.Strict, tier{6324480000, 100}), ""},
		{"a deadline beyond all times", tiers(schedmate.Soft, tier{2000, 100}, tier{6324480001, 50}), "job.slo.tiers[1].deadline_s: must lie in [1000, 6324480000] seconds, got 6324480001"},

		{"rewards one apart", tiers(schedmate.Soft, tier{2000, 100}, tier{3000, 99}), ""},
		{"the same reward twice", tiers(schedmate.Soft, tier{2000, 50}, tier{3000, 50}), "job.slo.tiers[1].reward: rewards must decrease: 50 follows 50"},
		{"a higher reward second", tiers(schedmate.Soft, tier{2000, 50}, tier{3000, 51}), "job.slo.tiers[1].reward: rewards must decrease: 51 follows 50"},
		{"no reward at all", tiers(schedmate.Strict, tier{2000, 0}), ""},
		{"the full reward", tiers(schedmate.Strict, tier{2000, 100}), ""},
		{"a reward below 0", tiers(schedmate.Strict, tier{2000, -1}), "job.slo.tiers[0].reward: must lie in [0, 100], got -1"},
		{"more than the full reward", tiers(schedmate.Strict, tier{2000, 101}), "job.slo.tiers[0].reward: must lie in [0, 100], got 101"},
	})
}

func TestOutcomeValidate(t *testing.T) {
	type job = schedmate.Job
	outcome := func(o schedmate.Outcome) func(*job) { return func(j *job) { j.Outcome = &o } }
	checkRows(t, validJob, validateJob, []row[job]{
		{"none", func(j *job) { j.Outcome = nil }, ""},

		{"run below 0", outcome(schedmate.Outcome{Run: -1, State: schedmate.Completed}), "job.outcome.run_s: must lie in [0, 6324480000] seconds, got -1"},
		{"run beyond all times", outcome(schedmate.Outcome{Run: 6324480001, State: schedmate.Completed}), "job.outcome.run_s: must lie in [0, 6324480000] seconds, got 6324480001"},
		{"ended at once", outcome(schedmate.Outcome{Run: 0, State: schedmate.Completed}), ""},
		{"ran for all times", outcome(schedmate.Outcome{Run: 6324480000, State: schedmate.Completed}), ""},

		{"no state", outcome(schedmate.Outcome{Run: 5}), `job.outcome.state: must be an end state, got ""`},
		{"still waits", outcome(schedmate.Outcome{Run: 5, State: schedmate.Waiting}), `job.outcome.state: must be an end state, got "waiting"`},
		{"still runs", outcome(schedmate.Outcome{Run: 5, State: schedmate.Running}), `job.outcome.state: must be an end state, got "running"`},
		{"unknown state", outcome(schedmate.Outcome{Run: 5, State: "done"}), `job.outcome.state: must be an end state, got "done"`},
		{"failed", outcome(schedmate.Outcome{State: schedmate.Failed}), ""},
		{"cancelled", outcome(schedmate.Outcome{State: schedmate.Cancelled}), ""},
		{"timed out", outcome(schedmate.Outcome{State: schedmate.TimedOut}), ""},
		{"infeasible", outcome(schedmate.Outcome{State: schedmate.Infeasible}), ""},

		{"failed for the machine", outcome(schedmate.Outcome{State: schedmate.Failed, Failure: schedmate.InfrastructureFailure}), ""},
		{"failed in the framework", outcome(schedmate.Outcome{State: schedmate.Failed, Failure: schedmate.FrameworkFailure}), ""},
		{"failed for the user", outcome(schedmate.Outcome{State: schedmate.Failed, Failure: schedmate.UserFailure}), ""},
		{"unknown failure", outcome(schedmate.Outcome{State: schedmate.Failed, Failure: "cosmic ray"}), `job.outcome.failure: unknown class "cosmic ray": use infrastructure, framework or user`},
	})
}

// A trace has a million jobs, and their checks put no path together.
func TestValidJobsAreCheckedWithoutAllocating(t *testing.T) {
	j, f := validJob(), validFact()
	for what, validate := range map[string]func() error{
		"job":  func() error { return j.Validate("") },
		"fact": func() error { return f.Validate("job.facts[0]") },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := validate(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("checking a valid %s allocates %v times", what, n)
		}
	}
}

// The soft job is worth 100 until 2,000, 50 until 3,000, nothing from then on,
// and its last tier says so in words. The strict one is worth 80 until 2,000.
func TestRewardByHand(t *testing.T) {
	soft := validJob().SLO
	strict := schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: 2000, Reward: 80}}}
	for _, tc := range []struct {
		what string
		slo  schedmate.SLO
		end  schedmate.Seconds
		want int
	}{
		{"soft, long before", soft, 1001, 100},
		{"soft, one second before the first deadline", soft, 1999, 100},
		{"soft, at the first deadline", soft, 2000, 100},
		{"soft, one second late", soft, 2001, 50},
		{"soft, at the second deadline", soft, 3000, 50},
		{"soft, behind the second deadline", soft, 3001, 0},
		{"soft, at the last deadline", soft, 4000, 0},
		{"soft, behind the last deadline", soft, 4001, 0},
		{"soft, never", soft, schedmate.Forever, 0},
		{"strict, in time", strict, 2000, 80},
		{"strict, one second late", strict, 2001, 0},
		{"best effort", schedmate.SLO{Class: schedmate.BestEffort}, 0, 0},
		{"nothing asked for", schedmate.SLO{}, 0, 0},
	} {
		if got := tc.slo.RewardAt(tc.end); got != tc.want {
			t.Errorf("%s: ending at %d earns %d, want %d", tc.what, tc.end, got, tc.want)
		}
	}
}

func TestHasDeadline(t *testing.T) {
	for class, want := range map[schedmate.SLOClass]bool{"": false, schedmate.BestEffort: false, schedmate.Strict: true, schedmate.Soft: true} {
		if got := (schedmate.SLO{Class: class}).HasDeadline(); got != want {
			t.Errorf("class %q has a deadline: %v, want %v", class, got, want)
		}
	}
}

// The states of the drawing above State: two of a life, five of its end.
func TestTerminalStates(t *testing.T) {
	for state, want := range map[schedmate.State]bool{
		schedmate.Waiting: false, schedmate.Running: false,
		schedmate.Completed: true, schedmate.Failed: true, schedmate.Cancelled: true, schedmate.TimedOut: true, schedmate.Infeasible: true,
		"": false, "done": false,
	} {
		if got := state.Terminal(); got != want {
			t.Errorf("state %q is terminal: %v, want %v", state, got, want)
		}
	}
}
