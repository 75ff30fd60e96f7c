package table

import (
	"slices"
	"strings"
	"sync"

	"schedmate/advisor/origin"
)

// Signals is what is known of a job when its task is asked for. Empty is not
// known.
type Signals struct {
	Dataset     string   // as the job names it
	Model       string   // as the job names it
	ModelFamily string   // canonical; when empty, that of Model
	ModelClass  string   // name of the class that is built, such as LlamaForCausalLM
	Losses      []string // names of loss classes and functions on the path
	EntryName   string   // path of the program in its repository
	Callees     []string // qualified names of library calls seen on the path
	Flags       []Flag
	InitFrom    string // scratch; any other text is a checkpoint
}

// Flag is an option of the command or the configuration with its value.
type Flag struct{ Name, Value string }

// TaskRule is the row that decided.
type TaskRule struct {
	Line   int // in the table
	Source string
	Origin *origin.Origin
}

type taskRow struct {
	slug     string
	priority float64
	rule     TaskRule
	// patterns of which one must hold; nil asks for nothing
	datasetTask, domain, family, model, class, loss, entry, callee, flag, init []string
	entryKey                                                                   []string // keys of entry
}

var tasks = sync.OnceValue(func() []taskRow {
	var all []taskRow
	for _, r := range mustRead("tasks") {
		t := taskRow{
			slug: r.text("slug"), priority: r.number("priority"), datasetTask: r.list("dataset_task"),
			domain: r.list("domain"), family: r.list("family"), model: r.list("model"), class: r.list("class"), loss: r.list("loss"),
			entry: r.list("entry"), callee: r.list("callee"), flag: r.list("flag"), init: r.list("init"),
			rule: TaskRule{Line: r.line, Source: r.text("source")},
		}
		for _, e := range t.entry {
			t.entryKey = append(t.entryKey, key(e))
		}
		t.rule.Origin = origin.Named(origin.Table, "tasks: "+t.slug+" by "+t.because())
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b taskRow) int { return int(a.priority - b.priority) })
	return all
})

// because names the kinds of signal that a row asks for.
func (t taskRow) because() string {
	var all []string
	for _, c := range []struct {
		name string
		list []string
	}{
		{"data set's task", t.datasetTask}, {"domain", t.domain}, {"family", t.family}, {"model", t.model}, {"class", t.class},
		{"loss", t.loss}, {"entry", t.entry}, {"call", t.callee}, {"flag", t.flag}, {"start", t.init},
	} {
		if c.list != nil {
			all = append(all, c.name)
		}
	}
	return strings.Join(all, ", ")
}

// Task names what the job does, such as "image-classification", by the first
// rule whose conditions all hold, and tells the rule. It abstains when none
// does.
func Task(s Signals) (slug string, rule TaskRule, ok bool) {
	f := factsOf(s)
	for _, t := range tasks() {
		if !t.holds(f) {
			continue
		}
		if t.slug == "@dataset" {
			return f.dataset.Task, t.rule, true
		}
		return t.slug, t.rule, true
	}
	return "", TaskRule{}, false
}

// Slugs lists every task that the rules and the data sets name, sorted.
func Slugs() []string {
	var all []string
	for _, t := range tasks() {
		if t.slug != "@dataset" {
			all = append(all, t.slug)
		}
	}
	for _, d := range datasets().rows {
		if d.Task != "" {
			all = append(all, d.Task)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// facts are signals after the other tables were asked.
type facts struct {
	Signals
	dataset DatasetInfo
	model   string
	family  string
	domains []string
	entry   []string // words
	flags   []string // name and name=value
	losses  []string // lower case
	init    string
}

// maxSignals bounds a list of signals; a program that gives more is not read on.
const maxSignals = 2000

func factsOf(s Signals) facts {
	f := facts{Signals: s, family: s.ModelFamily, entry: words(s.EntryName)}
	f.dataset, _ = Dataset(s.Dataset)
	if m, ok := Model(s.Model); ok {
		f.model = m.Name
		if f.family == "" {
			f.family = m.Family
		}
	}
	f.domains = models().domains[f.family]
	if f.dataset.Domain != "" {
		f.domains = []string{f.dataset.Domain}
	}
	if s.InitFrom == "scratch" {
		f.init = "scratch"
	} else if s.InitFrom != "" {
		f.init = "checkpoint"
	}
	f.Callees = s.Callees[:min(len(s.Callees), maxSignals)]
	for _, loss := range s.Losses[:min(len(s.Losses), maxSignals)] {
		f.losses = append(f.losses, strings.ToLower(loss))
	}
	for _, flag := range s.Flags[:min(len(s.Flags), maxSignals)] {
		name := strings.ToLower(strings.ReplaceAll(strings.TrimLeft(flag.Name, "-+"), "-", "_"))
		f.flags = append(f.flags, name, name+"="+strings.ToLower(flag.Value))
	}
	return f
}

func (t taskRow) holds(f facts) bool {
	return one(t.datasetTask, f.dataset.Task) && some(t.domain, f.domains) &&
		one(t.family, f.family) && one(t.model, f.model) && one(t.class, f.ModelClass) && some(t.loss, f.losses) &&
		t.entryHolds(f.entry) && some(t.callee, f.Callees) && t.flagHolds(f.flags) && one(t.init, f.init)
}

// flagHolds looks for one of the conditions of which all parts, joined by &,
// are among the flags.
func (t taskRow) flagHolds(flags []string) bool {
	return t.flag == nil || slices.ContainsFunc(t.flag, func(all string) bool {
		for part := range strings.SplitSeq(all, "&") {
			if !some([]string{part}, flags) {
				return false
			}
		}
		return true
	})
}

// entryHolds looks for the words of a condition among those of the path.
func (t taskRow) entryHolds(w []string) bool {
	if t.entry == nil {
		return true
	}
	for from := range w {
		run := ""
		for _, word := range w[from:min(from+6, len(w))] {
			run += word
			if slices.Contains(t.entryKey, run) {
				return true
			}
		}
	}
	return false
}

// one tells whether a text that is known is one of the patterns; no patterns
// ask for nothing.
func one(patterns []string, text string) bool {
	return patterns == nil || text != "" && slices.ContainsFunc(patterns, func(p string) bool { return wildcard(p, text) })
}

func some(patterns, texts []string) bool {
	return patterns == nil || slices.ContainsFunc(texts, func(text string) bool { return one(patterns, text) })
}

// wildcard matches a whole text with a pattern in which * is any text.
func wildcard(pattern, text string) bool {
	fields := strings.Split(pattern, "*")
	if len(fields) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, fields[0])
	if !ok {
		return false
	}
	for _, f := range fields[1 : len(fields)-1] {
		i := strings.Index(text, f)
		if i < 0 {
			return false
		}
		text = text[i+len(f):]
	}
	return strings.HasSuffix(text, fields[len(fields)-1])
}
