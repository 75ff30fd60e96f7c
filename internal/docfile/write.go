package docfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Format is how a document is written. Both are read alike.
type Format string

const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Write writes v as one document that [Read] gives back unchanged, except that
// an empty list may come back nil or the other way round.
func Write(w io.Writer, f Format, v any) error {
	var root yaml.Node
	if err := root.Encode(v); err != nil {
		return fmt.Errorf("write %T: %w", v, err)
	}
	if err := layOut(&root); err != nil {
		return fmt.Errorf("write %T: %w", v, err)
	}
	switch f {
	case JSON:
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("write %T as JSON: %w", v, err)
		}
		return nil
	case YAML:
		enc := yaml.NewEncoder(w)
		enc.SetIndent(2)
		if err := enc.Encode(&root); err != nil {
			return fmt.Errorf("write %T as YAML: %w", v, err)
		}
		return enc.Close()
	}
	return fmt.Errorf("unknown document format %q: use yaml or json", f)
}

// lineWidth is how wide a mapping may be to stand on one line.
const lineWidth = 100

// layOut puts list items that are short mappings of scalars on one line, such
// as nodes and allocations, and refuses what Read would refuse.
func layOut(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!binary" {
		return errors.New("a text holds bytes that are not UTF-8: clean it first")
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!float" && strings.HasPrefix(strings.TrimLeft(n.Value, "+-"), ".") {
		return fmt.Errorf("the number %s has no place in a document: leave it out", n.Value)
	}
	for _, child := range n.Content {
		if err := layOut(child); err != nil {
			return err
		}
		if n.Kind == yaml.SequenceNode && fitsOneLine(child) {
			child.Style |= yaml.FlowStyle
		}
	}
	return nil
}

func fitsOneLine(n *yaml.Node) bool {
	width := 0
	for _, child := range n.Content {
		if child.Kind != yaml.ScalarNode || child.Style&yaml.LiteralStyle != 0 {
			return false
		}
		width += len(child.Value) + len(": ")
	}
	return n.Kind == yaml.MappingNode && width <= lineWidth
}
