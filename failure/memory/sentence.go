package memory

import (
	"fmt"
	"strings"

	"schedmate"
)

// tongue is how a recollection is told.
type tongue struct {
	fresh, alike        string // a line that nobody has seen, without and with a similar one
	lately, longAgo     string // a line that was seen
	open                string // nothing is confirmed of it
	confirmedBy, helped string
	once, twice, often  string
	units               [3][2]string // days, hours, minutes: one and many
	moment              string
	nothing             string // failed
	of                  string // a kind and its class
}

var (
	english = &tongue{
		fresh:       "new: no incident on record has this line, or one like it",
		alike:       "new: no incident on record has this line; the most similar is of incident %s (%.2f alike)",
		lately:      "seen %s in the last %s, last %s ago (incident %s)",
		longAgo:     "seen %s, but not in the last %s; last %s ago (incident %s)",
		open:        "; no cause was confirmed",
		confirmedBy: "; confirmed by %s: %s", helped: ", what helped: %s",
		once: "once", twice: "twice", often: "%d times",
		units:  [3][2]string{{"%d day", "%d days"}, {"%d hour", "%d hours"}, {"%d minute", "%d minutes"}},
		moment: "less than a minute", nothing: "no failure", of: "%s (%s)",
	}
	chinese = &tongue{
		fresh:       "首次出现：记录在案的事件都没有这一行，也没有类似的行",
		alike:       "首次出现：记录在案的事件都没有这一行；最相似的是事件 %s（相似度 %.2f）",
		lately:      "出现过%s（过去%s内），最近一次在%s前（事件 %s）",
		longAgo:     "出现过%s，但不在过去%s内；最近一次在%s前（事件 %s）",
		open:        "；尚无确认的原因",
		confirmedBy: "；%s 已确认：%s", helped: "，有效措施：%s",
		once: "一次", twice: "两次", often: " %d 次",
		units:  [3][2]string{{" %d 天", " %d 天"}, {" %d 小时", " %d 小时"}, {" %d 分钟", " %d 分钟"}},
		moment: "不到一分钟", nothing: "没有故障", of: "%s（%s）",
	}
)

// Sentence says in one line what is remembered at an instant; "" when nothing
// was asked.
func (c *Recollection) Sentence(at schedmate.Seconds) string { return english.sentence(c, at) }

// ChineseSentence is Sentence in Chinese.
func (c *Recollection) ChineseSentence(at schedmate.Seconds) string { return chinese.sentence(c, at) }

func (t *tongue) sentence(c *Recollection, at schedmate.Seconds) string {
	switch {
	case c.New && len(c.Similar) == 0:
		return t.fresh
	case c.New:
		s := c.Similar[0]
		return fmt.Sprintf(t.alike, s.Record.Incident, s.Cosine) + t.confirmed(s.Outcome)
	case len(c.Exact) == 0:
		return ""
	}
	last := c.Exact[0]
	text := t.open
	if o := newestOutcome(c.Exact); o != nil {
		text = t.confirmed(o)
	}
	form, n := t.lately, c.Recurrence.Times
	if n == 0 {
		form, n = t.longAgo, c.Recurrence.Ever
	}
	return fmt.Sprintf(form, t.times(n), t.span(RecurrenceWindow), t.span(at-last.At), last.Incident) + text
}

func (t *tongue) confirmed(o *Outcome) string {
	if o == nil {
		return ""
	}
	what := t.nothing
	if o.Class != schedmate.NoFailure {
		what = fmt.Sprintf(t.of, o.Kind, o.Class)
	}
	if o.Helped != "" {
		what += fmt.Sprintf(t.helped, strings.TrimSpace(o.Helped))
	}
	return fmt.Sprintf(t.confirmedBy, o.By, what)
}

func (t *tongue) times(n int) string {
	switch n {
	case 1:
		return t.once
	case 2:
		return t.twice
	}
	return fmt.Sprintf(t.often, n)
}

// span is a length of time in its largest unit of which there are two.
func (t *tongue) span(of schedmate.Seconds) string {
	unit, n := 2, of/60
	switch {
	case of >= 2*86400:
		unit, n = 0, of/86400
	case of >= 2*3600:
		unit, n = 1, of/3600
	case n < 1:
		return t.moment
	}
	if n == 1 {
		return fmt.Sprintf(t.units[unit][0], n)
	}
	return fmt.Sprintf(t.units[unit][1], n)
}
