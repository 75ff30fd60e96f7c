package report

import (
	"schedmate"
	"schedmate/failure"
)

// also are roots beside the first.
func (p *page) also(in *failure.Incident) []item {
	var items []item
	for _, f := range in.Diagnosis.Also {
		s := p.finding(in, f.Subclass, f.Class, f.Component)
		if f.Node != "" {
			s = append(s, p.say(", node {0}", "，节点 {0}", code(f.Node))...)
		}
		items = append(items, item{Say: s, Place: place(f.File, f.Line), Quote: f.Text})
	}
	return items
}

// finding names a kind of failure with whose it is and of which part.
func (p *page) finding(in *failure.Incident, subclass string, class schedmate.FailureClass, part schedmate.Component) sentence {
	title := sentence{{subclass, true}}
	if k := in.Kinds[subclass]; k != nil {
		title = plain(p.title(k))
	}
	of := p.Lang.in(classes[class])
	if name := p.Lang.in(components[part]); name != of {
		of += p.word(", ", "，") + name
	}
	return p.say("{0} ({1})", "{0}（{1}）", title, of)
}

func (p *page) alternatives(in *failure.Incident) []item {
	var items []item
	for _, a := range in.Diagnosis.Alternatives {
		items = append(items, item{Say: append(p.finding(in, a.Subclass, a.Class, a.Component), p.say(": {0}", "：{0}", p.translated(a.Why))...)})
	}
	return items
}
