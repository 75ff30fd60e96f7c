package report

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"schedmate"
	"schedmate/failure"
)

func TestCharactersWithoutAShapeAreWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"plain <b> & text":                "plain <b> & text",
		"job\u202egnp.exe":                "job⟨U+202E⟩gnp.exe",
		"\u2066iso\u2069":                 "⟨U+2066⟩iso⟨U+2069⟩",
		"\x1b[31mred\x1b[0m":              "⟨U+001B⟩[31mred⟨U+001B⟩[0m",
		"\x1b]8;;http://x\x07y":           "⟨U+001B⟩]8;;http://x⟨U+0007⟩y",
		"bar 10%\rbar 20%\n\tnext":        "bar 10% bar 20% next",
		"bad\xffutf":                      "bad⟨0xFF⟩utf",
		"zero\u200bwidth\u00ad":           "zero⟨U+200B⟩width⟨U+00AD⟩",
		"שלום 你好 é":                       "שלום 你好 é",
		"a\u0301\u0301\u0301\u0301\u0301": "a\u0301\u0301\u0301\u0301⟨U+0301⟩",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

const attack = "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{.}}\u202e\u2066\u200f\x1b[31m\x1b]0;t\x07\x00\x85\r\n" +
	"# heading\n- item [link](http://evil.example/a) ![p](http://evil.example/p.png) <http://evil.example> www.evil.example @everyone #1 | cell ```\n</details>\n```js\n~~~\n***\n"

// plant puts the attack at the end of every text of the incident.
func plant(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		switch v.Interface().(type) {
		case schedmate.FailureClass, schedmate.Component, failure.Role, failure.Restart, failure.Quarantine: // closed lists
		default:
			v.SetString(v.String() + attack)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			plant(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		copied := reflect.New(v.Type().Elem()) // the kinds are shared
		copied.Elem().Set(v.Elem())
		plant(copied.Elem())
		v.Set(copied)
	}
}

func planted() map[string]*failure.Incident {
	all := incidents()
	for _, in := range all {
		plant(reflect.ValueOf(in).Elem())
	}
	return all
}

// Every text of an incident, also one in a field that is added later, comes from
// strangers.
func TestHostileTextStaysText(t *testing.T) {
	for name, in := range planted() {
		for _, o := range []Options{{}, {Format: Markdown}, {Format: HTML, Both: true}, {Language: Chinese}, {Format: Markdown, Language: Chinese}} {
			t.Run(fmt.Sprint(name, o.Format, o.Language), func(t *testing.T) {
				got := write(t, in, o)
				for _, r := range got {
					if !unicode.IsGraphic(r) && r != '\n' {
						t.Fatalf("report holds %U", r)
					}
				}
				switch o.Format {
				case Markdown:
					checkMarkdown(t, got)
				case HTML:
					checkPage(t, got)
					for _, element := range []string{"<script", "<img", "<b>", "<a "} {
						if n := strings.Count(got, element); n > strings.Count(pageHTML, element)*2 {
							t.Errorf("page has %d of %s", n, element)
						}
					}
				}
			})
		}
	}
}

// checkMarkdown reads a ticket as CommonMark does, as far as what comes from
// outside could be taken for markup: outside code there must be none of it.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	body, machine, ok := strings.Cut(text, "\n\n<details><summary>JSON</summary>\n\n")
	if !ok {
		t.Fatal("the ticket has no JSON at its end")
	}
	for line := range strings.Lines(body) {
		outside := withoutCode(strings.TrimRight(line, "\n"))
		outside = regexp.MustCompile(`\\[!-/:-@\[-`+"`"+`{-~]`).ReplaceAllString(outside, "")
		outside = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(outside, "## "), "- "), "**", "")
		if found := regexp.MustCompile("[`*_<>\\[\\]#|~@&\\\\]|://|www\\.").FindString(outside); found != "" {
			t.Errorf("%q is outside code in %q", found, line)
		}
	}
	if strings.Contains(body, "\n#") && !strings.HasPrefix(body, "#") || strings.Count(body, "\n# ") > 0 {
		t.Error("a heading came in from outside")
	}
	m := regexp.MustCompile("(?s)^(`+)json\n(.*)\n(`+)\n\n</details>\n$").FindStringSubmatch(machine)
	if m == nil || m[1] != m[3] {
		t.Fatalf("the JSON is not between one fence: %.200q", machine)
	}
	if strings.Contains(m[2], m[1]) {
		t.Error("the JSON holds its fence")
	}
}

// withoutCode removes the code spans of a line: a run of backticks up to the next
// run of the same length. A backtick behind a backslash outside code is none.
func withoutCode(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '\\' && i+1 < len(line) {
			b.WriteString(line[i : i+2])
			i += 2
			continue
		}
		if line[i] != '`' {
			b.WriteByte(line[i])
			i++
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		end := -1
		for k := i + n; k < len(line); {
			if line[k] != '`' {
				k++
				continue
			}
			m := len(line[k:]) - len(strings.TrimLeft(line[k:], "`"))
			if m == n {
				end = k + m
				break
			}
			k += m
		}
		if end < 0 {
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		i = end
	}
	return b.String()
}

// Property: any text set as code is one code span, and nothing of it is outside.
func TestCodeSpansHoldAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := oneLine(rapid.StringOfN(rapid.SampledFrom([]rune("`` \\ab<*")), 0, 12, -1).Draw(t, "text"))
		if got := withoutCode(tick(text)); got != "" {
			t.Fatalf("of %q, %q is outside code", tick(text), got)
		}
	})
}

// Property: no row of a wrapped text is wider than asked, and no character is
// lost but blanks.
func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := oneLine(rapid.StringOfN(rapid.SampledFrom([]rune("ab c显存，（é\u0301")), 0, 60, -1).Draw(t, "text"))
		most := rapid.IntRange(8, 40).Draw(t, "most")
		rows := wrap(text, most)
		for _, row := range rows {
			if columns(row) > most {
				t.Fatalf("row %q has %d columns of %d", row, columns(row), most)
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(rows, "")) != squeeze(text) {
			t.Fatalf("%q became %q", text, rows)
		}
	})
}

func FuzzReport(f *testing.F) {
	f.Add(attack, "node-1", "train.log")
	f.Add("`", "", "")
	f.Fuzz(func(t *testing.T, text, node, file string) {
		in := eccCascade()
		in.Lanes = in.Lanes[:3]
		in.Diagnosis.Evidence[0].Text, in.Diagnosis.Evidence[0].File = text+" ", file
		in.Diagnosis.Node, in.Diagnosis.NextTest = node, text
		if node == "" {
			in.Diagnosis.Quarantine = false
		}
		write(t, in, Options{Width: len(text) % 200})
		checkMarkdown(t, write(t, in, Options{Format: Markdown}))
		checkPage(t, write(t, in, Options{Format: HTML, Both: true}))
	})
}
