// Package origin records where a value came from: the place that set it, the
// layers that it beat, and, for a computed value, its operands. It is the
// evidence behind every field that the advisor answers.
package origin

import (
	"fmt"
	"strings"
)

// Kind is the sort of place that a value was read from.
type Kind string

const (
	Python  Kind = "py"      // a statement of a Python file
	YAML    Kind = "yaml"    // a key of a YAML file
	JSON    Kind = "json"    // a key of a JSON file
	TOML    Kind = "toml"    // a key of a TOML or INI file
	Gin     Kind = "gin"     // a binding of a gin file
	Shell   Kind = "sh"      // a word of a shell script
	CLI     Kind = "cli"     // a word of the submitted command; Key holds the flag
	Env     Kind = "env"     // a variable of the submission's environment; Key holds its name
	Request Kind = "launch"  // the launch request: #SBATCH line, manifest field; Key names it
	Default Kind = "default" // a documented default of a library; Key names library, version and option
	Table   Kind = "table"   // a row of one of the advisor's tables; Key names table and row
	Rule    Kind = "rule"    // a rule such as an absence rule; Key names it
	Derived Kind = "derived" // computed from From; Key shows the formula
)

// Origin is one link of the evidence of a value. It is immutable once made and
// may be shared. The nil Origin is "not recorded".
//
// Invariant: File is a slash-separated path relative to the repository's root,
// or empty; Line counts from 1 and is 0 when File is empty or the whole is
// meant.
type Origin struct {
	Kind Kind
	File string
	Line int
	Key  string    // what was read there; never the text of a secret
	Beat *Origin   // the next weaker layer that set the same value, if any
	From []*Origin // operands of a derived value, in order of the formula
}

// At is the origin of a value that stands on a line of a file.
func At(kind Kind, file string, line int, key string) *Origin {
	return &Origin{Kind: kind, File: file, Line: line, Key: key}
}

// Named is the origin of a value that has a name instead of a place in a file:
// a flag, a variable, a table's row, a rule.
func Named(kind Kind, key string) *Origin { return &Origin{Kind: kind, Key: key} }

// Computed is the origin of a value that follows from others by a formula.
func Computed(formula string, from ...*Origin) *Origin {
	return &Origin{Kind: Derived, Key: formula, From: from}
}

// Over is o as the winner over a weaker layer. Neither argument is changed.
func (o *Origin) Over(weaker *Origin) *Origin {
	if o == nil || weaker == nil || o == weaker {
		if o == nil {
			return weaker
		}
		return o
	}
	won := *o
	last := &won
	for last.Beat != nil { // keep the layers that o had beaten before
		next := *last.Beat
		last.Beat = &next
		last = last.Beat
	}
	last.Beat = weaker
	return &won
}

// Overrides reports whether o is the winner over a weaker layer at that place.
func (o *Origin) Overrides(weaker *Origin) bool {
	if o == nil || weaker == nil {
		return false
	}
	for l, n := o.Beat, 0; l != nil && n < 32; l, n = l.Beat, n+1 {
		if l == weaker || l.Kind == weaker.Kind && l.File == weaker.File && l.Line == weaker.Line && l.Key == weaker.Key {
			return true
		}
	}
	return false
}

// String is the short form that an answer shows: "py:train.py:33",
// "cli:--batch-size", "derived: 12*40".
func (o *Origin) String() string {
	switch {
	case o == nil:
		return ""
	case o.Kind == Derived:
		return "derived: " + o.Key
	case o.File != "":
		return fmt.Sprintf("%s:%s:%d", o.Kind, o.File, o.Line)
	}
	return string(o.Kind) + ":" + o.Key
}

// Place is "file:line" of the origin or of the first operand that has one; for
// a value without any place it is the short form.
func (o *Origin) Place() string {
	if at := o.located(8); at != nil {
		return fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	return o.String()
}

func (o *Origin) located(depth int) *Origin {
	if o == nil || depth == 0 {
		return nil
	}
	if o.File != "" {
		return o
	}
	for _, f := range o.From {
		if at := f.located(depth - 1); at != nil {
			return at
		}
	}
	return nil
}

// Layers lists the short forms of all layers that set the value, the winner
// first.
func (o *Origin) Layers() []string {
	var all []string
	for l := o; l != nil && len(all) < 32; l = l.Beat {
		all = append(all, l.String())
	}
	return all
}

// Explain is the whole evidence on one line: the winner, its operands, and
// what it beat.
func (o *Origin) Explain() string {
	if o == nil {
		return ""
	}
	text := o.String()
	if len(o.From) > 0 {
		var from []string
		for _, f := range o.From {
			if f != nil {
				from = append(from, f.String())
			}
		}
		text += " (" + strings.Join(from, ", ") + ")"
	}
	if layers := o.Layers(); len(layers) > 1 {
		text += ", beats " + strings.Join(layers[1:], ", ")
	}
	return text
}
