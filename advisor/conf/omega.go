package conf

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
)

// Interpolation is how a program fills "${...}" of OmegaConf.
type Interpolation struct {
	// Functions are the program's resolvers by name, such as "eval". A nil
	// result is an unknown one. The built-in ones need no entry.
	Functions map[string]func(args []*Node) *Node
	// Env is a variable of the program's environment, nil when it is not set.
	Env func(name string) *Node
}

// Resolve is a copy of a tree with every interpolation filled. What cannot be
// filled is Unknown and says why: a missing value ("???"), a resolver without
// an entry, a variable that is not set, a cycle. A filled value keeps its own
// place and what it beat, and names the values that it came from.
func (in Interpolation) Resolve(tree *Node) *Node {
	r := resolver{in: in, parents: map[*Node]*Node{}, done: map[*Node]*Node{}, size: map[*Node]int{}, open: map[*Node]bool{}}
	r.root = tree.Clone()
	if r.root == nil {
		return nil
	}
	r.adopt(r.root)
	return r.resolve(r.root, 0)
}

type resolver struct {
	in      Interpolation
	root    *Node
	parents map[*Node]*Node
	done    map[*Node]*Node
	size    map[*Node]int // nodes below and at a resolved node, shared ones counted each time
	open    map[*Node]bool
	steps   int
	made    int // bytes of texts made of pieces
}

func (r *resolver) adopt(n *Node) {
	for _, item := range n.Items {
		r.parents[item] = n
		r.adopt(item)
	}
	for _, key := range n.Keys {
		r.parents[n.Fields[key]] = n
		r.adopt(n.Fields[key])
	}
}

// resolve fills one node. The depth counts the nodes that wait for this one.
func (r *resolver) resolve(n *Node, depth int) *Node {
	if ready := r.done[n]; ready != nil {
		return ready
	}
	if r.open[n] {
		return NotKnown("an interpolation leads back to itself", n.Origin)
	}
	r.steps++
	if depth > 4*maxDepth || r.steps > 2*maxNodes {
		return NotKnown("interpolations go too deep", n.Origin)
	}
	r.open[n] = true
	defer delete(r.open, n)
	filled := *n
	size := 1
	add := func(child *Node) *Node {
		if size += r.size[child]; size > maxNodes {
			return NotKnown("the filled tree is too large", child.Origin)
		}
		return child
	}
	switch n.Kind {
	case List:
		filled.Items = make([]*Node, len(n.Items))
		for i, item := range n.Items {
			filled.Items[i] = add(r.resolve(item, depth+1))
		}
	case Map:
		filled.Fields = make(map[string]*Node, len(n.Keys))
		for _, key := range n.Keys {
			filled.Fields[key] = add(r.resolve(n.Fields[key], depth+1))
		}
	case String:
		switch {
		case n.Text == "???":
			filled = *NotKnown("the value is missing (???)", n.Origin)
		case strings.Contains(n.Text, "${"):
			p := phrase{r: r, at: n, text: n.Text, depth: depth}
			v := p.whole()
			filled = *v
			filled.Origin = from(n.Origin, p.used)
			size = r.measure(v)
		}
	}
	r.done[n], r.size[&filled] = &filled, size
	return &filled
}

// measure is the number of nodes at and below a filled one. Counting costs
// steps, for a resolver may return ever new containers.
func (r *resolver) measure(n *Node) int {
	if size := r.size[n]; size > 0 {
		return size
	}
	size := 1
	for _, item := range n.Items {
		size += r.measure(item)
	}
	for _, key := range n.Keys {
		size += r.measure(n.Fields[key])
	}
	r.steps += len(n.Items) + len(n.Keys)
	size = min(size, 2*maxNodes)
	r.size[n] = size
	return size
}

// from is the place of an interpolation with the values that it used.
func from(at *origin.Origin, used []*origin.Origin) *origin.Origin {
	if at == nil || len(used) == 0 {
		return at
	}
	filled := *at
	filled.From = used
	return &filled
}

// lookup finds "a.b[c]"; ups counts the leading dots: one is the container of
// the asking node, two the container above it.
func (r *resolver) lookup(asking *Node, ups int, names []string, depth int) *Node {
	n := r.root
	if ups > 0 {
		n = asking
		for range ups {
			if n = r.parents[n]; n == nil {
				return NotKnown("an interpolation asks above the top", asking.Origin)
			}
		}
	}
	for _, name := range names {
		if n.Kind == String && strings.Contains(n.Text, "${") { // the way leads through another interpolation
			through := r.resolve(n, depth+1)
			if found := through.child(name); found != nil {
				n = found
				continue
			}
			if through.Kind == Unknown {
				return through
			}
		}
		next := n.child(name)
		if next == nil {
			return nil
		}
		n = next
	}
	if _, original := r.parents[n]; !original && n != r.root {
		return n // it is filled already
	}
	return r.resolve(n, depth+1)
}

// builtin answers OmegaConf's own resolvers; it reports false for another name.
func (p *phrase) builtin(name string, args []*Node) (*Node, bool) {
	arg := func(i int) string {
		if i < len(args) {
			text, _ := args[i].Python()
			return text
		}
		return ""
	}
	switch name {
	case "oc.env", "env":
		return p.environment(name, arg(0), args), true
	case "oc.select":
		rest := strings.TrimLeft(arg(0), ".")
		ups := len(arg(0)) - len(rest)
		found := p.r.lookup(p.at, ups, SplitPath(rest), p.depth)
		if found == nil || found.Kind == Unknown && strings.Contains(found.Text, "???") {
			if len(args) > 1 {
				return args[1], true
			}
			return &Node{Kind: Null, Origin: p.at.Origin}, true
		}
		return found, true
	case "oc.decode":
		if len(args) == 0 || args[0].Kind != String {
			return NotKnown("oc.decode takes a string", p.at.Origin), true
		}
		v := overrideValue(args[0].Text, args[0].Origin)
		return v, true
	case "oc.deprecated":
		return p.r.lookup(p.at, 0, SplitPath(arg(0)), p.depth), true
	case "oc.dict.keys", "oc.dict.values":
		found := p.r.lookup(p.at, 0, SplitPath(arg(0)), p.depth)
		if found == nil || found.Kind != Map {
			return NotKnown(name+" needs a map", p.at.Origin), true
		}
		list := &Node{Kind: List, Origin: found.Origin}
		for _, key := range found.Keys {
			if name == "oc.dict.keys" {
				list.Items = append(list.Items, Text(key, found.Origin))
			} else {
				list.Items = append(list.Items, found.Fields[key])
			}
		}
		return list, true
	}
	return nil, false
}

func (p *phrase) environment(resolver, name string, args []*Node) *Node {
	if p.r.in.Env != nil {
		if v := p.r.in.Env(name); v != nil {
			p.used = append(p.used, v.Origin)
			if resolver == "env" && v.Kind == String { // the old resolver reads values as YAML
				return Scalar(v.Text, OmegaConf, v.Origin)
			}
			return v
		}
	}
	if len(args) > 1 {
		return args[1]
	}
	return NotKnown(fmt.Sprintf("the environment variable %s is not set", name), p.at.Origin)
}

// ParseDotlist reads words "a.b=c" as OmegaConf.from_dotlist does: the value is
// YAML, a word without "=" sets Null. A word that is not known sets nothing and
// is returned.
func ParseDotlist(words []Word) (*Node, []Word, error) {
	tree := NewMap(nil)
	var unknown []Word
	for _, w := range words {
		key, text, _ := strings.Cut(w.Text, "=")
		if !w.Known {
			unknown = append(unknown, w)
			continue
		}
		at := wordOrigin(w.Origin, key)
		value, err := parseYAML([]byte(text), OmegaConf, at, false)
		if err != nil {
			return nil, nil, fmt.Errorf("word %q: %w", clip(w.Text), err)
		}
		if err := tree.Set(key, value); err != nil {
			return nil, nil, fmt.Errorf("word %q: %w", clip(w.Text), err)
		}
	}
	return tree, unknown, nil
}

// Word is one word of a command whose text may be unknown. It has the shape of
// the launch package's word.
type Word struct {
	Text   string
	Known  bool
	Origin *origin.Origin
}

// wordOrigin is the place of a value that a word of the command sets: the word's
// own place, if it stands in a file, else the key that it sets.
func wordOrigin(at *origin.Origin, key string) *origin.Origin {
	if at == nil || at.Kind == origin.CLI {
		return origin.Named(origin.CLI, clip(key))
	}
	return at
}

// clip shortens hostile text for messages.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
