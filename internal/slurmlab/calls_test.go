package slurmlab

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What sdiag of Slurm 22.05 prints, shortened.
const sdiag = `*******************************************************
sdiag output at Mon Nov 30 08:02:13 2026 (1796025733)
*******************************************************
Server thread count:  1

Remote Procedure Call statistics by message type
	MESSAGE_NODE_REGISTRATION_STATUS        ( 1002) count:8      ave_time:518    total_time:4151
	REQUEST_JOB_INFO                        ( 2003) count:4      ave_time:422261 total_time:1689044
	REQUEST_UPDATE_JOB                      ( 3001) count:1      ave_time:913689 total_time:913689

Remote Procedure Call statistics by user
	root            (       0) count:35     ave_time:75457  total_time:2641006
`

func TestCallsAreParsed(t *testing.T) {
	got, err := parseCalls(sdiag)
	if err != nil {
		t.Fatal(err)
	}
	want := Calls{"MESSAGE_NODE_REGISTRATION_STATUS": 8, "REQUEST_JOB_INFO": 4, "REQUEST_UPDATE_JOB": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := parseCalls("no table"); err == nil {
		t.Error("a text without the table is taken for no calls")
	}
}

// What nodes tell is nobody's write; a type that nobody knows is one.
func TestUnknownCallsWrite(t *testing.T) {
	made, err := Calls{"REQUEST_JOB_INFO": 5, "MESSAGE_EPILOG_COMPLETE": 3, "REQUEST_SOMETHING_NEW": 1, "REQUEST_KILL_JOB": 2}.
		Since(Calls{"REQUEST_JOB_INFO": 4, "MESSAGE_EPILOG_COMPLETE": 1, "REQUEST_KILL_JOB": 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"REQUEST_SOMETHING_NEW"}, made.Writes()); diff != "" {
		t.Error("writes:", diff)
	}
	if diff := cmp.Diff([]string{"REQUEST_JOB_INFO"}, made.Reads()); diff != "" {
		t.Error("reads:", diff)
	}
	if _, err := (Calls{"REQUEST_JOB_INFO": 1}).Since(Calls{"REQUEST_JOB_INFO": 4}); err == nil {
		t.Error("counters that were reset are taken for no calls")
	}
}
