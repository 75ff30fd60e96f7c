package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/failure"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew; understand the difference before you commit it")

var night = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

func write(t testing.TB, in *failure.Incident, o Options) string {
	t.Helper()
	if o.Chinese == nil {
		o.Chinese = failure.Default().Chinese
	}
	var b bytes.Buffer
	if err := Write(&b, in, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// style would make every golden page change with every colour.
var style = regexp.MustCompile(`(?s)<style>.*?</style>|style-src [^;]*`)

func TestGoldenReports(t *testing.T) {
	for name, in := range incidents() {
		for suffix, o := range map[string]Options{
			"en.txt": {Format: Text}, "zh.txt": {Format: Text, Language: Chinese},
			"en.md": {Format: Markdown, Now: night}, "zh.md": {Format: Markdown, Language: Chinese, Now: night},
			"en.html": {Format: HTML, Now: night}, "zh.html": {Format: HTML, Language: Chinese, Now: night},
		} {
			t.Run(name+"."+suffix, func(t *testing.T) {
				got := style.ReplaceAllString(write(t, in, o), "")
				file := filepath.Join("testdata", name+"."+suffix)
				if *rewrite {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("%v: run the test with -rewrite once", err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("report differs from %s (-want +got); if it should, run with -rewrite:\n%s", file, diff)
				}
			})
		}
	}
}

// A tired person reads one screen of 24 rows, the last of which is the prompt's.
func TestTextFitsAScreen(t *testing.T) {
	for name, in := range incidents() {
		for _, l := range []Language{English, Chinese} {
			rows := strings.Split(strings.TrimSuffix(write(t, in, Options{Language: l, Rows: 24}), "\n"), "\n")
			if len(rows) > 23 {
				t.Errorf("%s in %s has %d rows", name, l, len(rows))
			}
		}
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for name, in := range incidents() {
		for _, w := range []int{30, 40, 80, 132} {
			for _, l := range []Language{English, Chinese} {
				for row := range strings.Lines(write(t, in, Options{Language: l, Width: w})) {
					if n := columns(strings.TrimSuffix(row, "\n")); n > w {
						t.Errorf("%s in %s at %d columns: %d in %q", name, l, w, n, row)
					}
				}
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want []string
	}{
		{"a tired person", 8, []string{"a tired", "person"}},
		{"a tired person", 80, []string{"a tired person"}},
		{"0123456789abc", 8, []string{"01234567", "89abc"}},
		{"显存不可纠正错误", 8, []string{"显存不可", "纠正错误"}},
		{"显存不可，纠正", 8, []string{"显存不", "可，纠正"}}, // no row begins with a comma
		{"", 8, []string{""}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.text, c.most)); diff != "" {
			t.Errorf("wrap(%q, %d) (-want +got):\n%s", c.text, c.most, diff)
		}
	}
}

func TestColoursAreOnlyThereWhenAsked(t *testing.T) {
	plain, coloured := write(t, eccCascade(), Options{}), write(t, eccCascade(), Options{Colour: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("there are escape codes without colours")
	}
	if got := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(coloured, ""); got != plain {
		t.Errorf("without its colours the text differs (-plain +coloured):\n%s", cmp.Diff(plain, got))
	}
}

// What a person on call asks, by hand from the incident.
func TestTheCascadeIsTold(t *testing.T) {
	got := strings.Join(strings.Fields(write(t, eccCascade(), Options{})), " ")
	for _, want := range []string{
		"The GPU's memory has an error that cannot be corrected", "The operator of the cluster has to act", "GPU, node gpu-node-17, rank 12",
		"2026-11-30 02:11:09 by the log's clock", "last step 4,200, last checkpoint at 4,000: 200 steps are lost", "97 %, sure",
		"dmesg-gpu-node-17.log:88", "train.log:14201", "214 of 220 error lines",
		"63 ranks (189 lines): A peer closed the connection: another process died first (its peer was gone)",
		"yes, without gpu-node-17, from the last checkpoint", "yes: take gpu-node-17 out of service", "dcgmi diag -r 2", "Reset or replace the GPU",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

func TestVerdictsThatHoldBack(t *testing.T) {
	unsuspected := heldBack()
	unsuspected.Diagnosis.HeldBack = ""
	unwitnessed := heldBack()
	unwitnessed.OwnWordOnly()
	completed := userException()
	completed.CalledWell, completed.Diagnosis.Confidence = true, 0.5
	limit := &failure.Incident{Kind: failure.Default().Kinds["time_limit"], RanOn: "n4", Diagnosis: schedmate.Diagnosis{
		Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "time_limit", Component: schedmate.ComponentScheduler, Confidence: 0.8, RestartHelps: true,
		Root: &schedmate.Quote{File: "slurm:7", Line: 1, Text: "JobState=TIMEOUT"}, ErrorLines: 2, ExplainedErrors: 1,
	}, Groups: []failure.Group{
		{Role: failure.RoleRoot, Times: 1},
		{Role: failure.RoleAlso, Kind: failure.Default().Kinds["exit_code"], Quote: schedmate.Quote{File: "a.log", Line: 3, Text: "exited with code 7"}, Times: 1},
	}}
	anywhere := *limit
	anywhere.RanOn = ""
	for _, c := range []struct {
		in   *failure.Incident
		want []string
		not  []string
	}{
		{unwitnessed, []string{"Perhaps: ", "50 %", "held back; only the job's own output says so", "Restart yes, from", "To do Read the kernel log of the node first"}, []string{"without gpu-node-4"}},
		{completed, []string{"Perhaps: ", "By Slurm's word the job did not fail", "Restart not because of this"}, []string{"has to act", "would fail again"}},
		{limit, []string{"Where scheduler; the job ran on n4", "1 of 2 error lines", "not explained: A process ended with an error code", "a.log:3 exited with code 7"}, []string{"name no node"}},
		{&anywhere, []string{"Where scheduler"}, []string{"name no node", "ran on"}},
		{unsuspected, []string{"nothing here speaks against a node"}, []string{"without gpu-node-4"}},
		{heldBack(), []string{"held back; one sign is not enough", "without gpu-node-4", "2 more findings could not be kept"}, []string{"out of service"}},
		{userException(), []string{"no: the unchanged job would fail again", "no: nothing here speaks against a node", "line 1,207 of run.log", "last step 31; the logs tell of no checkpoint"}, []string{"held back"}},
		{silence(), []string{"Not determined", "Nothing is proven", "last step told is 655", "dmesg -T"}, []string{"out of service", "Restart "}},
		{twoRoots(), []string{"A sample of the data set cannot be read (user, data)", "rank1.log:371", "3 of 4 error lines"}, nil},
	} {
		got := strings.Join(strings.Fields(write(t, c.in, Options{Width: 200})), " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("the report lacks %q:\n%s", want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("the report has %q:\n%s", not, got)
			}
		}
	}
}

func TestASuccessIsOneLine(t *testing.T) {
	got := write(t, success(), Options{Width: 1000})
	want := "The run did not fail. It got over: The object store did not answer (3 lines); A peer closed the connection: another process died first (1 line).\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRedactionReachesEveryQuote(t *testing.T) {
	in := userException()
	in.Diagnosis.Root.Text = "AuthError: token hunter2 refused"
	in.Diagnosis.Evidence[0].Text = in.Diagnosis.Root.Text
	in.Groups[0].Quote.Text = in.Diagnosis.Root.Text
	hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "‹redacted›") }
	for _, f := range []Format{Text, Markdown, HTML} {
		got := write(t, in, Options{Format: f, Redact: hide})
		if strings.Contains(got, "hunter2") || !strings.Contains(got, "‹redacted›") {
			t.Errorf("%s tells the secret or not its place", f)
		}
	}
}

func TestTheGivenMachineFormEndsTheReport(t *testing.T) {
	for _, f := range []Format{Markdown, HTML} {
		if got := write(t, silence(), Options{Format: f, JSON: []byte(`{"file":"a.log","rank":3}` + "\n")}); !regexp.MustCompile(`(?s)a\.log.*rank.*</details>`).MatchString(got) {
			t.Errorf("%s lacks the given JSON", f)
		}
	}
}

func TestBrokenInputIsRefusedWithTheReason(t *testing.T) {
	broken := silence()
	broken.Diagnosis.Quarantine = true
	for _, c := range []struct {
		in   *failure.Incident
		o    Options
		want string
	}{
		{nil, Options{}, "there is no incident"},
		{broken, Options{}, "diagnosis.quarantine"},
		{silence(), Options{Format: "pdf"}, `format "pdf" is none of`},
		{silence(), Options{Language: "fr"}, `language "fr" is none of`},
		{silence(), Options{Format: HTML, JSON: []byte("{")}, "is no JSON"},
	} {
		var b bytes.Buffer
		err := Write(&b, c.in, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want an error with %q and none", err, b.Len(), c.want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReported(t *testing.T) {
	if err := Write(full{}, silence(), Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got error %v, want the one of the disk", err)
	}
}

// An incident with nearly nothing in it is still a report.
func TestBareIncidents(t *testing.T) {
	q := schedmate.Quote{Line: 3, Text: "boom"}
	for name, in := range map[string]*failure.Incident{
		"nothing":     {Diagnosis: schedmate.Diagnosis{Component: schedmate.ComponentNone}},
		"no kind":     {Diagnosis: schedmate.Diagnosis{Determined: true, Class: schedmate.UserFailure, Component: schedmate.ComponentData, Subclass: "odd", Root: &q, Confidence: 0.1}, Groups: []failure.Group{{Role: failure.RoleRoot, Quote: q}}},
		"lanes only":  {Diagnosis: schedmate.Diagnosis{Determined: true, Component: schedmate.ComponentNone}, Lanes: make([]failure.Lane, 3)},
		"strange log": {Diagnosis: schedmate.Diagnosis{Component: schedmate.ComponentNone}, Lanes: []failure.Lane{{Log: 7, Marks: make([]failure.Mark, 2)}, {Log: 2}}},
	} {
		for _, f := range []Format{Text, Markdown, HTML} {
			for _, l := range []Language{English, Chinese} {
				if got := write(t, in, Options{Format: f, Language: l, Both: true}); len(got) < 10 {
					t.Errorf("%s as %s in %s is %q", name, f, l, got)
				}
			}
		}
	}
}

// What is known of earlier incidents stands in every form, in its language, and its
// text stays text.
func TestHistoryIsTold(t *testing.T) {
	o := Options{Remembered: failure.Text{English: "seen twice, last by <b>ann</b>\x1b[2J password=hunter2", Chinese: "出现过两次"}, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "‹hidden›") }}
	for _, f := range []Format{Text, Markdown, HTML} {
		o.Format, o.Both = f, f == HTML
		out := write(t, eccCascade(), o)
		if !strings.Contains(out, "History") || !strings.Contains(out, "seen twice") || strings.Contains(out, "hunter2") || strings.Contains(out, "\x1b") || f != Text && strings.Contains(out, "<b>ann") {
			t.Errorf("%s says of the past:\n%s", f, out)
		}
		if f == HTML && !strings.Contains(out, "出现过两次") {
			t.Error("the Chinese page does not tell the past")
		}
	}
}

// Of a path the end is told, as much of it as tells the logs apart.
func TestShortNames(t *testing.T) {
	var logs []failure.ReadLog
	want := map[string]string{
		"/data/jobs/17/rank0.log": "17/rank0.log", "/data/jobs/18/rank0.log": "18/rank0.log", "rank0.log": "rank0.log", "/var/log/dmesg": "dmesg",
		"-": "-", "a/x.log": "a/x.log", "b/a/x.log": "b/a/x.log",
	}
	for name := range want {
		logs = append(logs, failure.ReadLog{Name: name})
	}
	logs = append(logs, failure.ReadLog{Name: "/dev/fd/63"}, failure.ReadLog{}) // as they are
	if diff := cmp.Diff(want, shortNames(logs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Who has to act is who the advice is for: a time limit is of the scheduler, and its
// submitter asks for more. What is not proven is told so in the heading: what happened,
// or, where that is what the line says, why.
func TestHeadingAndLeadSayHowSureAndWho(t *testing.T) {
	q := schedmate.Quote{File: "slurm:7", Line: 1, Text: "JobId=7 JobState=TIMEOUT"}
	limit := failure.Default().Kinds["time_limit"]
	for _, c := range []struct {
		confidence     float64
		onlyEnded      bool
		title, chinese string
		lead           string
	}{
		{0.8, false, "The job reached its time limit", "作业达到时间上限", "The person who submitted the job has to act"},
		{0.45, false, "Perhaps: The job reached its time limit", "可能：作业达到时间上限", "The person who submitted the job probably has to act"},
		{0.25, true, "Cause unknown: The job reached its time limit", "原因不明：作业达到时间上限", "The person who submitted the job probably has to act"},
	} {
		in := &failure.Incident{Kind: limit, Restart: failure.RestartYes, OnlyEnded: c.onlyEnded, Diagnosis: schedmate.Diagnosis{
			Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "time_limit", Component: schedmate.ComponentScheduler,
			Root: &q, Evidence: []schedmate.Quote{q}, RestartHelps: true, Confidence: c.confidence, ErrorLines: 1, ExplainedErrors: 1,
		}}
		for _, format := range []Format{Text, Markdown, HTML} {
			for language, want := range map[Language]string{English: c.title, Chinese: c.chinese} {
				var b strings.Builder
				if err := Write(&b, in, Options{Format: format, Language: language}); err != nil {
					t.Fatal(err)
				}
				first := map[Format]string{Text: want + "\n", Markdown: "## " + want + "\n", HTML: "<h1 class=\"failed\">" + want + "</h1>"}[format]
				if !strings.Contains(b.String(), first) || language == English && !strings.Contains(b.String(), c.lead) {
					t.Errorf("%s %s at %g: want %q and %q in\n%s", format, language, c.confidence, first, c.lead, b.String())
				}
			}
		}
	}
}
