package table

import (
	"slices"
	"strings"
	"sync"

	"schedmate/advisor/workload"
)

var precisions = sync.OnceValues(func() ([]record, *index) {
	rows := mustRead("precisions")
	return rows, mustIndex(rows)
})

// Precision gives the canonical name of a number format, such as "amp-bf16" for
// "bf16-mixed".
func Precision(name string) (string, bool) {
	rows, ix := precisions()
	row, ok := ix.whole[key(name)]
	if !ok {
		return "", false
	}
	return rows[row].text("name"), true
}

// Canonical is the form of a field's text that a fingerprint compares: equal
// for two texts that mean the same. It unites only whole names that a table
// holds, never names inside longer ones, so that different work stays
// different; other texts lose case, separators, folders and file suffixes. Of
// several data sets the order does not count.
func Canonical(field workload.Field, text string) string {
	switch field {
	case workload.ModelName:
		if m, ok := Model(text); ok && m.Whole {
			return m.Name
		}
		return bare(text)
	case workload.Dataset:
		if d, ok := Dataset(text); ok && d.Whole {
			return d.Name
		}
		sets := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '+' || r == ';' })
		sets = slices.DeleteFunc(sets, func(s string) bool { return key(s) == "" })
		if len(sets) < 2 {
			return bare(text)
		}
		for i, s := range sets {
			sets[i] = Canonical(field, s)
		}
		slices.Sort(sets)
		return strings.Join(sets, "+")
	case workload.Optimizer:
		if o, ok := Optimizer(text); ok {
			return o.Name
		}
	case workload.Precision:
		if p, ok := Precision(text); ok {
			return p
		}
	}
	return plain(text)
}

// bare is the best name in a text without case and separators.
func bare(text string) string {
	if all := parts(text, false); len(all) > 0 {
		return plain(all[0])
	}
	return plain(text)
}

// plain drops case and separators; of a text without letters and digits, and of
// one too long to be a name, nothing is dropped.
func plain(text string) string {
	if k := key(text); k != "" {
		return k
	}
	return strings.TrimSpace(text)
}
