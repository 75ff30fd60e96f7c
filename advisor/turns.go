package advisor

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/resolve"
	"schedmate/advisor/workload"
)

// mostShown bounds the values of a sweep that are listed for one field.
const mostShown = 16

// turns takes back what the turns of a loop do not agree on: a field that
// stands in a word which is another in each turn has all their values.
func (a *Analysis) turns(r *resolve.Result) {
	if r.Program == nil {
		return
	}
	a.otherRuns(r)
	run, differ := r.Program, []string{}
	for i, w := range run.Args {
		texts := []string{w.Text}
		for _, turn := range run.Turns {
			if i < len(turn) && !slices.Contains(texts, turn[i].Text) {
				texts = append(texts, turn[i].Text)
			}
		}
		option := optionOf(run.Args, i)
		if len(texts) < 2 || harmless(option) {
			continue
		}
		if option != "" && !strings.HasPrefix(texts[0], option) {
			differ = append(differ, option)
		}
		differ = append(differ, texts[0])
		for _, f := range workload.Fields() {
			v, ok := r.Metadata.Values[f]
			if !ok || v.Origin.String() != w.Origin.String() || !says(texts[0], v.Value) {
				continue
			}
			var all []Answer
			for _, text := range texts[:min(len(texts), mostShown)] {
				if value, ok := valueLike(v.Value, text); ok {
					one := answer(v)
					one.Value = value
					all = append(all, one)
				}
			}
			if len(all) > 1 {
				if a.Candidates == nil {
					a.Candidates = map[workload.Field][]Answer{}
				}
				a.Candidates[f] = all
				delete(a.Fields, f)
			}
		}
	}
	if len(differ) > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("a loop of the script starts %s %d times with other words; the answer is about the first: %s", path.Base(run.Name), run.Repeats, strings.Join(differ, " ")))
	}
}

// otherRuns warns of further trainings in one submission.
func (a *Analysis) otherRuns(r *resolve.Result) {
	n := 0
	for i := range r.Launch.Invocations {
		inv := &r.Launch.Invocations[i]
		if inv.Name == r.Program.Name && inv.Program == r.Program.Program && inv.Doubt == "" {
			n++
		}
	}
	if n > 1 && r.Program.Doubt == "" {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the submission starts %s at %d places; the answer is about the first, and its duration is not that of the whole job", path.Base(r.Program.Name), n))
	}
}

// optionOf is the option that a word stands behind or is assigned to.
func optionOf(words []launch.Word, i int) string {
	if name, _, ok := strings.Cut(words[i].Text, "="); ok {
		return name
	}
	if i > 0 && strings.HasPrefix(words[i-1].Text, "-") {
		return words[i-1].Text
	}
	return ""
}

// says reports whether a word gives a field that value.
func says(text string, value any) bool {
	same, ok := valueLike(value, text)
	return ok && same == value
}

// valueLike reads a word, or what it assigns, as a value of the kind of another.
func valueLike(like any, text string) (any, bool) {
	if _, value, ok := strings.Cut(text, "="); ok {
		text = value
	}
	switch like.(type) {
	case float64:
		x, err := strconv.ParseFloat(text, 64)
		return x, err == nil
	case string:
		return text, true
	}
	return nil, false
}
