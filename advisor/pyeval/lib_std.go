package pyeval

import (
	"math"
	"path"
	"slices"
	"strings"
)

func init() {
	constants["sys.argv"] = func(in *Interp) Value { return in.sysArgv }
	constants["sys.executable"] = func(*Interp) Value { return str("python") }
	constants["sys.platform"] = func(*Interp) Value { return str("linux") }
	constants["os.name"] = func(*Interp) Value { return str("posix") }
	constants["os.sep"] = func(*Interp) Value { return str("/") }
	constants["os.curdir"] = func(*Interp) Value { return str(".") }
	constants["sys.version_info"] = func(*Interp) Value {
		return tuple(integer(3), integer(10), integer(0), str("final"), integer(0))
	}
	constants["math.pi"] = func(*Interp) Value { return float(math.Pi) }
	constants["np.pi"] = constants["math.pi"]
	constants["math.e"] = func(*Interp) Value { return float(math.E) }
	constants["math.inf"] = func(*Interp) Value { return float(math.Inf(1)) }
	constants["np.inf"] = constants["math.inf"]
	constants["string.digits"] = func(*Interp) Value { return str("0123456789") }
	constants["typing.TYPE_CHECKING"] = func(*Interp) Value { return boolean(false) }
	constants["sys.modules"] = func(in *Interp) Value { return Value{Kind: DictKind, Ref: in.moduleTable()} }
	constants["sys.path"] = func(in *Interp) Value {
		return Value{Kind: ObjectKind, Ref: &Object{Class: plainClass, Attrs: newDict(), data: pathList{}}}
	}
	constants["os.environ"] = func(in *Interp) Value {
		return Value{Kind: ObjectKind, Ref: &Object{Class: plainClass, Attrs: newDict(), data: environment{}}}
	}
	native(func(in *Interp, c *Call) Value {
		otherwise := none()
		if v, ok := c.Arg("default", 1); ok {
			otherwise = v
		}
		return in.env(c.first(), otherwise)
	}, "os.getenv")
	native(func(in *Interp, c *Call) Value {
		t := ""
		from := c.first().Origin
		for _, a := range c.Args {
			if a.Kind != Str {
				if a.Kind == CandidatesKind {
					return unknown("a path with undecided parts")
				}
				return unknown("a path with unknown parts: %s", a.Text)
			}
			t = joinPath(t, a.Text)
			if a.Origin != nil {
				from = a.Origin
			}
		}
		return str(t).with(from)
	}, "os.path.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "etils.epath.Path")
	pathFunc := func(f func(string) string, names ...string) {
		native(func(in *Interp, c *Call) Value {
			v := c.first()
			if v.Kind != Str {
				return unknown("a path of unknown parts")
			}
			return str(f(v.Text)).with(v.Origin)
		}, names...)
	}
	keep := func(s string) string { return s }
	pathFunc(keep, "os.path.abspath", "os.path.realpath", "os.path.expanduser", "os.path.expandvars", "os.fspath", "hydra.utils.to_absolute_path", "os.path.normcase")
	pathFunc(path.Clean, "os.path.normpath")
	pathFunc(path.Base, "os.path.basename", "ntpath.basename")
	pathFunc(func(s string) string {
		if d := path.Dir(s); d != "." || strings.HasPrefix(s, ".") {
			return d
		}
		return ""
	}, "os.path.dirname")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Kind != Str {
			return tuple(unknown("a path"), unknown("a path"))
		}
		ext := path.Ext(v.Text)
		return tuple(str(strings.TrimSuffix(v.Text, ext)).with(v.Origin), str(ext).with(v.Origin))
	}, "os.path.splitext")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if v.Kind != Str {
			return tuple(unknown("a path"), unknown("a path"))
		}
		return tuple(str(path.Dir(v.Text)), str(path.Base(v.Text)))
	}, "os.path.split")
	native(func(in *Interp, c *Call) Value { return in.pathExists(c.first(), false) }, "os.path.exists", "os.path.isfile")
	native(func(in *Interp, c *Call) Value { return in.pathExists(c.first(), true) }, "os.path.isdir")
	native(func(in *Interp, c *Call) Value {
		if v := c.first(); v.Kind == Str {
			return boolean(strings.HasPrefix(v.Text, "/"))
		}
		return unknown("whether a path is absolute")
	}, "os.path.isabs")
	archive := func(suffixes ...string) func(in *Interp, c *Call) Value {
		return func(in *Interp, c *Call) Value {
			if v := c.first(); v.Kind == Str {
				return boolean(slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(v.Text, s) }))
			}
			return unknown("whether a file is an archive")
		}
	}
	native(archive(".zip"), "zipfile.is_zipfile")
	native(archive(".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"), "tarfile.is_tarfile")
	native(func(in *Interp, c *Call) Value { return in.listDir(c.first(), false) }, "os.listdir")
	native(func(in *Interp, c *Call) Value { return in.glob(c.first().Text, c.first()) }, "glob.glob", "glob.iglob")
	native(func(in *Interp, c *Call) Value { return str(".") }, "os.getcwd", "pathlib.Path.cwd", "hydra.utils.get_original_cwd")
	native(func(in *Interp, c *Call) Value { return unknown("the machine's processors") }, "os.cpu_count", "multiprocessing.cpu_count", "psutil.cpu_count", "os.sched_getaffinity")
	native(func(in *Interp, c *Call) Value {
		panic(raised{class: "SystemExit", site: in.line, text: c.first().String(), sure: in.decided() && in.chosen()})
	}, "sys.exit", "os._exit")
	mathFunc := func(f func(float64) float64, whole bool, names ...string) {
		native(func(in *Interp, c *Call) Value {
			return alt1(c, func(v Value) Value {
				x, ok := v.Number()
				if !ok {
					if v.Kind == ExternalKind {
						return v
					}
					return unknown("%s of %s", c.Name, v.String())
				}
				y := f(x)
				if math.IsNaN(y) || math.IsInf(y, 0) {
					return unknown("a number out of range")
				}
				if whole && math.Abs(y) < 1e18 {
					return integer(int64(y)).with(v.Origin)
				}
				return float(y).with(v.Origin)
			})
		}, names...)
	}
	mathFunc(math.Ceil, true, "math.ceil", "np.ceil")
	mathFunc(math.Floor, true, "math.floor", "np.floor", "math.trunc")
	mathFunc(math.Sqrt, false, "math.sqrt", "np.sqrt")
	mathFunc(math.Exp, false, "math.exp", "np.exp")
	mathFunc(math.Log, false, "math.log", "np.log")
	mathFunc(math.Log2, false, "math.log2", "np.log2")
	mathFunc(math.Log10, false, "math.log10", "np.log10")
	mathFunc(math.Cos, false, "math.cos", "np.cos")
	native(func(in *Interp, c *Call) Value {
		if len(c.Args) != 2 {
			return unknown("gcd")
		}
		a, b := c.Args[0].Int, c.Args[1].Int
		for b != 0 {
			a, b = b, a%b
		}
		return integer(max(a, -a))
	}, "math.gcd")
	native(func(in *Interp, c *Call) Value {
		out := integer(1)
		items, whole := in.iterate(c.first(), listItems)
		if !whole {
			return unknown("a product of unknown parts")
		}
		for _, v := range items {
			out = in.binary("*", out, v)
		}
		return out
	}, "math.prod", "np.prod")
	native(func(in *Interp, c *Call) Value {
		return in.copyOf(c.first(), 8)
	}, "copy.deepcopy", "copy.copy")
	native(func(in *Interp, c *Call) Value { return in.makeDict(c) }, "collections.OrderedDict", "collections.UserDict", "types.MappingProxyType")
	native(func(in *Interp, c *Call) Value {
		v := dict()
		v.Dict().Open, v.Dict().born = true, in.born()
		return v
	}, "collections.defaultdict", "collections.Counter")
	native(func(in *Interp, c *Call) Value { return in.collect("list", c) }, "collections.deque")
	native(func(in *Interp, c *Call) Value {
		o := in.object(plainClass)
		for _, k := range c.Kw {
			o.Attrs.set(str(k.Name), k.Value)
		}
		o.Attrs.Open = c.Open
		return Value{Kind: ObjectKind, Ref: o, Origin: in.line}
	}, "types.SimpleNamespace", "argparse.Namespace")
	native(func(in *Interp, c *Call) Value {
		name, _ := c.text("typename", 0)
		cls := nativeClass(name)
		fields, _ := c.Arg("field_names", 1)
		if fields.Kind == Str {
			cls.fields = append(cls.fields, strings.Fields(strings.ReplaceAll(fields.Text, ",", " "))...)
		} else if items, ok := fields.Items(); ok {
			for _, f := range items {
				cls.fields = append(cls.fields, f.Text)
			}
		}
		cls.marks = []Value{external("dataclasses.dataclass")}
		return Value{Kind: ClassKind, Ref: cls, Origin: in.line}
	}, "collections.namedtuple")
	native(func(in *Interp, c *Call) Value {
		if len(c.Args) == 0 {
			return unknown("partial")
		}
		base := *c
		fn := base.Args[0]
		return Value{Kind: NativeKind, Ref: &Native{Name: "functools.partial", partial: &base, Run: func(in *Interp, d *Call) Value {
			e := &Call{Name: c.Name, Open: base.Open || d.Open}
			e.Args = append(append(e.Args, base.Args[1:]...), d.Args...)
			given := map[string]bool{}
			for _, k := range d.Kw {
				given[k.Name] = true
			}
			for _, k := range base.Kw {
				if !given[k.Name] {
					e.Kw = append(e.Kw, k)
				}
			}
			e.Kw = append(e.Kw, d.Kw...)
			return in.call(fn, e, nil)
		}}, Origin: fn.Origin}
	}, "functools.partial")
	// A cache or a wrapper's name tag leaves a function as it is, with and
	// without arguments of its own.
	same := Value{Kind: NativeKind, Ref: &Native{Name: "decorator", Run: func(in *Interp, c *Call) Value { return c.first() }}}
	native(func(in *Interp, c *Call) Value {
		if len(c.Args) == 1 && c.Args[0].Kind == FunctionKind {
			return c.Args[0]
		}
		return same
	}, "functools.lru_cache", "functools.cache")
	native(func(in *Interp, c *Call) Value { return c.first() }, "typing.NewType", "itertools.chain", "itertools.islice", "itertools.cycle", "torch.compile", "torch.jit.script")
	native(func(in *Interp, c *Call) Value {
		if v, ok := c.Arg("val", 1); ok {
			return v
		}
		return c.first()
	}, "typing.cast")
	native(progress, "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.autonotebook.tqdm", "tqdm.notebook.tqdm", "tqdm.std.tqdm", "rich.progress.track", "progressbar.progressbar", "fastprogress.progress_bar", "fastprogress.fastprogress.progress_bar", "alive_progress.alive_it")
	native(func(in *Interp, c *Call) Value { return builtins["range"].Ref.(*Native).Run(in, c) }, "tqdm.trange", "tqdm.auto.trange", "np.arange", "jnp.arange")
	native(func(in *Interp, c *Call) Value {
		name, ok := c.text("name", 0)
		if !ok {
			return unknown("a module with an unknown name")
		}
		if pkg, has := c.text("package", 1); has && strings.HasPrefix(name, ".") {
			name = pkg + name
		}
		name = strings.TrimLeft(name, ".")
		if first, _, nested := strings.Cut(name, "."); nested && in.locate(name) == nil && in.locate(first) != nil {
			return in.fail("ModuleNotFoundError", "No module named '%s'", name) // a package of the repository is all there
		}
		return in.importModule(name)
	}, "importlib.import_module")
	native(func(in *Interp, c *Call) Value {
		name, _ := c.text("name", 0)
		p, ok := c.text("location", 1)
		o := in.object(plainClass)
		o.Attrs.set(str("name"), str(name))
		if full, in2 := in.resolvePath(p); ok && in2 {
			o.Attrs.set(str("_file"), str(full))
		}
		loader := in.object(plainClass)
		loader.Attrs.set(str("exec_module"), Value{Kind: NativeKind, Ref: &Native{Name: "exec_module", Run: func(in *Interp, c *Call) Value {
			if m, ok := c.first().Ref.(*Module); ok {
				in.runModule(m)
			}
			return none()
		}}})
		o.Attrs.set(str("loader"), Value{Kind: ObjectKind, Ref: loader})
		return Value{Kind: ObjectKind, Ref: o}
	}, "importlib.util.spec_from_file_location")
	native(func(in *Interp, c *Call) Value {
		o := c.first().Object()
		if o == nil {
			return unknown("a module")
		}
		file, ok := o.Attrs.Get("_file")
		if !ok {
			return unknown("a module from an unknown file")
		}
		return in.moduleFromFile(file.Text)
	}, "importlib.util.module_from_spec")
	native(func(in *Interp, c *Call) Value {
		name, _ := c.text("name", 0)
		if in.locate(name) != nil {
			return boolean(true)
		}
		return unknown("whether %s is installed", name)
	}, "importlib.util.find_spec")
	native(func(in *Interp, c *Call) Value {
		p, _ := c.text("path_name", 0)
		full, ok := in.resolvePath(p)
		if !ok {
			return unknown("a module outside of the repository")
		}
		m := in.moduleFromFile(full)
		if mod, ok := m.Ref.(*Module); ok {
			if as, ok := c.text("run_name", 2); ok && mod.state == 0 {
				mod.globals.set(str("__name__"), str(as))
			}
			in.runModule(mod)
			return Value{Kind: DictKind, Ref: mod.globals}
		}
		return m
	}, "runpy.run_path")
	native(func(in *Interp, c *Call) Value {
		if v, ok := in.literal(c.first().Text); ok && c.first().Kind == Str {
			return v.by(c.first().Origin)
		}
		if c.first().Kind == Str {
			return in.fail("ValueError", "malformed node or string: %s", c.first().Text)
		}
		return unknown("a literal of %s", c.first().String())
	}, "ast.literal_eval")
	native(func(in *Interp, c *Call) Value { return unknown("the time") }, "time.time", "datetime.datetime.now", "time.strftime", "datetime.now", "time.perf_counter", "time.localtime")
	native(func(in *Interp, c *Call) Value { return unknown("a random number") }, "random.randint", "random.random", "np.random.randint", "random.uniform", "secrets.token_hex", "uuid.uuid4")
	native(func(in *Interp, c *Call) Value { return unknown("the machine's name") }, "socket.gethostname", "platform.node")
	native(func(in *Interp, c *Call) Value { return str("Linux") }, "platform.system")
	native(func(in *Interp, c *Call) Value { return none() }, "warnings.filterwarnings", "warnings.warn", "random.seed", "np.random.seed", "torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "os.makedirs", "logging.basicConfig", "torch.set_float32_matmul_precision", "gc.collect", "sys.stdout.flush")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if e := v.External(); e != nil && e.Call == nil {
			return boolean(constructs(lastName(e.Name)) && !strings.HasPrefix(e.Name, "typing."))
		}
		if v.Kind == NativeKind {
			return boolean(typeName(v) == "type")
		}
		if !v.Known() || v.Kind == ExternalKind {
			return unknown("whether %s is a class", v.String())
		}
		return boolean(v.Kind == ClassKind)
	}, "inspect.isclass")
	native(func(in *Interp, c *Call) Value {
		v := c.first()
		if e := v.External(); e != nil && e.Call == nil {
			return boolean(!constructs(lastName(e.Name)))
		}
		if !v.Known() || v.Kind == ExternalKind {
			return unknown("whether %s is a function", v.String())
		}
		return boolean(v.Kind == FunctionKind || v.Kind == MethodKind)
	}, "inspect.isfunction", "inspect.ismethod", "inspect.isroutine")
}

// progress is a progress bar around an iterable: loops go over what it wraps.
func progress(in *Interp, c *Call) Value {
	for _, name := range []string{"iterable", "sequence", "gen"} {
		if v, ok := c.Arg(name, 0); ok && v.Kind != None {
			return v
		}
	}
	return Value{Kind: ExternalKind, Ref: &External{Name: c.Name, Call: in.observe(c), solid: true}, Origin: c.Site}
}

// copyOf copies containers, down to a depth.
func (in *Interp) copyOf(v Value, depth int) Value {
	if depth == 0 {
		return v
	}
	in.step()
	switch r := v.Ref.(type) {
	case *List:
		out := &List{Open: r.Open, born: in.born()}
		in.work(len(r.Items))
		for _, item := range r.Items {
			out.Items = append(out.Items, in.copyOf(item, depth-1))
		}
		v.Ref = out
	case *Dict:
		if r.tree != nil {
			return in.omega(in.rawCopy(v, 60))
		}
		in.work(r.Len())
		out := r.copy()
		out.born, out.module = in.born(), nil
		for i := range out.values {
			out.put(i, in.copyOf(out.values[i], depth-1))
		}
		v.Ref = out
	case *Object:
		if isYacs(v) {
			return in.yacsFrom(r.Class, v, depth)
		}
		made := *r
		made.Attrs = r.Attrs.copy()
		made.Attrs.born = in.born()
		v.Ref = &made
	}
	return v
}

func (in *Interp) moduleFromFile(file string) Value {
	if full, ok := in.resolvePath(file); ok {
		file = full
	}
	name := strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
	if m, ok := in.modules["file:"+file]; ok && m != nil {
		return Value{Kind: ModuleKind, Ref: m}
	}
	if !in.root.IsFile(file) {
		_, err := in.root.Read(file)
		if err != nil {
			in.missing(file, err)
		}
		return unknown("%s is not in the repository", file)
	}
	m := in.module(name, file)
	m.isFile = true
	in.modules["file:"+file] = m
	return Value{Kind: ModuleKind, Ref: m}
}

func (in *Interp) moduleTable() *Dict {
	d := newDict()
	d.Open = true
	for _, name := range sortedKeys(in.modules) {
		if m := in.modules[name]; m != nil {
			d.set(str(name), Value{Kind: ModuleKind, Ref: m})
		}
	}
	return d
}

// pathList is sys.path: appended folders become places of modules.
type pathList struct{}

func (pathList) attribute(in *Interp, self Value, name string) (Value, bool) {
	switch name {
	case "append", "insert", "extend":
		return bound(self, "sys.path."+name, func(in *Interp, c *Call) Value {
			for _, a := range c.Args {
				if a.Kind != Str {
					continue
				}
				full, ok := in.resolvePath(a.Text)
				if !ok || !in.root.IsDir(full) {
					continue
				}
				if name == "insert" {
					in.paths = append([]string{full}, in.paths...)
				} else {
					in.paths = append(in.paths, full)
				}
				for k, m := range in.modules { // what was not found may be found now
					if m == nil {
						delete(in.modules, k)
					}
				}
			}
			return none()
		}), true
	}
	return Value{}, false
}
