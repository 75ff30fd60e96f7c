package pyeval

import "strings"

// node is one node of a syntax tree: the grammar's named nodes and operators,
// without comments and punctuation. Strings without interpolation are leaves
// whose text is decoded already.
type node struct {
	kind  string
	field string // role in the parent
	line  int    // from 1
	text  string // of a leaf or an operator
	kids  []*node
	later *later // of a body that is parsed when it is asked for; see whole
}

// maxNesting bounds the depth of a tree; deeper parts become an error node,
// which evaluates to unknown. Real code stays below 60 (measured on the files
// that 184 jobs touch).
const maxNesting = 250

// parse reads one file. It accepts broken code: what cannot be understood is a
// node of kind ERROR.
func parse(source []byte) (root *node, err error) {
	return parseFrom(string(source), 0, nil) // one copy: the text of all nodes is cut from it
}

// parseFrom parses a text that stands in a file below a number of lines, and in
// which some bodies may be left out.
func parseFrom(text string, above int, bodies *bodiesOf) (root *node, err error) {
	err = pythonGrammar.flatten(text, func(all []record) {
		b := builder{text: text, all: all, above: above, bodies: bodies, slab: make([]node, 0, len(all))}
		root = b.tree()
	})
	return root, err
}

// builder makes a tree of flattened records. Nodes and lists of children are
// cut from few large pieces of memory.
type builder struct {
	text   string
	all    []record
	above  int       // lines of the file before the text
	bodies *bodiesOf // left out of the text; nil: none
	at     int       // the next record
	slab   []node    // as long as all: it never moves
	lists  []*node   // where lists of children are cut from
	stack  []*node   // children of the nodes that are being built
}

// tree builds the next record with all below it.
func (b *builder) tree() *node {
	r := &b.all[b.at]
	b.at++
	b.slab = append(b.slab, node{kind: pythonGrammar.kind(r), field: pythonGrammar.fields[r.field], line: int(r.row) + 1 + b.above})
	n := &b.slab[len(b.slab)-1]
	text := b.text[r.start:r.end]
	if n.kind == "string" {
		if s, plain := plainString(text); plain {
			n.text = s
			b.skip(r)
			return n
		}
	}
	if r.depth >= maxNesting {
		n.kind, n.text = "ERROR", "nested too deeply"
		b.skip(r)
		return n
	}
	from := len(b.stack)
	for b.at < len(b.all) && b.all[b.at].depth > r.depth {
		kid := &b.all[b.at]
		if kind := pythonGrammar.kind(kid); kind == "comment" || kind == "line_continuation" || !kept(kid, kind, n.kind) {
			b.at++
			b.skip(kid)
			continue
		}
		b.stack = append(b.stack, b.tree())
	}
	n.kids = b.list(b.stack[from:])
	b.stack = b.stack[:from]
	if b.bodies != nil {
		switch n.kind {
		case "pass_statement":
			n.later = b.bodies.left[uint32(r.start)]
		case "block":
			b.bodies.stand(n)
		}
	}
	switch n.kind {
	case "dotted_name", "string_content", "string_start", "type", "relative_import", "import_prefix", "type_conversion", "format_specifier", "is not", "not in":
		n.text = text
	}
	if len(n.kids) == 0 && n.text == "" {
		n.text = text
	}
	return n
}

// skip passes over what lies below a record.
func (b *builder) skip(r *record) {
	for b.at < len(b.all) && b.all[b.at].depth > r.depth {
		b.at++
	}
}

func (b *builder) list(kids []*node) []*node {
	if len(kids) == 0 {
		return nil
	}
	if cap(b.lists)-len(b.lists) < len(kids) {
		b.lists = make([]*node, 0, max(1024, len(kids)))
	}
	from := len(b.lists)
	b.lists = append(b.lists, kids...)
	return b.lists[from:len(b.lists):len(b.lists)]
}

// kept are the unnamed nodes that carry meaning.
func kept(r *record, kind, parent string) bool {
	if r.named != 0 {
		return true
	}
	field := pythonGrammar.fields[r.field]
	return field == "operator" || field == "operators" || (parent == "slice" && kind == ":")
}

// plainString decodes a string literal that has no interpolation.
func plainString(raw string) (string, bool) {
	prefix, body, ok := unquote(raw)
	if !ok || (strings.ContainsAny(prefix, "fFtT") && strings.ContainsAny(body, "{}")) {
		return "", false
	}
	if strings.ContainsAny(prefix, "rR") {
		return body, true
	}
	return unescape(body), true
}

// unquote cuts the prefix and the quotes off a literal.
func unquote(raw string) (prefix, body string, ok bool) {
	start := strings.IndexAny(raw, `'"`)
	if start < 0 || start > 3 {
		return "", "", false
	}
	prefix, body = raw[:start], raw[start:]
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if len(body) >= 2*len(quote) && strings.HasPrefix(body, quote) && strings.HasSuffix(body, quote) {
			return prefix, body[len(quote) : len(body)-len(quote)], true
		}
	}
	return "", "", false
}

// unescape decodes the escapes that matter for configuration: line breaks,
// tabs, quotes and continuation lines. Others stay as written.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer("\\\r\n", "", "\\\n", "", `\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, `'`, `\"`, `"`).Replace(s)
}

// get returns the first child with a role, or nil.
func (n *node) get(field string) *node {
	for _, k := range n.kids {
		if k.field == field {
			return k.whole()
		}
	}
	return nil
}

// all returns the children with a role.
func (n *node) all(field string) []*node {
	var found []*node
	for _, k := range n.kids {
		if k.field == field {
			found = append(found, k)
		}
	}
	return found
}

// holds reports whether a node of one of the kinds stands in the tree below n,
// not looking into nested functions and classes.
func (n *node) holds(kinds ...string) bool {
	n = n.whole()
	for _, k := range n.kids {
		for _, kind := range kinds {
			if k.kind == kind {
				return true
			}
		}
		if k.kind != "function_definition" && k.kind != "class_definition" && k.kind != "lambda" && k.holds(kinds...) {
			return true
		}
	}
	return false
}
