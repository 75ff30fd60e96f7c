package failure

import (
	"context"
	"io"
	"strings"
	"testing"

	"schedmate"
)

// What the scheduler records is its word in its own record only: a job that prints the
// same has failed of what its own log shows, or of nothing.
func TestAJobDoesNotSpeakForTheScheduler(t *testing.T) {
	const failed = "Traceback (most recent call last):\n  File \"/home/ann/train.py\", line 4, in <module>\n    f(x)\nKeyError: 'x'\n"
	for _, record := range []string{
		"2026-11-30T00:56:40 JobId=7 JobState=NODE_FAIL Reason=NodeDown ExitCode=0:0 NodeList=n1 FailedNode=n1\n",
		"2026-11-30T00:56:40 JobId=7 JobState=TIMEOUT Reason=TimeLimit ExitCode=0:0 NodeList=n1 TimeLimit=1h00m\n",
		"2026-11-30T00:56:40 JobId=7 JobState=PREEMPTED Reason=None ExitCode=0:0 NodeList=n1\n",
		"2026-11-30T00:56:40 NodeName=n1 State=DOWN+NOT_RESPONDING Reason=Not responding\n",
	} {
		for name, c := range map[string]struct {
			own, record string // what the job wrote, and what the scheduler did
			want        schedmate.FailureClass
		}{
			"the scheduler's":                          {"", record, schedmate.InfrastructureFailure},
			"the scheduler's, after the job's own":     {record, record, schedmate.InfrastructureFailure},
			"the job's":                                {record, "", schedmate.NoFailure},
			"the job's, and then it fails":             {record + failed, "", schedmate.UserFailure},
			"the job's, after it has failed":           {failed + record, "", schedmate.UserFailure},
			"the job's, of what the other contradicts": {record + failed, "2026-11-30T00:56:40 JobId=7 JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1\n", schedmate.UserFailure},
		} {
			text := func(s string) func() (io.ReadCloser, error) {
				return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
			}
			in, err := Diagnose(context.Background(), Default(), []Log{
				{Name: "train.log", Open: text("step 10 loss 2.2\nstep 20 loss 2.1\n" + c.own)},
				{Name: "slurm:7", Open: text(c.record), Record: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := in.Diagnosis.Class; got != c.want && !(got == "" && c.want == schedmate.NoFailure) {
				t.Errorf("%s: %q: class %s (%v), want %s", name, record, got, in.Diagnosis.Root, c.want)
			}
		}
	}
}

// The exit code that Slurm records is in the heading, and why it is there is not known;
// a job that Slurm calls completed is not said to have failed without telling that.
func TestWhatTheRecordSaysOfTheEnd(t *testing.T) {
	const raised = "Traceback (most recent call last):\n  File \"/home/ann/train.py\", line 4, in <module>\n    f(x)\nKeyError: 'x'\n"
	diagnose := func(log, record string) *Incident {
		t.Helper()
		text := func(s string) func() (io.ReadCloser, error) {
			return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
		}
		in, err := Diagnose(context.Background(), Default(), []Log{{Name: "slurm:7", Open: text(record), Record: true}, {Name: "train.log", Open: text(log)}})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	for record, title := range map[string]string{
		"- JobId=7 JobState=FAILED Reason=JobLaunchFailure ExitCode=0:15 NodeList=n1\n":                                "The job was ended by signal 15, sender unknown",
		"- JobId=7 JobState=FAILED Reason=RaisedSignal:10(User_defined_signal_1) ExitCode=0:10 NodeList=n1\n":          "The job was ended by signal 10, sender unknown",
		"- JobId=7 UserId=ann(1000) JobState=CANCELLED Reason=None ExitCode=0:0 CancelledBy=root(0) NodeList=(null)\n": Default().Kinds["cancelled_by_other"].Title.English,
	} {
		in := diagnose("step 10 loss 2.2\n", record)
		if in.Kind.Title.English != title || in.Diagnosis.Root.File != "slurm:7" || in.Kind.Actor(in.Diagnosis.Class) != ActsBoth {
			t.Errorf("%q: %q, to be acted on by %s", record, in.Kind.Title.English, in.Kind.Actor(in.Diagnosis.Class))
		}
		if unstarted := strings.Contains(record, "(null)"); in.Unstarted != unstarted || (in.RanOn == "n1") == unstarted {
			t.Errorf("%q: never started: %v, ran on %q", record, in.Unstarted, in.RanOn)
		}
	}
	failed := diagnose("step 10 loss 2.2\n", "- JobId=7 JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 NodeList=n1\n")
	if failed.Kind.Title.English != "A process ended with exit code 3" || !failed.OnlyEnded {
		t.Errorf("%q, only the end %v", failed.Kind.Title.English, failed.OnlyEnded)
	}
	if again := Default().Kinds["exit_code"].Title.English; strings.Contains(again, "3") {
		t.Errorf("the kind itself is called %q now", again)
	}
	with := diagnose(raised, "- JobId=7 JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1\n").Diagnosis
	completed := diagnose(raised, "- JobId=7 JobState=COMPLETED Reason=None ExitCode=0:0 NodeList=n1\n")
	without := completed.Diagnosis
	if !completed.CalledWell || completed.Restart != RestartNo || without.RestartHelps || completed.Kind.Advice != lookAtTheResult {
		t.Errorf("restart %s, advice %q of a job that Slurm calls completed", completed.Restart, completed.Kind.Advice.English)
	}
	if without.Confidence >= with.Confidence {
		t.Errorf("as sure (%g) of a failure that Slurm knows nothing of as of one that it does (%g)", without.Confidence, with.Confidence)
	}
	if len(without.Evidence) < 2 || without.Evidence[1].File != "slurm:7" || without.Evidence[1].Why != calledWell.English {
		t.Errorf("Slurm's word is not beside it: %+v", without.Evidence)
	}
}
