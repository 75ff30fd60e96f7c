package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// jsonargparse: signatures as command lines, with YAML files and class paths.
func init() {
	cli := func(in *Interp, c *Call) Value {
		components, ok := c.Arg("components", 0)
		words := in.commandWords()
		if given, has := c.Arg("args", 1); has && given.Kind != None {
			words, _ = in.iterate(given, listItems)
		}
		if !ok || components.Kind == None {
			var all []Value
			if m := in.saw.Entry; m != nil { // every function of the program itself
				m.globals.Each(func(k, v Value) {
					if fn, is := v.Ref.(*Function); is && fn.module == m && !strings.HasPrefix(k.Text, "_") {
						all = append(all, v)
					}
				})
			}
			components = list(all...)
		}
		return in.jsonCLI(components, words, 5)
	}
	native(cli, "jsonargparse.CLI", "jsonargparse.auto_cli", "jsonargparse.cli.CLI")
	native(func(in *Interp, c *Call) Value { return none() }, "jsonargparse.set_config_read_mode", "jsonargparse.set_docstring_parse_options", "jsonargparse.set_parsing_settings", "jsonargparse.lazy_instance")
	constants["jsonargparse.ActionConfigFile"] = func(*Interp) Value { return external("jsonargparse.ActionConfigFile") }
	names := []string{"lightning.cli.LightningCLI", "lightning.utilities.cli.LightningCLI", "lightning.cli.cli.LightningCLI"}
	native(func(in *Interp, c *Call) Value {
		o := in.object(lightningCLI)
		v := Value{Kind: ObjectKind, Ref: o, Origin: in.line}
		in.runLightningCLI(v, c)
		return v
	}, names...)
	for _, n := range names {
		baseInits[n] = func(in *Interp, self Value, c *Call) { in.runLightningCLI(self, c) }
	}
}

// jsonCLI runs the component that the words lead to.
func (in *Interp) jsonCLI(component Value, words []Value, depth int) Value {
	first := ""
	if len(words) > 0 && words[0].Kind == Str {
		first = words[0].Text
	}
	switch r := component.Ref.(type) {
	case *Dict:
		if v, ok := r.Get(first); ok && depth > 0 {
			return in.jsonCLI(v, words[1:], depth-1)
		}
		return unknown("one of several commands")
	case *List:
		if len(r.Items) == 1 && depth > 0 {
			return in.jsonCLI(r.Items[0], words, depth-1)
		}
		for _, v := range r.Items {
			name := ""
			switch f := v.Ref.(type) {
			case *Function:
				name = f.Name
			case *Class:
				name = f.Name
			}
			if name == first && depth > 0 {
				return in.jsonCLI(v, words[1:], depth-1)
			}
		}
		return unknown("one of several commands")
	case *Function, *Class:
		t := typedCall{config: "--config"}
		if cls, ok := r.(*Class); ok && !cls.isData() { // a class: its constructor, then a method
			for i, w := range words {
				if m, _, found := cls.lookup(w.Text); found && w.Kind == Str && m.Kind == FunctionKind && !strings.HasPrefix(w.Text, "_") {
					o := in.typedCall(component, words[:i], t)
					return in.typedCall(m, words[i+1:], t).by(o.Origin)
				}
			}
		}
		return in.typedCall(component, words, t)
	}
	return unknown("a command line of %s", component.String())
}

var lightningCLI = nativeClass("LightningCLI")

// runLightningCLI makes the trainer, the model and the data of a LightningCLI
// and runs its subcommand.
func (in *Interp) runLightningCLI(self Value, c *Call) {
	o := self.Object()
	model, hasModel := c.Arg("model_class", 0)
	data, hasData := c.Arg("datamodule_class", 1)
	truth := func(name string, otherwise bool) bool {
		if v, ok := c.Arg(name, -1); ok {
			yes, known := v.truth()
			return yes && known
		}
		return otherwise
	}
	words := in.commandWords()
	if given, ok := c.Arg("args", -1); ok && given.Kind != None {
		words, _ = in.iterate(given, listItems)
	}
	run := truth("run", true)
	command := "fit"
	if run && len(words) > 0 && words[0].Kind == Str && !strings.HasPrefix(words[0].Text, "-") {
		command, words = words[0].Text, words[1:]
	}
	all := &given{}
	if d, ok := c.Arg("trainer_defaults", -1); ok {
		flatten(all, "trainer.", d, 12)
	}
	if v, ok := c.Arg("seed_everything_default", -1); ok {
		all.set("seed_everything", v)
	}
	links := in.lightningDefaults(self, all)
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Kind != Str || !strings.HasPrefix(w.Text, "--") {
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(w.Text, "--"), "=")
		at := flagOrigin(w, "--"+name)
		v := str(value).with(at)
		if !has {
			v = str("true").with(at)
			if i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "--") {
				i++
				v = words[i].with(at)
			}
		}
		section := name
		if name == "config" || name == "c" || name == "trainer" || name == "model" || name == "data" {
			if name == "config" || name == "c" {
				section = ""
			} else {
				section = name + "."
			}
			if full, ok := in.resolvePath(v.Text); ok && (section == "" || in.root.IsFile(full)) {
				if n, ok := in.loadConf(v, conf.OmegaConf); ok {
					tree := in.fromNode(n, false)
					if d := tree.Dict(); section == "" && d != nil { // saved by a subcommand
						if sub, ok := d.Get(command); ok && sub.Dict() != nil {
							tree = sub
						}
					}
					flatten(all, section, tree, 12)
				}
				continue
			}
			name += ".class_path"
		}
		if v.Kind == Str {
			v = in.scalar(v)
		}
		all.set(strings.TrimSuffix(name, "+"), v)
	}
	for _, l := range links {
		if v, ok := all.values[l[0]]; ok {
			all.set(l[1], v)
		}
	}
	tree := dict()
	tree.Dict().born = in.born()
	for _, p := range all.paths {
		in.setPath(tree, p, all.values[p])
	}
	in.markAttrs(tree, 40)
	in.config(tree)
	o.Attrs.set(str("config"), tree)
	part := func(name string, class Value, has, subclasses bool) Value {
		g := all.below(name)
		v, isSet := all.values[name]
		_, path := g.values["class_path"]
		switch {
		case has && class.Kind != None && !subclasses && !path:
			return in.makeWith(class, g, 8)
		case path || isSet && v.Kind == Str:
			t := annotated{name: "class"}
			if cls, ok := class.Ref.(*Class); ok {
				t.class = cls
			}
			return in.subclass(t, v, g, 8)
		}
		return none()
	}
	datamodule := part("data", data, hasData, truth("subclass_mode_data", false) || truth("auto_registry", false))
	o.Attrs.set(str("datamodule"), datamodule)
	m := part("model", model, hasModel, truth("subclass_mode_model", false))
	o.Attrs.set(str("model"), m)
	trainer := external("lightning.Trainer")
	if t, ok := c.Arg("trainer_class", -1); ok && t.Kind != None {
		trainer = t
	}
	o.Attrs.set(str("trainer"), in.makeWith(trainer, all.below("trainer"), 8))
	o.Attrs.Open = true
	if run {
		d := &Call{Name: command, Args: []Value{m}}
		if datamodule.Kind != None {
			d.Kw = []Keyword{{"datamodule", datamodule}}
		}
		t, _ := o.Attrs.Get("trainer")
		in.call(in.attribute(t, command), d, nil)
	}
}

// lightningDefaults asks a subclass for defaults and links between keys.
func (in *Interp) lightningDefaults(self Value, all *given) (links [][2]string) {
	p := in.object(plainClass)
	method := func(name string, run func(in *Interp, c *Call) Value) {
		p.Attrs.set(str(name), Value{Kind: NativeKind, Ref: &Native{Name: "jsonargparse." + name, Run: run}})
	}
	method("set_defaults", func(in *Interp, c *Call) Value {
		for _, a := range c.Args {
			flatten(all, "", a, 12)
		}
		for _, k := range c.Kw {
			all.set(k.Name, k.Value)
		}
		return none()
	})
	method("link_arguments", func(in *Interp, c *Call) Value {
		from, ok := c.text("source", 0)
		to, both := c.text("target", 1)
		if _, computed := c.Arg("compute_fn", 2); ok && both && !computed {
			links = append(links, [2]string{from, to})
		}
		return none()
	})
	for _, n := range []string{"add_argument", "add_lightning_class_args", "add_optimizer_args", "add_lr_scheduler_args", "add_class_arguments", "add_subclass_arguments"} {
		method(n, func(in *Interp, c *Call) Value {
			if name, ok := c.text("name", 0); ok && strings.HasPrefix(name, "--") {
				if d, has := c.Arg("default", -1); has {
					all.set(strings.TrimPrefix(name, "--"), d)
				}
			}
			return none()
		})
	}
	p.Attrs.Open = true
	in.tryCall(self, "add_arguments_to_parser", Value{Kind: ObjectKind, Ref: p})
	return links
}
