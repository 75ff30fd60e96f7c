package conf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// Load reads a configuration file by its extension: .json as JSON, .toml as
// TOML, .ini and .cfg as INI, anything else as YAML in the given dialect.
func Load(root *source.Root, name string, d Dialect) (*Node, error) {
	text, err := root.Read(name)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonc", ".json5":
		return ParseJSON(name, text)
	case ".toml":
		return ParseTOML(name, text)
	case ".ini", ".cfg":
		return ParseINI(name, text)
	}
	return ParseYAML(name, text, d)
}

// ParseYAML reads the first document of a YAML text. The empty document is
// Null. Tags of applications are kept; an anchor's value is copied to every
// alias; a key that is set twice keeps the last value.
func ParseYAML(name string, text []byte, d Dialect) (*Node, error) {
	return parseYAML(text, d, origin.At(origin.YAML, name, 1, ""), true)
}

// parseYAML reads YAML that stands at a place; lined says that lines of the
// text are lines of the place's file.
func parseYAML(text []byte, d Dialect, at *origin.Origin, lined bool) (n *Node, err error) {
	name := at.Place()
	if lined {
		name = at.File
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("YAML %s: %w (%d bytes); shorten it", name, ErrLimit, len(text))
	}
	defer func() { // the library is not ours; its defects must not end the advisor
		if r := recover(); r != nil {
			n, err = nil, fmt.Errorf("YAML %s: the text breaks the reader (%v); check its syntax", name, r)
		}
	}()
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &Node{Kind: Null, Origin: at}, nil
		}
		return nil, fmt.Errorf("YAML %s: %w; check its syntax", name, err)
	}
	r := yamlReader{at: at, lined: lined, dialect: d}
	if n = r.node(&doc, at.Key, doc.Line, 0); r.err != nil {
		return nil, fmt.Errorf("YAML %s: %w; the advisor cannot use this file", name, r.err)
	}
	return n, nil
}

// yamlReader turns the library's nodes into ours. The first limit that it
// meets stops it.
type yamlReader struct {
	at      *origin.Origin
	lined   bool
	dialect Dialect
	nodes   int
	aliases int
	err     error
}

func (r *yamlReader) origin(key string, line int) *origin.Origin {
	if !r.lined {
		return r.at
	}
	return origin.At(r.at.Kind, r.at.File, line, key)
}

func (r *yamlReader) node(y *yaml.Node, key string, line, depth int) *Node {
	r.nodes++
	if r.err != nil || r.nodes > maxNodes || depth > maxDepth {
		if r.err == nil {
			r.err = fmt.Errorf("line %d: %w", line, ErrLimit)
		}
		return &Node{Kind: Null}
	}
	at := r.origin(key, line)
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return &Node{Kind: Null, Origin: at}
		}
		return r.node(y.Content[0], key, y.Content[0].Line, depth)
	case yaml.AliasNode:
		if r.aliases++; r.aliases > maxAliases && r.err == nil {
			r.err = fmt.Errorf("line %d: %w: more than %d aliases", line, ErrLimit, maxAliases)
		}
		if y.Alias == nil {
			return &Node{Kind: Null, Origin: at}
		}
		return r.node(y.Alias, key, line, depth+1)
	case yaml.SequenceNode:
		list := &Node{Kind: List, Tag: ownTag(y.Tag), Origin: at}
		for i, item := range y.Content {
			list.Items = append(list.Items, r.node(item, fmt.Sprintf("%s[%d]", key, i), item.Line, depth+1))
		}
		return list
	case yaml.MappingNode:
		return r.mapping(y, key, at, depth)
	}
	return r.scalar(y, at)
}

// ownTag is the tag if it is not one of YAML's.
func ownTag(tag string) string {
	if strings.HasPrefix(tag, "!!") && !strings.HasPrefix(tag, "!!python/") || tag == "!" {
		return ""
	}
	return tag
}

func (r *yamlReader) mapping(y *yaml.Node, key string, at *origin.Origin, depth int) *Node {
	m := NewMap(at)
	m.Tag = ownTag(y.Tag)
	var weaker []*Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Value == "<<" && k.Style == 0 {
			merged := r.node(v, key, k.Line, depth+1)
			if merged.Kind == List {
				weaker = append(weaker, merged.Items...)
			} else {
				weaker = append(weaker, merged)
			}
			continue
		}
		name := r.keyName(k)
		m.Put(name, r.node(v, joinPath(key, name), k.Line, depth+1))
	}
	for _, w := range weaker {
		for _, name := range w.Keys {
			if m.Fields[name] == nil {
				m.Put(name, w.Fields[name])
			}
		}
	}
	return m
}

// keyName is the text of a key; a key that is not a scalar has no use here and
// gets a name that nothing asks for.
func (r *yamlReader) keyName(k *yaml.Node) string {
	if k.Kind == yaml.AliasNode && k.Alias != nil && k.Alias.Kind == yaml.ScalarNode {
		return k.Alias.Value
	}
	if k.Kind != yaml.ScalarNode {
		return fmt.Sprintf("(key of line %d)", k.Line)
	}
	return k.Value
}

func (r *yamlReader) scalar(y *yaml.Node, at *origin.Origin) *Node {
	if y.Style&yaml.TaggedStyle != 0 {
		switch y.Tag {
		case "!!str":
			return Text(y.Value, at)
		case "!!int", "!!float", "!!bool", "!!null":
			n := Scalar(y.Value, Ruamel12, at)
			if n.Kind == Int && y.Tag == "!!float" {
				return &Node{Kind: Float, Float: float64(n.Int), Origin: at}
			}
			return n
		}
		return &Node{Kind: String, Text: y.Value, Tag: ownTag(y.Tag), Origin: at}
	}
	if y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return Text(y.Value, at)
	}
	return Scalar(y.Value, r.dialect, at)
}
