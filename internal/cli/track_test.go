package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// The names of fields in a line of --jsonl are a contract with other people's
// scripts: names may come, none may go.
func TestNamesOfTheLine(t *testing.T) {
	promised := []string{
		"file", "trackable", "latest_step", "total_steps", "step_unit", "epoch", "total_epochs", "step_time_s", "throughput", "throughput_unit",
		"loss", "lr", "eta_s", "progress", "val_metrics", "val_curve", "slow_at_line", "ratio", "ms", "bytes_read", "error",
	}
	names := make(map[string]bool)
	line := reflect.TypeFor[trackLine]()
	for i := range line.NumField() {
		name, _, _ := strings.Cut(line.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	for _, name := range promised {
		if !names[name] {
			t.Errorf("the line has no field %s", name)
		}
	}
}

// Every number of a progress stands in the line under its own name.
func TestLineOfProgress(t *testing.T) {
	r := func(v float64) *schedmate.Reading { return &schedmate.Reading{Value: v, Line: 9, Confidence: 1} }
	log := &trackedLog{File: "a.log", Milliseconds: 2.5, BytesRead: 77, Progress: &schedmate.Progress{
		Trackable: true, Step: r(1), TotalSteps: r(2), StepUnit: "step", Epoch: r(3), TotalEpochs: r(4), StepTime: r(5),
		Throughput: r(6), ThroughputUnit: "it/s", Loss: r(0), LearningRate: r(8), Remaining: r(9), Fraction: r(0.5),
		Validation: []schedmate.Curve{{Name: "acc", XUnit: "step", Points: [][2]float64{{1, 0.5}, {2, 0.75}}, Last: *r(0.75)}},
		Phase:      schedmate.PhaseEval,
		Slowdown:   &schedmate.Slowdown{Line: 12, Byte: 300, Step: 40, Ratio: 1.5, BeforeSeconds: 1, AfterSeconds: 1.5, Records: 7, Confidence: 0.9},
	}}
	var out bytes.Buffer
	if err := writeLine(&out, log.line(false)); err != nil {
		t.Fatal(err)
	}
	want := `{"file":"a.log","trackable":true,"latest_step":1,"total_steps":2,"step_unit":"step","epoch":3,"total_epochs":4,"step_time_s":5,` +
		`"throughput":6,"throughput_unit":"it/s","loss":0,"lr":8,"eta_s":9,"progress":0.5,"val_metrics":{"acc":0.75},"val_curve":{"acc":[[1,0.5],[2,0.75]]},` +
		`"phase":"eval","slow_at_line":12,"ratio":1.5,"slowdown":{"line":12,"byte":300,"step":40,"ratio":1.5,"before_s":1,"after_s":1.5,"records":7,"confidence":0.9},` +
		`"ms":2.5,"bytes_read":77}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	if e := log.line(true).Evidence; len(e) != 11 || e["val_metrics.acc"].Line != 9 {
		t.Errorf("evidence of %d fields, want all ten numbers and the metric: %v", len(e), e)
	}

	out.Reset()
	silent := &trackedLog{File: "b.log", Progress: &schedmate.Progress{}}
	if err := writeLine(&out, silent.line(false)); err != nil || out.String() != `{"file":"b.log","trackable":false,"ms":0,"bytes_read":0}`+"\n" {
		t.Errorf("a log without training gives %s, %v", &out, err)
	}
	out.Reset()
	if err := writeLine(&out, (&trackedLog{File: "c.log", Error: "no such file"}).line(true)); err != nil || out.String() != `{"file":"c.log","error":"no such file"}`+"\n" {
		t.Errorf("a log that cannot be read gives %s, %v", &out, err)
	}
}

// JSON has no NaN: a metric that became one is left out, its curve stays.
func TestCurvesAreFinite(t *testing.T) {
	nan := math.NaN()
	got := finite([]schedmate.Curve{
		{Name: "a", Points: [][2]float64{{1, 2}, {2, nan}, {nan, 3}}, Last: schedmate.Reading{Value: 2}},
		{Name: "b", Points: [][2]float64{{1, math.Inf(1)}}, Last: schedmate.Reading{Value: 1}},
		{Name: "c", Points: [][2]float64{{1, 1}, {2, nan}}, Last: schedmate.Reading{Value: nan}},
	})
	want := []schedmate.Curve{{Name: "a", Points: [][2]float64{{1, 2}}, Last: schedmate.Reading{Value: 2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("curves (-want +got):\n%s", diff)
	}
}

// Nothing that a log or a file name says reaches the terminal as a command.
func TestHostileTextIsEscaped(t *testing.T) {
	bad := "loss\x1b]0;owned\x07\u202e"
	r := schedmate.Reading{Value: 1, Line: 1, Name: bad, Method: "printed", Confidence: 1}
	logs := []*trackedLog{{File: "evil\x1b[2J.log", Progress: &schedmate.Progress{
		Trackable: true, Step: &r, Throughput: &r, ThroughputUnit: bad, Loss: &r,
		Validation: []schedmate.Curve{{Name: bad, Points: [][2]float64{{1, 1}}, Last: r}},
	}, Notes: []tracker.Note{{What: bad, Why: bad}}}}
	var out bytes.Buffer
	if err := columns(&out, trackRows(logs, true)); err != nil {
		t.Fatal(err)
	}
	if err := explainLogs(&out, logs); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.ContainsAny(s, "\x1b\x07\u202e") || !strings.Contains(s, `evil\u001b[2J.log`) {
		t.Errorf("the output holds what can harm a terminal: %q", s)
	}
}

func TestTextOfNumbers(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(stepTimeText(0.00000512), "5.12us")
	f(stepTimeText(0.00527), "5.27ms")
	f(stepTimeText(0.412), "412ms")
	f(stepTimeText(0.9996), "1s")
	f(stepTimeText(2.0149), "2.01s")
	f(stepTimeText(61), "1m01s")
	f(short(2.31678), "2.317")
	f(short(145401.4), "145401")
	f(short(3.4e-4), "0.00034")
	f(short(2e9), "2e+09")
	f(whole(37280), "37280")
	f(whole(1.72), "1.72")
	f(whole(379784000), "379784000")
	f(sparkline([][2]float64{{0, 4}, {1, 2}, {2, 1}, {3, 4}}), "█▃▁█")
	f(sparkline([][2]float64{{0, 4}, {1, 4}}), "▁▁")
	f(clip("validation", 5), "vali…")
	f(clipWidth("步步ab", 5), "步步a")
	f(clipWidth("步步ab", 3), "步")
	f(validText("a\xffb步"), `a\xffb步`)
}

// segments of the same text with and without blank pieces.
func TestPieces(t *testing.T) {
	f := func(text string, all, filled int) {
		t.Helper()
		// However the text is cut into reads, the pieces are the same.
		for size := 1; size <= len(text); size++ {
			a, b := pieces{blank: true}, pieces{}
			for from := 0; from < len(text); from += size {
				part := []byte(text[from:min(from+size, len(text))])
				a.cut(part, nil)
				b.cut(part, nil)
			}
			if a.n != all || b.n != filled {
				t.Errorf("%q, %d bytes a read: %d pieces, %d not blank; want %d and %d", text, size, a.n, b.n, all, filled)
			}
		}
	}
	f("a\nb\r\nc\rd", 4, 4)
	f("\r\r\n\n", 0, 0)
	f("bar 1\r     \rbar 2\n", 3, 2)
	f("  a\n\t\n b", 3, 2)
}

func arrivalsFile(t *testing.T, items string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.seg.gz")
	if err := os.WriteFile(path, packed(t, []byte(items)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A log that tells no time tells its step time by when its lines arrive: here
// every 1.5 seconds, three steps a line.
func TestArrivalsAreAClock(t *testing.T) {
	var log, items strings.Builder
	for i := range 40 {
		fmt.Fprintf(&log, "step %d/900 loss %.3f\n", 3*i, 5/(1+float64(i)/10))
		fmt.Fprintf(&items, "P%d\n", 1500)
		if i%4 == 0 {
			log.WriteString("disk ok\r\n")
			items.WriteString("N0\n")
		}
	}
	f := &trackFlags{unpacked: 1 << 20, arrivals: arrivalsFile(t, items.String())}
	s := tracker.New(series.DefaultLimits)
	if _, err := feedArrivals(context.Background(), s, regular([]byte(log.String())), f); err != nil {
		t.Fatal(err)
	}
	p, _, err := readProgress(s)
	if err != nil {
		t.Fatal(err)
	}
	if p.StepTime == nil || math.Abs(p.StepTime.Value-0.5) > 0.005 {
		t.Errorf("step time %+v, want 0.5 s", p.StepTime)
	}
}

func TestBadArrivals(t *testing.T) {
	f := func(log, items, want string) {
		t.Helper()
		flags := &trackFlags{unpacked: 1 << 20, arrivals: arrivalsFile(t, items)}
		_, err := feedArrivals(context.Background(), tracker.New(series.DefaultLimits), regular([]byte(log)), flags)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
	f("a\nb\n", "P1", "it has 1 items, but the log has 2 pieces")
	f("a\n", "P1 P1 P1", "it has 3 items, but the log has 1 pieces")
	f("a\n", "Pfast", `item 1 is "Pfast"`)
	f("a\n", "P-1", `item 1 is "P-1"`)
	f("a\n", "PNaN", `item 1 is "PNaN"`)
	f("a\n", "P9e99", `item 1 is "P9e99"`)
	f("a\n", "7", `item 1 is "7"`)
	_, err := feedArrivals(context.Background(), tracker.New(series.DefaultLimits), source{stream: strings.NewReader("a")}, &trackFlags{arrivals: "x"})
	if err == nil || !strings.Contains(err.Error(), "read twice") {
		t.Errorf("a pipe with arrivals: error %v", err)
	}
}
