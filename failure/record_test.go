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
