package conf

import (
	"fmt"
	"path"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// LoadHyperPyYAML reads a file of HyperPyYAML, as speechbrain uses it (plain
// values are those of YAML 1.2, "(1, 2)" is a tuple): it lays the
// overrides (nil for none) over it by key, then follows "!ref", "!copy" and
// "!include". Objects ("!new:x.Y", "!name:x.f", "!apply:x.f") stay maps or lists
// of their arguments with the Tag; the result of "!apply" is not known. A
// "!PLACEHOLDER" without an override is Unknown.
func LoadHyperPyYAML(root *source.Root, name string, overrides *Node) (*Node, error) {
	budget := maxEntries
	return loadHyper(root, name, overrides, 0, &budget)
}

func loadHyper(root *source.Root, name string, overrides *Node, depth int, budget *int) (*Node, error) {
	if *budget--; depth > maxChain/4 || *budget < 0 {
		return nil, fmt.Errorf("config %s: %w: files include one another too often; break the chain", name, ErrLimit)
	}
	text, err := root.Read(name)
	if err != nil {
		return nil, err
	}
	tree, err := ParseYAML(name, text, Ruamel12)
	if err != nil {
		return nil, err
	}
	if overrides != nil {
		tree = Merge(tree, overrides, MergeOptions{})
	}
	h := hyper{root: root, file: name, tree: tree, depth: depth, budget: budget, done: map[*Node]*Node{}, open: map[*Node]bool{}, size: map[*Node]int{}}
	n := h.resolve(tree, 0)
	return n, h.err
}

// hyper follows the tags of one file.
type hyper struct {
	root   *source.Root
	file   string
	tree   *Node
	depth  int // includes above this file
	budget *int
	done   map[*Node]*Node
	size   map[*Node]int
	open   map[*Node]bool
	made   int
	err    error
}

func (h *hyper) resolve(n *Node, depth int) *Node {
	if ready := h.done[n]; ready != nil {
		return ready
	}
	if h.open[n] {
		return NotKnown("a reference leads back to itself", n.Origin)
	}
	if depth > 2*maxDepth {
		return NotKnown("references go too deep", n.Origin)
	}
	h.open[n] = true
	filled := *n
	size := 1
	add := func(child *Node) *Node {
		child = h.resolve(child, depth+1)
		if size += h.size[child]; size > maxNodes {
			return NotKnown("the filled tree is too large", child.Origin)
		}
		return child
	}
	filled.Items = nil
	for _, item := range n.Items {
		filled.Items = append(filled.Items, add(item))
	}
	if n.Kind == Map {
		filled.Fields = make(map[string]*Node, len(n.Keys))
		for _, key := range n.Keys {
			filled.Fields[key] = add(n.Fields[key])
		}
	}
	out := h.tagged(&filled, depth)
	delete(h.open, n)
	if out != &filled {
		size = max(size, h.size[out], 1)
	}
	h.done[n], h.size[out] = out, size
	return out
}

// tagged gives a node's tag its meaning; what is below is filled already.
func (h *hyper) tagged(n *Node, depth int) *Node {
	switch {
	case (n.Tag == "" || n.Tag == "!tuple") && n.Kind == String && strings.HasPrefix(n.Text, "(") && strings.HasSuffix(n.Text, ")"):
		tuple, err := parseYAML([]byte("["+n.Text[1:len(n.Text)-1]+"]"), Ruamel12, n.Origin, false)
		if err != nil || tuple.Kind != List {
			return NotKnown("the tuple cannot be read", n.Origin)
		}
		h.size[tuple] = len(n.Text)
		return tuple
	case n.Tag == "":
		return n
	case n.Tag == "!PLACEHOLDER":
		return NotKnown("the value must be given by the command (!PLACEHOLDER)", n.Origin)
	case n.Tag == "!ref" || n.Tag == "!copy":
		return h.reference(n, depth)
	case strings.HasPrefix(n.Tag, "!include:"):
		return h.include(n)
	}
	if n.Kind == String && n.Text == "" { // an object without arguments
		object := NewMap(n.Origin)
		object.Tag = n.Tag
		return object
	}
	return n
}

// include reads another file, with the node's keys over it.
func (h *hyper) include(n *Node) *Node {
	file, inside := source.Clean(path.Join(path.Dir(h.file), strings.TrimPrefix(n.Tag, "!include:")))
	if !inside {
		return NotKnown("the included file is outside the repository", n.Origin)
	}
	var overrides *Node
	if n.Kind == Map {
		plain := *n
		plain.Tag = ""
		overrides = &plain
	}
	tree, err := loadHyper(h.root, file, overrides, h.depth+1, h.budget)
	if err != nil {
		if h.err == nil {
			h.err = fmt.Errorf("%s includes %s: %w", n.Origin.Place(), clip(file), err)
		}
		return NotKnown("the included file cannot be read", n.Origin)
	}
	count := 0
	tree.Walk(func(string, *Node) bool { count++; return true })
	if *h.budget -= count / 100; *h.budget < 0 {
		return NotKnown("the included files are too large", n.Origin)
	}
	h.size[tree] = count
	return tree
}

// reference fills "<a>" or a text with such references; one that comes out as
// arithmetic is computed. A reference to a later key that is itself arithmetic
// counts as its value; HyperPyYAML puts its text in, which differs where the
// text needs parentheses.
func (h *hyper) reference(n *Node, depth int) *Node {
	var b strings.Builder
	var used []*origin.Origin
	text := n.Text
	for {
		start := strings.IndexByte(text, '<')
		end := strings.IndexByte(text, '>')
		if start < 0 || end < start {
			b.WriteString(text)
			break
		}
		target := h.target(text[start+1:end], n, depth)
		used = append(used, target.Origin)
		if b.Len() == 0 && start == 0 && end == len(text)-1 {
			filled := target.At(from(n.Origin, used))
			h.size[filled] = h.size[target]
			return filled
		}
		part, known := target.Python()
		if !known || target.Tag != "" {
			if target.Kind == Unknown {
				return target.At(from(n.Origin, used))
			}
			return NotKnown("the reference "+clip(text[start:end+1])+" is an object", n.Origin)
		}
		b.WriteString(text[:start] + part)
		if text = text[end+1:]; b.Len() > maxText {
			return NotKnown("the filled text is too long", n.Origin)
		}
	}
	if h.made += b.Len(); h.made > maxMade {
		return NotKnown("the filled texts are too long", n.Origin)
	}
	at := from(n.Origin, used)
	if v := Arithmetic(b.String(), at); v != nil {
		return v
	}
	return Text(b.String(), at)
}

// target finds "a[b][c]"; "a.b" is the field b of a map, or an attribute of an
// object, which is not known.
func (h *hyper) target(ref string, asking *Node, depth int) *Node {
	n := h.tree
	for _, name := range SplitPath(ref) {
		if n.Tag != "" { // the way leads through a reference or an object
			n = h.resolve(n, depth+1)
		}
		next := n.child(name)
		if next == nil {
			if n.Tag != "" {
				return NotKnown("the reference <"+clip(ref)+"> asks for an attribute of an object", asking.Origin)
			}
			return NotKnown("the reference <"+clip(ref)+"> names no key", asking.Origin)
		}
		n = next
	}
	if n == h.tree {
		return NotKnown("an empty reference", asking.Origin)
	}
	return h.resolve(n, depth+1)
}

// HyperOverrides reads the words that speechbrain takes for overrides behind
// its own options: "--key=value" and "--key value", values as YAML. Words that
// are not known or are no such pair come back.
func HyperOverrides(words []Word) (*Node, []Word, error) {
	tree := NewMap(nil)
	var rest []Word
	for i := 0; i < len(words); i++ {
		w := words[i]
		key, text, glued := strings.Cut(strings.TrimPrefix(w.Text, "--"), "=")
		if !w.Known || !strings.HasPrefix(w.Text, "--") || key == "" {
			rest = append(rest, w)
			continue
		}
		value := w
		if !glued {
			if i+1 == len(words) || strings.HasPrefix(words[i+1].Text, "--") {
				rest = append(rest, w)
				continue
			}
			i++
			value, text = words[i], words[i].Text
		}
		at := wordOrigin(value.Origin, key)
		node := NotKnown("the word of the command is not known", at)
		if value.Known {
			var err error
			if node, err = parseYAML([]byte(text), Ruamel12, at, false); err != nil {
				return nil, nil, fmt.Errorf("override --%s: %w", clip(key), err)
			}
		}
		tree.Put(key, node)
	}
	return tree, rest, nil
}
