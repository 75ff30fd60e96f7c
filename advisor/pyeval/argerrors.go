package pyeval

import (
	"regexp"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// What argparse refuses: words that no option takes, options that are missing,
// values of a wrong type or of none of the choices. It ends the program before
// anything else runs. As after a failed assertion, the program is followed
// further.

// argErrors notes what argparse refuses of the words of the command. Nothing
// is refused where the parser may know more than was seen of it, or a word is
// not known.
func (in *Interp) argErrors(p *ArgumentParser, self Value, words, rest []Value, known bool) {
	if o := self.Object(); p.open || in.doubt > 0 || in.loop != nil || in.trying > 0 || o == nil || o.Class != parserClass || !p.plain || p.fromFile != "" || p.prefix != "-" || len(p.subs) > 0 {
		return
	}
	for _, w := range words {
		if w.Kind != Str || w.Origin == nil || w.Text == "-h" || w.Text == "--help" {
			return
		}
	}
	refuse := func(at *origin.Origin, text string) {
		in.abort(raised{class: "argparse", text: text, site: at, sure: true})
	}
	names := map[string]*Option{}
	for _, o := range p.Options {
		if o.Action == "custom" || strings.HasPrefix(o.Action, "_") {
			return // it may do anything with the words, ending the program in peace too
		}
		for _, n := range o.Names {
			names[n] = o
		}
	}
	if !known {
		for _, w := range rest {
			name, _, _ := strings.Cut(w.Text, "=")
			if strings.HasPrefix(name, "--") && len(name) > 2 && w.Origin.Kind != origin.Rule && !abbreviates(names, name) && !strings.HasPrefix(name, "--local") {
				refuse(w.Origin, "unrecognized arguments: "+name)
			}
		}
	}
	for _, o := range p.Options {
		needed := o.Required && !o.Positional || o.Positional && o.Nargs.Kind != Str && o.Action == ""
		if needed && !o.got {
			refuse(o.Origin, "the following arguments are required: "+strings.Join(o.Names, "/"))
		}
		for _, w := range o.refused {
			refuse(w.Origin, "argument "+strings.Join(o.Names, "/")+": "+w.Text)
		}
	}
}

func abbreviates(names map[string]*Option, name string) bool {
	for n := range names {
		if strings.HasPrefix(n, name) {
			return true
		}
	}
	return false
}

var wholeNumber = regexp.MustCompile(`^\s*[+-]?[0-9]+(_[0-9]+)*\s*$`)

// check notes what is wrong with the words that an option was given.
func (o *Option) check(words []Value, at *origin.Origin) {
	o.got = true
	refuse := func(text string) {
		o.refused = append(o.refused, Value{Kind: Str, Text: text, Origin: at})
	}
	if len(words) == 0 && o.Nargs.Kind == Unknown && o.Nargs.Text == "" && (o.Action == "" || o.Action == "store") {
		refuse("expected one argument")
	}
	kind := ""
	if n, ok := o.Type.Ref.(*Native); ok {
		kind = lastName(n.Name)
	}
	choices, whole := o.Choices.Items()
	for _, w := range words {
		if w.Kind != Str {
			continue
		}
		switch _, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(w.Text), "_", ""), 64); {
		case kind == "int" && !wholeNumber.MatchString(w.Text):
			refuse("invalid int value: " + strconv.Quote(w.Text))
			continue
		case kind == "float" && err != nil && !strings.ContainsAny(strings.ToLower(w.Text), "xn"):
			refuse("invalid float value: " + strconv.Quote(w.Text))
			continue
		}
		if whole && len(choices) > 0 && (o.Type.Ref == nil || kind == "str" || kind == "int") && !among(choices, w.Text) {
			refuse("invalid choice: " + strconv.Quote(w.Text))
		}
	}
}

// among reports whether a word is one of the choices, or may be one that is
// not known.
func among(choices []Value, word string) bool {
	for _, c := range choices {
		switch {
		case c.Kind == Str && c.Text == word, c.Kind == Int && strconv.FormatInt(c.Int, 10) == strings.TrimPrefix(strings.TrimSpace(word), "+"):
			return true
		case c.Kind != Str && c.Kind != Int:
			return true
		}
	}
	return false
}

// shared notes that another package got a parser in its hands, which may add
// options of its own.
func (in *Interp) shared(c *Call) {
	if strings.HasPrefix(c.Name, "repo:") {
		return
	}
	for _, x := range c.Args {
		if p := parserOf(x); p != nil {
			p.open = true
		}
	}
	for _, k := range c.Kw {
		if p := parserOf(k.Value); p != nil {
			p.open = true
		}
	}
}
