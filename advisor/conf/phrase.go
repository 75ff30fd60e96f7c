package conf

import (
	"strings"

	"schedmate/advisor/origin"
)

const (
	maxNesting = 30      // interpolations, lists and dicts inside one text
	maxText    = 1 << 16 // bytes of one text made of pieces
	maxMade    = 8 << 20 // bytes of all such texts of one tree
)

// phrase reads one text with interpolations and fills them.
type phrase struct {
	r     *resolver
	at    *Node // the node that holds the text: relative names start there
	text  string
	pos   int
	depth int // nodes that wait for this one
	nest  int
	bad   string // the first reason why the text cannot be read
	used  []*origin.Origin
}

// piece is a part of a text: literal, or a filled interpolation.
type piece struct {
	literal string
	node    *Node
}

// whole fills the text of a node. A text that is one interpolation has the type
// of its value; any other is a string.
func (p *phrase) whole() *Node {
	return p.join(p.pieces(""), func(s string) *Node { return Text(s, p.at.Origin) })
}

// pieces reads up to one of the bytes of end or the end of the text.
func (p *phrase) pieces(end string) []piece {
	var all []piece
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			all = append(all, piece{literal: b.String()})
			b.Reset()
		}
	}
	for p.pos < len(p.text) && p.bad == "" {
		rest := p.text[p.pos:]
		switch {
		case strings.HasPrefix(rest, `\${`):
			b.WriteString("${")
			p.pos += 3
		case strings.HasPrefix(rest, `\\`) && strings.HasPrefix(strings.TrimLeft(rest, `\`), "${"):
			b.WriteByte('\\')
			p.pos += 2
		case end != "" && rest[0] == '\\' && len(rest) > 1:
			if strings.IndexByte("\\()[]{}:=, \t'\"", rest[1]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(rest[1])
			p.pos += 2
		case strings.HasPrefix(rest, "${"):
			flush()
			all = append(all, piece{node: p.interpolation()})
		case strings.IndexByte(end, rest[0]) >= 0:
			flush()
			return all
		default:
			b.WriteByte(rest[0])
			p.pos++
		}
	}
	flush()
	return all
}

// join makes one node of pieces; typed reads a text without interpolation.
func (p *phrase) join(all []piece, typed func(string) *Node) *Node {
	switch {
	case p.bad != "":
		return NotKnown(p.bad, p.at.Origin)
	case len(all) == 0:
		return typed("")
	case len(all) == 1 && all[0].node != nil:
		return all[0].node
	case len(all) == 1:
		return typed(all[0].literal)
	}
	var b strings.Builder
	for _, part := range all {
		text := part.literal
		if part.node != nil {
			known := false
			if text, known = part.node.Python(); !known {
				if part.node.Kind == Unknown {
					return part.node
				}
				return NotKnown("a part of the text is not known", p.at.Origin)
			}
		}
		if b.WriteString(text); b.Len() > maxText {
			return NotKnown("the filled text is too long", p.at.Origin)
		}
	}
	if p.r.made += b.Len(); p.r.made > maxMade {
		return NotKnown("the filled texts are too long", p.at.Origin)
	}
	return Text(b.String(), p.at.Origin)
}

func (p *phrase) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *phrase) eat(b byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == b {
		p.pos++
		return true
	}
	return false
}

func (p *phrase) fail(why string) *Node {
	if p.bad == "" {
		p.bad = why
	}
	return NotKnown(p.bad, p.at.Origin)
}

// interpolation reads and fills "${...}"; the position is on the dollar.
func (p *phrase) interpolation() *Node {
	p.pos += len("${")
	if p.nest++; p.nest > maxNesting {
		return p.fail("interpolations are nested too deeply")
	}
	defer func() { p.nest-- }()
	p.space()
	ups := 0
	for p.eat('.') {
		ups++
	}
	var names []string
	for p.bad == "" {
		p.eat('[')
		name := p.join(p.key(), func(s string) *Node { return Text(s, nil) })
		text, known := name.Python()
		if !known {
			if name.Kind == Unknown {
				p.skip()
				return name
			}
			return p.fail("a name in an interpolation is not a text")
		}
		names = append(names, text)
		p.eat(']')
		if !p.eat('.') && !strings.HasPrefix(p.text[p.pos:], "[") || len(names) > maxDepth {
			break
		}
	}
	p.space()
	switch {
	case ups == 0 && p.eat(':'):
		return p.call(strings.Join(names, "."))
	case p.eat('}'):
		return p.value(ups, names)
	}
	return p.fail("an interpolation without an end")
}

// skip leaves an interpolation that cannot be filled.
func (p *phrase) skip() {
	for open := 1; p.pos < len(p.text) && open > 0; p.pos++ {
		switch p.text[p.pos] {
		case '{':
			open++
		case '}':
			open--
		}
	}
}

func (p *phrase) key() []piece {
	return p.pieces("\\{}()[]:. \t'\"")
}

func (p *phrase) value(ups int, names []string) *Node {
	found := p.r.lookup(p.at, ups, names, p.depth)
	if found == nil {
		return NotKnown("the key "+clip(strings.Join(names, "."))+" of an interpolation is not in the configuration", p.at.Origin)
	}
	p.used = append(p.used, found.Origin)
	return found
}

// call reads the arguments of a resolver and asks it.
func (p *phrase) call(name string) *Node {
	args := p.sequence('}')
	if p.bad != "" {
		return NotKnown(p.bad, p.at.Origin)
	}
	if v, ok := p.builtin(name, args); ok {
		if v == nil {
			v = NotKnown("the resolver "+name+" finds nothing", p.at.Origin)
		}
		return v
	}
	f := p.r.in.Functions[name]
	if f == nil {
		return NotKnown("the resolver "+clip(name)+" belongs to the program and is not known here", p.at.Origin)
	}
	for _, arg := range args {
		if arg.Kind == Unknown {
			return arg
		}
	}
	if v := f(args); v != nil {
		if v.Origin == nil {
			v = v.At(p.at.Origin)
		}
		return v
	}
	return NotKnown("the resolver "+clip(name)+" gives no value that is known here", p.at.Origin)
}

// sequence reads elements up to a closing byte and takes that too.
func (p *phrase) sequence(closing byte) []*Node {
	var all []*Node
	p.space()
	for p.bad == "" && !p.eat(closing) {
		all = append(all, p.element())
		p.space()
		comma := p.eat(',')
		p.space()
		switch ends := p.pos < len(p.text) && p.text[p.pos] == closing; {
		case comma && ends: // OmegaConf takes the empty place for an empty text
			all = append(all, Text("", p.at.Origin))
		case !comma && !ends:
			p.fail("an interpolation without an end")
		}
	}
	return all
}

func (p *phrase) element() *Node {
	if p.nest++; p.nest > maxNesting {
		return p.fail("an interpolation is nested too deeply")
	}
	defer func() { p.nest-- }()
	p.space()
	if p.pos >= len(p.text) {
		return p.fail("an interpolation without an end")
	}
	switch quote := p.text[p.pos]; quote {
	case '"', '\'':
		p.pos++
		v := p.join(p.quoted(quote), func(s string) *Node { return Text(s, p.at.Origin) })
		if !p.eat(quote) {
			return p.fail("a quoted text without an end")
		}
		return v
	case '[':
		p.pos++
		return &Node{Kind: List, Items: p.sequence(']'), Origin: p.at.Origin}
	case '{':
		p.pos++
		return p.dict()
	}
	all := p.pieces(",]}")
	if last := len(all) - 1; last >= 0 && all[last].node == nil { // space at the end has no meaning
		if all[last].literal = strings.TrimRight(all[last].literal, " \t\n"); all[last].literal == "" {
			all = all[:last]
		}
	}
	return p.join(all, func(s string) *Node { return grammarScalar(s, p.at.Origin) })
}

// quoted reads up to the closing quote, which stays.
func (p *phrase) quoted(quote byte) []piece { return p.pieces(string(quote)) }

func (p *phrase) dict() *Node {
	m := NewMap(p.at.Origin)
	p.space()
	for p.bad == "" && !p.eat('}') {
		key, _ := p.join(p.pieces(":,}"), func(s string) *Node { return Text(strings.TrimSpace(s), nil) }).Python()
		if !p.eat(':') {
			p.fail("a dict without a colon")
			break
		}
		m.Put(key, p.element())
		p.space()
		if !p.eat(',') && !(p.pos < len(p.text) && p.text[p.pos] == '}') {
			p.fail("an interpolation without an end")
		}
		p.space()
	}
	return m
}
