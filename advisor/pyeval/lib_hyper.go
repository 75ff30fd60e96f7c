package pyeval

import (
	"strings"

	"schedmate/advisor/conf"
)

// HyperPyYAML and speechbrain: a YAML file whose tags build objects.
func init() {
	native(func(in *Interp, c *Call) Value {
		v, _ := c.Arg("yaml_stream", 0)
		file := v
		if o := v.Object(); o != nil {
			if f, ok := o.data.(*textFile); ok {
				file = f.path
			}
		}
		full, ok := in.confPath(file)
		if !ok {
			return unknown("the hyperparameters of %s", v.String())
		}
		var over *conf.Node
		if given, ok := c.Arg("overrides", 1); ok && given.Kind != None {
			switch {
			case given.Dict() != nil:
				over = in.toNode(given)
			case given.Kind == Str:
				if n, err := conf.ParseYAML("", []byte(given.Text), conf.PyYAML); err == nil && n.Kind == conf.Map {
					n.Walk(func(_ string, at *conf.Node) bool { at.Origin = given.Origin; return true })
					over = n
				}
			}
		}
		n, err := conf.LoadHyperPyYAML(in.root, full, over)
		if err != nil {
			in.confError(full, err)
			return unknown("%v", err)
		}
		return in.config(in.hyperValue(n, 40))
	}, "hyperpyyaml.load_hyperpyyaml", "speechbrain.load_extended_yaml", "speechbrain.utils.data_utils.load_extended_yaml", "hyperpyyaml.core.load_hyperpyyaml")
	native(func(in *Interp, c *Call) Value {
		words := in.commandWords()
		if given, ok := c.Arg("arg_list", 0); ok && given.Kind != None {
			words, _ = in.iterate(given, listItems)
		}
		return in.speechbrainArguments(words)
	}, "speechbrain.parse_arguments", "speechbrain.core.parse_arguments")
	native(func(in *Interp, c *Call) Value { return none() }, "speechbrain.create_experiment_directory", "speechbrain.utils.distributed.ddp_init_group")
}

// runOptions are speechbrain's own options; the rest overrides the file.
var runOptions = map[string]bool{"device": true, "data_parallel_count": true, "local_rank": true, "distributed_backend": true, "jit_module_keys": true, "compile_module_keys": true,
	"compile_mode": true, "precision": true, "eval_precision": true, "auto_mix_prec": true, "bfloat16_mix_prec": true, "max_grad_norm": true, "nonfinite_patience": true, "noprogressbar": true,
	"ckpt_interval_minutes": true, "ckpt_interval_steps": true, "grad_accumulation_factor": true, "optimizer_step_limit": true, "debug": true, "debug_batches": true, "debug_epochs": true,
	"debug_persistently": true, "tqdm_colored_bar": true, "find_unused_parameters": true, "data_parallel_backend": true, "distributed_launch": true, "log_config": true, "remove_vector_weight_decay": true,
	"skip_grad_nans": true, "profile_training": true, "profile_warmup": true, "profile_steps": true, "test_only": true, "use_tensorboard": true, "jit": true, "compile": true, "compile_using_fullgraph": true}

func (in *Interp) speechbrainArguments(words []Value) Value {
	file := unknown("no file of hyperparameters")
	options := dict()
	options.Dict().born = in.born()
	var rest []Value
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, has := strings.Cut(strings.TrimPrefix(w.Text, "--"), "=")
		key := strings.ReplaceAll(name, "-", "_")
		switch {
		case w.Kind == Str && !strings.HasPrefix(w.Text, "--") && file.Kind == Unknown:
			file = w
		case w.Kind == Str && strings.HasPrefix(w.Text, "--") && runOptions[key]:
			at := flagOrigin(w, "--"+name)
			v := boolean(true).with(at)
			if has {
				v = in.scalar(str(value).with(at))
			} else if i+1 < len(words) && words[i+1].Kind == Str && !strings.HasPrefix(words[i+1].Text, "--") {
				i++
				v = in.scalar(words[i].with(at))
			}
			options.Dict().set(str(key), v)
		default:
			rest = append(rest, w)
		}
	}
	n, left, err := conf.HyperOverrides(confWords(rest))
	if err != nil {
		in.note("%v", err)
		n = conf.NewMap(nil)
	}
	overrides := in.fromNode(n, false)
	if d := overrides.Dict(); d != nil && len(left) > 0 {
		d.Open = true
	}
	return tuple(file, in.config(options), overrides)
}

// hyperValue builds what the tags of a file describe.
func (in *Interp) hyperValue(n *conf.Node, depth int) Value {
	if n == nil || depth == 0 {
		return unknown("nested too deeply")
	}
	in.step()
	kind, name, tagged := strings.Cut(strings.TrimPrefix(n.Tag, "!"), ":")
	if tagged && strings.HasPrefix(n.Tag, "!") {
		c := &Call{Name: name}
		for _, item := range n.Items {
			c.Args = append(c.Args, in.hyperValue(item, depth-1))
		}
		for _, k := range n.Keys {
			c.Kw = append(c.Kw, Keyword{k, in.hyperValue(n.Fields[k], depth-1)})
		}
		target := in.target(str(name).with(n.Origin))
		line := in.line
		defer func() { in.line = line }()
		if n.Origin != nil {
			in.line = n.Origin
		}
		switch kind {
		case "new":
			return in.call(target, c, nil).by(n.Origin)
		case "name":
			c.Args = append([]Value{target}, c.Args...)
			return natives["functools.partial"](in, c).by(n.Origin)
		case "module":
			return target
		}
		return unknown("the result of %s", n.Tag).with(n.Origin)
	}
	switch n.Kind {
	case conf.List:
		l := &List{born: in.born()}
		for _, item := range n.Items {
			l.Items = append(l.Items, in.hyperValue(item, depth-1))
		}
		kind := ListKind
		if n.Tag == "!tuple" {
			kind = TupleKind
		}
		return Value{Kind: kind, Ref: l, Origin: n.Origin}
	case conf.Map:
		d := newDict()
		d.born = in.born()
		for _, k := range n.Keys {
			d.set(keyOf(n, k), in.hyperValue(n.Fields[k], depth-1))
		}
		return Value{Kind: DictKind, Ref: d, Origin: n.Origin}
	}
	return in.fromNode(n, false)
}
