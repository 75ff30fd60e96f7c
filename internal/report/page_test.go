package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"schedmate"
)

// checkPage reads the page as a browser would and checks what must hold for
// every page: elements nest, ids are unique, references lead somewhere,
// nothing is loaded, no attribute runs code, drawings and tables are named.
func checkPage(t *testing.T, page string) {
	t.Helper()
	text := regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*?(</script>)`).ReplaceAllString(page, "$1$2$3$4")
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
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
				checkAttribute(t, e.Name.Local, a, ids, wanted)
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
	if n, m := strings.Count(page, "<table"), strings.Count(page, "<caption"); n != m {
		t.Errorf("%d tables have %d captions", n, m)
	}
	if n, m := strings.Count(page, `class="plot"`), strings.Count(page, "<desc"); n != m {
		t.Errorf("%d plots have %d descriptions", n, m)
	}
}

var allowed = regexp.MustCompile(`^(?i:href|src|srcset|data|action|poster|xlink:href|on\w+|style)$`)

func checkAttribute(t *testing.T, element string, a xml.Attr, ids, wanted map[string]bool) {
	t.Helper()
	name := a.Name.Local
	switch {
	case name == "id":
		if ids[a.Value] {
			t.Errorf("id %q occurs twice", a.Value)
		}
		ids[a.Value] = true
	case name == "aria-labelledby":
		for _, id := range strings.Fields(a.Value) {
			wanted[id] = true
		}
	case name == "href" && strings.HasPrefix(a.Value, "#"):
		wanted[a.Value[1:]] = true
	case allowed.MatchString(name):
		t.Errorf("<%s %s=%q> may load or run something", element, name, a.Value)
	}
}

func TestPagesAreWellFormed(t *testing.T) {
	checkPage(t, render(t, twoPolicies()))
	checkPage(t, render(t, seeded()))
}

func TestPageNeedsNoNetwork(t *testing.T) {
	page := render(t, twoPolicies())
	for _, ways := range []string{
		`(?i)\b(src|href|srcset|action|poster|data)\s*=\s*["']?\s*(https?:)?//`, `(?i)url\(`, `(?i)@import`, `(?i)<link\b`, `(?i)<base\b`,
		`(?i)\bfetch\(`, `XMLHttpRequest`, `(?i)\bimport\b\s*\(`, `WebSocket`, `sendBeacon`, `innerHTML`, `\beval\(`,
	} {
		if found := regexp.MustCompile(ways).FindString(page); found != "" {
			t.Errorf("page holds %q", found)
		}
	}
}

// The policy in the page names the hash of the script, so a browser runs no
// other one, even if it were in the page.
func TestContentPolicyAllowsExactlyOurScript(t *testing.T) {
	page := render(t, twoPolicies())
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(script) != 1 {
		t.Fatalf("page has %d scripts, want 1", len(script))
	}
	sum := sha256.Sum256([]byte(script[0][1]))
	want := "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
		t.Errorf("content policy does not name %s", want)
	}
	if lines := strings.Count(pageJS, "\n"); lines >= 200 {
		t.Errorf("script has %d lines, it should only do niceties", lines)
	}
}

// A page of 2,000 jobs under five policies on 256 GPUs, each job preempted
// five times, must stay small enough to mail.
func TestLargePageStaysSmall(t *testing.T) {
	page := Page{Title: "large"}
	for _, policy := range []string{"a", "b", "c", "d", "e"} {
		r := Run{Policy: policy, GPUs: 256}
		for range 32 {
			r.Nodes = append(r.Nodes, Node{"node", 8})
		}
		for i := range 2000 {
			at := schedmate.Seconds(i * 311)
			r.JCT = append(r.JCT, at+1)
			r.Queue = append(r.Queue, at%7919)
			r.Usage = append(r.Usage, Sample{At: at, UsedGPUs: i * 7 % 256, WaitingJobs: i % 97})
			for part := range schedmate.Seconds(6) {
				for gpu := range 4 {
					row := (i*4 + int(part)*64 + gpu) % 256
					r.Bars = append(r.Bars, Bar{Job: "application_1506638472019_" + policy + strings.Repeat("x", i%5), Row: row,
						Start: at + part*5003, End: at + part*5003 + 4001, GPUs: 4, Preempted: part < 5})
				}
			}
		}
		page.Runs = append(page.Runs, r)
	}
	if size := len(render(t, page)); size > 6<<20 {
		t.Errorf("page has %.1f MiB, want less than 6", float64(size)/(1<<20))
	}
}
