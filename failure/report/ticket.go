package report

import (
	"fmt"
	"slices"
	"strings"
)

// ticket writes a page as Markdown. Whatever comes from outside stands between
// backticks, where Markdown knows neither links nor HTML; our own words are
// escaped.
func ticket(p *page, o Options, machine string) []byte {
	var b strings.Builder
	if p.Well {
		fmt.Fprintf(&b, "**%s**%s%s\n", escaped(p.Title), p.word(". ", "。"), marked(p.Lead))
	} else {
		fmt.Fprintf(&b, "## %s\n\n%s\n", escaped(p.Title), marked(p.Lead))
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n**%s**", escaped(s.Name))
		items := s.Items
		if items[0].Quote == "" && !slices.Contains([]string{"next", "also", "alternatives"}, s.ID) { // the answer, before what it rests on
			b.WriteString(p.word(": ", "：") + marked(items[0].Say))
			items = items[1:]
		}
		b.WriteString("\n")
		if len(items) > 0 {
			b.WriteString("\n")
		}
		for _, i := range items[:min(len(items), mostListed)] {
			b.WriteString("- ")
			b.WriteString(marked(i.Say))
			if i.Quote != "" {
				if len(i.Say) > 0 {
					b.WriteString(p.word(": ", "："))
				}
				b.WriteString(tick(i.Place) + " " + tick(cut(i.Quote, maxQuote)))
			}
			b.WriteString("\n")
		}
		if over := len(items) - mostListed; over > 0 {
			b.WriteString("- " + p.word(counted(over, "more", "more"), "另有 "+count(over)+" 项") + "\n")
		}
	}
	b.WriteString("\n" + escaped(p.Read))
	if !o.Now.IsZero() {
		b.WriteString(escaped(p.word("; reported ", "；报告时间 ") + o.Now.Format("2006-01-02 15:04:05 -07:00")))
	}
	machine = strings.TrimRight(machine, "\n")
	fence := strings.Repeat("`", max(3, longestRun(machine)+1))
	fmt.Fprintf(&b, "\n\n<details><summary>JSON</summary>\n\n%sjson\n%s\n%s\n\n</details>\n", fence, machine, fence)
	return []byte(b.String())
}

// maxQuote is how many columns of a line are quoted outside the screen.
const maxQuote = 400

// marked is a sentence as Markdown.
func marked(s sentence) string {
	var b strings.Builder
	for _, p := range s {
		if p.Code {
			b.WriteString(tick(p.Text))
		} else {
			b.WriteString(escaped(p.Text))
		}
	}
	return b.String()
}

// tick sets text as code: between more backticks in a row than it holds.
func tick(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// longestRun is the length of the longest run of backticks.
func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		run++
		if text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// special has a meaning in Markdown, wherever it stands. The marks that mean
// something at the beginning of a line only (1. + -) never begin one here.
const special = "\\`*_[]<>&#|~!@$"

// escaped is text of ours as Markdown.
func escaped(text string) string {
	var b strings.Builder
	for i, r := range text {
		link := r == ':' && strings.HasPrefix(text[i:], "://") || r == '.' && strings.HasSuffix(strings.ToLower(text[:i]), "www")
		if r < 0x80 && strings.ContainsRune(special, r) || link {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
