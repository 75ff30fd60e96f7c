package resolve

import (
	"math"
	"slices"
	"strings"
	"time"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/source"
	"schedmate/advisor/workload"
)

// view is what the rules look at: the launch, what the program was seen to do,
// and the fields answered so far.
type view struct {
	root   *source.Root
	launch *launch.Launch
	run    *launch.Invocation
	obs    *pyeval.Observations
	md     *workload.Metadata

	deadline time.Time // zero: none

	names     map[string][]named // last part of a name, normalised -> values
	loading   bool               // names are of files as they were read
	blind     bool               // the program was not followed: only the launch tells
	train     *training
	model     *modelName         // nil when none was found
	several   map[callPlace]bool // places of calls with more than one name; see oneOfSeveral
	called    map[string][]int   // last names of the observed calls -> their places among them; nil until asked for
	sizes     map[string]size    // the first size under each name that something is built with; nil until asked for
	reach     *reach             // what the optimisers get; nil until it is asked for
	optimised *reach             // that, and what it was filled from; nil until it is asked for
}

// named is one value that the program keeps under a name.
type named struct {
	path     string // "args.lr", "trainer.max_steps"
	value    pyeval.Value
	config   bool // of a configuration object or the command line, not of a plain variable
	doubt    bool // bound behind an unknown condition
	local    bool // a name of a part in a function
	fallback bool // what a library takes for what it is not told
	seq      int
}

// training is the loop that trains, as far as it was found.
type training struct {
	step  *pyeval.Call   // the call that steps the optimiser or runs backward
	loops []*pyeval.Loop // around it, innermost first
}

const maxNamed = 50000

// gather collects names from configuration objects, from variables and from
// the top of the entry script.
func (v *view) gather() {
	v.names = map[string][]named{}
	for _, a := range v.obs.Assigned {
		v.name(named{path: a.Name, value: a.Value, seq: a.Seq, doubt: a.Doubt, local: a.Func != "" && slices.Contains(partNames, normal(a.Name))})
	}
	if v.obs.Entry != nil { // a script may be its own configuration
		v.obs.Entry.Globals(func(name string, x pyeval.Value) {
			if !strings.HasPrefix(name, "_") {
				v.name(named{path: name, value: x, config: true, seq: 1 << 30})
			}
		})
	}
	for _, c := range v.obs.Configs {
		v.walk("", c, 0, map[*pyeval.Dict]bool{})
	}
	v.gatherLoaded()
	v.modelConfigs()
	v.gatherTrainer()
	v.gatherTyped()
}

func (v *view) walk(prefix string, value pyeval.Value, depth int, seen map[*pyeval.Dict]bool) {
	d := value.Dict()
	if o := value.Object(); o != nil {
		d = o.Attrs
	}
	if depth > 8 || d != nil && seen[d] {
		return
	}
	if d != nil {
		seen[d] = true
		d.Each(func(k, item pyeval.Value) {
			if k.Kind != pyeval.Str {
				return
			}
			path := k.Text
			if prefix != "" {
				path = prefix + "." + k.Text
			}
			v.name(named{path: path, value: item, config: true, seq: 1 << 30})
			v.walk(path, item, depth+1, seen)
		})
		return
	}
	if items, ok := value.Items(); ok && len(items) <= 64 {
		for _, item := range items {
			if item.Dict() != nil || item.Object() != nil {
				v.walk(prefix, item, depth+1, seen)
			}
		}
	}
}

func (v *view) name(n named) {
	switch n.value.Kind {
	case pyeval.Unknown, pyeval.FunctionKind, pyeval.ModuleKind, pyeval.NativeKind, pyeval.MethodKind:
		return
	}
	n.fallback = n.fallback || v.loading
	key := normal(lastPart(n.path))
	most := 64
	if n.config { // plain variables may not crowd them out
		most = 128
	}
	if len(v.names[key]) < most && len(v.names) < maxNamed {
		v.names[key] = append(v.names[key], n)
	}
}

func lastPart(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[i+1:]
	}
	return path
}

// normal is a name without the differences of style: "--Batch-Size" and
// "batch_size" are one.
func normal(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, "-_")), "-", "_")
}

// lookup finds the value of the first of several names that the program keeps.
// A plain variable that was computed from a configuration value of the same
// name is what the program goes on with.
func (v *view) lookup(want func(pyeval.Value) bool, keys ...string) (pyeval.Value, string, bool) {
	return v.lookupAmong(func(n *named) bool { return want(n.value) }, keys...)
}

// lookupAmong is lookup with a choice among the kept values.
func (v *view) lookupAmong(want func(*named) bool, keys ...string) (pyeval.Value, string, bool) {
	for _, key := range keys {
		path := ""
		if i := strings.LastIndexByte(key, '.'); i >= 0 {
			path, key = key, key[i+1:]
		}
		var best *named
		all := v.names[key]
		for i := range all {
			n := &all[i]
			if !want(n) || path != "" && n.path != path && !strings.HasSuffix(n.path, "."+path) {
				continue
			}
			if best == nil || better(n, best) {
				best = n
			}
		}
		if best != nil {
			return best.value, best.path, true
		}
	}
	return pyeval.Value{}, "", false
}

// all lists the values under a name, the best first.
func (v *view) all(key string) []named {
	sorted := slices.Clone(v.names[key])
	slices.SortStableFunc(sorted, func(a, b named) int {
		switch {
		case better(&a, &b) && !better(&b, &a):
			return -1
		case better(&b, &a) && !better(&a, &b):
			return 1
		}
		return 0
	})
	return sorted
}

// better reports whether a value is a better answer for a name than another.
func better(n, than *named) bool {
	if n.fallback != than.fallback {
		if n.fallback && !than.config && !descends(than.value.Origin, n.value.Origin) {
			return true // a plain variable of the same name may be anything
		}
		return than.fallback && (n.config || descends(n.value.Origin, than.value.Origin))
	}
	if n.doubt != than.doubt {
		return than.doubt
	}
	if n.config != than.config {
		if descends(n.value.Origin, than.value.Origin) {
			return true
		}
		if descends(than.value.Origin, n.value.Origin) {
			return false
		}
		return n.config
	}
	if n.config {
		if n.value.Origin.Overrides(than.value.Origin) {
			return true
		}
		if than.value.Origin.Overrides(n.value.Origin) {
			return false
		}
		if a, b := written(n.value.Origin), written(than.value.Origin); a != b { // not a default of another part
			return a
		}
		return depth(n.path) < depth(than.path)
	}
	return n.seq >= than.seq
}

// written reports whether a value was written for this run, in the command or a
// configuration file, over a default of the code.
func written(o *origin.Origin) bool {
	if o == nil || o.Beat == nil || o.Beat.Kind != origin.Python {
		return false
	}
	switch o.Kind {
	case origin.CLI, origin.YAML, origin.JSON, origin.TOML, origin.Shell:
		return true
	}
	return false
}

func depth(path string) int { return strings.Count(path, ".") }

// descends reports whether o was computed from another origin.
func descends(o, from *origin.Origin) bool {
	if o == nil || from == nil || o == from {
		return false
	}
	for _, f := range o.From {
		if f == from || f != nil && f.String() == from.String() || descends(f, from) {
			return true
		}
	}
	return false
}

func isNumber(x pyeval.Value) bool {
	_, ok := x.Number()
	return ok && x.Kind != pyeval.Bool
}

func isPositive(x pyeval.Value) bool {
	n, ok := x.Number()
	return ok && x.Kind != pyeval.Bool && n > 0 && !math.IsInf(n, 1)
}

func isText(x pyeval.Value) bool { return x.Kind == pyeval.Str && x.Text != "" }

// number finds a positive number under one of several names.
func (v *view) number(keys ...string) (float64, *origin.Origin, bool) {
	x, _, ok := v.lookup(isPositive, keys...)
	if !ok {
		return 0, nil, false
	}
	n, _ := x.Number()
	return n, x.Origin, true
}

// only finds a positive number that stands alone in a list, under one of several
// names: options of a value for each epoch are written so.
func (v *view) only(keys ...string) (float64, *origin.Origin, bool) {
	x, _, ok := v.lookup(func(x pyeval.Value) bool {
		items, whole := x.Items()
		return whole && len(items) == 1 && isPositive(items[0])
	}, keys...)
	if !ok {
		return 0, nil, false
	}
	items, _ := x.Items()
	n, _ := items[0].Number()
	return n, or(items[0].Origin, x.Origin), true
}

// flag reports a switch that is on.
func (v *view) flag(keys ...string) (*origin.Origin, bool) {
	for _, key := range keys {
		x, _, ok := v.lookup(func(x pyeval.Value) bool { return x.Kind == pyeval.Bool || x.Kind == pyeval.Int }, key)
		if ok && x.Int != 0 {
			return x.Origin, true
		}
	}
	return nil, false
}

// text finds a text under one of several names.
func (v *view) text(keys ...string) (string, *origin.Origin, bool) {
	x, _, ok := v.lookup(isText, keys...)
	return x.Text, x.Origin, ok
}

// set answers a field, unless it was answered before or the value is not of
// the field.
func (v *view) set(f workload.Field, value any, at *origin.Origin) bool {
	if _, done := v.md.Values[f]; done {
		return true
	}
	switch n := value.(type) {
	case int:
		value = float64(n)
	case int64:
		value = float64(n)
	}
	if at == nil || workload.Check(f, value) != nil {
		return false
	}
	v.md.Values[f] = workload.Value{Value: value, Origin: at}
	delete(v.md.Candidates, f)
	delete(v.md.Unknown, f)
	return true
}

// has reports whether a field is answered.
func (v *view) has(f workload.Field) bool {
	_, ok := v.md.Values[f]
	return ok
}

// candidates offers several values of which the code does not decide one.
func (v *view) candidates(f workload.Field, x pyeval.Value) {
	if v.has(f) {
		return
	}
	for _, a := range x.Alternatives() {
		var value any = a.Text
		if n, ok := a.Number(); ok {
			value = n
		}
		at := a.Origin
		if at == nil {
			at = x.Origin
		}
		if at != nil && workload.Check(f, value) == nil {
			v.md.Candidates[f] = append(v.md.Candidates[f], workload.Value{Value: value, Origin: at})
		}
	}
}

// calls lists the observed calls whose name ends in one of the given last
// names.
func (v *view) calls(last ...string) []*pyeval.Call {
	if v.called == nil {
		v.called = map[string][]int{}
		for i, c := range v.obs.Calls {
			name := lastPart(strings.TrimSuffix(c.Name, "()"))
			v.called[name] = append(v.called[name], i)
		}
	}
	var at []int
	for _, name := range last {
		at = append(at, v.called[name]...)
	}
	if len(last) > 1 { // back into the order of the program
		slices.Sort(at)
		at = slices.Compact(at)
	}
	all := make([]*pyeval.Call, len(at))
	for i, n := range at {
		all[i] = v.obs.Calls[n]
	}
	return all
}

// sure prefers calls that are not behind unknown conditions.
func sure(calls []*pyeval.Call) []*pyeval.Call {
	var all []*pyeval.Call
	for _, c := range calls {
		if !c.Doubt {
			all = append(all, c)
		}
	}
	if len(all) > 0 {
		return all
	}
	return calls
}

// why notes why a field stays empty.
func (v *view) why(f workload.Field, reason string) {
	if !v.has(f) && v.md.Unknown[f] == "" {
		v.md.Unknown[f] = reason
	}
}

func isBool(x pyeval.Value) bool { return x.Kind == pyeval.Bool }
