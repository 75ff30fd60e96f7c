package docfile

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A path names a place in a document as the vocabulary's Validate methods
// write it: "waiting[3].job.gpus".

func member(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Line returns the line of the field that the path names. If it is absent,
// found is false and the line is that of the longest prefix of the path that
// is there: the place to which the field should be added.
func (d *Document) Line(path string) (line int, found bool) {
	n, line := d.root, d.root.Line
	for path != "" {
		key, index, rest := splitPath(path)
		var next *yaml.Node
		if index >= 0 {
			next, line = childAt(n, index, line)
		} else {
			next, line = childNamed(n, key, line)
		}
		if next == nil {
			return line, false
		}
		n, path = next, rest
	}
	return line, true
}

// splitPath takes the first step off a path: a key, or an index >= 0.
func splitPath(path string) (key string, index int, rest string) {
	path = strings.TrimPrefix(path, ".")
	if inner, after, ok := strings.Cut(strings.TrimPrefix(path, "["), "]"); ok && strings.HasPrefix(path, "[") {
		if i, err := strconv.Atoi(inner); err == nil && i >= 0 {
			return "", i, after
		}
	}
	end := strings.IndexAny(path, ".[")
	if end <= 0 {
		return path, -1, ""
	}
	return path[:end], -1, path[end:]
}

func childAt(n *yaml.Node, i, line int) (*yaml.Node, int) {
	if n.Kind != yaml.SequenceNode || i >= len(n.Content) {
		return nil, line
	}
	return n.Content[i], n.Content[i].Line
}

// childNamed returns the value of a key and the line of the key: a value may
// begin lines below it.
func childNamed(n *yaml.Node, key string, line int) (*yaml.Node, int) {
	if n.Kind != yaml.MappingNode {
		return nil, line
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1], n.Content[i].Line
		}
	}
	return nil, line
}

// Kind returns the document's kind, and "" when it does not say.
func (d *Document) Kind() string { return d.text("kind") }

func (d *Document) text(key string) string {
	if n, _ := childNamed(d.root, key, 0); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}
