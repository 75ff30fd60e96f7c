package pyeval

import (
	"fmt"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// node is one node of a syntax tree: the grammar's named nodes and operators,
// without comments and punctuation. Strings without interpolation are leaves
// whose text is decoded already.
type node struct {
	kind  string
	field string // role in the parent
	line  int    // from 1
	text  string // of a leaf or an operator
	kids  []*node
}

var language = sitter.NewLanguage(python.Language())

// maxNesting bounds the depth of a tree; deeper parts become an error node,
// which evaluates to unknown. Real code stays below 60 (measured on the files
// that 184 jobs touch).
const maxNesting = 250

// parse reads one file. It accepts broken code: what cannot be understood is a
// node of kind ERROR.
func parse(text []byte) (*node, error) {
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(language); err != nil {
		return nil, fmt.Errorf("load the Python grammar: %w; rebuild with matching versions of grammar and parser", err)
	}
	tree := parser.Parse(text, nil)
	if tree == nil {
		return nil, fmt.Errorf("parse: no tree; check the file's encoding")
	}
	defer tree.Close()
	cursor := tree.Walk()
	defer cursor.Close()
	return convert(cursor, text, 0), nil
}

// kept are the unnamed nodes that carry meaning.
func kept(n *sitter.Node, parent, field string) bool {
	return n.IsNamed() || field == "operator" || field == "operators" || (parent == "slice" && n.Kind() == ":")
}

func convert(c *sitter.TreeCursor, text []byte, depth int) *node {
	at := c.Node()
	n := &node{kind: at.Kind(), field: c.FieldName(), line: int(at.StartPosition().Row) + 1}
	if n.kind == "string" {
		if s, plain := plainString(at, text); plain {
			n.text = s
			return n
		}
	}
	if depth >= maxNesting {
		n.kind, n.text = "ERROR", "nested too deeply"
		return n
	}
	if !c.GotoFirstChild() {
		n.text = string(text[at.StartByte():at.EndByte()])
		return n
	}
	for {
		kid := c.Node()
		if kind := kid.Kind(); kind != "comment" && kind != "line_continuation" && kept(kid, n.kind, c.FieldName()) {
			n.kids = append(n.kids, convert(c, text, depth+1))
		}
		if !c.GotoNextSibling() {
			break
		}
	}
	c.GotoParent()
	switch n.kind {
	case "dotted_name", "string_content", "string_start", "type", "relative_import", "import_prefix", "type_conversion", "format_specifier", "is not", "not in":
		n.text = string(text[at.StartByte():at.EndByte()])
	}
	if len(n.kids) == 0 && n.text == "" {
		n.text = string(text[at.StartByte():at.EndByte()])
	}
	return n
}

// plainString decodes a string literal that has no interpolation.
func plainString(at *sitter.Node, text []byte) (string, bool) {
	raw := string(text[at.StartByte():at.EndByte()])
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
			return k
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
