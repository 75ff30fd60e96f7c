package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// hfParser is a HfArgumentParser or TrlParser: its options are the fields of
// dataclasses. Fields of bases of other packages are not known by name; what
// is given for them is taken.
type hfParser struct {
	types []Value // Class or External
	extra *ArgumentParser
}

var hfClass = nativeClass("HfArgumentParser")

func init() {
	names := []string{"transformers.HfArgumentParser", "transformers.hf_argparser.HfArgumentParser", "trl.TrlParser", "trl.scripts.TrlParser", "trl.commands.cli_utils.TrlParser", "trl.scripts.utils.TrlParser", "paddlenlp.trainer.PdArgumentParser"}
	start := func(in *Interp, o *Object, c *Call) {
		p := &hfParser{extra: &ArgumentParser{defaults: map[string]Value{}, prefix: "-", abbrev: true}}
		if v, ok := c.Arg("dataclass_types", 0); ok {
			p.types = []Value{v}
			if items, ok := v.Items(); ok {
				p.types = items
			}
		}
		o.data = p
	}
	native(func(in *Interp, c *Call) Value {
		o := in.object(hfClass)
		start(in, o, c)
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, names...)
	for _, base := range []string{"transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments", "trl.SFTConfig", "trl.DPOConfig", "trl.GRPOConfig", "trl.RewardConfig"} {
		world := func(in *Interp, v Value) Value { return in.program.Machine.WorldSize }
		zero := func(in *Interp, v Value) Value { return integer(0) }
		yes := func(in *Interp, v Value) Value { return boolean(true) }
		resultAttrs[base+".world_size"] = world
		resultAttrs[base+".process_index"], resultAttrs[base+".local_process_index"] = zero, zero
		resultAttrs[base+".should_save"], resultAttrs[base+".should_log"] = yes, yes
		resultAttrs[base+".parallel_mode"] = func(in *Interp, v Value) Value {
			if w := in.program.Machine.WorldSize; w.Kind == Int && w.Int > 1 {
				return external("transformers.training_args.ParallelMode.DISTRIBUTED")
			}
			return unknown("how the processes are joined")
		}
	}
	for _, n := range names {
		baseInits[n] = func(in *Interp, self Value, c *Call) { start(in, self.Object(), c) }
	}
}

// copied is the class of a library of which a class of the repository is a copy:
// it has the name and the method that makes the library's what it is.
func copied(c *Class) (Value, bool) {
	if c.Name != "HfArgumentParser" {
		return Value{}, false
	}
	if _, own := c.attrs.Get("parse_args_into_dataclasses"); !own {
		return Value{}, false
	}
	return external("transformers.HfArgumentParser"), true
}

func (p *hfParser) attribute(in *Interp, self Value, name string) (Value, bool) {
	m := func(run func(in *Interp, c *Call) Value) (Value, bool) {
		return bound(self, "HfArgumentParser."+name, run), true
	}
	switch name {
	case "dataclass_types":
		return list(p.types...), true
	case "parse_args_into_dataclasses", "parse_args_and_config", "parse_args":
		return m(func(in *Interp, c *Call) Value {
			words := in.commandWords()
			if given, ok := c.Arg("args", 0); ok && given.Kind != None {
				words, _ = in.iterate(given, listItems)
			}
			keep := false
			for _, n := range []string{"return_remaining_strings", "fail_with_unknown_args"} {
				if v, ok := c.Arg(n, -1); ok {
					yes, _ := v.truth()
					keep = yes == (n == "return_remaining_strings")
				}
			}
			file := &given{}
			if name == "parse_args_and_config" {
				words = in.configWord(words, "--config", file)
			}
			return in.hfParse(p, file, words, keep)
		})
	case "parse_dict":
		return m(func(in *Interp, c *Call) Value {
			g := &given{}
			flatten(g, "", c.first(), 1)
			return in.hfParse(p, g, nil, false)
		})
	case "parse_json_file", "parse_yaml_file":
		return m(func(in *Interp, c *Call) Value {
			g := &given{}
			if n, ok := in.loadConf(c.first(), conf.PyYAML); ok {
				flatten(g, "", in.fromNode(n, false), 1)
			} else {
				g.values = map[string]Value{}
			}
			return in.hfParse(p, g, nil, false)
		})
	}
	return p.extra.attribute(in, self, name)
}

// configWord takes "--config FILE" out of the words and reads the file.
func (in *Interp) configWord(words []Value, flag string, into *given) []Value {
	var rest []Value
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i].Text, "=")
		if words[i].Kind != Str || name != flag {
			rest = append(rest, words[i])
			continue
		}
		file := str(value).with(words[i].Origin)
		if !has && i+1 < len(words) {
			i++
			file = words[i]
		}
		if n, ok := in.loadConf(file, conf.PyYAML); ok {
			flatten(into, "", in.fromNode(n, false), 1)
		}
	}
	return rest
}

// hfParse distributes what a file and the words give over the dataclasses.
func (in *Interp) hfParse(p *hfParser, file *given, words []Value, keep bool) Value {
	f := &typedFlags{leaves: map[string]*leaf{}}
	foreign := make([]bool, len(p.types))
	fields := make([][]field, len(p.types))
	for i, t := range p.types {
		c, ok := t.Ref.(*Class)
		if !ok {
			foreign[i], f.foreign = true, true
			continue
		}
		fields[i] = in.classFields(c)
		in.leavesOf(fields[i], "", 0, f.leaves)
		if hasForeignFields(c) {
			foreign[i], f.foreign = true, true
		}
	}
	set, unknownFlags, positional, rest := in.readFlags(f, words)
	all := &given{}
	for _, g := range []*given{file, set, unknownFlags} {
		for _, path := range g.paths {
			v := g.values[path]
			if l := f.leaves[path]; l != nil && g == file && v.Kind == Str && (l.typ.name == "float" || l.typ.name == "enum") {
				v = in.word(l.typ, v) // "1e-5" is text in YAML
			}
			if g == file && f.leaves[path] == nil && v.Kind == Str {
				v = in.scalar(v)
			}
			all.set(path, v)
		}
	}
	var out []Value
	for i, t := range p.types {
		mine := &given{}
		own := map[string]bool{}
		for _, fd := range fields[i] {
			own[fd.name] = true
		}
		for _, path := range all.paths {
			if own[path] || (foreign[i] && f.leaves[path] == nil) {
				mine.set(path, all.values[path])
			}
		}
		out = append(out, in.config(in.hfObject(t, mine)))
	}
	result := Value{Kind: TupleKind, Ref: &List{Items: out, born: in.born()}}
	if len(positional)+len(rest) > 0 && keep {
		result.Ref.(*List).Items = append(out, list(append(positional, rest...)...))
	} else if keep {
		result.Ref.(*List).Items = append(out, list())
	}
	return result
}

// hfObject makes one dataclass's object. What a class of another package gets
// is observed as a call of it.
func (in *Interp) hfObject(t Value, g *given) Value {
	if c, ok := t.Ref.(*Class); ok {
		v := in.build(c, g, 3)
		if e, o := c.foreign(), v.Object(); e != nil && o != nil && o.ext == nil && hasForeignFields(c) {
			call := &Call{Name: e.Name, Self: v}
			o.Attrs.Each(func(k, item Value) { call.Kw = append(call.Kw, Keyword{k.Text, item}) })
			o.ext = in.observe(call) // what is not given is not known to be true
		}
		return v
	}
	e := t.External()
	if e == nil {
		return unknown("the arguments of %s", t.String())
	}
	return in.foreignObject(e, in.buildArgs(nil, g, 0))
}

// foreignObject is an object of a class of another package that only holds
// what it was given.
func (in *Interp) foreignObject(e *External, kw []Keyword) Value {
	c := nativeClass(lastName(e.Name))
	c.bases = []Value{{Kind: ExternalKind, Ref: e}}
	o := in.object(c)
	for _, k := range kw {
		o.Attrs.set(str(k.Name), k.Value)
	}
	o.Attrs.Open = true
	v := Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	o.ext = in.observe(&Call{Name: e.Name, Self: v, Kw: kw})
	return v
}
