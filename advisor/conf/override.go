package conf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// Override is one word of Hydra's override language: "a.b=c", "+group@pkg=x",
// "++a=1", "~a".
type Override struct {
	Prefix  string // "", "+", "++", "~"
	Key     string // a dotted path, or a group with slashes
	Package string // behind "@"; empty for none
	Value   *Node  // nil only for "~key" without a value
	Sweep   []*Node
	Swept   bool // the word asks for several runs; Sweep holds the values when they are known
	Text    string
	Origin  *origin.Origin
}

var (
	overrideKey  = regexp.MustCompile(`^[A-Za-z0-9_$./][A-Za-z0-9_$./-]*$`)
	grammarInt   = regexp.MustCompile(`^[+-]?(0|[1-9](_?[0-9])*)$`)
	grammarFloat = regexp.MustCompile(`^[+-]?((0|[1-9](_?[0-9])*)\.|(0|[1-9](_?[0-9])*)?\.[0-9](_?[0-9])*|((0|[1-9](_?[0-9])*)\.?|(0|[1-9](_?[0-9])*)?\.[0-9](_?[0-9])*)[eE][+-]?[0-9](_?[0-9])*|(?i:inf|nan))$`)
	sweepCall    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*\s*\(`)
)

// grammarScalar reads an unquoted value as the grammars of OmegaConf and Hydra
// do.
func grammarScalar(text string, at *origin.Origin) *Node {
	switch strings.ToLower(text) {
	case "null":
		return &Node{Kind: Null, Origin: at}
	case "true", "false":
		return &Node{Kind: Bool, Bool: strings.EqualFold(text, "true"), Origin: at}
	}
	plain := strings.ReplaceAll(text, "_", "")
	switch {
	case len(text) > 64:
	case grammarInt.MatchString(text):
		if v, err := strconv.ParseInt(plain, 10, 64); err == nil {
			return &Node{Kind: Int, Int: v, Origin: at}
		}
		fallthrough
	case grammarFloat.MatchString(text):
		if v, ok := pythonParse(plain); ok {
			return &Node{Kind: Float, Float: v, Origin: at}
		}
	}
	return Text(text, at)
}

// ParseOverride reads one word of Hydra's override language.
func ParseOverride(text string, at *origin.Origin) (Override, error) {
	o := Override{Text: text, Origin: at}
	if len(text) > maxText {
		return o, fmt.Errorf("override %q: %w; shorten it", clip(text), ErrLimit)
	}
	for _, prefix := range []string{"++", "+", "~"} {
		if strings.HasPrefix(text, prefix) {
			o.Prefix = prefix
			break
		}
	}
	key, value, found := strings.Cut(text[len(o.Prefix):], "=")
	o.Key, o.Package, _ = strings.Cut(key, "@")
	if i := strings.LastIndexByte(o.Package, ':'); i >= 0 { // "group@from:to" was Hydra 1.0's renaming
		o.Package = o.Package[i+1:]
	}
	if !found && o.Prefix != "~" || !overrideKey.MatchString(o.Key) || o.Key == "" {
		return o, fmt.Errorf("override %q: it is not of the form key=value; correct the word", clip(text))
	}
	o.Origin = wordOrigin(at, o.Key)
	if !found {
		return o, nil
	}
	values, swept, err := parseValues(value, o.Origin)
	if err != nil {
		return o, fmt.Errorf("override %q: %w; quote the value", clip(text), err)
	}
	if len(values) > 0 {
		o.Value = values[0]
	}
	if o.Swept = swept; swept {
		o.Sweep = values
	}
	if o.Value == nil {
		o.Value = NotKnown("the sweep's values are chosen when it runs", o.Origin)
	}
	return o, nil
}

// overrideValue reads a value that is not a sweep; a bad one is Unknown.
func overrideValue(text string, at *origin.Origin) *Node {
	values, swept, err := parseValues(text, at)
	if err != nil || swept || len(values) != 1 {
		return NotKnown("the text "+strconv.Quote(clip(text))+" is not one value", at)
	}
	return values[0]
}

// parseValues reads the right side of an override: one value, or the values of
// a sweep. Those of a sweep that draws at random are not listed.
func parseValues(text string, at *origin.Origin) (values []*Node, swept bool, err error) {
	p := valueReader{text: text, at: at}
	p.space()
	if p.pos == len(text) {
		return []*Node{Text("", at)}, false, nil
	}
	if call := sweepCall.FindString(p.text[p.pos:]); call != "" {
		name := strings.TrimRight(call[:len(call)-1], " \t")
		p.pos += len(call)
		values, swept = p.call(name)
		if p.space(); p.bad == "" && p.pos < len(text) {
			p.bad = "text behind the closing parenthesis"
		}
	} else {
		values = append(values, p.element(",", 0))
		for p.bad == "" && p.eat(',') {
			values = append(values, p.element(",", 0))
			swept = true
		}
	}
	if p.bad == "" && p.pos < len(text) {
		p.bad = "an unexpected " + strconv.Quote(text[p.pos:p.pos+1])
	}
	if p.bad != "" {
		return nil, false, fmt.Errorf("%s", p.bad)
	}
	return values, swept, nil
}

// valueReader reads values of Hydra's grammar. Interpolations stay text.
type valueReader struct {
	text string
	pos  int
	at   *origin.Origin
	bad  string
}

func (p *valueReader) space() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

func (p *valueReader) eat(b byte) bool {
	p.space()
	if p.pos < len(p.text) && p.text[p.pos] == b {
		p.pos++
		return true
	}
	return false
}

func (p *valueReader) fail(why string) *Node {
	if p.bad == "" {
		p.bad = why
	}
	return NotKnown(why, p.at)
}

// element reads a quoted text, a list, a dict, or a primitive that ends before
// one of the bytes of end.
func (p *valueReader) element(end string, depth int) *Node {
	p.space()
	if depth > maxNesting {
		return p.fail("nested too deeply")
	}
	if p.pos >= len(p.text) {
		return p.fail("a value is missing")
	}
	switch c := p.text[p.pos]; c {
	case '"', '\'':
		return p.quoted(c)
	case '[':
		p.pos++
		list := &Node{Kind: List, Origin: p.at}
		for p.bad == "" && !p.eat(']') {
			list.Items = append(list.Items, p.element(",]", depth+1))
			if !p.eat(',') && !(p.pos < len(p.text) && p.text[p.pos] == ']') {
				p.fail("a list without ]")
			}
		}
		return list
	case '{':
		p.pos++
		m := NewMap(p.at)
		for p.bad == "" && !p.eat('}') {
			key := p.element(":", depth+1)
			name, _ := key.Python()
			if !p.eat(':') {
				p.fail("a dict without a colon")
				break
			}
			m.Put(name, p.element(",}", depth+1))
			if !p.eat(',') && !(p.pos < len(p.text) && p.text[p.pos] == '}') {
				p.fail("a dict without }")
			}
		}
		return m
	}
	return p.primitive(end)
}

// quoted reads a quoted text: a backslash before a quote, or at the end of the
// text before another backslash, escapes.
func (p *valueReader) quoted(quote byte) *Node {
	p.pos++
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == quote:
			return Text(b.String(), p.at)
		case c == '\\' && p.pos < len(p.text) && (p.text[p.pos] == quote || p.text[p.pos] == '\\'):
			b.WriteByte(p.text[p.pos])
			p.pos++
		default:
			b.WriteByte(c)
		}
	}
	return p.fail("a quote without an end")
}

func (p *valueReader) primitive(end string) *Node {
	var b strings.Builder
	escaped := false
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case strings.HasPrefix(rest, "${"):
			n := interpolationLength(rest)
			b.WriteString(rest[:n])
			p.pos += n
			continue
		case rest[0] == '\\' && len(rest) > 1 && strings.IndexByte("\\()[]{}:=, \t", rest[1]) >= 0:
			b.WriteByte(rest[1])
			p.pos += 2
			escaped = true
			continue
		}
		if strings.IndexByte(end, rest[0]) >= 0 {
			break
		}
		b.WriteByte(rest[0])
		p.pos++
	}
	text := strings.Trim(b.String(), " \t")
	if escaped {
		return Text(text, p.at)
	}
	return grammarScalar(text, p.at)
}

// interpolationLength is the length of "${...}" at the start of a text.
func interpolationLength(text string) int {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// call reads the arguments of choice(), range() and the other functions.
func (p *valueReader) call(name string) (values []*Node, swept bool) {
	var args []*Node
	named := map[string]*Node{}
	for p.bad == "" && !p.eat(')') {
		if sweepCall.MatchString(p.text[p.pos:]) { // sort(choice(...)): the values need Hydra itself
			p.fail("a function inside a function")
			return nil, true
		}
		key := ""
		if m := argName.FindString(p.text[p.pos:]); m != "" {
			key = strings.Trim(m, "= \t")
			p.pos += len(m)
		}
		arg := p.element(",)", 0)
		if key != "" {
			named[key] = arg
		} else {
			args = append(args, arg)
		}
		if !p.eat(',') && !(p.pos < len(p.text) && p.text[p.pos] == ')') {
			p.fail("a function without )")
		}
	}
	switch name {
	case "choice":
		return args, true
	case "range":
		return rangeValues(args, named, p.at), true
	case "shuffle", "sort":
		if len(args) == 1 && args[0].Kind == List {
			return args, false
		}
		return args, true
	case "int", "float", "str", "bool", "json_str":
		return []*Node{NotKnown("a cast in an override", p.at)}, false
	}
	return nil, true // interval, glob, tag and what a plugin adds
}

var argName = regexp.MustCompile(`^\s*[A-Za-z_][A-Za-z0-9_]*\s*=`)

// rangeValues lists range(start, stop, step) of numbers, at most 1000.
func rangeValues(args []*Node, named map[string]*Node, at *origin.Origin) []*Node {
	bounds := []float64{0, 0, 1}
	whole := true
	read := func(i int, n *Node) {
		if v, ok := n.Number(); ok {
			bounds[i] = v
			whole = whole && n.Kind == Int
		}
	}
	if len(args) == 1 {
		read(1, args[0])
	} else {
		for i := 0; i < len(args) && i < 3; i++ {
			read(i, args[i])
		}
	}
	for i, name := range []string{"start", "stop", "step"} {
		if named[name] != nil {
			read(i, named[name])
		}
	}
	var all []*Node
	for i := 0; i < 1000 && bounds[2] != 0; i++ {
		v := bounds[0] + float64(i)*bounds[2]
		if bounds[2] > 0 && v >= bounds[1] || bounds[2] < 0 && v <= bounds[1] {
			break
		}
		if whole {
			all = append(all, &Node{Kind: Int, Int: int64(v), Origin: at})
		} else {
			all = append(all, &Node{Kind: Float, Float: v, Origin: at})
		}
	}
	return all
}
