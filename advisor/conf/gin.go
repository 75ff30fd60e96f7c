package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// Gin is what gin files and command-line bindings say, in the order in which
// they apply: a later binding of the same parameter wins.
type Gin struct {
	Bindings []Binding
	Imports  []Doubt // modules that the files import; their own bindings and constants are not known
	Missing  []Doubt // included files that are not in the repository; with one of them the advisor cannot be sure
	places   map[string]int
}

// Binding is one line "scope/selector.param = value". A macro "NAME = value"
// has no Param. References in values are strings with the tags "@" (the
// function), "@()" (its result) and "%" (a macro).
type Binding struct {
	Scope    string
	Selector string
	Param    string
	Value    *Node
}

// ReadGin reads gin files in order and then the bindings of the command
// ("--gin_bindings", "--gin_param"). Names of files are searched in the folders
// of the search path, then from the repository's root.
func ReadGin(root *source.Root, files []string, bindings []Word, searchPath []string) (*Gin, error) {
	g := ginReader{root: root, search: append(searchPath[:len(searchPath):len(searchPath)], "."), gin: &Gin{places: map[string]int{}}}
	for _, file := range files {
		if err := g.include(file, nil, 0); err != nil {
			return g.gin, err
		}
	}
	for _, w := range bindings {
		if !w.Known {
			g.gin.Missing = append(g.gin.Missing, Doubt{"a binding of the command is not known", w.Origin})
			continue
		}
		if len(w.Text) > maxBytes {
			return g.gin, fmt.Errorf("gin binding %q: %w; shorten it", clip(w.Text), ErrLimit)
		}
		key, _, _ := strings.Cut(w.Text, "=")
		at := wordOrigin(w.Origin, strings.TrimSpace(key))
		if err := g.statements(w.Text, func(int, string) *origin.Origin { return at }, 0); err != nil {
			return g.gin, err
		}
	}
	return g.gin, nil
}

type ginReader struct {
	root   *source.Root
	search []string
	gin    *Gin
	files  int
}

// include reads one file; one that is not there is recorded.
func (g *ginReader) include(name string, at *origin.Origin, depth int) error {
	if g.files++; depth > maxChain || g.files > maxEntries {
		return fmt.Errorf("gin file %s: %w: files include one another too often; break the chain", clip(name), ErrLimit)
	}
	for _, dir := range g.search {
		file, inside := source.Clean(path.Join(dir, name))
		if !inside || strings.HasPrefix(name, "/") || strings.Contains(name, "://") {
			continue
		}
		text, err := g.root.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if len(text) > maxBytes {
			return fmt.Errorf("gin file %s: %w; shorten it", file, ErrLimit)
		}
		return g.statements(string(text), func(line int, key string) *origin.Origin { return origin.At(origin.Gin, file, line, key) }, depth)
	}
	g.gin.Missing = append(g.gin.Missing, Doubt{"gin file " + clip(name) + " is not in the repository", at})
	return nil
}

var (
	ginKey     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./]*`)
	ginInclude = regexp.MustCompile(`^include\s+["']`)
	ginImport  = regexp.MustCompile(`^(import|from)\s[^\n#]*`)
)

// statements reads the lines of one text.
func (g *ginReader) statements(text string, at func(line int, key string) *origin.Origin, depth int) error {
	r := literalReader{text: text, line: 1, gin: true}
	block := "" // selector of a block "name:" whose indented lines set parameters
	for {
		r.space(true)
		if r.pos >= len(r.text) {
			return nil
		}
		line := r.line
		r.at = func(int) *origin.Origin { return at(line, "") }
		rest := r.text[r.pos:]
		indented := r.pos > 0 && (r.text[r.pos-1] == ' ' || r.text[r.pos-1] == '\t')
		if !indented {
			block = ""
		}
		key := ginKey.FindString(rest[:min(len(rest), maxName)])
		switch imported := ginImport.FindString(rest[:min(len(rest), 2*maxName)]); {
		case ginInclude.MatchString(rest[:min(len(rest), maxName)]):
			r.pos += len("include")
			name := r.value(0)
			if r.failed || name.Kind != String {
				return g.broken(at(line, ""))
			}
			if err := g.include(name.Text, at(line, name.Text), depth+1); err != nil {
				return err
			}
		case imported != "":
			g.gin.Imports = append(g.gin.Imports, Doubt{strings.TrimSpace(imported), at(line, "import")})
			r.pos += len(imported)
		case key == "":
			return g.broken(at(line, ""))
		default:
			r.pos += len(key)
			r.space(false)
			if r.pos < len(r.text) && r.text[r.pos] == ':' {
				r.pos++
				block = key
				break
			}
			full := key
			if block != "" {
				full = block + "." + key
			}
			if r.pos >= len(r.text) || r.text[r.pos] != '=' {
				return g.broken(at(line, full))
			}
			r.pos++
			r.at = func(int) *origin.Origin { return at(line, full) }
			r.nodes = 0
			value := r.value(0)
			if r.failed {
				return g.broken(at(line, full))
			}
			if len(g.gin.Bindings) >= maxNodes {
				return fmt.Errorf("gin: %w; use fewer bindings", ErrLimit)
			}
			g.gin.bind(full, value)
		}
		if r.space(false); r.pos < len(r.text) && r.text[r.pos] != '\n' {
			return g.broken(at(r.line, ""))
		}
	}
}

func (g *ginReader) broken(at *origin.Origin) error {
	return fmt.Errorf("gin %s: the line is not a binding that gin can read; correct it", at.Place())
}

// bind adds one binding that beats earlier ones of the same name.
func (g *Gin) bind(full string, value *Node) {
	b := Binding{Value: value, Selector: full}
	if i := strings.LastIndexByte(full, '/'); i >= 0 {
		b.Scope, b.Selector = full[:i], full[i+1:]
	}
	if i := strings.LastIndexByte(b.Selector, '.'); i >= 0 {
		b.Selector, b.Param = b.Selector[:i], b.Selector[i+1:]
	}
	if b.Selector == "macro" && b.Param == "value" { // the long form of a macro
		b.Scope, b.Selector, b.Param = "", b.Scope, ""
	}
	if old, found := g.places[full]; found {
		b.Value = value.over(g.Bindings[old].Value)
	}
	g.places[full] = len(g.Bindings)
	g.Bindings = append(g.Bindings, b)
}

// Lookup finds the value of a parameter for a call in a scope ("" for none); a
// binding of an outer scope or without one is weaker. The selector may be
// shortened from the left ("Trainer" for "pkg.Trainer"), in the question and in
// the file. Macros are followed; nil when nothing is bound.
func (g *Gin) Lookup(scope, selector, param string) *Node {
	steps := 10_000
	return g.follow(g.lookup(scope, selector, param), 0, &steps)
}

func (g *Gin) lookup(scope, selector, param string) *Node {
	var best *Node
	deepest := -1
	for _, b := range g.Bindings {
		inScope := b.Scope == "" || b.Scope == scope || strings.HasPrefix(scope, b.Scope+"/")
		if b.Param == param && inScope && len(b.Scope) >= deepest && sameSelector(b.Selector, selector) {
			best, deepest = b.Value, len(b.Scope)
		}
	}
	return best
}

func sameSelector(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// follow replaces macros by their values, inside lists and dicts too.
func (g *Gin) follow(n *Node, depth int, steps *int) *Node {
	if n == nil || n.Tag != "%" && n.Kind != List && n.Kind != Map {
		return n
	}
	if *steps--; depth > maxNesting || *steps < 0 {
		return NotKnown("a macro leads back to itself or is nested too deeply", n.Origin)
	}
	filled := *n
	switch n.Kind {
	case List:
		filled.Items = make([]*Node, len(n.Items))
		for i, item := range n.Items {
			filled.Items[i] = g.follow(item, depth+1, steps)
		}
		return &filled
	case Map:
		filled.Fields = make(map[string]*Node, len(n.Keys))
		for _, key := range n.Keys {
			filled.Fields[key] = g.follow(n.Fields[key], depth+1, steps)
		}
		return &filled
	}
	value := g.follow(g.lookup("", n.Text, ""), depth+1, steps)
	if value == nil {
		return NotKnown("the macro or constant "+n.Text+" is not bound in the files", n.Origin)
	}
	var used []*origin.Origin
	if value.Origin != nil {
		used = append(used, value.Origin)
	}
	return value.At(from(n.Origin, used))
}
