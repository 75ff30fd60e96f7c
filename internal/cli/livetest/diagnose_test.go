package livetest

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/internal/slurmlab"
)

// incident is what diagnose says with -o json.
type incident struct {
	Diagnosis schedmate.Diagnosis `json:"diagnosis"`
}

// none is how a document writes that nothing has failed.
const none schedmate.FailureClass = "none"

// endings is what diagnose must say of each job that ended: by hand, from what was
// done to it.
var endings = map[string]struct {
	class schedmate.FailureClass
	kind  string
	node  string
}{
	"end-ok":        {class: none},
	"end-raise":     {class: schedmate.UserFailure, kind: "shape_mismatch"},
	"end-signal":    {class: schedmate.FrameworkFailure, kind: "segfault"},
	"end-time":      {class: schedmate.InfrastructureFailure, kind: "time_limit"},
	"end-memory":    {class: schedmate.UserFailure, kind: "host_oom"},
	"end-disk":      {class: schedmate.InfrastructureFailure, kind: "disk_full"},
	"end-binary":    {class: schedmate.UserFailure, kind: "dependency_missing"},
	"end-launch":    {class: schedmate.UserFailure, kind: "output_not_opened"},
	"end-cancelled": {class: schedmate.UserFailure, kind: "user_interrupt"},
	"end-requeued":  {class: none},
	"end-preempted": {class: schedmate.InfrastructureFailure, kind: "preempted"},
	"end-node":      {class: schedmate.InfrastructureFailure, kind: "node_failure", node: "n4"},
}

// The twelve jobs that ended are told why, and the one whose node fell silent also
// which node that was.
func testDiagnose(t *testing.T, p *program, scenario *slurmlab.Scenario) {
	ended := scenario.In(slurmlab.Ended)
	if len(ended) != 12 || len(endings) != 12 {
		t.Fatalf("%d jobs have ended, %d endings are expected; both should be 12", len(ended), len(endings))
	}
	for _, j := range ended {
		got, want := ask[incident](t, p, "diagnose", "slurm:"+j.ID).Diagnosis, endings[j.Name]
		if !got.Determined || got.Class != want.class || got.Subclass != want.kind || got.Node != want.node || got.Quarantine {
			t.Errorf("%s (%s): determined %v, %s %s, node %q, quarantine %v; want %s %s, node %q; root %+v", j.Name, j.ID, got.Determined, got.Class, got.Subclass, got.Node, got.Quarantine, want.class, want.kind, want.node, got.Root)
			continue
		}
		// Where the log tells the cause, its line is among what is quoted.
		if j.Ending.Line == "" {
			continue
		}
		quoted := false
		for _, q := range got.Evidence {
			quoted = quoted || strings.Contains(q.Text, j.Ending.Line)
		}
		if !quoted {
			t.Errorf("%s (%s): the line with %q is not quoted: %+v", j.Name, j.ID, j.Ending.Line, got.Evidence)
		}
	}
}
