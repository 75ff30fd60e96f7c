package conf

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// FromGo makes a node of a plain Go value (nil, bool, numbers, string, slices
// of any, maps from string); every node gets the same origin. A value of any
// other type is Unknown.
func FromGo(v any, at *origin.Origin) *Node { return fromGo(v, at, 0) }

func fromGo(v any, at *origin.Origin, depth int) *Node {
	if depth > maxDepth {
		return NotKnown("nested too deeply", at)
	}
	switch v := v.(type) {
	case nil:
		return &Node{Kind: Null, Origin: at}
	case *Node:
		return v
	case bool:
		return &Node{Kind: Bool, Bool: v, Origin: at}
	case int:
		return &Node{Kind: Int, Int: int64(v), Origin: at}
	case int64:
		return &Node{Kind: Int, Int: v, Origin: at}
	case float64:
		return &Node{Kind: Float, Float: v, Origin: at}
	case string:
		return Text(v, at)
	case []string:
		list := &Node{Kind: List, Origin: at}
		for _, item := range v {
			list.Items = append(list.Items, Text(item, at))
		}
		return list
	case []any:
		list := &Node{Kind: List, Origin: at}
		for _, item := range v {
			list.Items = append(list.Items, fromGo(item, at, depth+1))
		}
		return list
	case []map[string]any:
		list := &Node{Kind: List, Origin: at}
		for _, item := range v {
			list.Items = append(list.Items, fromGo(item, at, depth+1))
		}
		return list
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		m := NewMap(at)
		for _, key := range keys {
			m.Put(key, fromGo(v[key], at, depth+1))
		}
		return m
	}
	return NotKnown(fmt.Sprintf("a value of type %T", v), at)
}

// Number is the value of an Int or a Float.
func (n *Node) Number() (float64, bool) {
	switch {
	case n == nil:
	case n.Kind == Int:
		return float64(n.Int), true
	case n.Kind == Float:
		return n.Float, true
	}
	return 0, false
}

// Plain is the node as Go values: nil, bool, int64, float64, string, []any,
// map[string]any. An Unknown node is the string "unknown: why".
func (n *Node) Plain() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool:
		return n.Bool
	case Int:
		return n.Int
	case Float:
		return n.Float
	case String:
		return n.Text
	case Unknown:
		return "unknown: " + n.Text
	case List:
		all := make([]any, 0, len(n.Items))
		for _, item := range n.Items {
			all = append(all, item.Plain())
		}
		return all
	case Map:
		all := make(map[string]any, len(n.Keys))
		for _, key := range n.Keys {
			all[key] = n.Fields[key].Plain()
		}
		return all
	}
	return nil
}

// Python is the node as Python's str() shows it; it reports false when
// something in it is unknown or an application's own object.
func (n *Node) Python() (string, bool) {
	if n != nil && n.Kind == String {
		return n.Text, true
	}
	var b strings.Builder
	ok := n.python(&b, 0)
	return b.String(), ok
}

func (n *Node) python(b *strings.Builder, depth int) bool {
	if n == nil || depth > maxDepth || b.Len() > 1<<20 {
		return false
	}
	switch n.Kind {
	case Null:
		b.WriteString("None")
	case Bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[n.Bool])
	case Int:
		b.WriteString(strconv.FormatInt(n.Int, 10))
	case Float:
		b.WriteString(pythonFloat(n.Float))
	case String:
		b.WriteString("'" + strings.ReplaceAll(n.Text, "'", `\'`) + "'")
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			if !item.python(b, depth+1) {
				return false
			}
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, key := range n.Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("'" + key + "': ")
			if !n.Fields[key].python(b, depth+1) {
				return false
			}
		}
		b.WriteByte('}')
	default:
		return false
	}
	return true
}

// pythonFloat is repr() of a float: 1e-05, 0.0001, 16.0, 1e+16.
func pythonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
