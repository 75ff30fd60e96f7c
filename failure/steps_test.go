package failure

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"schedmate"
)

// diagnosed is an incident of several logs.
func diagnosed(t *testing.T, logs ...Log) *Incident {
	t.Helper()
	in, err := Diagnose(context.Background(), Default(), logs)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func textLog(name, text string) Log {
	return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// steps are n records of training that begin at a step.
func steps(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "step %d loss 2.1\n", from+i*10)
	}
	return b.String()
}

// A reader of steps who knows better is believed, and what the whole is told by him.
func TestStepsOfAnotherReaderAreBelieved(t *testing.T) {
	log := textLog("train.log", "elapsed_ms 512 step 10\nelapsed_ms 1024 step 20\n")
	log.Steps = func() Steps {
		return Steps{Last: &schedmate.Reading{Value: 20, Line: 2, Byte: 23, Name: "step"}, Total: &schedmate.Reading{Value: 20}}
	}
	in := diagnosed(t, log)
	if last := in.Diagnosis.LastStep; last == nil || last.Value != 20 || last.Line != 2 {
		t.Errorf("the last step is %+v", last)
	}
	if in.Total == nil || in.Total.Value != 20 || !in.RanOut {
		t.Errorf("the total is %+v, ran out %v: the last step is the last of all", in.Total, in.RanOut)
	}
}

// Parts of epochs are progress where nothing else is counted: a job that was killed
// after hours was not loading. They are no steps.
func TestPartsOfEpochsAreProgress(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "{'loss': 2.%d, 'learning_rate': 1e-05, 'epoch': %.2f}\n", 99-i, float64(i)/100)
	}
	s := readText(t, b.String())
	if !s.progressed() || s.trained < startRecords {
		t.Errorf("%d records of training were seen", s.trained)
	}
	if last := s.Diagnosis().LastStep; last != nil {
		t.Errorf("the last step is %+v: no step is told", last)
	}
}

// A run that did all its steps and says nothing more shows no sign of a failure; one
// that stops half way does not look done, whatever word comes last.
func TestARunThatDidAllItsSteps(t *testing.T) {
	for _, c := range []struct {
		text   string
		ranOut bool
	}{
		{steps(0, 40) + "Done in 3h 12m\n", true},
		{steps(0, 40) + "finished\n", true},
		{steps(0, 40), false},
		{"finished\n" + steps(0, 40), false},
		{"train:  98%|####| 98/100 loss 2.1\ntrain:  99%|####| 99/100 loss 2.1\ntrain: 100%|####| 100/100 loss 2.1\n", true},
		{steps(0, 40) + "RuntimeError: CUDA error: uncorrectable ECC error encountered\nfinished\n", false},
	} {
		if in := diagnosed(t, textLog("train.log", c.text)); in.RanOut != c.ranOut {
			t.Errorf("ran out %v, expected %v:\n%s", in.RanOut, c.ranOut, c.text[max(0, len(c.text)-200):])
		}
	}
}

// A word takes back a good end in its own sentence only.
func TestGoodEndsAreTakenBackInTheirSentence(t *testing.T) {
	for text, well := range map[string]bool{
		"Training completed. Do not forget to share your model": true,
		"Training was not completed.":                           false,
		"All ranks finished with exit codes: 1 0 0 0":           false,
		"All ranks finished with exit codes: 0 0 0 0":           true,
		"训练完成。不要忘记上传模型":                                         true,
	} {
		if got := readText(t, steps(0, 40)+text+"\n").endedWell(); got != well {
			t.Errorf("%q: ended well %v, expected %v", text, got, well)
		}
	}
}

// attempt is one start of a job that fails on a node at the given step.
func attempt(last int, text string) string {
	return "gpu-17:812:901 [3] NCCL INFO Bootstrap : Using eth0\n" + steps(last-150, 16) + text + "\n"
}

// A program that does the same each time fails alike each time, and on any node. What
// fails here and there on one node is the node's.
func TestDeathsAtOneStepAreTheProgramsOwn(t *testing.T) {
	const surfaced = "RuntimeError: CUDA error: an illegal memory access was encountered"
	const launch = "RuntimeError: CUDA error: unspecified launch failure"
	for _, text := range []string{surfaced, launch} {
		same := readText(t, attempt(700, text)+attempt(700, text)+attempt(700, text)).Diagnosis()
		if same.Quarantine {
			t.Errorf("%s at step 700 each time: %s is taken out", text, same.Node)
		}
	}
	apart := readText(t, attempt(300, launch)+attempt(5000, launch)+attempt(1700, launch)).Diagnosis()
	if !apart.Quarantine || apart.Node != "gpu-17" {
		t.Errorf("the device failed at three steps on one node: quarantine %v, node %q, held back %q", apart.Quarantine, apart.Node, apart.HeldBack)
	}
}

// Of several files that tell the same without clocks, the first given is the root.
func TestOfFilesThatTellTheSameTheFirstIsTaken(t *testing.T) {
	text := steps(0, 40) + "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
	in := diagnosed(t, textLog("a.log", text), textLog("b.log", text), textLog("c.log", text))
	if root := in.Diagnosis.Root; root == nil || root.File != "a.log" {
		t.Errorf("the root is %+v", root)
	}
}

// What an exception about a value quotes below itself, and what a program prints
// before it fails on its own, is no proof against a node.
func TestQuotedLinesProveNothing(t *testing.T) {
	const head = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n"
	const xid = "Nov 30 02:11:09 gpu-node-3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4121, name=python3, GPU has fallen off the bus.\n"
	for _, text := range []string{
		head + "ValueError: bad sample:\n" + xid,
		"ValueError: srun: error: Node failure on gpu-17\n",
		"srun: error: Node failure on gpu-17\nValueError: x\n",
	} {
		if d := readText(t, steps(0, 40)+text).Diagnosis(); d.Quarantine {
			t.Errorf("node %s is taken out because of\n%s", d.Node, text)
		}
	}
}
