package failure

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The labels are written by hand, and so is what each prediction is worth: the
// comments below follow the rules of the scorer that comes with the cases.
const labels = `{"file":"logs/a.log","root_line":100,"root_span":[90,110],"root_accept":[[90,110],[150,155]],"class":"infrastructure","class_alt":["framework"],"subclass":"gpu_ecc","component":"gpu","component_alt":[],"node":"n7","restart_helps":true,"quarantine":true,"quarantine_optional":false,"also":[{"line":300,"class":"user"}]}
{"file":"logs/b.log","root_line":50,"root_span":[50,50],"root_accept":[],"class":"user","class_alt":[],"subclass":"shape_mismatch","component":"user_code","component_alt":[],"node":"","restart_helps":false,"quarantine":false,"quarantine_optional":false,"also":[]}
{"file":"logs/c.log.gz","root_line":0,"root_span":[0,0],"root_accept":[],"class":"none","class_alt":[],"subclass":"success","component":"none","component_alt":[],"node":"","restart_helps":false,"quarantine":false,"quarantine_optional":false,"also":[]}
{"file":"logs/d.log","root_line":10,"root_span":[8,10],"root_accept":[[8,10]],"class":"framework","class_alt":["user"],"subclass":"compile_failed","component":"compiler","component_alt":["dependency"],"node":"","restart_helps":false,"quarantine":false,"quarantine_optional":false,"also":[]}
{"file":"logs/e.log","root_line":20,"root_span":[20,20],"root_accept":[[20,20]],"class":"infrastructure","class_alt":[],"subclass":"net_ib","component":"network","component_alt":[],"node":"","restart_helps":true,"quarantine":true,"quarantine_optional":true,"also":[]}
{"file":"logs/f.log","root_line":4,"root_span":[4,4],"root_accept":[[4,4]],"class":"none","class_alt":[],"subclass":"recovered","component":"none","component_alt":[],"node":"","restart_helps":false,"quarantine":false,"quarantine_optional":false,"also":[]}
`

const predictions = `{"file":"elsewhere/logs/a.log","class":"infrastructure","component":"gpu","node":"n7","root_line":153,"restart_helps":true,"quarantine":true,"also":[{"line":9},{"line":303}],"ms":3}
{"file":"logs/b.log","class":"infrastructure","component":"host_memory","node":"n1","root_line":47,"restart_helps":true,"quarantine":true,"ms":1}
{"file":"c.log.gz","class":"none","component":"none","root_line":0,"ms":2}
{"file":"logs/d.log","class":"user","component":"dependency","root_line":14,"ms":10}
{"file":"logs/f.log","class":"framework","component":"framework","root_line":4,"restart_helps":true}
`

func handMade(t *testing.T) (*Cases, map[string]Prediction) {
	t.Helper()
	list, err := readLabels("labels.jsonl", strings.NewReader(labels))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ReadPredictions("predictions.jsonl", strings.NewReader(predictions))
	if err != nil {
		t.Fatal(err)
	}
	return &Cases{Labels: list}, p
}

func TestScoreByHand(t *testing.T) {
	c, p := handMade(t)
	three := 3.0
	want := &Score{
		Logs: 6, Absent: 1, // e
		// a stands in an accepted range, b three lines off, c is silent. Not d (four lines off), e (silent),
		// f (it recovered, so there is no root, whatever line the label gives).
		Root:         Tally{3, 6, 0.5},
		Class:        Tally{2, 6, 2. / 6}, // a, c
		ClassLenient: Tally{3, 6, 0.5},    // and d
		// F1: infrastructure 2*1/(2+2), framework 0, user 0, none 2*1/(2+1); their mean.
		MacroF1: (0.5 + 2./3) / 4,
		// Given to a and b, true of a and e.
		Infrastructure:   Detection{F1: 0.5, Precision: 0.5, Recall: 0.5},
		Component:        Tally{2, 6, 2. / 6}, // a, c
		ComponentLenient: Tally{3, 6, 0.5},    // and d
		Node:             Tally{5, 6, 5. / 6}, // all but b; saying nothing of e is right
		Quarantine:       Tally{1, 1, 1},      // a; e is optional
		WrongQuarantines: []Wrong{{"logs/b.log", "user", "shape_mismatch"}},
		WrongByClass:     map[string]int{"user": 1},
		WastedRestarts:   2,              // b, f
		MissedRestarts:   1,              // e
		SecondRoots:      Tally{1, 1, 1}, // of a, three lines off
		// Times 1 2 3 10: place 4/2 = 2 is 3, place int(0.99*3) = 2 is 3.
		MedianMilliseconds: &three, P99Milliseconds: &three,
	}
	about := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
	if diff := cmp.Diff(want, c.Score(p), about); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
}

// Answers are put together by how sure they are: of three that claim 90, 95 and 97 %
// two are right, one that claims a quarter is wrong, and one that claims nothing is
// in no bin.
func TestReliability(t *testing.T) {
	c := &Cases{}
	p := map[string]Prediction{}
	for i, claimed := range []float64{0.90, 0.95, 0.97, 0.25, 0} {
		name := string(rune('a'+i)) + ".log"
		c.Labels = append(c.Labels, Label{File: name, Class: "user"})
		p[name] = Prediction{File: name, Class: []string{"user", "user", "framework", "infrastructure", NoFailure}[i], Confidence: claimed}
	}
	want := []Bin{{From: 0, Claimed: 0.25, Class: Tally{0, 1, 0}}, {From: 0.9, Claimed: 0.94, Class: Tally{2, 3, 2. / 3}}}
	about := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
	if diff := cmp.Diff(want, c.Score(p).Reliability, about); diff != "" {
		t.Errorf("reliability (-want +got):\n%s", diff)
	}
}

// A handler that says nothing at all has found that nothing failed, where nothing
// did, and no class.
func TestScoreOfSilence(t *testing.T) {
	c, _ := handMade(t)
	s := c.Score(nil)
	if s.Absent != 6 || s.Root != (Tally{2, 6, 2. / 6}) || s.Class.Right != 0 || s.MacroF1 != 0 || s.Node != (Tally{5, 6, 5. / 6}) {
		t.Errorf("absent %d, root %v, class %v, macro-F1 %g, node %v; want 6, 2/6, 0/6, 0, 5/6", s.Absent, s.Root, s.Class, s.MacroF1, s.Node)
	}
	if s.Quarantine != (Tally{0, 1, 0}) || s.MissedRestarts != 2 || s.WastedRestarts != 0 || s.P99Milliseconds != nil {
		t.Errorf("quarantine %v, restarts missed %d, wasted %d, p99 %v; want 0/1, 2, 0, nothing", s.Quarantine, s.MissedRestarts, s.WastedRestarts, s.P99Milliseconds)
	}
}

func TestBadLabels(t *testing.T) {
	for _, bad := range []struct{ text, want string }{
		{"{\"file\":\"a\",\"class\":\"none\"}\n\nnonsense\n", "labels.jsonl:3"},
		{`{"file":"../secret","class":"none"}`, `file is "../secret"`},
		{`{"file":"a","class":"hardware"}`, `class is "hardware": use one of infrastructure`},
		{`{"file":"a","class":"user","root_line":-1}`, "root_line is -1"},
		{`{"file":"a","class":"user","root_span":4}`, "root_span"},
	} {
		_, err := readLabels("labels.jsonl", strings.NewReader(bad.text))
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: error %v, want one about %s", bad.text, err, bad.want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "labels.jsonl") {
		t.Errorf("an empty folder: error %v, want one that names labels.jsonl", err)
	}
}
