package pyeval

import "strings"

const (
	loopItems = 1000  // items that a for loop goes through one by one
	loopRange = 200   // the same for counted loops
	loopSteps = 15000 // steps after which the rest of a loop's rounds is followed as one
	listItems = 20000 // items that a comprehension or list() makes
	listSteps = 60000 // steps after which a comprehension leaves the rest of its items out
)

// trains reports whether a loop's body looks like training: it is followed
// once, whatever the number of its rounds.
func (in *Interp) trains(s *scope, body *node) bool {
	for _, k := range body.kids {
		if k.kind == "call" {
			name := leafText(k.get("function"))
			if i := strings.LastIndex(name, "."); i >= 0 {
				name = name[i+1:]
			}
			if name == "backward" || name == "step" || name == "zero_grad" || strings.HasPrefix(name, "train") || strings.HasPrefix(name, "eval") || name == "validate" || name == "test" || strings.Contains(name, "epoch") || strings.HasPrefix(name, "update") && !in.updatesDict(s, k.get("function")) {
				return true
			}
		}
		if in.trains(s, k) {
			return true
		}
	}
	return false
}

// updatesDict reports whether "x.update(...)" merges one dictionary into another,
// as programs do that read several configuration files.
func (in *Interp) updatesDict(s *scope, fn *node) bool {
	if fn.kind != "attribute" || fn.get("attribute").text != "update" || fn.get("object").kind != "identifier" {
		return false
	}
	v, ok := in.find(s, fn.get("object").text)
	return ok && (v.Kind == DictKind || v.Kind == SetKind)
}

func (in *Interp) execFor(s *scope, n *node) flow {
	over := in.eval(s, n.get("right"))
	l := in.newLoop(s, n, over, false)
	outer := in.loop
	in.loop = l
	defer func() { in.loop = outer }()
	body, target := n.get("body"), n.get("left")
	limit := loopItems
	if e := over.External(); e != nil && e.Name == "builtins.range" {
		limit = loopRange
	}
	items, whole := in.iterate(over, limit)
	if whole && len(items) > 0 && in.trains(s, body) {
		whole = false
	}
	f := next
	if whole {
		start := in.steps
		for i, item := range items {
			bind := func() { in.assign(s, target, item.by(over.Origin)) }
			if in.steps-start > loopSteps && i < len(items)-1 {
				f = in.once(s, body, bind)
				break
			}
			bind()
			f = in.body(s, body)
			if f == broke || f == returned {
				break
			}
		}
	} else if l, ok := over.Ref.(*List); ok && l.Open && len(items) > 1 && len(items) <= 64 && !in.trains(s, body) {
		for _, item := range items { // each may be there
			in.doubt++
			f = in.once(s, body, func() { in.assign(s, target, item.by(over.Origin)) })
			in.doubt--
			if f == returned {
				f = next
			}
		}
	} else {
		sample := in.sample(over, items)
		follow := func() { f = in.once(s, body, func() { in.assign(s, target, sample) }) }
		if len(items) > 0 || over.Known() && over.Kind != ExternalKind {
			follow()
		} else {
			in.perhaps(follow) // nobody knows that there is an item at all
		}
	}
	if f == returned {
		return f
	}
	if e := n.get("alternative"); e != nil && f != broke {
		return in.body(s, e.get("body"))
	}
	return next
}

// perhaps follows code that may not run at all: an exception in it ends
// nothing.
func (in *Interp) perhaps(f func()) {
	depth, loop, trying, name, doubt, handling, weak := in.depth, in.loop, in.trying, in.funcName, in.doubt, in.handling, in.weakFrom
	defer func() {
		switch e := recover().(type) {
		case nil:
		case raised:
			in.note("%s: %s (perhaps)", e.class, e.text)
			in.depth, in.loop, in.trying, in.funcName, in.doubt, in.handling, in.weakFrom = depth, loop, trying, name, doubt, handling, weak
		default:
			panic(e)
		}
	}()
	f()
}

func (in *Interp) execWhile(s *scope, n *node) flow {
	l := in.newLoop(s, n, unknown("a while loop"), true)
	outer := in.loop
	in.loop = l
	defer func() { in.loop = outer }()
	cond, body := n.get("condition"), n.get("body")
	in.comparisons(s, cond)
	if !in.trains(s, body) {
		start := in.steps
		for range loopRange {
			if in.steps-start > loopSteps {
				break
			}
			yes, known := in.condition(s, cond)
			if known && !yes {
				return next
			}
			if !known || cond.kind == "true" {
				break
			}
			if f := in.body(s, body); f == broke {
				return next
			} else if f == returned {
				return f
			}
		}
	}
	if yes, known := in.condition(s, cond); known && !yes {
		return next
	}
	if f := in.once(s, body, func() {}); f == returned && cond.kind == "true" {
		return f
	}
	if flag := negated(cond); flag != nil { // "while not done"
		in.comparisons(s, flag)
	}
	return next
}

// negated is the name in "not name", or nil.
func negated(cond *node) *node {
	if cond != nil && cond.kind == "parenthesized_expression" && len(cond.kids) == 1 {
		return negated(cond.kids[0])
	}
	if cond == nil || cond.kind != "not_operator" {
		return nil
	}
	for _, k := range cond.kids {
		if k.kind == "identifier" {
			return k
		}
	}
	return nil
}

// once follows a body a single time in place of many: what it changes outside
// of itself is only partly known afterwards.
func (in *Interp) once(s *scope, body *node, bind func()) flow {
	weak := in.weakFrom
	in.weakFrom = in.born()
	before := s.vars.copy()
	in.work(before.Len() / 8)
	bind()
	counted := map[string]bool{}
	counts(body, counted)
	in.counted = append(in.counted, counted)
	f := in.body(s, body)
	in.counted = in.counted[:len(in.counted)-1]
	in.weakFrom = weak
	for i, k := range s.vars.keys {
		v := s.vars.values[i]
		old, had := before.getNear(i, k)
		switch {
		case counted[k.Text]:
			s.vars.put(i, unknown("%s changes in a loop", k.Text))
		case had && !old.identical(v) && !same(old, v):
			if _, lazy := old.Ref.(*lazyName); !lazy {
				s.vars.put(i, join(old, v))
			}
		}
	}
	if f == returned && body.kind == "block" && len(body.kids) > 0 && body.kids[len(body.kids)-1].kind != "return_statement" {
		return next // it returned in some round, if at all
	}
	return f
}

// counts collects the names that a body changes in place.
func counts(n *node, names map[string]bool) {
	for _, k := range n.kids {
		if k.kind == "augmented_assignment" {
			if left := k.get("left"); left.kind == "identifier" {
				names[left.text] = true
			}
		}
		if k.kind != "function_definition" && k.kind != "class_definition" {
			counts(k, names)
		}
	}
}

// iterate lists what an iterable gives, up to a limit; whole is false when
// items are missing or nobody knows them.
func (in *Interp) iterate(v Value, limit int) (items []Value, whole bool) {
	defer func() { in.work(len(items) / 4) }()
	switch v.Kind {
	case ListKind, TupleKind, SetKind:
		l := v.Ref.(*List)
		if len(l.Items) > limit {
			return l.Items[:limit], false
		}
		return append([]Value(nil), l.Items...), !l.Open
	case DictKind:
		d := v.Ref.(*Dict)
		if d.Len() > limit {
			return d.keys[:limit], false
		}
		for i, k := range d.keys {
			items = append(items, k.by(d.values[i].Origin))
		}
		return items, !d.Open
	case Str:
		for _, r := range v.Text {
			if len(items) >= limit {
				return items, false
			}
			items = append(items, str(string(r)).with(v.Origin))
		}
		return items, true
	case ExternalKind:
		e := v.External()
		if e.Name == "builtins.range" && e.Call != nil {
			return rangeItems(e.Call, v, limit)
		}
		if e.Call != nil && e.Name == e.Call.Name {
			switch e.Name { // containers of parts of a network
			case "torch.nn.ModuleList", "torch.nn.ParameterList":
				if len(e.Call.Args) == 0 {
					return nil, !e.Call.Open
				}
				return in.iterate(e.Call.Args[0], limit)
			case "torch.nn.Sequential":
				return e.Call.Args, !e.Call.Open
			}
		}
	case ObjectKind:
		o := v.Object()
		if iter, _, ok := o.Class.lookup("__iter__"); ok && iter.Kind == FunctionKind && in.depth < in.budget.Depth-10 {
			got := in.call(Value{Kind: MethodKind, Ref: &Method{Self: v, Func: iter}}, &Call{Name: "__iter__"}, nil)
			if got.Kind != ObjectKind {
				return in.iterate(got, limit)
			}
		}
		if o.Class.native() == "dict" {
			return in.iterate(Value{Kind: DictKind, Ref: o.Attrs, Origin: v.Origin}, limit)
		}
		if n, ok := o.Attrs.Get("_items"); ok {
			return in.iterate(n, limit)
		}
	case ClassKind: // an enumeration
		c := v.Ref.(*Class)
		if !in.isEnum(c) {
			return nil, false
		}
		for _, k := range append([]Value(nil), c.attrs.keys...) {
			if member := in.classAttr(v, k.Text); member.Kind == ObjectKind && !strings.HasPrefix(k.Text, "_") {
				items = append(items, member)
			}
		}
		return items, true
	}
	return nil, false
}

func rangeItems(c *Call, v Value, limit int) (items []Value, whole bool) {
	from, to, by := int64(0), int64(0), int64(1)
	num := func(i int) (int64, bool) {
		a := c.Args[i]
		return a.Int, a.Kind == Int || a.Kind == Bool
	}
	ok := len(c.Args) > 0 && len(c.Args) <= 3
	for i := range c.Args {
		n, is := num(i)
		ok = ok && is
		switch {
		case len(c.Args) == 1:
			to = n
		case i == 0:
			from = n
		case i == 1:
			to = n
		case i == 2:
			by = n
		}
	}
	if !ok || by == 0 {
		return nil, false
	}
	for i := from; (by > 0 && i < to) || (by < 0 && i > to); i += by {
		if len(items) >= limit {
			return items, false
		}
		items = append(items, integer(i).with(v.Origin))
	}
	return items, true
}

// sampleOf is one item of an iterable that stands for all.
func (in *Interp) sampleOf(over Value) Value {
	items, _ := in.iterate(over, 1)
	return in.sample(over, items)
}

// sample is one item that stands for all.
func (in *Interp) sample(over Value, items []Value) Value {
	e := over.External()
	if o := over.Object(); o != nil {
		if p, ok := o.data.(pairs); ok && len(items) == 0 {
			if p.all == nil {
				return tuple(unknown("the number of a round"), in.sampleOf(p.over))
			}
			var row []Value
			for _, v := range p.all {
				row = append(row, in.sampleOf(v))
			}
			return tuple(row...)
		}
	}
	switch {
	case e != nil && e.Name == "builtins.range":
		return unknown("the number of a round")
	case e != nil:
		return Value{Kind: ExternalKind, Ref: &External{Name: e.Name + ".__next__", Call: e.Call}}
	case len(items) > 0:
		return items[0]
	}
	return unknown("an item of a loop over %s", over.String())
}
