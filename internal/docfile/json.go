package docfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// jsonTree parses data, which is valid JSON, into the tree YAML would give.
func jsonTree(name string, data []byte) (*yaml.Node, error) {
	b := jsonBuilder{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	b.dec.UseNumber()
	return b.value(0)
}

type jsonBuilder struct {
	name string
	data []byte
	dec  *json.Decoder
	read int64 // offset up to which lines are counted
	line int
}

// token returns the next token and its text, and counts the lines before it.
func (b *jsonBuilder) token() (json.Token, []byte, error) {
	token, err := b.dec.Token()
	if err != nil {
		return nil, nil, &Error{File: b.name, Line: b.line, Problem: "is not JSON: " + err.Error(), Next: "check its syntax", Err: err}
	}
	end := b.dec.InputOffset()
	text := b.data[b.read:end]
	b.read = end
	b.line += bytes.Count(text, []byte("\n"))
	return token, text, nil
}

func (b *jsonBuilder) value(depth int) (*yaml.Node, error) {
	token, text, err := b.token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: b.line}
	if depth > maxDepth {
		return nil, tooDeep(b.name, b.line, "")
	}
	switch t := token.(type) {
	case json.Delim:
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
		if t == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for b.dec.More() {
			if n.Kind == yaml.MappingNode {
				key, err := b.value(depth + 1)
				if err != nil {
					return nil, err
				}
				n.Content = append(n.Content, key)
			}
			item, err := b.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		_, _, err = b.token() // the closing bracket
		return n, err
	case string:
		// The decoder turns half a surrogate pair into U+FFFD without a word.
		if strings.ContainsRune(t, '\uFFFD') && !bytes.Contains(text, []byte("\uFFFD")) && !bytes.Contains(bytes.ToLower(text), []byte(`\ufffd`)) {
			return nil, &Error{File: b.name, Line: b.line, Problem: fmt.Sprintf("%s holds half of a surrogate pair", bytes.TrimSpace(text)), Next: "write the character itself"}
		}
		n.Tag, n.Value, n.Style = "!!str", t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!int", t.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(t)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

var looksLikeJSON = regexp.MustCompile(`^\s*\{\s*"`)

// jsonSyntax says what is wrong with a text that was clearly meant to be JSON.
func jsonSyntax(data []byte) (line int, problem string, ok bool) {
	var wrong *json.SyntaxError
	if !looksLikeJSON.Match(data) || !errors.As(json.Unmarshal(data, new(any)), &wrong) {
		return 0, "", false
	}
	return 1 + bytes.Count(data[:wrong.Offset], []byte("\n")), wrong.Error(), true
}
