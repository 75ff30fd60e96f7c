package pyeval

// torchrun's own parser: consoles that start programs below torchrun take its
// options for theirs.
func init() {
	native(func(in *Interp, c *Call) Value {
		o := in.object(parserClass)
		v := Value{Kind: ObjectKind, Ref: o, Origin: in.line}
		in.initParser(o, &Call{Name: "argparse.ArgumentParser"})
		p := parserOf(v)
		option := func(def Value, names ...string) {
			add := &Call{Name: "add_argument", Kw: []Keyword{{"default", def}}}
			for _, n := range names {
				add.Args = append(add.Args, str(n))
			}
			in.addArgument(p, add)
		}
		flag := func(names ...string) {
			add := &Call{Name: "add_argument", Kw: []Keyword{{"action", str("store_true")}}}
			for _, n := range names {
				add.Args = append(add.Args, str(n))
			}
			in.addArgument(p, add)
		}
		option(str("1:1"), "--nnodes")
		option(str("1"), "--nproc-per-node", "--nproc_per_node")
		option(str("static"), "--rdzv-backend", "--rdzv_backend")
		for _, n := range []string{"endpoint", "conf"} {
			option(str(""), "--rdzv-"+n, "--rdzv_"+n)
		}
		option(str("none"), "--rdzv-id", "--rdzv_id")
		option(integer(0), "--max-restarts", "--max_restarts")
		option(float(0.1), "--monitor-interval", "--monitor_interval")
		option(str("spawn"), "--start-method", "--start_method")
		option(str("default"), "--role")
		option(none(), "--log-dir", "--log_dir")
		option(str("0"), "-r", "--redirects")
		option(str("0"), "-t", "--tee")
		option(str(""), "--local-ranks-filter", "--local_ranks_filter")
		option(integer(0), "--node-rank", "--node_rank")
		option(str("127.0.0.1"), "--master-addr", "--master_addr")
		option(integer(29500), "--master-port", "--master_port")
		option(none(), "--local-addr", "--local_addr")
		option(none(), "--logs-specs", "--logs_specs")
		flag("--standalone")
		flag("-m", "--module")
		flag("--no-python", "--no_python")
		flag("--run-path", "--run_path")
		in.addArgument(p, &Call{Name: "add_argument", Args: []Value{str("training_script")}})
		in.addArgument(p, &Call{Name: "add_argument", Args: []Value{str("training_script_args")}, Kw: []Keyword{{"nargs", str("...")}}})
		return v
	}, "torch.distributed.run.get_args_parser")
}

// parserActions are the options of a parser as objects, which a program may
// change and give to another parser.
func (in *Interp) parserActions(p *ArgumentParser) Value {
	out := &List{born: in.born()}
	for _, o := range p.Options {
		a := in.object(plainClass)
		a.data = o
		a.Attrs.set(str("dest"), str(o.Dest))
		a.Attrs.set(str("default"), o.Default)
		var names []Value
		if !o.Positional {
			for _, n := range o.Names {
				names = append(names, str(n))
			}
		}
		a.Attrs.set(str("option_strings"), list(names...))
		out.Items = append(out.Items, Value{Kind: ObjectKind, Ref: a})
	}
	return Value{Kind: ListKind, Ref: out}
}

// addAction gives a parser an option of another one, as the program left it.
func (in *Interp) addAction(p *ArgumentParser, action Value) Value {
	a := action.Object()
	if a == nil {
		p.open = true
		return action
	}
	o, ok := a.data.(*Option)
	if !ok {
		p.open = true
		return action
	}
	added := *o
	added.parser = p
	if d, ok := a.Attrs.Get("default"); ok {
		added.Default = d
	}
	if d, ok := a.Attrs.Get("dest"); ok && d.Kind == Str {
		added.Dest = d.Text
		if o.Positional {
			added.Names = []string{d.Text}
		}
	}
	p.Options = append(p.Options, &added)
	return action
}
