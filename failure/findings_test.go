package failure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

// scanned is a scanner that has read the given logs, called log-0, log-1 and so on.
func scanned(t interface{ Fatal(...any) }, texts ...string) *Scanner {
	s := NewScanner(Default())
	for i, text := range texts {
		if err := s.Read(fmt.Sprintf("log-%d", i), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// What the rules found is told in reading order, whatever it is in the end: an
// error that is only fallout, the root in the kernel's log, and of lines that say
// the same the first and the last.
func TestFindingsAreInReadingOrder(t *testing.T) {
	train := "step 10/900 loss 2.31\n" +
		"[rank1]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error\n" +
		"[rank1]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error\n" +
		"all ranks are asked to end\n"
	kernel := "Nov 30 02:11:09 gpu-node-3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4121, name=python3, GPU has fallen off the bus.\n"
	got := scanned(t, train, kernel).Findings()
	want := []Finding{
		{Line: 2, Byte: 22, Last: 3, Source: 0, Kind: "peer_lost", Class: schedmate.InfrastructureFailure, Tier: TierPeer},
		{Line: 1, Byte: 0, Last: 1, Source: 1, Kind: "gpu_off_bus", Class: schedmate.InfrastructureFailure, Tier: TierDevice, Node: "gpu-node-3"},
	}
	for i := range got {
		if got[i].Text == "" || got[i].Rule == "" || got[i].Guessed {
			t.Errorf("finding %d has text %q, rule %q, guessed %v", i, got[i].Text, got[i].Rule, got[i].Guessed)
		}
		got[i] = Finding{
			Line: got[i].Line, Byte: got[i].Byte, Last: got[i].Last, Source: got[i].Source, Kind: got[i].Kind, Class: got[i].Class, Tier: got[i].Tier, Node: got[i].Node,
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// The root of a diagnosis is one of the findings.
func TestRootIsAFinding(t *testing.T) {
	var samples []string
	for _, r := range Default().Rules {
		samples = append(samples, r.Positive...)
		samples = append(samples, r.Negative...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(samples), 1, 12).Draw(rt, "lines"), "\n")
		s := scanned(rt, text)
		findings, d := s.Findings(), s.Diagnosis()
		if !slices.IsSortedFunc(findings, func(a, b Finding) int { return int(a.Line - b.Line) }) {
			rt.Fatalf("findings %v are not in reading order", findings)
		}
		if d.Root != nil && !slices.ContainsFunc(findings, func(f Finding) bool { return f.Line == d.Root.Line && f.Byte == d.Root.Byte && f.Text == d.Root.Text }) {
			rt.Fatalf("the root %v is none of %v", *d.Root, findings)
		}
	})
}
