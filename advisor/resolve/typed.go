package resolve

import (
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/pyeval"
)

// gatherTyped names what the command gives to options that the program was not
// seen to keep: "--train-iters 500000" of a parser that is filled from what
// nobody sees. It is the weakest of all: only names that nothing else has.
func (v *view) gatherTyped() {
	for i, w := range v.run.Args {
		name, text, has := strings.Cut(w.Text, "=")
		at := w
		if !w.Known || !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " $") {
			continue
		}
		if !has {
			if i+1 == len(v.run.Args) || !v.run.Args[i+1].Known || strings.HasPrefix(v.run.Args[i+1].Text, "--") {
				continue // a switch
			}
			at = v.run.Args[i+1]
			text = at.Text
		}
		key := normal(lastPart(name))
		settled := slices.ContainsFunc(v.names[key], func(n named) bool {
			return n.config && n.value.Kind != pyeval.None && n.value.Kind != pyeval.CandidatesKind
		})
		if settled || at.Origin == nil {
			continue
		}
		v.name(named{path: key, value: typedValue(text, at), config: true})
	}
}

// typedValue is a word as the number that it is written as, else as text.
func typedValue(text string, w launch.Word) pyeval.Value {
	plain := strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(plain, 10, 64); err == nil {
		return pyeval.Value{Kind: pyeval.Int, Int: n, Origin: w.Origin}
	}
	if x, err := strconv.ParseFloat(plain, 64); err == nil && strings.ContainsAny(plain, "0123456789") {
		return pyeval.Value{Kind: pyeval.Float, Float: x, Origin: w.Origin}
	}
	return pyeval.Value{Kind: pyeval.Str, Text: text, Origin: w.Origin}
}
