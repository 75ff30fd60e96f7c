package pyeval

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Slice is a hash of the code that decides over the cost of a run: the classes
// of models that the program made, and whatever of the repository their code
// names. It is empty when the program made none of its own.
//
// Names of the repository are numbered in the order of their first use, so that
// renaming, moving, formatting and comments change nothing; numbers, operators,
// names of other packages and the shape of the code count. What only prints or
// logs, docstrings and annotations do not.
func (o *Observations) Slice() string {
	var roots []*Class
	for _, c := range o.Calls {
		if !strings.HasPrefix(c.Name, "repo:") || c.Self.Ref == nil {
			continue
		}
		if made := c.Self.Object(); made != nil && made.Class.computes() && !slices.Contains(roots, made.Class) {
			roots = append(roots, made.Class)
		}
		if len(roots) == mostRoots {
			break
		}
	}
	if len(roots) == 0 {
		return ""
	}
	s := &slicer{done: map[*node]bool{}}
	for _, c := range roots {
		s.class(c)
	}
	var parts []string
	for len(s.queue) > 0 && s.budget < mostSliced {
		next := s.queue[0]
		s.queue = s.queue[1:]
		parts = append(parts, s.part(next))
	}
	slices.Sort(parts) // a file that is read earlier is the same file
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(parts), "\n")))
	return hex.EncodeToString(sum[:12])
}

const (
	mostRoots  = 400
	mostSliced = 400_000 // nodes
)

// computes reports whether instances are parts of a network.
func (c *Class) computes() bool {
	for _, b := range c.Bases() {
		switch lastName(b) {
		case "Module", "LightningModule", "PreTrainedModel", "Model", "Layer", "Sequential", "ModuleList", "Function":
			return true
		}
	}
	return false
}

// slicer collects definitions and writes them down.
type slicer struct {
	queue  []definition
	done   map[*node]bool
	budget int
}

// definition is a function or class with the module whose names it uses.
type definition struct {
	node   *node
	module *Module
}

func (s *slicer) class(c *Class) {
	for _, k := range c.mro() {
		if k.node != nil {
			s.add(definition{k.node, k.module})
		}
	}
}

func (s *slicer) add(d definition) {
	if !s.done[d.node] {
		s.done[d.node] = true
		s.queue = append(s.queue, d)
	}
}

// part writes one definition down: its own hash, without the names in it.
func (s *slicer) part(d definition) string {
	w := &sliceWriter{slicer: s, module: d.module, numbers: map[string]int{}, bound: map[string]bool{}}
	w.binds(d.node)
	w.write(d.node)
	sum := sha256.Sum256([]byte(w.text.String()))
	return hex.EncodeToString(sum[:])
}

// sliceWriter writes one definition.
type sliceWriter struct {
	*slicer
	module  *Module
	text    strings.Builder
	numbers map[string]int  // of the names that the repository chose
	bound   map[string]bool // names that the definition binds itself
}

// binds collects the names that a definition gives to something.
func (w *sliceWriter) binds(n *node) {
	n = n.whole()
	switch {
	case n.field == "name" && n.kind == "identifier",
		n.field == "left" && n.kind == "identifier",
		n.field == "alias" && n.kind == "identifier":
		w.bound[n.text] = true
	case n.kind == "parameters", n.kind == "lambda_parameters", n.field == "left" && (n.kind == "pattern_list" || n.kind == "tuple_pattern"):
		for _, k := range n.kids {
			if k.kind == "identifier" {
				w.bound[k.text] = true
			}
		}
	case n.field == "left" && n.kind == "attribute":
		if a := n.get("attribute"); a != nil { // self.layers = ...
			w.bound["."+a.text] = true
		}
	}
	for _, k := range n.kids {
		if n.kind != "keyword_argument" || k.field != "name" { // a name of the callee's
			w.binds(k)
		}
	}
}

func (w *sliceWriter) write(n *node) {
	n = n.whole()
	if w.budget++; w.budget > mostSliced || talks(n) {
		return
	}
	switch n.kind {
	case "type", "comment":
		return
	case "block":
		w.open(n)
		for i, k := range n.kids {
			if i == 0 && n.kind == "block" && isDocstring(k) || onlyTalks(k) {
				continue
			}
			w.write(k)
		}
		w.text.WriteByte(')')
		return
	case "identifier":
		w.text.WriteString(w.name(n.text, n.field))
		w.text.WriteByte(' ')
		return
	case "attribute":
		if a := n.get("attribute"); a != nil && n.get("object") != nil {
			w.open(n)
			w.write(n.get("object"))
			if w.bound["."+a.text] {
				w.text.WriteString(w.number("." + a.text))
			} else {
				w.text.WriteString("." + a.text)
			}
			w.text.WriteByte(')')
			return
		}
	case "keyword_argument":
		if name := n.get("name"); name != nil && n.get("value") != nil { // the callee chose the name
			w.text.WriteString(name.text + "=")
			w.write(n.get("value"))
			return
		}
	}
	w.open(n)
	if len(n.kids) == 0 || n.kind == "string_content" {
		w.text.WriteString(strings.ReplaceAll(n.text, "\r", ""))
	}
	for _, k := range n.kids {
		w.write(k)
	}
	w.text.WriteByte(')')
}

func (w *sliceWriter) open(n *node) {
	w.text.WriteString("(" + n.kind + ":")
}

// name is how a name is written: numbered when the repository chose it.
func (w *sliceWriter) name(text, field string) string {
	if text == "self" || text == "cls" {
		return text
	}
	if w.bound[text] {
		return w.number(text)
	}
	v, ok := w.module.globals.Get(text)
	if !ok {
		return text // a built-in
	}
	switch r := v.Ref.(type) {
	case *Class:
		w.class(r)
		return w.number(text)
	case *Function:
		if r.node != nil && r.node.kind == "function_definition" {
			w.add(definition{r.node, r.module})
		}
		return w.number(text)
	case *External:
		return r.Name
	case *lazyName, *Module, *List, *Dict:
		return w.number(text)
	}
	switch v.Kind {
	case Int, Bool, Str, Float, None: // a constant of the module
		return w.number(text) + "=" + constant(v)
	}
	return w.number(text)
}

func constant(v Value) string {
	switch v.Kind {
	case Int, Bool:
		return strconv.FormatInt(v.Int, 10)
	case Float:
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case Str:
		return strconv.Quote(v.Text)
	}
	return ""
}

func (w *sliceWriter) number(name string) string {
	n, ok := w.numbers[name]
	if !ok {
		n = len(w.numbers)
		w.numbers[name] = n
	}
	return "#" + strconv.Itoa(n)
}

func isDocstring(n *node) bool {
	return n.kind == "expression_statement" && len(n.kids) == 1 && (n.kids[0].kind == "string" || n.kids[0].kind == "concatenated_string")
}

// onlyTalks reports whether a statement is a call that prints or logs.
func onlyTalks(n *node) bool {
	return n.kind == "expression_statement" && len(n.kids) == 1 && talks(n.kids[0])
}

// talks reports whether a node is a call that prints, logs or warns.
func talks(n *node) bool {
	if n.kind != "call" {
		return false
	}
	f := n.get("function")
	if f == nil {
		return false
	}
	if f.kind == "identifier" {
		return f.text == "print" || f.text == "print_rank_0" || f.text == "rank_zero_info" || f.text == "rank_zero_warn"
	}
	object, attr := f.get("object"), f.get("attribute")
	if object == nil || attr == nil {
		return false
	}
	switch attr.text {
	case "info", "debug", "warning", "warn", "error", "exception", "print":
		root := object
		for root.get("object") != nil {
			root = root.get("object")
		}
		name := strings.ToLower(root.text)
		return strings.Contains(name, "log") || name == "warnings" || name == "console"
	}
	return false
}
