package failure

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"schedmate"
)

// held is a log in memory that can change between two readings.
type held struct{ text []byte }

func (h *held) log(name string) Log {
	return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.text)), nil }}
}

// quoted are the lines that the diagnosis of logs quotes.
func quoted(t interface{ Fatal(...any) }, incident []Log) []schedmate.Quote {
	in, err := Diagnose(context.Background(), Default(), incident)
	if err != nil {
		t.Fatal(err)
	}
	quotes := slices.Concat(in.Diagnosis.Evidence, in.Diagnosis.Witnesses)
	for _, also := range in.Diagnosis.Also {
		quotes = append(quotes, schedmate.Quote{File: also.File, Line: also.Line, Byte: also.Byte, Text: also.Text})
	}
	return quotes
}

const (
	offTheBus = "Nov 30 02:11:09 gpu-node-3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4121, name=python3, GPU has fallen off the bus."
	oneLog    = "starting\nstep 1/100 loss 2.31\n" + offTheBus + "\nRuntimeError: CUDA error: unspecified launch failure\nstopped\n"
)

// A quoted line that was changed, moved or cut off between the scan and the check
// is an error that names it, and no report is written.
func TestChangedLinesAreFound(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"moved by one byte":  func(s string) string { return "x" + s },
		"another code":       func(s string) string { return strings.Replace(s, "): 79,", "): 31,", 1) },
		"one letter":         func(s string) string { return strings.Replace(s, "fallen", "Fallen", 1) },
		"moved by one line":  func(s string) string { return "a line\n" + s },
		"cut off before it":  func(s string) string { return s[:strings.Index(s, "Nov 30")] },
		"cut off within it":  func(s string) string { return s[:strings.Index(s, "fallen")] },
		"emptied":            func(string) string { return "" },
		"wiped where it was": func(s string) string { return strings.Replace(s, offTheBus, strings.Repeat(" ", len(offTheBus)), 1) },
	} {
		h := &held{[]byte(oneLog)}
		incident := []Log{h.log("train.log")}
		quotes := quoted(t, incident)
		if len(quotes) == 0 || quotes[0].Line != 3 {
			t.Fatalf("quotes %v, want line 3 first", quotes)
		}
		if err := Verify(context.Background(), incident, quotes); err != nil {
			t.Fatalf("the log has not changed yet: %v", err)
		}
		h.text = []byte(change(oneLog))
		err := Verify(context.Background(), incident, quotes)
		if err == nil {
			t.Errorf("%s: is not noticed", name)
		} else if !strings.Contains(err.Error(), "train.log") || !strings.Contains(err.Error(), "has changed, diagnose it again") {
			t.Errorf("%s: error %v, want one that names the log and what to do", name, err)
		}
	}
}

// Lines that nobody quoted may change: a log goes on growing.
func TestOtherLinesMayChange(t *testing.T) {
	h := &held{[]byte(oneLog)}
	incident := []Log{h.log("train.log")}
	quotes := quoted(t, incident)
	h.text = append([]byte(strings.Replace(oneLog, "starting", "STARTING", 1)), "one more line\n"...)
	if err := Verify(context.Background(), incident, quotes); err != nil {
		t.Error(err)
	}
}

// Each log of an incident is checked with its own quotes.
func TestTheRightLogIsBlamed(t *testing.T) {
	train, kernel := &held{[]byte("step 1/100 loss 2.31\nRuntimeError: CUDA error: unspecified launch failure\n")}, &held{[]byte(offTheBus + "\n")}
	incident := []Log{train.log("train.log"), kernel.log("dmesg.log")}
	quotes := quoted(t, incident)
	kernel.text = []byte("Nov 30 02:11:09 gpu-node-3 kernel: usb 1-1: new device found, all is well on this bus, nothing to be seen here.\n")
	if err := Verify(context.Background(), incident, quotes); err == nil || !strings.Contains(err.Error(), "quotes of dmesg.log: line 1 ") {
		t.Errorf("error %v, want one about line 1 of dmesg.log", err)
	}
}

// What a diagnosis quotes stands in the log, whatever stands around it and
// however it is written.
func TestQuotesStand(t *testing.T) {
	var samples []string
	for _, r := range Default().Rules {
		samples = append(samples, r.Positive...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.OneOf(
			rapid.SampledFrom(samples),
			rapid.SampledFrom([]string{"", "step 7/10 loss 1.25", "训练开始", "\x1b[31mred\x1b[0m", " 50%|#####     | 5/10\r 60%|######    | 6/10\r", "Traceback (most recent call last):", "  File \"train.py\", line 3, in <module>"}),
		)
		text := strings.Join(rapid.SliceOfN(line, 1, 20).Draw(rt, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end"))
		h := &held{[]byte(text)}
		if rapid.Bool().Draw(rt, "UTF-16") {
			h.text = []byte{0xff, 0xfe}
			for _, u := range utf16.Encode([]rune(text)) {
				h.text = append(h.text, byte(u), byte(u>>8))
			}
		}
		incident := []Log{h.log("train.log")}
		quotes := quoted(rt, incident)
		if err := Verify(context.Background(), incident, quotes); err != nil {
			rt.Fatal(err)
		}
	})
}
