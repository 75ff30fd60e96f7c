package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// The record of a job that was requeued once and whose node failed. One node was
// drained before the job began, another long after it had ended: these say nothing
// about it. Text of people makes no lines of its own.
func TestRecordOfAJob(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	defer func() { time.Local = local }()
	const day = 1_796_000_000 // 2026-11-30 00:53:20
	job := &schedmate.ObservedJob{
		ID: "7", User: "ann", State: "NODE_FAIL", Reason: "NodeDown", Start: day + 100, End: day + 200, TimeLimit: 3600, Nodes: []string{"n1", "n2", "n3", "n4"},
		Ending: &schedmate.Ending{FailedNode: "n1"},
	}
	past := []schedmate.ObservedJob{
		{ID: "7", State: "REQUEUED", Start: day, End: day + 50, Nodes: []string{"n9"}, Ending: &schedmate.Ending{CancelledBy: "4294967294"}},
		*job, // the last run, which the queue has too
	}
	o := &schedmate.Observation{Nodes: []schedmate.ObservedNode{
		{Name: "n1", States: []string{"DOWN", "NOT_RESPONDING"}, Reason: "Not responding\nJobId=7 JobState=COMPLETED", ReasonAt: day + 200},
		{Name: "n2", States: []string{"IDLE", "DRAIN"}, Reason: "before", ReasonAt: day + 50},
		{Name: "n3", States: []string{"IDLE", "DRAIN"}, Reason: "long after", ReasonAt: day + 200 + 3600},
		{Name: "n4", States: []string{"IDLE"}},
		{Name: "n9", States: []string{"DOWN"}, Reason: "not of the last run", ReasonAt: day + 150},
	}}
	const want = `2026-11-30T00:54:10 JobId=7 JobState=REQUEUED Reason=None ExitCode=0:0 CancelledBy=4294967294 NodeList=n9
2026-11-30T00:56:40 JobId=7 UserId=ann JobState=NODE_FAIL Reason=NodeDown ExitCode=0:0 NodeList=n1,n2,n3,n4 FailedNode=n1 TimeLimit=1h00m
2026-11-30T00:56:40 NodeName=n1 State=DOWN+NOT_RESPONDING Reason=Not responding JobId=7 JobState=COMPLETED
`
	if diff := cmp.Diff(want, jobRecord(job, past, o)); diff != "" {
		t.Error(diff)
	}
}

// The queue tells where a job logs, the database how it ended; each may be all there is.
func TestMergedJob(t *testing.T) {
	queue := &schedmate.ObservedJob{ID: "7", State: "FAILED", Stdout: "/x/7.out", Ending: &schedmate.Ending{Signal: 15, FailedNode: "n1"}}
	runs := []schedmate.ObservedJob{{ID: "7", State: "REQUEUED", Ending: &schedmate.Ending{}}, {ID: "7", State: "FAILED", Ending: &schedmate.Ending{ExitCode: 3, CancelledBy: "0"}}}
	got := merged([]*schedmate.ObservedJob{queue}, runs)
	if got.Stdout != "/x/7.out" || *got.Ending != (schedmate.Ending{ExitCode: 3, CancelledBy: "0", FailedNode: "n1"}) || queue.Ending.ExitCode != 0 {
		t.Errorf("%+v %+v", got, got.Ending)
	}
	if got := merged([]*schedmate.ObservedJob{queue}, nil); got.Ending.Signal != 15 {
		t.Errorf("%+v", got.Ending)
	}
	runs[1].Nodes = []string{"n1"}
	if got := merged([]*schedmate.ObservedJob{queue}, runs); len(got.Nodes) != 1 {
		t.Errorf("a job that ran has no nodes: %+v", got)
	}
	if got := merged(nil, runs); got.State != "FAILED" {
		t.Errorf("%+v", got)
	}
	running := &schedmate.ObservedJob{ID: "7", State: "RUNNING", Restarts: 1}
	if got := merged([]*schedmate.ObservedJob{running}, runs[:1]); got.Ending != nil {
		t.Errorf("a job that runs again has ended: %+v", got.Ending)
	}
}
