package failure

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
)

// sampleLines are the samples of the rules that need no stack: positive ones by the
// tier they are found to be of, and all that are harmless.
var sampleLines = sync.OnceValues(func() (byTier map[Tier][]string, harmless []string) {
	byTier = map[Tier][]string{}
	set := Default()
	for i, r := range set.Rules {
		if i%sampleEvery != 0 {
			continue
		}
		for _, line := range r.Positive {
			if f, ok := set.match([]byte(line), nil, new(matchScratch)); ok && !f.tentative {
				byTier[f.rule.Tier] = append(byTier[f.rule.Tier], line)
			}
		}
		harmless = append(harmless, r.Negative...)
	}
	return byTier, harmless
})

// drawLog is a log of progress and of lines of the rules, of a few ranks.
func drawLog(rt *rapid.T, byTier map[Tier][]string) []string {
	var failing []string
	for tier := TierDevice; tier <= TierReaper; tier++ {
		failing = append(failing, byTier[tier]...)
	}
	var log []string
	step := 0
	for range rapid.IntRange(1, 14).Draw(rt, "lines") {
		switch rapid.SampledFrom([]string{"step", "error", "error", "labelled"}).Draw(rt, "kind") {
		case "step":
			step += 10
			log = append(log, fmt.Sprintf("step %d loss 2.31", step))
		case "error":
			log = append(log, rapid.SampledFrom(failing).Draw(rt, "line"))
		default:
			log = append(log, fmt.Sprintf("[rank%d]: %s", rapid.IntRange(0, 3).Draw(rt, "rank"), rapid.SampledFrom(failing).Draw(rt, "line")))
		}
	}
	return log
}

func joined(log []string) string { return strings.Join(log, "\n") + "\n" }

// No root is explained by anything, every other error that the job did not get
// over is, and what explains it leads to a root.
func TestRootsAreUnexplained(t *testing.T) {
	byTier, _ := sampleLines()
	rapid.Check(t, func(rt *rapid.T) {
		log := drawLog(rt, byTier)
		c := readText(rt, joined(log)).reason()
		for _, root := range c.roots {
			if by := c.why[root]; by != nil && root != c.roots[0] { // the first may stand for a later one
				rt.Fatalf("root %q is explained by %q", root.text, by.text)
			}
		}
		for _, e := range c.alive {
			if !slices.Contains(c.roots, c.rootOf(e)) && c.why[c.rootOf(e)] != nil {
				rt.Fatalf("%q leads to %q, which is no root", e.text, c.rootOf(e).text)
			}
		}
	})
}

// A diagnosis is valid whatever the lines are, and what it says depends on nothing
// else: asked again, and of another scanner, it is the same.
func TestDiagnosisIsValidAndRepeatable(t *testing.T) {
	byTier, _ := sampleLines()
	rapid.Check(t, func(rt *rapid.T) {
		log := joined(drawLog(rt, byTier))
		s := readText(rt, log)
		d := s.Diagnosis()
		if err := d.Validate("diagnosis"); err != nil {
			rt.Fatal(err)
		}
		if again := s.Diagnosis(); !cmp.Equal(d, again) {
			rt.Fatalf("asked again:\n%s", cmp.Diff(d, again))
		}
		if other := readText(rt, log).Diagnosis(); !cmp.Equal(d, other) {
			rt.Fatalf("asked another:\n%s", cmp.Diff(d, other))
		}
	})
}

// Harmless lines change no verdict, wherever they stand.
func TestHarmlessLinesChangeNothing(t *testing.T) {
	byTier, harmless := sampleLines()
	harmless = slices.DeleteFunc(harmless, func(l string) bool { return strings.ContainsAny(l, "\r\n") || saysMore(l) })
	rapid.Check(t, func(rt *rapid.T) {
		log := drawLog(rt, byTier)
		before := readText(rt, joined(log)).Diagnosis()
		var mixed []string
		moved := map[int64]int64{} // line before: line after
		for i, l := range log {
			for range rapid.IntRange(0, 2).Draw(rt, "extra") {
				mixed = append(mixed, rapid.SampledFrom(harmless).Draw(rt, "harmless"))
			}
			mixed = append(mixed, l)
			moved[int64(i+1)] = int64(len(mixed))
		}
		after := readText(rt, joined(mixed)).Diagnosis()
		if got, want := verdict(after), verdict(before); got != want {
			rt.Fatalf("said %s, with harmless lines %s:\n%s", want, got, joined(mixed))
		}
		if before.Root != nil && after.Root.Line != moved[before.Root.Line] {
			rt.Fatalf("the root was line %d, now %d, and is %d", before.Root.Line, moved[before.Root.Line], after.Root.Line)
		}
	})
}

// saysMore tells whether a harmless line says something else that counts: a record
// of progress, a good end, or which hosts there are.
func saysMore(line string) bool {
	s := NewScanner(Default())
	if err := s.Read("line", strings.NewReader(strings.Repeat(line+"\n", 4))); err != nil {
		return true
	}
	return s.progressed() || s.ended.told || len(s.hosts.seen) > 0 || len(s.hosts.ofRank) > 0 || s.saving.sequence > 0 || s.saved.text != "" || len(s.events) > 0
}

func verdict(d schedmate.Diagnosis) string {
	return fmt.Sprintf("determined %v %s/%s in %s, node %q, quarantine %v, restart %v", d.Determined, d.Class, d.Subclass, d.Component, d.Node, d.Quarantine, d.RestartHelps)
}

// An error of a process is cleared by ten records of progress after it: it is no
// failure, or not the one.
func TestProgressClears(t *testing.T) {
	byTier, _ := sampleLines()
	var lines []string
	for tier := TierTransport; tier <= TierReaper; tier++ {
		lines = append(lines, byTier[tier]...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var log []string
		step := 0
		progress := func(n int) {
			for range n {
				step += 10
				log = append(log, fmt.Sprintf("step %d loss 2.31", step))
			}
		}
		progress(rapid.IntRange(4, 12).Draw(rt, "before")) // the first three lines of a shape do not count yet
		log = append(log, rapid.SampledFrom(lines).Draw(rt, "error"))
		progress(recoveredAfter + rapid.IntRange(0, 5).Draw(rt, "more"))
		d := readText(rt, joined(log)).Diagnosis()
		if d.Root != nil || d.Class != schedmate.NoFailure {
			rt.Fatalf("the job went on after %q, but %s", log, verdict(d))
		}
	})
}

// The error of one rank and what its peers say of losing it may come in any order:
// class and sub-class do not depend on it.
func TestOrderOfRanksDoesNotMatter(t *testing.T) {
	byTier, _ := sampleLines()
	lost := []string{
		"gpu02:772:901 [0] NCCL WARN NET/Socket : Connection closed by remote peer gpu01<51234>",
		"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error",
		"ConnectionResetError: [Errno 104] Connection reset by peer",
	}
	var errors []string
	for tier := TierDevice; tier <= TierException; tier++ {
		for _, line := range byTier[tier] { // what says only that something ended is as good as what a peer says
			if f, _ := Default().match([]byte(line), nil, new(matchScratch)); !f.rule.Alone {
				errors = append(errors, line)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.SampledFrom(errors).Draw(rt, "line")
		peer := rapid.SampledFrom(lost).Draw(rt, "peer")
		log := []string{"[rank0]: " + line}
		for r := range rapid.IntRange(1, 5).Draw(rt, "others") {
			log = append(log, fmt.Sprintf("[rank%d]: %s", r+1, peer))
		}
		before := readText(rt, joined(log)).Diagnosis()
		order := rapid.Permutation(log).Draw(rt, "order")
		after := readText(rt, joined(order)).Diagnosis()
		if before.Class != after.Class || before.Subclass != after.Subclass {
			rt.Fatalf("%s/%s became %s/%s in the order\n%s", before.Class, before.Subclass, after.Class, after.Subclass, joined(order))
		}
	})
}

// A node is taken out only for a failure of the infrastructure that a witness from
// that node shows.
func TestQuarantineHasWitnessesOfItsNode(t *testing.T) {
	byTier, _ := sampleLines()
	rapid.Check(t, func(rt *rapid.T) {
		s := readText(rt, joined(drawLog(rt, byTier)))
		d := s.Diagnosis()
		if !d.Quarantine {
			return
		}
		if d.Class != schedmate.InfrastructureFailure || d.Node == "" || len(d.Witnesses) == 0 || d.HeldBack != "" {
			rt.Fatalf("quarantine of %q for class %s with %d witnesses, held back %q", d.Node, d.Class, len(d.Witnesses), d.HeldBack)
		}
		for _, w := range d.Witnesses {
			i := slices.IndexFunc(s.events, func(e *event) bool { return e.line == w.Line && e.text == w.Text })
			if i < 0 || s.nodeOf(s.events[i]) != d.Node {
				rt.Fatalf("witness %q is not of node %s", w.Text, d.Node)
			}
		}
	})
}

// Lines that only tell of a wait, of a lost peer or of an exit take no node out,
// however many there are.
func TestFalloutTakesNoNodeOut(t *testing.T) {
	byTier, _ := sampleLines()
	lines := slices.Concat(byTier[TierPeer], byTier[TierReaper])
	rapid.Check(t, func(rt *rapid.T) {
		log := []string{"[rank0]: gpu01:771:771 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.11<0>"}
		for range rapid.IntRange(1, 20).Draw(rt, "lines") {
			log = append(log, fmt.Sprintf("[rank%d]: %s", rapid.IntRange(0, 3).Draw(rt, "rank"), rapid.SampledFrom(lines).Draw(rt, "line")))
		}
		if d := readText(rt, joined(log)).Diagnosis(); d.Quarantine {
			rt.Fatalf("node %s is taken out for\n%s", d.Node, joined(log))
		}
	})
}

// A log that is read in two files, the first part and the rest, has the same class
// as in one.
func TestSplitLogsSayTheSame(t *testing.T) {
	byTier, _ := sampleLines()
	rapid.Check(t, func(rt *rapid.T) {
		log := drawLog(rt, byTier)
		for i := range log {
			clock := fmt.Sprintf("2024-03-01 10:00:%02d ", i)
			log[i] = clock + strings.ReplaceAll(log[i], "\r", "\r"+clock) // what is drawn over it has one, too
		}
		whole := readText(rt, joined(log)).Diagnosis()
		cut := rapid.IntRange(0, len(log)).Draw(rt, "cut")
		s := NewScanner(Default())
		for i, part := range [][]string{log[:cut], log[cut:]} {
			if err := s.Read(fmt.Sprint(i), strings.NewReader(joined(part))); err != nil {
				rt.Fatal(err)
			}
		}
		if parts := s.Diagnosis(); parts.Class != whole.Class || parts.Subclass != whole.Subclass {
			rt.Fatalf("%s/%s became %s/%s when cut at %d:\n%s", whole.Class, whole.Subclass, parts.Class, parts.Subclass, cut, joined(log))
		}
	})
}

// What says only that a peer was lost or that a launcher cleaned up is never the
// root beside an error that the job did not get over.
func TestFalloutIsNotTheRoot(t *testing.T) {
	byTier, _ := sampleLines()
	rapid.Check(t, func(rt *rapid.T) {
		log := joined(drawLog(rt, byTier))
		c := readText(rt, log).reason()
		if len(c.roots) == 0 || c.roots[0].tier() < TierPeer {
			return
		}
		for _, e := range c.roots {
			if e.tier() <= TierException && e.weight() == 0 {
				rt.Fatalf("root is %q, not %q in\n%s", c.roots[0].text, e.text, log)
			}
		}
	})
}
