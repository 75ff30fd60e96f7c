package livetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"schedmate/internal/slurmlab"
	"schedmate/scheduler/fit"
)

// answers is what why says with -o json.
type answers struct {
	Answers []fit.Answer `json:"answers"`
}

// reasons is what why must say of each waiting job of the scenario: by hand, from
// what was submitted. In a sentence {NAME} is the id of that job.
var reasons = map[string]struct {
	kind     fit.Kind
	sentence string
}{
	"wait-resources":   {fit.Resources, "It needs 8 GPUs and 0 are free (8 short)."},
	"wait-priority-1":  {fit.Resources, "{wait-resources}"}, // it would not fit either, and is told who goes first
	"wait-priority-2":  {fit.Resources, "{wait-resources}"},
	"wait-dependency":  {fit.Dependency, "It waits for afterok {run-hf}, which is RUNNING."},
	"wait-never":       {fit.DependencyNever, "afterok {end-raise}, which is FAILED"},
	"wait-qos-gpus":    {fit.PolicyLimit, "A limit of the QOS is reached: GPUs or other generic resources of one user."},
	"wait-qos-jobs":    {fit.PolicyLimit, "A limit of the QOS is reached: running jobs of one user."},
	"wait-account":     {fit.PolicyLimit, "A limit of the account with all below it is reached: GPUs"},
	"wait-array_2":     {fit.PolicyLimit, "tasks of the array"},
	"wait-time":        {fit.PartitionLimit, "short allows 30m, and the job asks for 2h."},
	"wait-nodes":       {fit.PartitionLimit, "short allows 1 node, and the job asks for 2."},
	"wait-closed":      {fit.PartitionDown, "closed is DOWN"},
	"wait-reservation": {fit.OwnReservation, "Its reservation upgrade begins in"},
	"wait-held-user":   {fit.HeldByUser, "Its owner holds it"},
	"wait-held-admin":  {fit.HeldByAdmin, "its owner cannot release it"},
	"wait-begin":       {fit.BeginTime, "It may not start for another"},
	"wait-feature":     {fit.NodesUnavailable, "n4 is DOWN"},
	"wait-node":        {fit.NodesUnavailable, "n4 is DOWN"},
	"wait-licence":     {fit.Licences, "matlab: needs 1, 0 free). Held by {run-licence}."},
}

// Each of the nineteen waiting jobs is told the reason that it was made to have, and
// Slurm's own word beside it.
func testWhy(t *testing.T, p *program, scenario *slurmlab.Scenario) {
	waiting := scenario.In(slurmlab.Waiting)
	args := []string{"why"}
	for _, j := range waiting {
		args = append(args, "slurm:"+j.ID)
	}
	all := ask[answers](t, p, args...)
	if len(waiting) != 19 || len(reasons) != 19 || len(all.Answers) != 19 {
		t.Fatalf("%d jobs wait, %d reasons are expected, %d answers were given; all should be 19", len(waiting), len(reasons), len(all.Answers))
	}
	for i, j := range waiting {
		got, want := all.Answers[i], reasons[j.Name]
		for _, other := range scenario.Jobs {
			want.sentence = strings.ReplaceAll(want.sentence, "{"+other.Name+"}", other.ID)
		}
		if got.Job != j.ID || got.Kind != want.kind || !strings.Contains(got.Text, want.sentence) {
			t.Errorf("%s (%s): why says %s, %q; want %s and %q in it", j.Name, j.ID, got.Kind, got.Text, want.kind, want.sentence)
		}
		if told := strings.ReplaceAll(got.Told.Word+" "+got.Told.Text, "_", " "); !strings.Contains(told, j.Reason) {
			t.Errorf("%s (%s): Slurm's reason %q is told as %q", j.Name, j.ID, j.Reason, told)
		}
		if got.Agreement == fit.Differs && j.Kind != "priority" {
			t.Errorf("%s (%s): differs from Slurm: %s, Slurm says %s", j.Name, j.ID, got.Text, got.Told.Word)
		}
		if j.Kind == "priority" && got.Ahead.Count == 0 {
			t.Errorf("%s (%s): nobody is told to be ahead of it", j.Name, j.ID)
		}
	}
	// A person is told the same: one job in full, several in a table.
	for i, j := range waiting {
		s := p.run(t, "why", "slurm:"+j.ID)
		if s.code != 0 || !strings.HasPrefix(s.out, fmt.Sprintf("Job %s waits: %s", j.ID, strings.TrimSuffix(firstSentence(all.Answers[i].Text), "."))) {
			t.Errorf("%s: exit code %d, %q, standard error %q", j.Name, s.code, s.out, s.err)
		}
	}
	table := p.run(t, args...)
	for i, j := range waiting {
		if !strings.Contains(table.out, "\n"+j.ID+" ") || !strings.Contains(table.out, strings.ReplaceAll(all.Answers[i].Kind.String(), "_", " ")) {
			t.Errorf("the table lacks %s:\n%s", j.ID, table.out)
		}
	}
	// Without a name it is all waiting jobs of the user who asks, which is root.
	mine := ask[answers](t, p, "why")
	for _, j := range waiting {
		told := slices.ContainsFunc(mine.Answers, func(a fit.Answer) bool { return a.Job == j.ID })
		if told != (j.User == "root") {
			t.Errorf("%s is of %s; 'why' of root tells of it: %v", j.Name, j.User, told)
		}
	}
}

// firstSentence is up to the first number that moves with the time.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	if _, _, moves := strings.Cut(first, " in "); moves || strings.Contains(first, "another") {
		return strings.Fields(first)[0]
	}
	return first
}
