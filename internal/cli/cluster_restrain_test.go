package cli

import (
	"strings"
	"testing"

	"schedmate"
	"schedmate/failure"
)

// Whoever owns a job can print what a kernel or Slurm would: by that alone no node is
// taken out, and none is named on which the job did not run.
func TestAJobsOwnWordTakesNoNodeOut(t *testing.T) {
	own, kernel := schedmate.Quote{File: "train.log", Line: 3}, schedmate.Quote{File: "dmesg.log", Line: 1}
	job := &ranOn{nodes: []string{"n2", "n3"}, own: []string{"train.log"}}
	for name, c := range map[string]struct {
		job       *ranOn
		node      string
		witnesses []schedmate.Quote
		wantNode  string
		taken     bool
	}{
		"a file is diagnosed, no job":              {nil, "n1", []schedmate.Quote{own}, "n1", true},
		"a node of another job":                    {job, "n1", []schedmate.Quote{own, own}, "", false},
		"a node of another job, by the kernel":     {job, "n1", []schedmate.Quote{kernel}, "", false},
		"its own node, by its own word":            {job, "n2", []schedmate.Quote{own, own}, "n2", false},
		"its own node, by the kernel beside":       {job, "n2", []schedmate.Quote{own, kernel}, "n2", true},
		"where it ran is not told, by its own log": {&ranOn{own: []string{"train.log"}}, "n2", []schedmate.Quote{own}, "n2", false},
	} {
		in := &failure.Incident{Kind: failure.Default().Kinds["gpu_off_bus"], Diagnosis: schedmate.Diagnosis{Node: c.node, Quarantine: true, Witnesses: c.witnesses, Confidence: 0.92}}
		c.job.restrain(in)
		d := &in.Diagnosis
		if d.Node != c.wantNode || d.Quarantine != c.taken || !c.taken && (d.HeldBack == "" || len(d.Witnesses) > 0) {
			t.Errorf("%s: node %q, quarantine %v, witnesses %v, held back %q", name, d.Node, d.Quarantine, d.Witnesses, d.HeldBack)
		}
		if sure, out := d.Confidence > 0.5, strings.HasPrefix(in.Kind.Advice.English, "Take the node out"); sure != c.taken || out != c.taken || in.Unwitnessed == c.taken {
			t.Errorf("%s: %g sure, advice %q, where the node is taken out: %v", name, d.Confidence, in.Kind.Advice.English, c.taken)
		}
	}
}
