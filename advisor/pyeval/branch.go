package pyeval

// execIf follows the branch that runs, or each that may run.
func (in *Interp) execIf(s *scope, n *node) flow {
	in.bounds(s, n.get("condition"), n.get("consequence"))
	yes, known := in.condition(s, n.get("condition"))
	if known && !yes && in.comesRound(s, n.get("condition"), n.get("consequence")) {
		known = false
	}
	rest := n.all("alternative")
	if known {
		switch {
		case !yes:
			in.passed(s, n.get("condition"), n.get("consequence"))
			return in.otherwise(s, rest)
		case in.guards(s, n.get("condition"), n.get("consequence")):
			return next
		}
		return in.within(s, n.get("condition"), n.get("consequence"))
	}
	return in.either(s, func() flow { return in.everyNth(s, n.get("condition"), n.get("consequence")) }, func() flow { return in.otherwise(s, rest) })
}

// otherwise runs the elif and else clauses that follow a condition that does
// not hold.
func (in *Interp) otherwise(s *scope, clauses []*node) flow {
	if len(clauses) == 0 {
		return next
	}
	c := clauses[0]
	if c.kind == "else_clause" {
		return in.body(s, c.get("body"))
	}
	in.line = in.at(s, c, "")
	in.bounds(s, c.get("condition"), c.get("consequence"))
	yes, known := in.condition(s, c.get("condition"))
	if known {
		if yes {
			return in.within(s, c.get("condition"), c.get("consequence"))
		}
		in.passed(s, c.get("condition"), c.get("consequence"))
		return in.otherwise(s, clauses[1:])
	}
	return in.either(s, func() flow { return in.everyNth(s, c.get("condition"), c.get("consequence")) }, func() flow { return in.otherwise(s, clauses[1:]) })
}

// outcome is how one of two possible branches ended.
type outcome struct {
	flow   flow
	dead   *raised
	vars   *Dict
	result Value
	may    bool
}

// either follows two branches of which nobody knows which runs, from the same
// state, and joins what they left. A branch that raises is taken not to run.
func (in *Interp) either(s *scope, a, b func() flow) flow {
	before, result, may := s.vars.copy(), s.result, s.may
	in.work(before.Len() / 4)
	weak := in.weakFrom
	in.doubt++
	run := func(f func() flow) (o outcome) {
		*s.vars = *before.copy() // in place: functions that are called look at the same names
		s.result, s.may = result, may
		in.weakFrom = in.born()
		func() {
			saved := in.state
			defer func() {
				switch e := recover().(type) {
				case nil:
				case raised:
					o.dead = &e
					in.state = saved
				default:
					panic(e)
				}
			}()
			o.flow = f()
		}()
		o.vars, o.result, o.may = s.vars.copy(), s.result, s.may
		return o
	}
	x := run(a)
	y := run(b)
	in.doubt--
	in.weakFrom = weak
	keep := func(vars *Dict) { *s.vars = *vars }
	ended := func(o outcome) bool { return o.dead != nil || o.flow == returned }
	switch {
	case x.dead != nil && y.dead != nil:
		keep(y.vars)
		s.result, s.may = result, may
		panic(*y.dead)
	case x.dead != nil:
		keep(y.vars)
		s.result, s.may = y.result, y.may
		return y.flow
	case y.dead != nil:
		keep(x.vars)
		s.result, s.may = x.result, x.may
		return x.flow
	case ended(x) && ended(y):
		keep(x.vars)
		s.result, s.may = join(x.result, y.result), true
		return returned
	case ended(x):
		keep(y.vars)
		s.result, s.may = mayReturn(x, y)
		return y.flow
	case ended(y):
		keep(x.vars)
		s.result, s.may = mayReturn(y, x)
		return x.flow
	}
	keep(joinVars(x.vars, y.vars))
	s.result, s.may = mayReturn(x, y)
	if x.flow == y.flow {
		return x.flow
	}
	return next
}

func mayReturn(a, b outcome) (Value, bool) {
	switch {
	case a.may && b.may:
		return join(a.result, b.result), true
	case a.may:
		return a.result, true
	}
	return b.result, b.may
}

func joinVars(a, b *Dict) *Dict {
	out := a.copy()
	for i, k := range b.keys {
		v := b.values[i]
		old, ok := out.getNear(i, k)
		if ok {
			if _, lazy := old.Ref.(*lazyName); lazy || old.identical(v) {
				continue
			}
			if _, lazy := v.Ref.(*lazyName); !lazy {
				v = join(old, v)
			}
		}
		out.set(k, v)
	}
	return out
}
