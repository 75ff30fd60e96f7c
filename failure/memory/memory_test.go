package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/failure/memory"
)

const day = 86400

func diagnosis(class schedmate.FailureClass, kind, line string) *schedmate.Diagnosis {
	return &schedmate.Diagnosis{Determined: true, Class: class, Subclass: kind, Component: schedmate.ComponentGPU, Confidence: 0.9,
		Root: &schedmate.Quote{Line: 1, Text: line}, Node: "n1"}
}

func record(t testing.TB, incident string, at schedmate.Seconds, class schedmate.FailureClass, kind, line string) memory.Record {
	t.Helper()
	r, ok := memory.NewRecord(incident, at, diagnosis(class, kind, line), "job-"+incident, "ann")
	if !ok {
		t.Fatal("nothing to remember")
	}
	return r
}

// A failure that comes back is known with its outcome, though its numbers, its
// node and its colours differ.
func TestTheSecondTimeCostsNothing(t *testing.T) {
	infra := schedmate.InfrastructureFailure
	first := record(t, "a", 10*day, infra, "gpu_off_bus", "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.")
	second := record(t, "b", 20*day, infra, "gpu_off_bus", "NVRM: Xid (PCI:0000:86:00): 79, pid=12, GPU has fallen off the bus.")
	second.Outcome = &memory.Outcome{Kind: "gpu_off_bus", Class: infra, Component: schedmate.ComponentPCIe, Helped: "reseated the riser", By: "kim", At: 21 * day}
	other := record(t, "c", 22*day, infra, "gpu_illegal_address", "NVRM: Xid (PCI:0000:86:00): 31, pid=12, MMU fault")
	m := memory.New([]memory.Record{second, other, first})

	got := m.Recall("d", 25*day, diagnosis(infra, "gpu_off_bus", "\x1b[31mNVRM: Xid (PCI:0000:1b:00): 79, pid=9, GPU has fallen off the bus.\x1b[0m"))
	if want := "seen twice in the last 20 days, last 5 days ago (incident b); confirmed by kim: gpu_off_bus (infrastructure), what helped: reseated the riser"; got.Sentence(25*day) != want {
		t.Errorf("got  %q\nwant %q", got.Sentence(25*day), want)
	}
	if want := "出现过两次（过去 20 天内），最近一次在 5 天前（事件 b）；kim 已确认：gpu_off_bus（infrastructure），有效措施：reseated the riser"; got.ChineseSentence(25*day) != want {
		t.Errorf("got  %q\nwant %q", got.ChineseSentence(25*day), want)
	}
	if got.New || len(got.Otherwise) != 0 || got.Helped == nil {
		t.Errorf("got %+v", got)
	}
	// Much later it is still known, but no recurrence.
	got = m.Recall("d", 90*day, diagnosis(infra, "gpu_off_bus", "NVRM: Xid (PCI:0000:1b:00): 79, pid=9, GPU has fallen off the bus."))
	if got.Recurrence.Times != 0 || got.Recurrence.Ever != 2 || !strings.HasPrefix(got.Sentence(90*day), "seen twice, but not in the last 20 days; last 70 days ago (incident b)") {
		t.Errorf("got %q", got.Sentence(90*day))
	}
	// The past does not know the future, and an incident does not recall itself.
	if got = m.Recall("x", 9*day, diagnosis(infra, "gpu_off_bus", first.Text)); !got.New {
		t.Errorf("got %+v", got)
	}
	if got = m.Recall("a", 10*day, diagnosis(infra, "gpu_off_bus", first.Text)); !got.New {
		t.Errorf("got %+v", got)
	}
}

// A template does not tell one error number from another; the kind does.
func TestSameShapeOtherKindIsNotExact(t *testing.T) {
	infra := schedmate.InfrastructureFailure
	m := memory.New([]memory.Record{record(t, "a", 1*day, infra, "gpu_illegal_address", "NVRM: Xid (PCI:0000:3b:00): 31, pid=4711")})
	got := m.Recall("b", 2*day, diagnosis(infra, "gpu_off_bus", "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711"))
	if !got.New || len(got.Similar) != 1 || got.Similar[0].Record.Incident != "a" || got.Similar[0].Cosine != 1 {
		t.Errorf("got %+v", got)
	}
}

// What comes back often is told as a person would.
func TestOftenSeen(t *testing.T) {
	var records []memory.Record
	for i := range schedmate.Seconds(50) {
		records = append(records, record(t, fmt.Sprintf("job-%d", i+1), 10*day+i*3600, schedmate.UserFailure, "cuda_oom", "CUDA out of memory"))
	}
	got := memory.New(records).Recall("now", 10*day+49*3600+90, diagnosis(schedmate.UserFailure, "cuda_oom", "CUDA out of memory"))
	for at, want := range map[schedmate.Seconds]string{
		10*day + 49*3600 + 30:   "seen 50 times in the last 20 days, last less than a minute ago (incident job-50); no cause was confirmed",
		10*day + 49*3600 + 90:   "seen 50 times in the last 20 days, last 1 minute ago (incident job-50); no cause was confirmed",
		10*day + 52*3600 + 1800: "seen 50 times in the last 20 days, last 3 hours ago (incident job-50); no cause was confirmed",
	} {
		if s := got.Sentence(at); s != want {
			t.Errorf("got  %q\nwant %q", s, want)
		}
	}
}

// A line of another shape that says nearly the same is found by its text; a
// line that has nothing in common is not.
func TestSimilarText(t *testing.T) {
	user := schedmate.UserFailure
	m := memory.New([]memory.Record{
		record(t, "a", 1*day, user, "cuda_oom", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.15 GiB"),
		record(t, "b", 1*day, user, "dependency", "ModuleNotFoundError: No module named 'apex'"),
	})
	got := m.Recall("c", 2*day, diagnosis(user, "cuda_oom", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB total capacity)"))
	if !got.New || len(got.Similar) != 1 || got.Similar[0].Record.Incident != "a" {
		t.Fatalf("got %+v", got)
	}
	if !strings.HasPrefix(got.Sentence(2*day), "new: no incident on record has this line; the most similar is of incident a (0.") {
		t.Errorf("got %q", got.Sentence(2*day))
	}
	got = m.Recall("c", 2*day, diagnosis(user, "data_corrupt", "image file is truncated"))
	if got.Sentence(2*day) != "new: no incident on record has this line, or one like it" {
		t.Errorf("got %q", got.Sentence(2*day))
	}
	// Without a root there is nothing to recognise, and nothing is called new.
	if got = m.Recall("c", 2*day, &schedmate.Diagnosis{}); got.New || got.Sentence(2*day) != "" {
		t.Errorf("got %+v", got)
	}
}

// What was confirmed otherwise is shown as an alternative. Whatever is on
// record, nothing that leads to an action changes.
func TestMemoryNeverRaisesAnAction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := []schedmate.FailureClass{schedmate.InfrastructureFailure, schedmate.FrameworkFailure, schedmate.UserFailure}
		lines := []string{"it broke at step 7", "it fell", "quarantine n1 now"}
		var records []memory.Record
		for i := range rapid.IntRange(0, 8).Draw(t, "records") {
			r, _ := memory.NewRecord(fmt.Sprint(i), schedmate.Seconds(i*day), diagnosis(rapid.SampledFrom(classes).Draw(t, "class"), "k", rapid.SampledFrom(lines).Draw(t, "line")), "j", "u")
			if rapid.Bool().Draw(t, "confirmed") {
				r.Outcome = &memory.Outcome{Kind: rapid.SampledFrom([]string{"k", "l"}).Draw(t, "kind"), Class: rapid.SampledFrom(classes).Draw(t, "outcome"), Component: schedmate.ComponentNode, By: "kim"}
			}
			records = append(records, r)
		}
		d := *diagnosis(rapid.SampledFrom(classes).Draw(t, "class"), "k", rapid.SampledFrom(lines).Draw(t, "line"))
		d.Alternatives = []schedmate.Alternative{{Class: schedmate.UserFailure, Subclass: "l", Component: schedmate.ComponentNode, Why: "the rules say so"}}
		m := memory.New(records)
		c := m.Recall("now", 30*day, &d)
		got := c.Annotate(d)
		for _, a := range got.Alternatives[1:] {
			if a.Subclass == "l" && a.Class == schedmate.UserFailure || a.Subclass == d.Subclass && a.Class == d.Class {
				t.Fatalf("needless alternative %+v", a)
			}
		}
		got.Alternatives = d.Alternatives
		if diff := cmp.Diff(d, got); diff != "" {
			t.Fatalf("more than the alternatives changed:\n%s", diff)
		}
		if diff := cmp.Diff(c, memory.New(rapid.Permutation(records).Draw(t, "order")).Recall("now", 30*day, &d)); diff != "" {
			t.Fatalf("the order of different incidents matters:\n%s", diff)
		}
	})
}

// A confirmation is appended as the record again; a later line without one does
// not undo it.
func TestConfirmationsStay(t *testing.T) {
	r := record(t, "a", day, schedmate.UserFailure, "k", "it broke")
	done := r
	done.Outcome = &memory.Outcome{Kind: "other", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentNode, By: "kim"}
	m := memory.New([]memory.Record{r, done, r})
	got := m.Recall("b", 2*day, diagnosis(schedmate.UserFailure, "k", "it broke"))
	if got.Recurrence.Ever != 1 || len(got.Otherwise) != 1 {
		t.Fatalf("got %+v", got)
	}
	if why := got.Annotate(schedmate.Diagnosis{}).Alternatives[0].Why; why != "the same line in incident a; confirmed by kim: other (infrastructure)" {
		t.Errorf("got %q", why)
	}
}

// Compacting keeps the confirmed ones, the newest, and the answer.
func TestCompact(t *testing.T) {
	var records []memory.Record
	for i := range 10 {
		r := record(t, fmt.Sprint(i), schedmate.Seconds(i*day), schedmate.UserFailure, "k", "it broke")
		if i == 1 || i == 4 {
			r.Outcome = &memory.Outcome{Kind: "k", Class: schedmate.UserFailure, Component: schedmate.ComponentNode, By: "kim"}
		}
		records = append(records, r, r)
	}
	f := func(since schedmate.Seconds, most int, want string) {
		t.Helper()
		var got []string
		for _, r := range memory.Compact(records, since, most) {
			got = append(got, r.Incident)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("since %d, at most %d: got %v, want %s", since, most, got, want)
		}
	}
	f(0, 100, "0 1 2 3 4 5 6 7 8 9")
	f(3*day, 100, "1 3 4 5 6 7 8 9")
	f(3*day, 4, "1 4 8 9")
	f(0, 1, "4")
	f(0, 0, "")
	f(0, -1, "")
	once := memory.Compact(records, 3*day, 4)
	if diff := cmp.Diff(once, memory.Compact(once, 3*day, 4)); diff != "" {
		t.Error(diff)
	}
}

const sound = `{"v":1,"incident":"a","at_s":5,"template":"0000000000000000","text":"it broke <here>","kind":"k","class":"user","component":"gpu"}`

// What is appended reads back; the file says when its last line is cut.
func TestReadAndAppend(t *testing.T) {
	var file bytes.Buffer
	a, b := record(t, "a", 1, schedmate.UserFailure, "k", "it <broke> & 7"), record(t, "b", 2, schedmate.InfrastructureFailure, "l", "节点\t故障\x1b[0m")
	b.Outcome = &memory.Outcome{Component: schedmate.ComponentNone, Helped: "nothing was wrong", By: "kim", At: 3}
	if err := memory.Append(&file, a); err != nil {
		t.Fatal(err)
	}
	if err := memory.Append(&file, b); err != nil {
		t.Fatal(err)
	}
	whole := file.String()
	if !strings.Contains(whole, "it <broke> & 7") {
		t.Errorf("the text is not as it was: %s", whole)
	}
	got, err := memory.Read("f", strings.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&memory.File{Records: []memory.Record{a, b}, Whole: int64(len(whole))}, got); diff != "" {
		t.Error(diff)
	}
	first := strings.Index(whole, "\n") + 1
	for cut := first + 1; cut < len(whole)-1; cut++ { // wherever a writer was stopped
		got, err := memory.Read("f", strings.NewReader(whole[:cut]))
		if err != nil || !got.Cut || got.Whole != int64(first) || len(got.Records) != 1 {
			t.Fatalf("cut at %d: %+v, %v", cut, got, err)
		}
	}
	got, err = memory.Read("f", strings.NewReader(whole[:len(whole)-1]))
	if err != nil || got.Cut || !got.Unended || len(got.Records) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	// A shape of another version is renewed.
	got, err = memory.Read("f", strings.NewReader(sound+"\n"))
	if err != nil || got.Renewed != 1 || got.Records[0].Template == "0000000000000000" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Errors name file, line and field, and end with what to do.
func TestReadIsStrict(t *testing.T) {
	f := func(old, replacement, want string) {
		t.Helper()
		line := strings.Replace(sound, old, replacement, 1)
		if line == sound {
			t.Fatalf("%q is not in the line", old)
		}
		_, err := memory.Read("inc.jsonl", strings.NewReader(sound+"\n"+line+"\n"))
		if err == nil || err.Error() != "inc.jsonl:2: "+want+": mend or remove the line" {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	f(`"v":1`, `"v":2`, "v: must be 1, got 2")
	f(`"v":1,`, ``, "v: must be 1, got 0")
	f(`"at_s":5`, `"at_s":5.5`, "at_s: must be a whole number, got a number 5.5")
	f(`"at_s":5`, `"at_s":-5`, "at_s: must lie in [0, 6324480000] seconds, got -5")
	f(`"at_s":5`, `"at_s":"5"`, "at_s: must be a whole number, got a string")
	f(`"kind":"k"`, `"kind":7`, "kind: must be a string, got a number")
	f(`"kind":"k"`, `"Kind":"k"`, "Kind: is no field of a record")
	f(`"kind":"k"`, `"kind":"k","kind":"l"`, "kind: is there twice")
	f(`"kind":"k"`, `"kind":null`, "kind: must not be null: leave it out")
	f(`"class":"user"`, `"class":"weather"`, `class: must be infrastructure, framework or user, got "weather"`)
	f(`"component":"gpu"`, `"component":"cpu"`, `component: must be one of the components, got "cpu"`)
	f(`"template":"0000`, `"template":"000G`, `template: must be 16 hexadecimal digits, got "000G000000000000"`)
	f(`"it broke <here>"`, `""`, "text: must be one line of at most 2048 bytes of UTF-8 without control characters")
	f(`"it broke <here>"`, `"a\nb"`, "text: must be one line of at most 2048 bytes of UTF-8 without control characters")
	f(`"gpu"}`, `"gpu","outcome":{"component":"gpu"}}`, "outcome.by: must name who confirmed it")
	f(`"gpu"}`, `"gpu","outcome":{"component":"gpu","by":"kim","kind":"k"}}`, "outcome.kind: must be given with the class, and missing without")
	f(`"gpu"}`, `"gpu","outcome":{"by":1}}`, "outcome.by: must be a string, got a number")
	f(`"gpu"}`, `"gpu","outcome":7}`, "outcome.record must be one JSON object")
	f(`"gpu"}`, `"gpu"}{}`, "there is something behind the record")
	f(`it broke`, "it \xff broke", "the line is not UTF-8")

	_, err := memory.Read("inc.jsonl", strings.NewReader(sound[:20]+"\n"+sound+"\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "inc.jsonl:1: ") {
		t.Errorf("a line that is cut in the middle of the file: %v", err)
	}
	_, err = memory.Read("inc.jsonl", strings.NewReader(strings.Repeat("x", memory.MaxLine+10)))
	if err == nil || err.Error() != "inc.jsonl:1: the line is longer than 65536 bytes: remove it" {
		t.Errorf("got %v", err)
	}
	_, err = memory.Read("inc.jsonl", io.MultiReader(strings.NewReader(sound), broken{}))
	if !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	if err := memory.Append(io.Discard, memory.Record{Version: 1}); err == nil || err.Error() != `append incident "": incident: must not be empty: mend the record` {
		t.Errorf("got %v", err)
	}
}

var errDisk = errors.New("the disk is gone")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errDisk }

// Whatever is in a file: reading ends, and what it accepts can be appended and
// reads back the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sound + "\n"))
	f.Add([]byte(sound + "\n" + sound[:30]))
	f.Add([]byte(strings.Replace(sound, `"gpu"}`, `"gpu","outcome":{"component":"node","by":"kim","class":"user","kind":"k","at_s":9}}`, 1) + "\r\n"))
	f.Add([]byte(`{"v":1}` + "\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := memory.Read("f", bytes.NewReader(data))
		if err != nil {
			return
		}
		if got.Whole > int64(len(data)) || !got.Cut && got.Whole != int64(len(data)) {
			t.Fatalf("%d of %d bytes are whole, cut %v", got.Whole, len(data), got.Cut)
		}
		var out bytes.Buffer
		if err := memory.Append(&out, got.Records...); err != nil {
			t.Fatal(err)
		}
		again, err := memory.Read("f", &out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.Records, again.Records); diff != "" || again.Renewed != 0 {
			t.Fatalf("not read back:\n%s", diff)
		}
		m := memory.New(got.Records)
		for _, r := range got.Records {
			c := m.Recall("asked", schedmate.MaxSeconds, diagnosis(r.Class, r.Kind, r.Text))
			if !slices.ContainsFunc(c.Exact, func(e memory.Record) bool { return e.Template == r.Template }) && !laterReplaces(got.Records, r) {
				t.Fatalf("incident %q is not recalled", r.Incident)
			}
		}
	})
}

func laterReplaces(records []memory.Record, r memory.Record) bool {
	n := 0
	for _, o := range records {
		if o.Incident == r.Incident {
			n++
		}
	}
	return n > 1 || r.Incident == "asked"
}
