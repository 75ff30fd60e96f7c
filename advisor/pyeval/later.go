package pyeval

import (
	"strings"
	"sync"
)

// later is the body of a function that is parsed when somebody asks for it.
// It is safe for concurrent use: runs share trees.
type later struct {
	text   string // with the indentation of its other lines
	indent int    // of its first line
	line   int    // of its first statement in the file
	once   sync.Once
	body   *node
}

// head stands before a body, so that it can be parsed on its own.
const head = "def f():\n"

// unread is the kind of the one child of a body that gave no tree.
const unread = "unread"

// whole is the node itself, or the body that it stands for.
func (n *node) whole() *node {
	l := n.later
	if l == nil {
		return n
	}
	l.once.Do(func() {
		l.body = &node{kind: "block", field: n.field, line: n.line, kids: []*node{{kind: unread, field: "", line: n.line}}}
		text := head + strings.Repeat(" ", l.indent) + l.text
		root, err := parseFrom(text, l.line-2, nil)
		if err != nil || len(root.kids) == 0 || root.kids[0].kind != "function_definition" {
			return
		}
		if body := root.kids[0].get("body"); body != nil {
			body.kids = append(body.kids, root.kids[1:]...) // what broken code left outside
			l.body = body
		}
	})
	return l.body
}

// yields reports whether a function is a generator. It reads no body that lacks
// the word.
func (n *node) yields() bool {
	if n.kind == "lambda" {
		return false
	}
	for _, k := range n.kids {
		if k.field == "body" {
			return (k.later == nil || strings.Contains(k.later.text, "yield")) && k.holds("yield")
		}
	}
	return false
}

// readable notes a body that gave no tree; a program with several is not
// followed further.
func (in *Interp) readable(fn *Function, body *node) {
	if body != nil && len(body.kids) == 1 && body.kids[0].kind == unread {
		in.noTree(fn.module, errNoTree)
	}
}

// parseOutline reads a file whose functions are parsed when they are first
// asked for: that takes a third of the time, for most of them never are. The
// tree is that of parse.
func parseOutline(source []byte) (*node, error) {
	text := string(source)
	cuts := outline(text)
	if len(cuts) == 0 {
		return parseFrom(text, 0, nil)
	}
	bodies := make(map[uint32]*later, len(cuts))
	var short strings.Builder
	at := 0
	for _, c := range cuts {
		short.WriteString(text[at:c.from])
		body := text[c.from:c.to]
		bodies[uint32(short.Len())] = &later{text: body, indent: c.from - 1 - strings.LastIndexByte(text[:c.from], '\n'), line: c.line}
		short.WriteString("pass")
		for range strings.Count(body, "\n") { // the lines keep their numbers
			short.WriteByte('\n')
		}
		at = c.to
	}
	short.WriteString(text[at:])
	b := &bodiesOf{left: bodies}
	root, err := parseFrom(short.String(), 0, b)
	if err != nil || b.found != len(cuts) { // the grammar sees other functions than the outline does
		return parseFrom(text, 0, nil)
	}
	return root, nil
}

// bodiesOf are the bodies that were left out, by where "pass" stands for them.
type bodiesOf struct {
	left  map[uint32]*later
	found int
}

// stand marks a block that holds nothing but the word that stands for a body.
func (b *bodiesOf) stand(n *node) {
	if len(n.kids) == 1 && n.kids[0].later != nil && n.field == "body" {
		n.later, n.kids = n.kids[0].later, nil
		b.found++
	}
}
