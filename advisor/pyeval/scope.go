package pyeval

import "slices"

func sortStrings(s []string) { slices.Sort(s) }

// scope is where names are bound: a module's globals, a function's locals, a
// class body.
type scope struct {
	vars    *Dict
	parent  *scope // enclosing function's scope; nil below the module
	module  *Module
	globals map[string]bool // names declared global
	outer   map[string]bool // names declared nonlocal
	class   *Class          // set in a class body
	fn      *Function
	result  Value // what the function may have returned already, behind unknown conditions
	may     bool  // result is set
	yields  *List
}

func (m *Module) scope() *scope { return &scope{vars: m.globals, module: m} }

// find looks a name up from the inside out.
func (in *Interp) find(s *scope, name string) (Value, bool) {
	if !s.globals[name] {
		for at := s; at != nil; at = at.parent {
			if at.vars == s.module.globals {
				break
			}
			if at != s && at.class != nil {
				continue // a class body is not seen from within its methods
			}
			if v, ok := at.vars.Get(name); ok {
				return in.settle(at.vars, name, v), true
			}
		}
	}
	if v, ok := in.moduleGet(s.module, name); ok {
		return v, true
	}
	if v, ok := builtins[name]; ok {
		return v, true
	}
	return Value{}, false
}

// settle resolves a name that was imported lazily. Modules that import one
// another in a circle find nothing.
func (in *Interp) settle(vars *Dict, name string, v Value) Value {
	l, lazy := v.Ref.(*lazyName)
	if !lazy {
		return v
	}
	if l.module.globals == vars && l.name == name { // from . import name
		if sub := in.locate(l.module.Name + "." + name); sub != nil {
			v = Value{Kind: ModuleKind, Ref: sub}
			vars.set(str(name), v)
			return v
		}
	}
	if l.busy {
		return unknown("%s is imported in a circle", name)
	}
	l.busy = true
	defer func() { l.busy = false }()
	got := in.moduleAttr(l.module, l.name)
	vars.set(str(name), got)
	return got
}

// bind sets a name where the scope says it belongs.
func (in *Interp) bind(s *scope, name string, v Value) {
	vars := s.vars
	switch {
	case s.globals[name]:
		vars = s.module.globals
	case s.outer[name]:
		for at := s.parent; at != nil; at = at.parent {
			if _, ok := at.vars.Get(name); ok {
				vars = at.vars
				break
			}
		}
	}
	if vars != s.vars && in.weakly(vars.born) {
		if old, ok := vars.Get(name); ok {
			v = join(old, v)
		}
	}
	if vars == s.module.globals && v.Origin != nil {
		if old, ok := vars.Get(name); ok && old.Known() && old.Origin != nil && !descends(v.Origin, old.Origin, 6) {
			v.Origin = v.Origin.Over(old.Origin)
		}
	}
	vars.set(str(name), v)
	in.assigned(s, name, v)
}

// assigned keeps plain values that code binds to names: the last ones say what
// a name ended as.
func (in *Interp) assigned(s *scope, name string, v Value) {
	switch v.Kind {
	case Int, Float, Str, Bool, CandidatesKind:
	default:
		return
	}
	if len(in.saw.Assigned) >= in.budget.Calls || len(name) < 2 || s.class != nil {
		return
	}
	in.saw.Assigned = append(in.saw.Assigned, Assignment{Name: name, Value: v, Func: in.funcName, Doubt: in.doubt > 0, InLoop: in.loop != nil, Seq: len(in.saw.Calls)})
}

// weakly reports whether a container that was born at a moment may only be
// added to: the code that changes it may not run, or may run several times.
func (in *Interp) weakly(born int) bool { return in.weakFrom > 0 && born < in.weakFrom }
