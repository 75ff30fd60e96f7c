package docfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// MaxBytes bounds a document. A snapshot of 10,240 GPUs and 5,000 jobs has
	// about 4 MB; the parsed tree takes some fifty times its text.
	MaxBytes = 16 << 20
	// maxDepth bounds how deep lists and mappings nest. The deepest document
	// of ours has seven levels.
	maxDepth = 64
)

// Document is one parsed file, before any Go type has been asked of it.
type Document struct {
	Name string // of the file, for messages
	root *yaml.Node
}

// Parse reads exactly one YAML or JSON document. The name is used in messages.
func Parse(name string, r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", title(name), err)
	}
	data, err = plainText(name, data)
	if err != nil {
		return nil, err
	}
	// Valid JSON is read as JSON: YAML does not know its surrogate pairs.
	var root *yaml.Node
	if json.Valid(data) {
		root, err = jsonTree(name, data)
	} else {
		root, err = yamlTree(name, data)
	}
	if err != nil {
		return nil, err
	}
	d := &Document{Name: name, root: root}
	if err := d.checkTree(root, "", 0); err != nil {
		return nil, err
	}
	return d, nil
}

// plainText refuses what is no text document and takes off the byte order mark.
func plainText(name string, data []byte) ([]byte, error) {
	refuse := func(at int, problem, next string) error {
		return &Error{File: name, Line: 1 + bytes.Count(data[:at], []byte("\n")), Problem: problem, Next: next}
	}
	if len(data) > MaxBytes {
		return nil, &Error{File: name, Problem: fmt.Sprintf("is larger than %d MiB", MaxBytes>>20), Next: "split it, or check that it is the right file"}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return nil, refuse(0, "is UTF-16 text", "save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, refuse(i, "holds a NUL byte, so it is not a text file", "check that it is the right file")
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return nil, refuse(i, fmt.Sprintf("byte 0x%02X is not UTF-8", data[i]), "save the file as UTF-8")
		}
		i += size
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &Error{File: name, Problem: "is empty", Next: "write a document into it, or give another file"}
	}
	return data, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlTree parses the one YAML document in data.
func yamlTree(name string, data []byte) (root *yaml.Node, err error) {
	// The parser panics on a few inputs it did not foresee; that is the
	// input's fault as far as our caller is concerned.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &Error{File: name, Problem: fmt.Sprintf("is not YAML: %v", p), Next: "check its syntax"}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, &Error{File: name, Problem: "holds nothing but comments", Next: "write a document into it, or give another file"}
	} else if err != nil {
		return nil, syntaxError(name, data, err)
	}
	if err := dec.Decode(&second); err == nil {
		return nil, &Error{File: name, Line: second.Line, Problem: "a second document begins here", Next: "keep one document in a file"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(name, data, err)
	}
	return doc.Content[0], nil
}

func syntaxError(name string, data []byte, err error) error {
	e := &Error{File: name, Line: 1, Problem: yamlLine.ReplaceAllString(err.Error(), ""), Err: err}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		e.Line, _ = strconv.Atoi(m[1])
	}
	if line, ok := tabIndent(data); ok {
		e.Line, e.Problem, e.Next = line, "the line is indented with a tab", "indent with spaces"
		return e
	}
	if line, problem, ok := jsonSyntax(data); ok {
		e.Line, e.Problem, e.Next = line, "is not JSON: "+problem, "check the commas, the brackets and the quotes there"
		return e
	}
	e.Problem = "is not YAML near this line: " + e.Problem
	e.Next = "check the indent, the colons and the quotes there"
	return e
}

// tabIndent finds the first line whose indent holds a tab.
func tabIndent(data []byte) (line int, found bool) {
	for i, text := range bytes.Split(data, []byte("\n")) {
		indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
		if len(indent) < len(text) && bytes.IndexByte(indent, '\t') >= 0 {
			return i + 1, true
		}
	}
	return 0, false
}

func tooDeep(name string, line int, path string) error {
	return &Error{File: name, Line: line, Path: path, Problem: fmt.Sprintf("lists and mappings nest more than %d deep", maxDepth), Next: "check that it is the right file"}
}

// checkTree refuses what would make the document more than a plain tree, and
// keys that occur twice.
func (d *Document) checkTree(n *yaml.Node, path string, depth int) error {
	refuse := func(n *yaml.Node, path, problem, next string) error {
		return &Error{File: d.Name, Line: n.Line, Path: path, Problem: problem, Next: next}
	}
	switch {
	case depth > maxDepth:
		return tooDeep(d.Name, n.Line, path)
	case n.Kind == yaml.AliasNode:
		return refuse(n, path, fmt.Sprintf("the alias *%s is not allowed", n.Value), "write the value out")
	case n.Anchor != "":
		return refuse(n, path, fmt.Sprintf("the anchor &%s is not allowed", n.Anchor), "write the value out where it is needed")
	case n.Style&yaml.TaggedStyle != 0:
		return refuse(n, path, fmt.Sprintf("the tag %s is not allowed", n.Tag), "write the plain value")
	}
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!timestamp" || n.Tag == "!!merge") {
		n.Tag = "!!str" // YAML 1.2 has neither: 2024-01-31 is a string
	}
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			if err := d.checkTree(item, element(path, i), depth+1); err != nil {
				return err
			}
		}
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return refuse(key, path, "a key must be a name", "write one word in front of the colon")
		}
		at := member(path, key.Value)
		if err := d.checkTree(key, at, depth+1); err != nil {
			return err
		}
		if key.Value == "<<" {
			return refuse(key, at, "merge keys are not allowed", "write the fields out")
		}
		if first, dup := seen[key.Value]; dup {
			return refuse(key, at, fmt.Sprintf("is given twice, first at line %d", first), "remove one of the two")
		}
		seen[key.Value] = key.Line
		if err := d.checkTree(value, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}
