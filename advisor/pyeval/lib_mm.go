package pyeval

import (
	"regexp"
	"strings"

	"schedmate/advisor/conf"
)

// mmengine and mmcv: configurations are Python files that name their bases.
func init() {
	from := func(in *Interp, c *Call) Value {
		file, _ := c.Arg("filename", 0)
		full, ok := in.confPath(file)
		if !ok {
			return unknown("the configuration %s", file.String())
		}
		d := in.mmFile(full, 0)
		if d == nil {
			return unknown("the configuration %s", full)
		}
		v := in.styled(Value{Kind: DictKind, Ref: d, Origin: file.Origin}, "mm")
		return in.config(v)
	}
	node := func(in *Interp, c *Call) Value {
		v := in.makeDict(c)
		if d := c.first().Dict(); d != nil {
			v.Ref = in.copyOf(c.first(), 60).Dict()
			for _, k := range c.Kw {
				v.Dict().set(str(k.Name), k.Value)
			}
		}
		return in.styled(v, "mm")
	}
	for _, home := range []string{"mmengine.", "mmengine.config.", "mmengine.utils.", "mmengine.config.config.", "mmengine.utils.config."} {
		native(from, home+"Config.fromfile")
		native(node, home+"Config", home+"ConfigDict")
		native(func(in *Interp, c *Call) Value { return none() }, home+"read_base")
	}
	m := map[string]func(in *Interp, c *Call) Value{}
	methods["mm"] = m
	m["merge_from_dict"] = func(in *Interp, c *Call) Value {
		options := c.first().Dict()
		if options == nil {
			c.Self.Dict().Open = c.first().Kind != None
			return none()
		}
		options.Each(func(k, v Value) {
			if old, ok := in.pathValue(c.Self, k.Text); ok && old.Dict() != nil && v.Dict() != nil {
				in.mergeDict(old.Dict(), v, mergeRules{deleteKey: true, attrs: true})
				return
			}
			in.setPath(c.Self, k.Text, v)
		})
		return none()
	}
	m["dump"] = func(in *Interp, c *Call) Value { return str("") }
	m["to_dict"] = func(in *Interp, c *Call) Value { return in.unmarked(c.Self, 60) }
	m["copy"] = func(in *Interp, c *Call) Value { return in.copyOf(c.Self, 60) }
	m["deepcopy"] = m["copy"]
	styleAttrs["mm.filename"] = func(in *Interp, v Value) Value { return unknown("the configuration's file") }
	styleAttrs["mm.pretty_text"] = func(in *Interp, v Value) Value { return str("") }
	styleAttrs["mm.text"] = styleAttrs["mm.pretty_text"]
	styleAttrs["mm._cfg_dict"] = func(in *Interp, v Value) Value { return v }
}

// styleAttrs are attributes of configuration nodes that are neither items nor
// methods.
var styleAttrs = map[string]func(in *Interp, v Value) Value{}

var baseReference = regexp.MustCompile(`['"]?\{\{\s*(_base_[\w.]*|\$?\w+)(?::[^}]*)?\s*\}\}['"]?`)

// mmFile reads one file with its bases, weakest first; nil when it cannot be
// read.
func (in *Interp) mmFile(file string, depth int) *Dict {
	if depth > 20 || in.depth >= in.budget.Depth {
		in.note("%s: bases are nested too deeply", file)
		return nil
	}
	if in.reading[file] {
		in.note("%s: its bases lead back to itself", file)
		return nil
	}
	if in.reading == nil {
		in.reading = map[string]bool{}
	}
	in.reading[file] = true
	defer delete(in.reading, file)
	if !in.root.IsFile(file) {
		in.missingConfig(file)
		return nil
	}
	if extension(file) != ".py" {
		n, ok := in.loadConf(str(file), conf.PyYAML)
		if !ok {
			return nil
		}
		own := in.fromNode(n, false).Dict()
		if own == nil {
			return nil
		}
		names, _ := own.Get("_base_")
		own.remove(str("_base_"))
		return in.overBases(in.mmBases(file, names, depth), own)
	}
	text, err := in.root.Read(file)
	if err != nil {
		in.missing(file, err)
		return nil
	}
	source := baseReference.ReplaceAllStringFunc(string(text), func(found string) string {
		name := baseReference.FindStringSubmatch(found)[1]
		if strings.HasPrefix(name, "_base_") {
			return name
		}
		base := besides("", file)
		switch name {
		case "fileBasename":
			base = base[strings.LastIndex(base, "/")+1:]
		case "fileBasenameNoExtension":
			base = strings.TrimSuffix(base[strings.LastIndex(base, "/")+1:], ".py")
		case "fileDirname":
			base = base[:max(strings.LastIndex(base, "/"), 0)]
		}
		return strings.Trim(found, " ")[:strings.Index(found, "{")] + base + found[strings.LastIndex(found, "}")+1:]
	})
	tree, err := parse([]byte(source))
	if err != nil {
		in.note("%s: %v", file, err)
		return nil
	}
	m := in.module(strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", "."), file)
	m.isFile, m.state = true, 1
	scope := m.scope()
	var base *Dict
	in.depth++
	line := in.line
	defer func() { in.depth--; in.line = line }()
	for _, n := range tree.kids {
		if a := baseAssignment(n); a != nil {
			base = in.mmBases(file, in.eval(scope, a.get("right")), depth)
			v := Value{Kind: DictKind, Ref: base}
			m.globals.set(str("_base_"), in.styled(in.copyOf(v, 60), "mm"))
			continue
		}
		in.exec(scope, n)
	}
	own := newDict()
	own.born = in.born()
	in.configNames(m, own, 12)
	return in.overBases(base, own)
}

func (in *Interp) missingConfig(file string) {
	_, err := in.root.Read(file)
	if err != nil {
		in.missing(file, err)
	}
	if in.doubt == 0 {
		in.raise("FileNotFoundError", "%s", file)
	}
}

func baseAssignment(n *node) *node {
	if n.kind != "expression_statement" || len(n.kids) != 1 || n.kids[0].kind != "assignment" {
		return nil
	}
	if left := n.kids[0].get("left"); left != nil && left.kind == "identifier" && left.text == "_base_" {
		return n.kids[0]
	}
	return nil
}

// mmBases reads the bases that a file names, joined.
func (in *Interp) mmBases(file string, names Value, depth int) *Dict {
	all := []Value{names}
	if items, ok := names.Items(); ok || names.Kind == ListKind {
		all = items
	}
	out := newDict()
	out.born = in.born()
	for _, name := range all {
		if name.Kind != Str {
			if name.Kind != None && name.Kind != Unknown || name.Text != "" {
				out.Open = true
			}
			continue
		}
		if strings.Contains(name.Text, "::") || strings.Contains(name.Text, "://") { // of another package
			in.note("%s: the base %s is not in the repository", file, name.Text)
			in.saw.Missing = append(in.saw.Missing, Missing{Path: name.Text, Site: name.Origin, Doubt: in.doubt > 0})
			out.Open = true
			continue
		}
		if d := in.mmFile(besides(file, name.Text), depth+1); d != nil {
			in.mergeDict(out, Value{Kind: DictKind, Ref: d}, mergeRules{deleteKey: true})
		}
	}
	return out
}

// overBases lays a file's own settings over those of its bases.
func (in *Interp) overBases(base, own *Dict) *Dict {
	if base == nil {
		base = newDict()
		base.born = in.born()
	}
	in.mergeDict(base, Value{Kind: DictKind, Ref: own}, mergeRules{deleteKey: true})
	return base
}

// configNames collects the settings of a configuration file: its names but for
// modules, functions and classes, after those that it imports with a star.
func (in *Interp) configNames(m *Module, into *Dict, depth int) {
	if depth == 0 {
		return
	}
	for _, star := range m.stars {
		in.runModule(star)
		in.configNames(star, into, depth-1)
	}
	for i := 0; i < m.globals.Len(); i++ {
		k := m.globals.keys[i]
		if strings.HasPrefix(k.Text, "__") || k.Text == "_base_" {
			continue
		}
		v := in.settle(m.globals, k.Text, m.globals.values[i])
		switch v.Kind {
		case FunctionKind, ModuleKind, ClassKind, NativeKind, ExternalKind:
			continue
		}
		into.set(k, v)
	}
}
