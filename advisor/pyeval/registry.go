package pyeval

import "strings"

// Tables of what is modelled of other packages, by qualified name. Each
// lib_*.go file adds its part in its init function.
var (
	// natives are functions and classes that are answered instead of observed.
	natives = map[string]func(in *Interp, c *Call) Value{}
	// constants are attributes of packages with a known value.
	constants = map[string]func(in *Interp) Value{}
	// resultAttrs are attributes of what an observed call gave.
	resultAttrs = map[string]func(in *Interp, v Value) Value{}
	// resultCalls are methods of what an observed call gave, by last name; done
	// is false when the call is to be observed as any other.
	resultCalls = map[string]func(in *Interp, e *External, c *Call) (v Value, done bool){}
	// baseInits are constructors of modelled bases of the repository's classes.
	baseInits = map[string]func(in *Interp, self Value, c *Call){}
	// decorators of other packages that do more than mark.
	decorators = map[string]func(in *Interp, c *Call, v Value) Value{}
	// callbackRules say what a library calls back, by the observed call's name.
	callbackRules = map[string]func(in *Interp, c *Call){}
	// methods of built-in types, by type and name.
	methods = map[string]map[string]func(in *Interp, c *Call) Value{}
	// staticMethods are attributes of built-in types ("dict.fromkeys").
	staticMethods = map[string]Value{}
	// classMethods are what every class has.
	classMethods = map[string]func(in *Interp, c *Call) Value{}
	// builtins are the names that need no import.
	builtins = map[string]Value{}
)

// aliases are other names under which the same thing is imported.
var aliases = [][2]string{
	{"omegaconf.omegaconf.", "omegaconf."},
	{"six.moves.", ""},
	{"ruamel.yaml.", "yaml."},
	{"ruamel_yaml.", "yaml."},
	{"ujson.", "json."},
	{"simplejson.", "json."},
	{"mmcv.", "mmengine."},
	{"yacs.config.CfgNode", "yacs.CfgNode"},
	{"fvcore.common.config.CfgNode", "yacs.CfgNode"},
	{"typing_extensions.", "typing."},
	{"pytorch_lightning.", "lightning."},
	{"lightning.pytorch.", "lightning."},
	{"numpy.", "np."},
	{"posixpath.", "os.path."},
}

// canonicalName is the name under which a library's part is looked up here.
func canonicalName(name string) string {
	for _, a := range aliases {
		if strings.HasPrefix(name, a[0]) {
			return a[1] + name[len(a[0]):]
		}
	}
	return name
}

func builtin(name string, run func(in *Interp, c *Call) Value) {
	builtins[name] = Value{Kind: NativeKind, Ref: &Native{Name: name, Run: run}}
}

func native(run func(in *Interp, c *Call) Value, names ...string) {
	for _, n := range names {
		natives[n] = run
	}
}

// first is the first argument, or unknown.
func (c *Call) first() Value {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	if len(c.Kw) > 0 {
		return c.Kw[0].Value
	}
	return unknown("%s without an argument", c.Name)
}

// text is an argument's text.
func (c *Call) text(name string, position int) (string, bool) {
	v, ok := c.Arg(name, position)
	return v.Text, ok && v.Kind == Str
}

// callbacks runs what a library calls back when it is called.
func (in *Interp) callbacks(c *Call) {
	if f, ok := callbackRules[canonicalName(c.Name)]; ok && in.depth < in.budget.Depth-10 {
		f(in, c)
	}
}

// tryCall calls a method of an object of the repository, if it has it, as code
// that surely runs.
func (in *Interp) tryCall(self Value, name string, args ...Value) (out Value, ok bool) {
	o := self.Object()
	if o == nil {
		return none(), false
	}
	f, _, found := o.Class.lookup(name)
	if !found || f.Kind != FunctionKind {
		return none(), false
	}
	before := in.state
	defer func() {
		if e := recover(); e != nil {
			r, isRaise := e.(raised)
			if !isRaise {
				panic(e)
			}
			in.state = before
			in.note("%s.%s: %s: %s", o.Class.Name, name, r.class, r.text)
			out = unknown("%s", r.text)
		}
	}()
	return in.call(Value{Kind: MethodKind, Ref: &Method{Self: self, Func: f}}, &Call{Name: name, Args: args}, nil), true
}
