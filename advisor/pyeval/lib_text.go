package pyeval

import (
	"regexp"
	"strings"
)

// Texts on their way: patterns, and encodings by which one program hands a
// configuration to another.
func init() {
	pattern := func(wrap func(string) string) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			p, ok := c.text("pattern", 0)
			text, known := c.text("string", 1)
			if !ok || !known || len(p) > 1000 || len(text) > 1<<16 || len(c.Args)+len(c.Kw) > 2 {
				return unknown("whether a text matches")
			}
			re, err := regexp.Compile(wrap(p))
			if err != nil { // Python knows forms that Go does not
				return unknown("whether a text matches %s", p)
			}
			at := re.FindStringSubmatch(text)
			if at == nil {
				return none()
			}
			o := in.object(matchClass)
			o.data = &match{re.SubexpNames(), at}
			return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
		}
	}
	native(pattern(func(p string) string { return "^(?:" + p + ")" }), "re.match")
	native(pattern(func(p string) string { return "^(?:" + p + ")$" }), "re.fullmatch")
	native(pattern(func(p string) string { return p }), "re.search")

	native(substituted, "re.sub")
	native(func(in *Interp, c *Call) Value {
		p, ok := c.text("pattern", 0)
		text, known := c.text("string", 1)
		re, err := regexp.Compile(p)
		if !ok || !known || err != nil || len(p) > 1000 || len(text) > 1<<16 || len(c.Args)+len(c.Kw) > 2 {
			return unknown("the parts of a text")
		}
		at, _ := c.Arg("string", 1)
		out := &List{born: in.born()}
		for _, part := range re.Split(text, -1) {
			out.Items = append(out.Items, str(part).with(at.Origin))
		}
		return Value{Kind: ListKind, Ref: out, Origin: at.Origin}
	}, "re.split")

	for _, kind := range []string{"b64", "urlsafe_b64", "standard_b64"} {
		native(func(in *Interp, c *Call) Value {
			in.observe(c)
			return Value{Kind: ExternalKind, Ref: &External{Name: encoded, Call: c, solid: true}, Origin: in.line}
		}, "base64."+kind+"encode")
		native(func(in *Interp, c *Call) Value {
			if e := c.first().External(); e != nil && e.Name == encoded {
				return e.Call.first()
			}
			return unknown("what %s stands for", c.first().String())
		}, "base64."+kind+"decode")
	}
	for _, name := range []string{"encode", "decode", "strip"} {
		resultCalls[name] = func(in *Interp, e *External, c *Call) (Value, bool) {
			if of := parentName(e.Name); isWritten(of) {
				return Value{Kind: ExternalKind, Ref: &External{Name: of, Call: e.Call, solid: true}, Origin: in.line}, true
			}
			return Value{}, false
		}
	}
}

// substituted is re.sub where pattern, text and what comes in are known texts.
func substituted(in *Interp, c *Call) Value {
	p, ok := c.text("pattern", 0)
	with, okWith := c.text("repl", 1)
	text, known := c.text("string", 2)
	re, err := regexp.Compile(p)
	if !ok || !okWith || !known || err != nil || len(p) > 1000 || len(text)+len(with) > 1<<14 || len(c.Args)+len(c.Kw) > 3 {
		return unknown("a text with parts put in")
	}
	with = strings.ReplaceAll(with, "$", "$$")
	with = reference.ReplaceAllString(with, "$${$1$2}")
	if strings.Contains(with, `\`) {
		return unknown("a text with parts put in")
	}
	from, _ := c.Arg("string", 2)
	return str(re.ReplaceAllString(text, with)).with(from.Origin)
}

// reference is a group in what re.sub puts in: "\1", "\g<name>".
var reference = regexp.MustCompile(`\\(?:([0-9])|g<(\w+)>)`)

const encoded = "base64.encoded"

// isWritten reports whether a call of a name gives a value written as text:
// what encodes or prints such a text leaves what it says as it is.
func isWritten(name string) bool { return name == encoded || dumps[canonicalName(name)] }

var matchClass = nativeClass("Match")

// match is what a pattern found.
type match struct{ names, groups []string }

func (m *match) group(v Value) Value {
	for i, text := range m.groups {
		if v.Kind == Int && int(v.Int) == i || v.Kind == Str && m.names[i] == v.Text && v.Text != "" {
			return str(text)
		}
	}
	return unknown("a group of a match")
}

func (m *match) item(in *Interp, self, key Value) Value { return m.group(key) }

func (m *match) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "group":
		return bound(self, "match.group", func(in *Interp, c *Call) Value {
			if len(c.Args) == 0 {
				return str(m.groups[0])
			}
			return m.group(c.Args[0])
		}), true
	case "groups":
		return bound(self, "match.groups", func(in *Interp, c *Call) Value {
			var all []Value
			for _, text := range m.groups[1:] {
				all = append(all, str(text))
			}
			return tuple(all...)
		}), true
	}
	return Value{}, false
}
