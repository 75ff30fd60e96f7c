package conf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"schedmate/advisor/origin"
)

// ParseTOML reads a TOML text. Keys stand in the order of the file; a key's
// line is that of its first mention, or of its table.
func ParseTOML(name string, text []byte) (n *Node, err error) {
	// The library descends once for every opening bracket, so their number
	// bounds its stack.
	if len(text) > maxBytes || bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 20_000 || tooDotted(text) {
		return nil, fmt.Errorf("TOML %s: %w; shorten it", name, ErrLimit)
	}
	defer func() { // the library is not ours; its defects must not end the advisor
		if r := recover(); r != nil {
			n, err = nil, fmt.Errorf("TOML %s: the text breaks the reader (%v); check its syntax", name, r)
		}
	}()
	var values map[string]any
	meta, err := toml.Decode(string(text), &values)
	if err != nil {
		return nil, fmt.Errorf("TOML %s: %w; check its syntax", name, err)
	}
	order := map[string]int{}
	for i, key := range meta.Keys() {
		if path := strings.Join(key, "\x00"); order[path] == 0 {
			order[path] = i + 1
		}
	}
	n = FromGo(values, origin.At(origin.TOML, name, 1, ""))
	place(n, nil, name, order, tomlLines(text))
	return n, nil
}

// place orders the keys of a tree and gives its nodes their lines.
func place(n *Node, path []string, file string, order, lines map[string]int) {
	for _, item := range n.Items {
		item.Origin = n.Origin
		place(item, path, file, order, lines)
	}
	rank := func(key string) int { return order[strings.Join(append(path[:len(path):len(path)], key), "\x00")] }
	ranks := make(map[string]int, len(n.Keys))
	for _, key := range n.Keys {
		ranks[key] = rank(key)
	}
	slices.SortStableFunc(n.Keys, func(a, b string) int { return ranks[a] - ranks[b] })
	for _, key := range n.Keys {
		below := append(path[:len(path):len(path)], key)
		line := lines[strings.Join(below, ".")]
		if line == 0 && n.Origin != nil {
			line = n.Origin.Line
		}
		child := n.Fields[key]
		child.Origin = origin.At(origin.TOML, file, line, joinPath("", strings.Join(below, ".")))
		place(child, below, file, order, lines)
	}
}

// tomlLines finds the lines of keys and tables by their look. It is only for
// showing places; the values come from the library.
func tomlLines(text []byte) map[string]int {
	lines := map[string]int{}
	table := ""
	number := 0
	for line := range bytes.Lines(text) {
		number++
		t := strings.TrimSpace(string(line))
		if strings.HasPrefix(t, "[") {
			if end := strings.IndexByte(t, ']'); end > 0 {
				table = bareKey(strings.Trim(t[:end], "[] "))
				if lines[table] == 0 {
					lines[table] = number
				}
			}
			continue
		}
		key, _, found := strings.Cut(t, "=")
		if !found || strings.HasPrefix(t, "#") || len(key) > 200 {
			continue
		}
		path := bareKey(key)
		if table != "" {
			path = table + "." + path
		}
		if lines[path] == 0 {
			lines[path] = number
		}
	}
	return lines
}

func bareKey(key string) string {
	parts := strings.Split(key, ".")
	for i, part := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(part), `"'`)
	}
	return strings.Join(parts, ".")
}

// ParseINI reads an INI text as Python's configparser does without its
// interpolation: sections of keys, all values strings, a value continued on
// lines that are indented.
func ParseINI(name string, text []byte) (*Node, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("INI %s: %w (%d bytes); shorten it", name, ErrLimit, len(text))
	}
	tree := NewMap(origin.At(origin.TOML, name, 1, ""))
	section, last := tree, (*Node)(nil)
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		if number > maxNodes {
			return nil, fmt.Errorf("INI %s: %w; shorten it", name, ErrLimit)
		}
		line := strings.TrimRight(string(raw), " \t\r\n")
		t := strings.TrimSpace(line)
		switch {
		case t == "" || t[0] == '#' || t[0] == ';':
		case last != nil && (line[0] == ' ' || line[0] == '\t'):
			last.Text = strings.TrimPrefix(last.Text+"\n"+t, "\n")
		case t[0] == '[' && strings.HasSuffix(t, "]"):
			key := t[1 : len(t)-1]
			if tree.Fields[key] == nil {
				tree.Put(key, NewMap(origin.At(origin.TOML, name, number, joinPath("", key))))
			}
			section, last = tree.Fields[key], nil
			if section.Kind != Map {
				return nil, fmt.Errorf("INI %s:%d: section %s has the name of a key; rename it", name, number, key)
			}
		default:
			key, value := t, ""
			if i := strings.IndexAny(t, "=:"); i >= 0 {
				key, value = strings.TrimSpace(t[:i]), strings.TrimSpace(t[i+1:])
			}
			section.Put(key, Text(value, origin.At(origin.TOML, name, number, joinPath("", key))))
			last = section.Fields[key]
		}
	}
	return tree, nil
}
