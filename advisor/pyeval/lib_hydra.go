package pyeval

import (
	"errors"
	"path"
	"strings"
	"unicode"

	"schedmate/advisor/conf"
)

// Hydra: the decorated main function runs with the composed configuration.
func init() {
	decorators["hydra.main"] = func(in *Interp, c *Call, v Value) Value {
		fn, ok := v.Ref.(*Function)
		if !ok {
			return v
		}
		request := in.hydraRequest(c, fn.module.File)
		return Value{Kind: NativeKind, Origin: v.Origin, Ref: &Native{Name: "hydra.main", Run: func(in *Interp, d *Call) Value {
			if len(d.Args)+len(d.Kw) > 0 {
				return in.call(v, d, nil)
			}
			r := request
			r.Words = confWords(in.commandWords())
			cfg := in.compose(r)
			return in.call(v, &Call{Name: fn.Name, Args: []Value{cfg}}, nil)
		}}}
	}
	initialize := func(in *Interp, c *Call) Value {
		file := ""
		if in.line != nil {
			file = in.line.File
		}
		in.hydraFrom = in.hydraRequest(c, file)
		return none()
	}
	native(initialize, "hydra.initialize", "hydra.experimental.initialize")
	native(func(in *Interp, c *Call) Value {
		in.hydraFrom = conf.ComposeRequest{Workdir: in.program.Dir}
		if p, ok := c.text("config_dir", 0); ok {
			in.hydraFrom.ConfigDir, _ = in.resolvePath(p)
		}
		return none()
	}, "hydra.initialize_config_dir")
	native(func(in *Interp, c *Call) Value {
		r := in.hydraFrom
		r.ConfigName, _ = c.text("config_name", 0)
		if words, ok := c.Arg("overrides", 1); ok {
			items, _ := in.iterate(words, listItems)
			r.Words = confWords(items)
		}
		return in.compose(r)
	}, "hydra.compose", "hydra.experimental.compose")
	native(func(in *Interp, c *Call) Value {
		if in.hydra.Ref == nil {
			return unknown("Hydra's own configuration")
		}
		return in.hydra
	}, "hydra.core.hydra_config.HydraConfig.get", "hydra.core.hydra_config.HydraConfig.instance")
	native(func(in *Interp, c *Call) Value { return boolean(in.hydra.Ref != nil) }, "hydra.core.hydra_config.HydraConfig.initialized")
	store := func(in *Interp, c *Call) Value {
		name, ok := c.text("name", 0)
		node, given := c.Arg("node", 1)
		if !ok || !given {
			return none()
		}
		if group, ok := c.text("group", 2); ok {
			name = group + "/" + name
		}
		if in.store == nil {
			in.store = map[string]Value{}
		}
		in.store[strings.TrimSuffix(name, ".yaml")] = node
		return none()
	}
	configStore := nativeClass("ConfigStore")
	instance := func(in *Interp, c *Call) Value {
		o := in.object(configStore)
		o.Attrs.set(str("store"), Value{Kind: NativeKind, Ref: &Native{Name: "hydra.ConfigStore.store", Run: store}})
		o.Attrs.set(str("repo"), unknown("Hydra's store"))
		return Value{Kind: ObjectKind, Ref: o}
	}
	native(instance, "hydra.core.config_store.ConfigStore.instance", "hydra.core.config_store.ConfigStore")
	native(func(in *Interp, c *Call) Value { return in.instantiate(c.first(), c, 30) }, "hydra.utils.instantiate", "hydra.utils.call", "hydra.instantiate", "hydra._internal.instantiate._instantiate2.instantiate")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Kind != Str {
			return unknown("an object with an unknown path")
		}
		return in.target(v)
	}, "hydra.utils.get_class", "hydra.utils.get_method", "hydra.utils.get_static_method", "hydra.utils.get_object", "detectron2.utils.registry.locate", "pydoc.locate")
}

// hydraRequest reads where a program keeps its configurations. Paths are
// relative to the file that says it.
func (in *Interp) hydraRequest(c *Call, file string) conf.ComposeRequest {
	r := conf.ComposeRequest{ScriptDir: path.Dir(file), Workdir: in.program.Dir, ConfigDir: path.Dir(file)}
	if p, ok := c.text("config_path", 0); ok {
		switch full := besides(file, p); {
		case strings.Contains(p, "://"):
			r.ConfigDir = strings.ReplaceAll(p[strings.Index(p, "://")+3:], ".", "/")
		case in.root.IsDir(full) || !in.anchoredDir(p):
			r.ConfigDir = full
		default: // made from __file__
			r.ConfigDir, _ = in.resolvePath(p)
		}
	}
	r.ConfigName, _ = c.text("config_name", 1)
	if strings.HasSuffix(r.ConfigDir, ".yaml") { // Hydra 0.x: one path
		r.ConfigDir, r.ConfigName = path.Split(r.ConfigDir)
		r.PrimaryFirst = true
	}
	return r
}

func (in *Interp) anchoredDir(p string) bool {
	full, ok := in.resolvePath(p)
	return ok && in.root.IsDir(full)
}

// maxStored bounds how often modules are searched for a config of the store.
const maxStored = 16

// register runs the modules that may register the configs that the words of a
// command choose: they were imported and have not run.
func (in *Interp) register(words []conf.Word) {
	if len(in.store) == 0 {
		return
	}
	searched := 0
	for _, w := range words {
		group, option, ok := strings.Cut(w.Text, "=")
		if ok && w.Known && searched < maxStored && !strings.ContainsAny(group, ".+~@-") && identifier(option) {
			in.searchPending(option)
			searched++
		}
	}
}

// identifier reports whether a text may be the name of a config.
func identifier(text string) bool {
	if text == "" || text == "null" || text == "true" || text == "false" || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

// compose composes a configuration. One that cannot be composed ends the
// program, as Hydra ends it.
func (in *Interp) compose(r conf.ComposeRequest) Value {
	in.register(r.Words)
	r.Store = map[string]*conf.Node{}
	var got *conf.Composition
	var err error
	for range maxStored {
		for _, name := range sortedKeys(in.store) {
			if r.Store[name] == nil {
				r.Store[name] = in.toNode(in.rawCopy(plainConfig(in, in.store[name]), 60))
			}
		}
		got, err = conf.Compose(in.root, r)
		var missing *conf.MissingConfigError
		if before := len(in.store); err == nil || !errors.As(err, &missing) || !in.searchPending(path.Base(missing.Choice[strings.LastIndex(missing.Choice, "=")+1:])) || len(in.store) == before {
			break
		}
	}
	if err != nil {
		var missing *conf.MissingConfigError
		if errors.As(err, &missing) {
			in.saw.Missing = append(in.saw.Missing, Missing{Path: missing.File, Site: in.line, Doubt: in.doubt > 0})
		}
		in.refuse("HydraException", "%v", err)
	}
	for _, w := range got.Warnings {
		in.note("hydra: %s (%s)", w.Text, w.Origin.Place())
	}
	for _, s := range got.Sweeps {
		in.note("hydra: the key %s changes from run to run (%s)", s.Key, s.Origin.Place())
	}
	if got.Shows != "" {
		in.raise("SystemExit", "%s only shows the configuration", got.Shows)
	}
	hydra := in.fromNode(got.Hydra, true)
	if d := hydra.Dict(); d != nil {
		d.Open = true
		runtime := newDict()
		runtime.attrs, runtime.Open = true, true
		runtime.set(str("choices"), in.fromNode(got.Choices, true))
		runtime.set(str("cwd"), str("."))
		runtime.set(str("output_dir"), str("outputs"))
		d.set(str("runtime"), Value{Kind: DictKind, Ref: runtime})
	}
	in.hydra = hydra
	return in.config(in.omega(in.fromNode(got.Tree, true)))
}

// target finds what a dotted path names: in the repository or outside.
func (in *Interp) target(v Value) Value {
	parts := strings.Split(v.Text, ".")
	if len(parts) > 12 {
		return unknown("%s", v.Text)
	}
	for i := len(parts); i > 0; i-- {
		m := in.locate(strings.Join(parts[:i], "."))
		if m == nil {
			continue
		}
		if !m.isFile && i < len(parts) && len(parts)-i > 1 {
			continue
		}
		out := Value{Kind: ModuleKind, Ref: m}
		for _, name := range parts[i:] {
			out = in.attribute(out, name)
		}
		return out.by(v.Origin)
	}
	if len(parts) == 1 {
		if b, ok := builtins[v.Text]; ok {
			return b
		}
	}
	return external(v.Text).with(v.Origin)
}

// instantiate builds what a configuration describes with _target_, and what
// stands in it, innermost first.
func (in *Interp) instantiate(v Value, c *Call, depth int) Value {
	if depth == 0 {
		return unknown("instantiated too deeply")
	}
	switch r := v.Ref.(type) {
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		for _, item := range r.Items {
			out.Items = append(out.Items, in.instantiate(item, nil, depth-1))
		}
		return Value{Kind: ListKind, Ref: out, Origin: v.Origin}
	case *Dict:
		target, has := r.Get("_target_")
		if !has {
			target, has = r.Get("_target")
		}
		recursive := true
		if f, ok := r.Get("_recursive_"); ok {
			recursive, _ = f.truth()
		}
		inner := func(item Value) Value {
			if !recursive || (item.Dict() == nil && item.Kind != ListKind) {
				return item
			}
			return in.instantiate(item, nil, depth-1)
		}
		if !has {
			if c != nil && len(c.Kw) == 0 && r.Len() == 0 {
				return none()
			}
			out := r.copy()
			out.born = in.born()
			for i := range out.values {
				out.put(i, inner(out.values[i]))
			}
			return Value{Kind: DictKind, Ref: out, Origin: v.Origin}
		}
		d := &Call{Name: "_target_", Open: r.Open}
		given := map[string]bool{}
		partial := false
		if c != nil {
			d.Args = append(d.Args, c.Args[min(1, len(c.Args)):]...)
			for _, k := range c.Kw {
				switch k.Name {
				case "_partial_":
					partial, _ = k.Value.truth()
				case "_recursive_":
					recursive, _ = k.Value.truth()
				case "_convert_", "config":
				default:
					given[k.Name] = true
					d.Kw = append(d.Kw, Keyword{k.Name, k.Value})
				}
			}
		}
		r.Each(func(k, item Value) {
			switch k.Text {
			case "_target_", "_target", "_recursive_", "_convert_":
			case "_partial_":
				partial, _ = item.truth()
			case "_args_":
				items, _ := inner(item).Items()
				d.Args = append(d.Args, items...)
			default:
				if !given[k.Text] && k.Kind == Str {
					d.Kw = append(d.Kw, Keyword{k.Text, inner(item)})
				}
			}
		})
		if target.Kind == Str {
			target = in.target(target)
		}
		line := in.line
		defer func() { in.line = line }()
		if v.Origin != nil {
			in.line = v.Origin
		}
		if partial {
			d.Args = append([]Value{target}, d.Args...)
			d.Name = "functools.partial"
			return natives["functools.partial"](in, d)
		}
		return in.call(target, d, nil)
	}
	return v
}
