package conf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// ErrLimit says that an input is deeper or larger than the advisor follows. It
// is wrapped with the place.
var ErrLimit = errors.New("larger or deeper than the advisor follows")

const (
	maxDepth   = 100     // levels of one file, and names of one path
	maxNodes   = 100_000 // nodes of one file or one resolved tree
	maxAliases = 500     // aliases that one file may expand, those inside an alias counted again
	maxBytes   = 1 << 20 // text of one file
)

// NewMap is an empty map that was set at a place.
func NewMap(at *origin.Origin) *Node {
	return &Node{Kind: Map, Fields: map[string]*Node{}, Origin: at}
}

// Text is a string node.
func Text(s string, at *origin.Origin) *Node { return &Node{Kind: String, Text: s, Origin: at} }

// NotKnown is a node whose value cannot be followed, with the reason.
func NotKnown(why string, at *origin.Origin) *Node {
	return &Node{Kind: Unknown, Text: why, Origin: at}
}

// Put sets one field of a map. A field that is there keeps its position, and
// the new value records what it beat.
func (n *Node) Put(key string, value *Node) {
	old, found := n.Fields[key]
	if !found {
		n.Keys = append(n.Keys, key)
	} else if old != value {
		value = value.over(old)
	}
	n.Fields[key] = value
}

// Drop removes one field of a map, if it is there.
func (n *Node) Drop(key string) {
	if n == nil || n.Fields[key] == nil {
		return
	}
	delete(n.Fields, key)
	for i, k := range n.Keys {
		if k == key {
			n.Keys = append(n.Keys[:i:i], n.Keys[i+1:]...)
			return
		}
	}
}

// over is the node as the winner over a weaker one. The node itself stays.
func (n *Node) over(weaker *Node) *Node {
	won := *n
	won.Origin = n.Origin.Over(weaker.Origin)
	return &won
}

// At is the node with another origin.
func (n *Node) At(at *origin.Origin) *Node {
	moved := *n
	moved.Origin = at
	return &moved
}

// SplitPath splits "a.b[0].c" or "a.b.0.c" into its names.
func SplitPath(path string) []string {
	var names []string
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		names = append(names, strings.Trim(part, `"'`))
		if len(names) > maxDepth {
			break
		}
	}
	return names
}

// Get finds the node at a path such as "a.b[0].c" or "a.b.0.c"; nil when there
// is none. A key that itself holds dots is found when it is a field of the
// root.
func (n *Node) Get(path string) *Node {
	if n != nil && n.Fields[path] != nil {
		return n.Fields[path]
	}
	return n.find(SplitPath(path))
}

func (n *Node) find(names []string) *Node {
	for _, name := range names {
		if n = n.child(name); n == nil {
			return nil
		}
	}
	return n
}

func (n *Node) child(name string) *Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == Map:
		return n.Fields[name]
	case n.Kind == List:
		if i, ok := index(name, len(n.Items)); ok {
			return n.Items[i]
		}
	}
	return nil
}

// index reads a list index as Python does: negative ones count from the end.
func index(name string, length int) (int, bool) {
	i, err := strconv.Atoi(name)
	if err != nil {
		return 0, false
	}
	if i < 0 {
		i += length
	}
	return i, i >= 0 && i < length
}

// Set puts a value at a path and makes the maps on the way. A scalar on the way
// gives place to a map. It fails on an index outside a list.
func (n *Node) Set(path string, value *Node) error {
	return n.set(SplitPath(path), value)
}

func (n *Node) set(names []string, value *Node) error {
	if len(names) == 0 || len(names) > maxDepth {
		return fmt.Errorf("set a value at a path of %d names: %w; name a key", len(names), ErrLimit)
	}
	for level, name := range names {
		last := level == len(names)-1
		if n.Kind == List {
			i, ok := index(name, len(n.Items))
			if !ok {
				return fmt.Errorf("set %s: the list has no item %s; it has %d items", strings.Join(names, "."), name, len(n.Items))
			}
			if last {
				n.Items[i] = value.over(n.Items[i])
				return nil
			}
			n = n.Items[i]
			continue
		}
		if last {
			n.Put(name, value)
			return nil
		}
		next := n.Fields[name]
		if next == nil || next.Kind != Map && next.Kind != List {
			n.Put(name, NewMap(value.Origin))
			next = n.Fields[name]
		}
		n = next
	}
	return nil
}

// Unset removes the value at a path and reports whether it was there.
func (n *Node) Unset(path string) bool {
	names := SplitPath(path)
	if len(names) == 0 {
		return false
	}
	name := names[len(names)-1]
	parent := n.find(names[:len(names)-1])
	switch {
	case parent.child(name) == nil:
		return false
	case parent.Kind == Map:
		parent.Drop(name)
	default:
		i, _ := index(name, len(parent.Items))
		parent.Items = append(parent.Items[:i:i], parent.Items[i+1:]...)
	}
	return true
}

// Clone is a deep copy; origins are shared, for they never change.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	same := *n
	same.Items, same.Keys, same.Fields = nil, nil, nil
	for _, item := range n.Items {
		same.Items = append(same.Items, item.Clone())
	}
	if n.Kind == Map {
		same.Keys = append([]string(nil), n.Keys...)
		same.Fields = make(map[string]*Node, len(n.Fields))
		for _, key := range n.Keys {
			same.Fields[key] = n.Fields[key].Clone()
		}
	}
	return &same
}

// Walk visits the node and everything below it in the order of the file. The
// path of the root is empty. It does not go below a node for which visit
// returns false.
func (n *Node) Walk(visit func(path string, n *Node) bool) { n.walk("", visit) }

func (n *Node) walk(path string, visit func(string, *Node) bool) {
	if n == nil || !visit(path, n) {
		return
	}
	for i, item := range n.Items {
		item.walk(path+"["+strconv.Itoa(i)+"]", visit)
	}
	for _, key := range n.Keys {
		n.Fields[key].walk(joinPath(path, key), visit)
	}
}

// joinPath names a field for people. A very long path loses its front, for a
// hostile file may hold a long key above many others.
func joinPath(path, key string) string {
	if path != "" {
		key = path + "." + key
	}
	if len(key) > 400 {
		key = key[len(key)-200:]
	}
	return key
}

// MergeOptions are the differences between configuration systems.
type MergeOptions struct {
	DeleteKey bool // a map that holds "_delete_: True" replaces the weaker one instead of joining it (mmengine)
}

// Merge lays one tree over another: maps join, key by key, and anything else
// replaces what was there, lists too. Every winner records what it beat.
// Neither argument is changed.
func Merge(base, over *Node, options MergeOptions) *Node {
	switch {
	case over == nil:
		return base.Clone()
	case base == nil:
		return cleaned(over, options)
	case base.Kind != Map || over.Kind != Map || options.DeleteKey && deletes(over):
		return cleaned(over, options).over(base)
	}
	joined := NewMap(over.Origin.Over(base.Origin))
	joined.Tag = over.Tag
	if joined.Tag == "" {
		joined.Tag = base.Tag
	}
	for _, key := range base.Keys {
		joined.Put(key, Merge(base.Fields[key], over.Fields[key], options))
	}
	for _, key := range over.Keys {
		if base.Fields[key] == nil {
			joined.Put(key, cleaned(over.Fields[key], options))
		}
	}
	return joined
}

// cleaned is a copy without the keys that only steer a merge.
func cleaned(n *Node, options MergeOptions) *Node {
	same := n.Clone()
	if options.DeleteKey {
		same.Walk(func(_ string, n *Node) bool {
			if deletes(n) {
				n.Drop("_delete_")
			}
			return true
		})
	}
	return same
}

func deletes(n *Node) bool {
	flag := n.Fields["_delete_"]
	return flag != nil && flag.Kind == Bool && flag.Bool
}
