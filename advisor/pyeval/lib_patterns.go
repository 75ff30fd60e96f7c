package pyeval

import (
	"regexp"
	"strings"
)

// Patterns that change or cut texts, and patterns that are compiled first.
func init() {
	native(func(in *Interp, c *Call) Value {
		re, text, ok := patternAnd(c, 2)
		with, known := c.text("repl", 1)
		if !ok || !known || len(c.Args)+len(c.Kw) > 3 || len(text) > 1<<16 {
			return unknown("a text in which a pattern is replaced")
		}
		return str(re.ReplaceAllString(text, references.ReplaceAllString(strings.ReplaceAll(with, "$", "$$"), "${$1$2}"))).with(c.Args[len(c.Args)-1].Origin)
	}, "re.sub")
	native(func(in *Interp, c *Call) Value {
		re, text, ok := patternAnd(c, 1)
		if !ok || len(c.Args)+len(c.Kw) > 2 || re.NumSubexp() > 0 {
			return unknown("the parts of a text between patterns")
		}
		return texts(in, re.Split(text, -1))
	}, "re.split")
	native(func(in *Interp, c *Call) Value {
		re, text, ok := patternAnd(c, 1)
		if !ok || re.NumSubexp() > 1 {
			return unknown("the matches of a pattern")
		}
		var all []string
		for _, m := range re.FindAllStringSubmatch(text, listItems) {
			all = append(all, m[len(m)-1])
		}
		return texts(in, all)
	}, "re.findall")
	native(func(in *Interp, c *Call) Value {
		p, ok := c.text("pattern", 0)
		if !ok || len(c.Args)+len(c.Kw) > 1 {
			return unknown("a pattern")
		}
		o := in.object(patternClass)
		o.data = compiled(p)
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, "re.compile")
}

// references are "\1" and "\g<name>" in what replaces a match.
var references = regexp.MustCompile(`\\(?:(\d)|g<(\w+)>)`)

var patternClass = nativeClass("Pattern")

// compiled is a pattern of re.compile: its methods are the module's functions
// after the pattern.
type compiled string

func (p compiled) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "match", "fullmatch", "search", "sub", "split", "findall":
		return bound(self, "re."+name, func(in *Interp, c *Call) Value {
			d := *c
			d.Args = append([]Value{str(string(p))}, c.Args...)
			return natives["re."+name](in, &d)
		}), true
	case "pattern":
		return str(string(p)), true
	}
	return Value{}, false
}

// patternAnd is the pattern of a call, its first argument, and its text.
func patternAnd(c *Call, position int) (*regexp.Regexp, string, bool) {
	p, ok := c.text("pattern", 0)
	text, known := c.text("string", position)
	if !ok || !known || len(p) > 1000 || len(text) > 1<<16 {
		return nil, "", false
	}
	re, err := regexp.Compile(p) // Python knows forms that Go does not
	return re, text, err == nil
}

func texts(in *Interp, all []string) Value {
	out := &List{born: in.born()}
	for _, t := range all {
		if len(out.Items) >= listItems {
			out.Open = true
			break
		}
		out.Items = append(out.Items, str(t))
	}
	in.work(len(out.Items))
	return Value{Kind: ListKind, Ref: out}
}
