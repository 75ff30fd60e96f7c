package pyeval

import (
	"errors"
	"fmt"
	"path"

	"schedmate/advisor/conf"
	"schedmate/advisor/origin"
)

// fromNode is the value of a configuration node, each part with its place in
// the file. With attrs, its maps are configuration nodes: items can be reached
// as attributes.
func (in *Interp) fromNode(n *conf.Node, attrs bool) Value {
	in.step()
	if n == nil {
		return none()
	}
	v := unknown("%s", n.Text)
	switch n.Kind {
	case conf.Null:
		v = none()
	case conf.Bool:
		v = boolean(n.Bool)
	case conf.Int:
		v = integer(n.Int)
	case conf.Float:
		v = float(n.Float)
	case conf.String:
		v = str(n.Text)
	case conf.List:
		l := &List{born: in.born()}
		for _, item := range n.Items {
			l.Items = append(l.Items, in.fromNode(item, attrs))
		}
		v = Value{Kind: ListKind, Ref: l}
	case conf.Map:
		d := newDict()
		d.born, d.attrs = in.born(), attrs
		for _, k := range n.Keys {
			d.set(keyOf(n, k), in.fromNode(n.Fields[k], attrs))
		}
		v = Value{Kind: DictKind, Ref: d}
	case conf.Unknown:
		var i int
		if _, err := fmt.Sscanf(n.Tag, keptTag+"%d", &i); err == nil && i >= 0 && i < len(in.kept) {
			return in.kept[i].by(n.Origin)
		}
	}
	return v.with(n.Origin)
}

// keyOf is a key of a map; whole numbers are numbers in YAML and Python.
func keyOf(n *conf.Node, k string) Value {
	if text := n.Origin != nil && (n.Origin.Kind == origin.JSON || n.Origin.Kind == origin.TOML); !text && len(k) < 10 && isDigits(k) {
		return parseInt(k)
	}
	return str(k)
}

func isDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != "" && (s == "0" || s[0] != '0')
}

// keptTag marks a node that stands for a value which no file can hold.
const keptTag = "value:"

// toNode is the node of a value. What no file can hold (functions, objects,
// what is unknown) becomes an unknown node that fromNode turns back.
func (in *Interp) toNode(v Value) *conf.Node { return in.toNodeDeep(v, 40) }

func (in *Interp) toNodeDeep(v Value, depth int) *conf.Node {
	in.step()
	n := &conf.Node{Origin: v.Origin}
	switch v.Kind {
	case None:
	case Bool:
		n.Kind, n.Bool = conf.Bool, v.Int != 0
	case Int:
		n.Kind, n.Int = conf.Int, v.Int
	case Float:
		n.Kind, n.Float = conf.Float, v.Float
	case Str:
		n.Kind, n.Text = conf.String, v.Text
	case ListKind, TupleKind:
		if depth == 0 {
			return in.keep(v)
		}
		n.Kind = conf.List
		for _, item := range v.Ref.(*List).Items {
			n.Items = append(n.Items, in.toNodeDeep(item, depth-1))
		}
	case DictKind:
		if depth == 0 {
			return in.keep(v)
		}
		n = conf.NewMap(v.Origin)
		v.Dict().Each(func(k, item Value) {
			if k.Kind == Str || k.Kind == Int {
				n.Put(k.String(), in.toNodeDeep(item, depth-1))
			}
		})
	default:
		return in.keep(v)
	}
	return n
}

func (in *Interp) keep(v Value) *conf.Node {
	if len(in.kept) > 10000 {
		return conf.NotKnown("too many values", v.Origin)
	}
	in.kept = append(in.kept, v)
	return &conf.Node{Kind: conf.Unknown, Text: v.String(), Tag: fmt.Sprintf("%s%d", keptTag, len(in.kept)-1), Origin: v.Origin}
}

// confWords are the words of a command as the readers of configurations take them.
func confWords(words []Value) []conf.Word {
	var out []conf.Word
	for _, w := range words {
		out = append(out, conf.Word{Text: w.Text, Known: w.Kind == Str, Origin: w.Origin})
	}
	return out
}

// commandWords are sys.argv[1:].
func (in *Interp) commandWords() []Value {
	l, ok := in.sysArgv.Ref.(*List)
	if !ok || len(l.Items) == 0 {
		return nil
	}
	return append([]Value(nil), l.Items[1:]...)
}

// loadConf reads a configuration file of the repository.
func (in *Interp) loadConf(p Value, d conf.Dialect) (*conf.Node, bool) {
	full, ok := in.confPath(p)
	if !ok {
		return nil, false
	}
	n, err := conf.Load(in.root, full, d)
	if err != nil {
		in.confError(full, err)
		return nil, false
	}
	return n, true
}

func (in *Interp) confPath(p Value) (string, bool) {
	if p.Kind != Str {
		in.note("a configuration with an unknown name: %s", p.String())
		return "", false
	}
	full, ok := in.resolvePath(p.Text)
	if !ok {
		in.note("%s lies outside of the repository", p.Text)
		return "", false
	}
	if !in.root.IsFile(full) {
		if _, err := in.root.Read(full); err != nil {
			in.confError(full, err)
			return "", false
		}
	}
	return full, true
}

// confError tells of a configuration that cannot be read: one that is missing
// ends the program where it would be opened.
func (in *Interp) confError(full string, err error) {
	var missing *conf.MissingConfigError
	if errors.As(err, &missing) {
		in.saw.Missing = append(in.saw.Missing, Missing{Path: missing.File, Site: in.line, Doubt: in.doubt > 0 || in.trying > 0})
		in.refuse("MissingConfigException", "%v", err)
	}
	in.missing(full, err)
	if !in.root.IsFile(full) && in.trying > 0 && in.doubt == 0 {
		in.raise("FileNotFoundError", "%s", full)
	}
}

// besides is a path relative to the folder of the file that is interpreted.
func besides(file, p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join(path.Dir(file), p)
}

// setting is the origin of a value that a flag gave over what stood before.
func setting(v Value, at *origin.Origin, old Value) Value {
	v.Origin = at
	if at != nil && old.Origin != nil {
		v.Origin = at.Over(old.Origin)
	}
	return v
}

// config keeps a configuration object as one that the program uses.
func (in *Interp) config(v Value) Value {
	for _, c := range in.saw.Configs {
		if c.Ref == v.Ref {
			return v
		}
	}
	if len(in.saw.Configs) < 200 {
		in.saw.Configs = append(in.saw.Configs, v)
	}
	return v
}
