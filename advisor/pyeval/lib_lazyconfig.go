package pyeval

import (
	"path"
	"strings"

	"schedmate/advisor/conf"
)

// detectron2's lazy configurations: Python files of calls that are not made
// yet. Its own code works by importing files in a special way, so it is
// replaced even where it stands in the repository.
func init() {
	homes := []string{"detectron2.config.", "detectron2.config.lazy."}
	for _, home := range homes {
		native(func(in *Interp, c *Call) Value {
			target := c.first()
			return Value{Kind: NativeKind, Origin: in.line, Ref: &Native{Name: "LazyCall", Run: func(in *Interp, d *Call) Value {
				made := newDict()
				made.born, made.Open = in.born(), d.Open
				made.set(str("_target_"), target)
				for _, k := range d.Kw {
					made.set(str(k.Name), in.rawCopy(plainConfig(in, k.Value), 60))
				}
				return in.omega(Value{Kind: DictKind, Ref: made, Origin: in.line})
			}}}
		}, home+"LazyCall")
		native(func(in *Interp, c *Call) Value {
			v := in.lazyLoad(c.first())
			if keys, ok := c.Arg("keys", 1); ok && keys.Kind != None && v.Dict() != nil {
				if keys.Kind == Str {
					return in.item(v, keys)
				}
				items, _ := keys.Items()
				var out []Value
				for _, k := range items {
					out = append(out, in.item(v, k))
				}
				return tuple(out...)
			}
			return v
		}, home+"LazyConfig.load")
		native(func(in *Interp, c *Call) Value {
			full := in.line.File
			rel, _ := c.text("filename", 0)
			return in.lazyLoad(str(besides(full, rel)))
		}, home+"LazyConfig.load_rel")
		native(func(in *Interp, c *Call) Value {
			cfg := c.first()
			words, ok := c.Arg("overrides", 1)
			if !ok {
				return cfg
			}
			items, _ := in.iterate(words, listItems)
			in.override(cfg, items)
			return in.config(cfg)
		}, home+"LazyConfig.apply_overrides")
		native(func(in *Interp, c *Call) Value { return none() }, home+"LazyConfig.save")
		native(func(in *Interp, c *Call) Value { return str("") }, home+"LazyConfig.to_py")
		replaced[home+"LazyCall"], replaced[home+"LazyConfig"] = true, true
	}
	native(natives["hydra.utils.instantiate"], "detectron2.config.instantiate", "detectron2.config.instantiate.instantiate")
	replaced["detectron2.config.instantiate.instantiate"] = true
	zoo := func(in *Interp, c *Call) Value {
		name, _ := c.text("config_path", 0)
		for _, dir := range []string{"configs", "detectron2/model_zoo/configs"} {
			file := path.Join(dir, name)
			if !in.root.IsFile(file) {
				continue
			}
			if strings.HasSuffix(file, ".py") {
				return in.lazyLoad(str(file))
			}
			if n, err := conf.LoadBased(in.root, file, "_BASE_"); err == nil {
				return in.yacsFrom(yacsClass, in.fromNode(conf.DecodeLiterals(n), false), 40)
			}
		}
		return unknown("the configuration %s of detectron2", name)
	}
	for _, n := range []string{"detectron2.model_zoo.get_config", "detectron2.model_zoo.model_zoo.get_config"} {
		native(zoo, n)
		replaced[n] = true
	}
}

// replaced are names of libraries that are modelled even where their code is
// in the repository.
var replaced = map[string]bool{}

// lazyLoad runs a configuration file and keeps the mappings that it makes.
func (in *Interp) lazyLoad(file Value) Value {
	full, ok := in.confPath(file)
	if !ok {
		return unknown("the configuration %s", file.String())
	}
	if ext := extension(full); ext == ".yaml" || ext == ".yml" {
		n, ok := in.loadConf(str(full), conf.OmegaConf)
		if !ok {
			return unknown("the configuration %s", full)
		}
		return in.config(in.omega(in.fromNode(n, true)))
	}
	m, ok := in.moduleFromFile(full).Ref.(*Module)
	if !ok {
		return unknown("the configuration %s", full)
	}
	outer := in.lazyFiles
	if in.lazyFiles, _, ok = strings.Cut(full, "/"); ok {
		in.lazyFiles += "/"
	}
	defer func() { in.lazyFiles = outer }()
	in.runModule(m)
	all := newDict()
	in.configNames(m, all, 12)
	out := newDict()
	out.born = in.born()
	all.Each(func(k, v Value) {
		if !strings.HasPrefix(k.Text, "_") && (v.Dict() != nil || v.Kind == ListKind) {
			out.set(k, in.rawCopy(v, 60))
		}
	})
	return in.config(in.omega(Value{Kind: DictKind, Ref: out, Origin: file.Origin}))
}

// override applies words of Hydra's language to a configuration.
func (in *Interp) override(cfg Value, words []Value) {
	for _, w := range words {
		if w.Kind != Str {
			in.note("an override of the configuration is not known")
			continue
		}
		o, err := conf.ParseOverride(w.Text, w.Origin)
		if err != nil {
			in.note("%v", err)
			continue
		}
		if o.Prefix == "~" {
			key := str(o.Key)
			at := cfg
			if i := strings.LastIndex(o.Key, "."); i >= 0 {
				at, _ = in.pathValue(cfg, o.Key[:i])
				key = str(o.Key[i+1:])
			}
			if d := at.Dict(); d != nil {
				d.remove(key)
			}
			continue
		}
		if o.Value != nil {
			in.setPath(cfg, o.Key, in.fromNode(o.Value, true).with(flagOrigin(w, o.Key)))
		}
	}
}
