package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"

	"schedmate/failure"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// contentPolicy lets a browser use our own style sheet and nothing else: no
// script, no picture, nothing from anywhere, whatever text the page holds.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// document writes a page of HTML that needs nothing beside it. The switch of the
// languages works without a script.
func document(in *failure.Incident, o Options, machine string) ([]byte, error) {
	languages := []Language{o.Language}
	if o.Both {
		languages = []Language{English, Chinese}
	}
	view := documentView{ContentPolicy: contentPolicy(), CSS: template.CSS(pageCSS), First: o.Language, Machine: machine}
	for _, l := range languages {
		p := newPage(in, l, o)
		v := pageView{page: p, Timeline: newTimeline(in, p), Made: p.Read}
		if !o.Now.IsZero() {
			v.Made += p.word("; reported ", "；报告时间 ") + o.Now.Format("2006-01-02 15:04:05 -07:00")
		}
		if l == o.Language {
			view.Title = p.Title
		}
		view.Pages = append(view.Pages, v)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, view); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// documentView is the whole page as the template sees it.
type documentView struct {
	ContentPolicy string
	CSS           template.CSS
	Title         string
	First         Language
	Pages         []pageView
	Machine       string
}

// Both says that there is something to switch.
func (v documentView) Both() bool { return len(v.Pages) > 1 }

// pageView is the page in one language.
type pageView struct {
	*page
	Timeline *timeline
	Made     string
}

// Facts are the sections that answer a question in a sentence.
func (v pageView) Facts() []section {
	var out []section
	for _, id := range facts {
		if s, ok := v.section(id); ok {
			out = append(out, s)
		}
	}
	return out
}

// Before and After are the lists before and after the timeline.
func (v pageView) Before() []section { return v.lists("sure", "seen", "over") }

func (v pageView) After() []section { return v.lists("explained", "also", "alternatives", "next") }

func (v pageView) lists(ids ...string) []section {
	var out []section
	for _, id := range ids {
		if s, ok := v.section(id); ok {
			out = append(out, s)
		}
	}
	return out
}

// Tone is how a fact is set: an answer that asks for an act stands out.
func (s section) Tone() string {
	if s.ID == "restart" || s.ID == "quarantine" || s.ID == "advice" {
		return "act"
	}
	return "fact"
}

// Language is what a browser is told of the language.
func (v pageView) Language() string {
	if v.Lang == Chinese {
		return "zh-Hans"
	}
	return "en"
}

// Short is a quote as far as it is shown.
func (i item) Short() string { return cut(i.Quote, maxQuote) }
