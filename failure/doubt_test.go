package failure

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A GPU that fell off the bus is advised to be taken out with its node. Where that is held
// back, because the program failed on its own, too, the advice is to look first; where
// only the job says it, it is no more than as likely as not.
func TestAdviceFollowsWhatIsHeldBack(t *testing.T) {
	const (
		lost   = "step 10 loss 2.2\nNov 30 10:11:10 n4 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
		raised = "Traceback (most recent call last):\n  File \"/home/ann/train.py\", line 4, in <module>\n    f(x)\nKeyError: 'x'\n"
	)
	diagnose := func(text string) *Incident {
		in, err := Diagnose(context.Background(), Default(), []Log{{Name: "train.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	taken, held, own := diagnose(lost), diagnose(lost+raised), diagnose(lost)
	own.OwnWordOnly()
	if !taken.Diagnosis.Quarantine || !strings.HasPrefix(taken.Kind.Advice.English, "Take the node out") {
		t.Errorf("nothing speaks against it: quarantine %v, %q", taken.Diagnosis.Quarantine, taken.Kind.Advice.English)
	}
	if held.Diagnosis.HeldBack == "" || held.Kind.Advice != lookAtTheNode {
		t.Errorf("the program failed, too: held back %q, %q", held.Diagnosis.HeldBack, held.Kind.Advice.English)
	}
	if d := &own.Diagnosis; d.Quarantine || d.HeldBack == "" || d.Node != "n4" || d.Confidence != 0.5 || own.Kind.Advice != askTheNode || d.Validate("diagnosis") != nil {
		t.Errorf("only the job says so: %+v, %q", d, own.Kind.Advice.English)
	}
	if again := Default().Kinds["gpu_off_bus"].Advice; again != taken.Kind.Advice {
		t.Errorf("the kind itself advises %q now", again.English)
	}
	// The job did not run there: the node is not named either.
	elsewhere := diagnose(lost)
	elsewhere.RanElsewhere()
	if d := &elsewhere.Diagnosis; d.Node != "" || d.Quarantine || d.Confidence > 0.5 || !strings.Contains(d.HeldBack, "n4") || d.Validate("diagnosis") != nil {
		t.Errorf("it ran elsewhere: %+v", d)
	}
}
