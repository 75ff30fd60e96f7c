package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"schedmate/failure"
)

// checkPage reads the page as a browser would and checks what must hold for
// every page: elements nest, ids are unique, references lead somewhere, nothing
// is loaded, no attribute runs code, drawings are named.
func checkPage(t *testing.T, page string) {
	t.Helper()
	text := regexp.MustCompile(`(?s)(<style>).*?(</style>)`).ReplaceAllString(page, "$1$2")
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "input"}, xml.HTMLEntity
	var open []string
	ids, wanted := make(map[string]bool), make(map[string]bool)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("page is not well formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case name == "id":
					if ids[a.Value] {
						t.Errorf("id %q occurs twice", a.Value)
					}
					ids[a.Value] = true
				case name == "aria-labelledby" || name == "for":
					for _, id := range strings.Fields(a.Value) {
						wanted[id] = true
					}
				case runs.MatchString(name):
					t.Errorf("<%s %s=%q> may load or run something", e.Name.Local, name, a.Value)
				}
			}
		case xml.EndElement:
			if last := len(open) - 1; last < 0 || open[last] != e.Name.Local {
				t.Fatalf("</%s> closes %v", e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("elements stay open: %v", open)
	}
	for id := range wanted {
		if !ids[id] {
			t.Errorf("id %q is referred to and does not exist", id)
		}
	}
	if n, m := strings.Count(page, `class="plot"`), strings.Count(page, "<desc"); n != m {
		t.Errorf("%d drawings have %d descriptions", n, m)
	}
}

var runs = regexp.MustCompile(`^(?i:href|src|srcset|data|action|poster|xlink:href|on\w+|style)$`)

func TestPagesAreWellFormedAndNeedNoNetwork(t *testing.T) {
	for name, in := range incidents() {
		page := write(t, in, Options{Format: HTML, Both: true, Now: night})
		checkPage(t, page)
		for _, ways := range []string{`(?i)https?://`, `(?i)url\(`, `(?i)@import`, `(?i)<link\b`, `(?i)<base\b`, `(?i)<script`} {
			if found := regexp.MustCompile(ways).FindString(page); found != "" {
				t.Errorf("%s holds %q", name, found)
			}
		}
	}
}

// The policy in the page names the hash of the style sheet, so a browser uses no
// other one.
func TestContentPolicyAllowsExactlyOurStyle(t *testing.T) {
	page := write(t, silence(), Options{Format: HTML})
	sheets := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1)
	if len(sheets) != 1 {
		t.Fatalf("page has %d style sheets, want 1", len(sheets))
	}
	sum := sha256.Sum256([]byte(sheets[0][1]))
	want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if policy := strings.NewReplacer("&#43;", "+", "&#39;", "'").Replace(page); !strings.Contains(policy, want) {
		t.Errorf("the content policy does not name %s", want)
	}
}

func TestOneLanguageHasNoSwitch(t *testing.T) {
	one, both := write(t, silence(), Options{Format: HTML, Language: Chinese}), write(t, silence(), Options{Format: HTML, Language: Chinese, Both: true})
	if strings.Contains(one, "<input") || strings.Count(one, "<main") != 1 || !strings.Contains(one, `<html lang="zh-Hans">`) {
		t.Error("the page in one language is not one page without a switch")
	}
	if strings.Count(both, "<input") != 2 || strings.Count(both, "<main") != 2 || !regexp.MustCompile(`id="pick-zh"[^>]* checked`).MatchString(both) {
		t.Error("the page in both languages has no switch that begins with Chinese")
	}
}

// 64 ranks and the kernel of a node have a row each; of many more, those that
// show the same share one, and the root keeps its own.
func TestManyProcessesArePutTogether(t *testing.T) {
	in := eccCascade()
	if got := newTimeline(in, newPage(in, English, Options{})); len(got.Lanes) != 65 || got.Lanes[0].Label != "gpu-node-17" || got.Lanes[13].Label != "gpu-node-17 rank 12" {
		t.Errorf("%d rows for 65 processes, the first is %q and that of rank 12 is %q", len(got.Lanes), got.Lanes[0].Label, got.Lanes[13].Label)
	}

	in = eccCascade()
	for i := range 1936 { // 2,000 ranks
		l := in.Lanes[1]
		l.Rank = rank(64 + i)
		in.Lanes = append(in.Lanes, l)
	}
	got := newTimeline(in, newPage(in, English, Options{}))
	var labels []string
	for _, l := range got.Lanes {
		labels = append(labels, l.Full)
	}
	want := []string{"gpu-node-17", "1,999 × peer_lost: rank 0-11, 13-1999", "gpu-node-17 rank 12"}
	if strings.Join(labels, "; ") != strings.Join(want, "; ") {
		t.Errorf("rows are %q, want %q", labels, want)
	}
}

// The cascade in numbers: from the last progress at 02:11:05 to the last fallout
// at 02:11:20 are 15 s; the root at 02:11:09 lies 4 s after the first, so with
// the margin of a twentieth at each end at (4 + 0.75) / 16.5 of the width.
func TestTheTimelineIsToScale(t *testing.T) {
	in := eccCascade()
	got := newTimeline(in, newPage(in, English, Options{}))
	for _, l := range got.Lanes {
		for _, m := range l.Marks {
			if m.Class != "root" {
				continue
			}
			at, err := strconv.ParseFloat(m.At, 64)
			if err != nil || math.Abs(at-100*(4+0.75)/16.5) > 0.01 {
				t.Errorf("the root is at %s %%, want %.2f %%", m.At, 100*(4+0.75)/16.5)
			}
			if want := "root: gpu_ecc, 2026-11-30 02:11:09, gpu-node-17, dmesg-gpu-node-17.log:88"; m.Title != want {
				t.Errorf("the root says %q, want %q", m.Title, want)
			}
			return
		}
	}
	t.Error("the root is not drawn")
}

// A stack's last line has no stamp of its own: it lies between its neighbours. A
// kernel's stamp has no year: it takes that of the others.
func TestMomentsWithoutAFullStampFindTheirPlace(t *testing.T) {
	kernel := at(5, "10:00:08")
	kernel.StampNanos = time.Date(unknownYear, 11, 30, 10, 0, 8, 0, time.UTC).UnixNano()
	in := &failure.Incident{Logs: []failure.ReadLog{{Name: "a", Lines: 100}, {Name: "dmesg", Lines: 10}}, Lanes: []failure.Lane{
		{Log: 0, First: at(10, "10:00:00"), Last: at(30, "10:00:20"), Marks: []failure.Mark{
			{Moment: failure.Moment{Line: 15}, Role: failure.RoleRoot}, {Moment: at(20, "10:00:10"), Role: failure.RoleFallout}}},
		{Log: 1, First: kernel, Last: kernel, Marks: []failure.Mark{{Moment: kernel, Role: failure.RoleFallout}}},
	}}
	a := newAxis(in)
	if !a.clock {
		t.Fatal("the axis is not by the clock")
	}
	for _, c := range []struct {
		log  int
		m    failure.Moment
		want string
	}{{0, failure.Moment{Line: 15}, "10:00:05"}, {0, failure.Moment{Line: 5}, "10:00:00"}, {0, failure.Moment{Line: 99}, "10:00:20"}, {1, kernel, "10:00:08"}} {
		got, ok := a.at(c.log, c.m)
		if want := at(0, c.want).StampNanos; !ok || got != want {
			t.Errorf("line %d of log %d is at %s, want %s", c.m.Line, c.log, clockTime(got), clockTime(want))
		}
	}
}

// Without a clock the axis counts lines: of one log by number, of several as a
// share of each.
func TestAxesWithoutAClock(t *testing.T) {
	one := newAxis(userException())
	if one.clock || one.parts || one.from > 1180 || one.to < 1207 {
		t.Errorf("the axis is %+v, want lines 1,180 to 1,207", one)
	}
	in := twoRoots()
	for i := range in.Lanes {
		l := &in.Lanes[i]
		l.First.StampNanos, l.Last.StampNanos, l.Marks[0].StampNanos = 0, 0, 0
	}
	two := newAxis(in)
	if at, _ := two.at(1, failure.Moment{Line: 371}); !two.parts || at != 1000 {
		t.Errorf("line 371 of 371 is at %d of 1000 on %+v", at, two)
	}
}

func TestTicksAreFewAndRound(t *testing.T) {
	for _, c := range []struct {
		a    axis
		want string
	}{
		{axis{from: 1175, to: 1210}, "1,180 1,190 1,200 1,210"},
		{axis{from: 1, to: 1_000_000}, "200,000 400,000 600,000 800,000 1,000,000"},
		{axis{from: 0, to: 1000, parts: true}, "0 % 20 % 40 % 60 % 80 % 100 %"},
		{axis{from: at(0, "02:11:03").StampNanos, to: at(0, "02:11:22").StampNanos, clock: true}, "02:11:05 02:11:10 02:11:15 02:11:20"},
		{axis{from: at(0, "01:00:00").StampNanos, to: at(0, "13:00:00").StampNanos, clock: true}, "02:00 04:00 06:00 08:00 10:00 12:00"},
	} {
		var got []string
		for _, tick := range c.a.ticks() {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks of %+v are %q, want %q", c.a, got, c.want)
		}
	}
}

// A page of thousands of findings stays small enough to mail.
func TestLargePageStaysSmall(t *testing.T) {
	in := eccCascade()
	for i := range in.Lanes {
		for k := range 64 {
			in.Lanes[i].Marks = append(in.Lanes[i].Marks, failure.Mark{Moment: at(int64(14000+k), fmt.Sprintf("02:11:%02d", 5+k%15)), Kind: "peer_lost", Role: failure.RoleFallout})
		}
	}
	if size := len(write(t, in, Options{Format: HTML, Both: true})); size > 1<<20 {
		t.Errorf("page has %.1f MiB, want less than 1", float64(size)/(1<<20))
	}
}

// Text and marks stand out from the page in both themes, as WCAG 2 (AA) asks: 4.5
// for text, 3 for graphics.
func TestColoursStandOut(t *testing.T) {
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(roots) != 2 {
		t.Fatalf("style sheet has %d themes, want light and dark", len(roots))
	}
	luminance := func(hex string) (l float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
			if err != nil {
				t.Fatalf("colour #%s: %v", hex, err)
			}
			if s := float64(v) / 255; s <= 0.04045 {
				l += weight * s / 12.92
			} else {
				l += weight * math.Pow((s+0.055)/1.055, 2.4)
			}
		}
		return l
	}
	for i, theme := range []string{"light", "dark"} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6});`).FindAllStringSubmatch(roots[i][1], -1) {
			colours[m[1]] = luminance(m[2])
		}
		contrast := func(a, b string) float64 {
			lo, hi := min(colours[a], colours[b]), max(colours[a], colours[b])
			return (hi + 0.05) / (lo + 0.05)
		}
		for _, c := range []struct {
			on    string
			least float64
			names []string
		}{{"page", 4.5, []string{"ink", "soft", "accent"}}, {"panel", 4.5, []string{"ink", "soft"}}, {"page", 3, []string{"root", "also", "fallout", "over"}}} {
			for _, name := range c.names {
				if got := contrast(name, c.on); got < c.least {
					t.Errorf("%s: %s on %s has contrast %.2f, want %.1f", theme, name, c.on, got, c.least)
				}
			}
		}
	}
}
