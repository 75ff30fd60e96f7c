package table

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedmate/advisor/origin"
)

// DefaultValue is what a library takes for an option that is not given.
type DefaultValue struct {
	Class, Option string
	Value         any      // nil, bool, float64 or string
	Text          string   // as the library writes it
	Others        []string // what other versions take, when the version was not known
	Source        string
	Origin        *origin.Origin
}

type defaultRow struct {
	class, option, text, source string
	from, until                 version // [from, until); empty is unbounded
	key                         string
}

type defaultTable struct {
	rows  map[string][]defaultRow // by class and option, the newest version last
	base  map[string]string       // a class, or the front of one that ends in a point
	short map[string]string       // library and last name, or last name alone -> class; empty when several have it
	known map[string]bool         // classes by their full names
}

var defaults = sync.OnceValue(func() *defaultTable {
	t := &defaultTable{make(map[string][]defaultRow), make(map[string]string), make(map[string]string), make(map[string]bool)}
	name := func(class string) {
		library, last := split(class)
		for _, s := range []string{library + "." + last, last} {
			if other, ok := t.short[s]; ok && other != class {
				t.short[s] = "" // ambiguous
			} else {
				t.short[s] = class
			}
		}
	}
	for _, r := range mustRead("defaults") {
		d := defaultRow{class: r.text("class"), option: r.text("option"), text: r.text("value"), source: r.text("source"),
			from: parseVersion(r.text("from")), until: parseVersion(r.text("until"))}
		d.key = d.class + "." + d.option
		if r.text("from") != "" || r.text("until") != "" {
			d.key += " [" + r.text("from") + ", " + r.text("until") + ")"
		}
		at := d.class + " " + d.option
		t.rows[at] = append(t.rows[at], d)
		if !t.known[d.class] {
			t.known[d.class] = true
			name(d.class)
		}
	}
	for at := range t.rows {
		slices.SortStableFunc(t.rows[at], func(a, b defaultRow) int {
			switch {
			case a.from.before(b.from):
				return -1
			case b.from.before(a.from):
				return 1
			}
			return 0
		})
	}
	for _, r := range mustRead("bases") {
		class := strings.TrimSuffix(r.text("class"), "*")
		t.base[class] = strings.TrimSuffix(r.text("base"), "*")
		if !strings.HasSuffix(class, ".") && !t.known[class] {
			t.known[class] = true
			name(class)
		}
	}
	return t
})

// split gives a qualified name's library and its last name; of a method, the
// class goes with it.
func split(class string) (library, last string) {
	fields := strings.Split(class, ".")
	n := len(fields) - 1
	last = fields[n]
	if n >= 2 && last != "" && last == strings.ToLower(last) {
		last = fields[n-1] + "." + last
	}
	return fields[0], last
}

// LibraryDefault looks up what a library takes for an option of a class or
// function: LibraryDefault("transformers.TrainingArguments", "optim", "4.46").
// The class may be given by any path inside its library, or by its last name
// when no other library has it. An unknown version, "", means the newest; Others
// then says what older ones take. It abstains when the table has no row for the
// option or the version, or the option must be given.
func LibraryDefault(class, option, release string) (DefaultValue, bool) {
	t := defaults()
	if len(class) > maxName || len(option) > maxName {
		return DefaultValue{}, false
	}
	for front, base := range t.base { // at most one front matches: none is the front of another
		if strings.HasSuffix(front, ".") && strings.HasPrefix(class, front) {
			class = base + strings.TrimPrefix(class, front)
			break
		}
	}
	if !t.known[class] {
		library, last := split(class)
		full := t.short[library+"."+last]
		if full == "" && !strings.Contains(class, ".") {
			full = t.short[class]
		}
		if full == "" {
			return DefaultValue{}, false
		}
		class = full
	}
	v := parseVersion(release)
	for range 4 { // up the bases
		if d, ok := t.pick(class, option, v); ok {
			return d, true
		}
		base, ok := t.base[class]
		if !ok {
			break
		}
		if a, _ := split(class); !strings.HasPrefix(base, a+".") {
			v = nil // the version was of another library
		}
		class = base
	}
	return DefaultValue{}, false
}

// pick chooses the row of a version among those of one option.
func (t *defaultTable) pick(class, option string, v version) (DefaultValue, bool) {
	rows := t.rows[class+" "+option]
	if len(rows) == 0 {
		return DefaultValue{}, false
	}
	chosen := rows[len(rows)-1]
	var others []string
	if len(v) == 0 {
		for _, r := range rows[:len(rows)-1] {
			if r.text != chosen.text {
				others = append(others, r.text)
			}
		}
	} else {
		i := slices.IndexFunc(rows, func(r defaultRow) bool {
			return !v.before(r.from) && (len(r.until) == 0 || v.before(r.until))
		})
		if i < 0 {
			return DefaultValue{}, false
		}
		chosen = rows[i]
	}
	return DefaultValue{Class: chosen.class, Option: chosen.option, Value: value(chosen.text), Text: chosen.text, Others: others,
		Source: chosen.source, Origin: origin.Named(origin.Default, chosen.key)}, true
}

// value reads a cell: none, true, false, a number, else text.
func value(text string) any {
	switch text {
	case "none":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return text
}
