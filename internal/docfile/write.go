package docfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// Format is how a document is written. Both are read alike.
type Format string

const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Write writes v as one document that [Read] gives back unchanged, except that
// an empty list may come back nil or the other way round. The fields are those
// of the json tags, in the order of their declaration.
func Write(w io.Writer, f Format, v any) error {
	text, err := encodeJSON(v)
	switch {
	case f != YAML && f != JSON:
		return fmt.Errorf("unknown document format %q: use yaml or json", f)
	case err == nil && f == YAML:
		text, err = relayYAML(text, reflect.TypeOf(v))
	}
	if err != nil {
		return fmt.Errorf("write %T as %s: %w", v, f, err)
	}
	_, err = w.Write(text)
	return err
}

// replaced matches the escape that encoding/json puts in the place of a byte
// that is not UTF-8; a genuine U+FFFD it writes as it is.
var replaced = regexp.MustCompile(`[^\\](\\\\)*\\ufffd`)

func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if replaced.Match(out.Bytes()) {
		return nil, errors.New("a text holds bytes that are not UTF-8: clean it first")
	}
	return out.Bytes(), nil
}

// relayYAML turns the JSON form of a value of type t into the YAML form. The
// YAML package is given a finished tree: left to choose how to write a text,
// it makes block scalars that it cannot read back.
func relayYAML(text []byte, t reflect.Type) ([]byte, error) {
	root, err := jsonTree("", text)
	if err != nil {
		return nil, err
	}
	layOut(root, t)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// layOut chooses how each node is written. List items that are short mappings
// of scalars, such as nodes and allocations, get one line each.
func layOut(n *yaml.Node, t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n.Style = 0
	switch {
	case n.Tag == "!!null" && t != nil && t.Kind() == reflect.Slice:
		*n = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	case n.Tag == "!!str" && needsQuotes.MatchString(n.Value):
		n.Style = yaml.DoubleQuotedStyle
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			layOut(item, elementType(t))
			if fitsOneLine(item) {
				item.Style = yaml.FlowStyle
			}
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			layOut(n.Content[i], nil)
			layOut(n.Content[i+1], memberType(t, n.Content[i].Value))
		}
	}
}

// needsQuotes matches texts that some reader of YAML may not take as they are.
// Numbers, dates, true, false and null are quoted by the YAML package.
var needsQuotes = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|=|<<|[-+0-9:._]+)$|[^\PZ ]|\pC`)

func elementType(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice {
		return nil
	}
	return t.Elem()
}

func memberType(t reflect.Type, name string) reflect.Type {
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Map:
		return t.Elem()
	case t.Kind() == reflect.Struct:
		return fieldsOf(t)[name].Type
	}
	return nil
}

// lineWidth is how wide a mapping may be to stand on one line.
const lineWidth = 100

func fitsOneLine(n *yaml.Node) bool {
	width := 0
	for _, child := range n.Content {
		if child.Kind != yaml.ScalarNode {
			return false
		}
		width += len(child.Value) + len(": ")
	}
	return n.Kind == yaml.MappingNode && width <= lineWidth
}
