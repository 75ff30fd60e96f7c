package verify_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/schedtest"
	"schedmate/scheduler/verify"
)

var (
	corruptions    = flag.Int("corruptions", 1000, "how many corrupted plans to try at least")
	corruptionSeed = flag.Uint64("corruption-seed", 11, "which corrupted plans are tried")
)

const anyChange = "other known unknown empty add drop swap duplicate +1 -1 zero huge negative"

// equallyValid lists the corruptions that the laws alone need not refuse, and
// why: the corrupted plan is another plan that could be carried out as well, or
// says something else that the laws cannot know better. Only the seal tells that
// it is not what the policy has said.
var equallyValid = []struct{ field, ops, why string }{
	{"policy", "other known unknown", "another policy may have made the same plan"},
	{"engine", "other known unknown", "another solver may have made the same plan"},
	{"value", "+1 -1 zero negative", "what a solver has reached is its own to say, up to the bound"},
	{"bound", "+1 -1 zero huge", "what a solver has proved is its own to say, down to the value"},
	{"budget_used", "+1 -1 zero huge", "what a solver has used is its own to say"},
	{"wake_s", "+1 -1 zero huge", "the host may plan again whenever it likes"},
	{"memory", anyChange, "what a policy wants to remember is its own to say"},
	{"memory[].kind", anyChange, "what a policy wants to remember is its own to say"},
	{"memory[].job", anyChange, "what a policy wants to remember is its own to say"},
	{"memory[].node", anyChange, "what a policy wants to remember is its own to say"},
	{"memory[].numbers", anyChange, "what a policy wants to remember is its own to say"},
	{"memory[].numbers[]", anyChange, "what a policy wants to remember is its own to say"},
	{"promises", "drop swap", "whom a policy tells something, and in which order, is its own to say"},
	{"promises[].state", "other known", "whether a promise was given before is not in the plan"},
	{"promises[].deadline_s", "known +1 -1 zero huge", "which of a job's own deadlines is meant is the policy's to say"},
	{"promises[].cause", "other known unknown", "why a deadline will not be met is the policy's to say, in one word"},
	{"measures", "drop swap", "whom a policy measures, and in which order, is its own to say"},
	{"measures[].job", "known", "another job that waits may be measured as well"},
	{"measures[].until_s", "+1 -1 huge", "how long a measurement takes is the policy's own to say"},
	{"measures[].allocations", "drop", "on how many of its GPUs a job is measured is the policy's own to say"},
	{"measures[].allocations[].node", "known", "a free GPU of another node does as well"},
	{"measures[].allocations[].gpu", "+1 -1 zero", "another free GPU of the node does as well"},
	{"actions", "drop_park", "that a job counts as started takes no GPU, and it waits with a reason in either case"},
	{"actions", "drop_move", "a job that is not moved keeps what it has, where nobody else comes there"},
	{"actions", "swap", "actions that do not build on each other may come in any order"},
	{"actions[].lease_until_s", "+1 -1 zero huge", "what a policy means to promise is its own to say"},
	{"actions[].packed.beside", "known", "which of several that share its GPUs is meant is the policy's to say"},
	{"actions[].packed.speed_milli", "+1 -1 zero", "an expectation"},
	{"actions[].packed.beside_speed_milli", "+1 -1 zero", "an expectation"},
	{"actions[].undo.beside", "known", "which of several that share its GPUs is meant is the policy's to say"},
	{"actions[].undo.slower", "known", "which of the two has become slower is not in the plan"},
	{"actions[].undo.ratio_milli", "+1 -1", "what has been measured is not in the plan"},
	{"actions[].undo.tolerated_milli", "+1 -1", "what is tolerated is the policy's own to say"},
	{"actions[].undo.steps", "+1 -1 huge", "what has been measured is not in the plan"},
	{"actions[].profile", "flip", "what a start is for is the policy's own to say"},
	{"actions[].allocations[].share", "+1 -1", "how much of a GPU is left to others is the policy's own to say"},
	{"actions[].allocations[].node", "known", "a free GPU of another node does as well"},
	{"actions[].allocations[].gpu", "+1 -1 zero", "another free GPU of the node does as well"},
	{"reasons[].code", "other", "which of several reasons binds is found by asking the policy"},
	{"reasons[].blockers", "swap", "in which order blockers are served is the policy's to say"},
	{"reasons[].ahead", "+1 -1", "how many go first is the policy's to say, where they are not named"},
	{"reasons[].blockers", "add drop", "which of them are named is the policy's to say, where all others are held"},
	{"reasons[].blockers[]", "known", "which of them are named is the policy's to say, where all others are held"},
	{"reasons[].change.hold_others", "flip", "who must step aside is found by asking the policy"},
	{"reasons[].until_s", "+1 -1 zero huge", "an expectation"},
	{"reasons[].change.resize_gpus", "+1 -1 zero", "which gang starts is found by asking the policy"},
	{"reasons[].change.any_gpu_type", "flip", "whether the type matters is found by asking the policy"},
	{"reasons[].change.vc", "known empty", "where the job fits is found by asking the policy"},
	{"reasons[].change.quota_gpus", "+1 -1 zero", "which quota is enough is found by asking the policy"},
	{"reasons[].change.restore_nodes", "add drop", "which nodes are enough is found by asking the policy"},
	{"reasons[].change.restore_nodes[]", "known", "which nodes are enough is found by asking the policy"},
	{"reasons[].change.release_jobs", "add drop", "whose end is enough is found by asking the policy"},
	{"reasons[].change.release_jobs[]", "known", "whose end is enough is found by asking the policy"},
}

func whyValid(field, op string) string {
	for _, e := range equallyValid {
		if e.field == field && slices.Contains(strings.Fields(e.ops), op) {
			return e.why
		}
	}
	return ""
}

// Every plan with one field changed is refused, whatever the field and however
// it is changed. The test walks the plan's type, so a field that is added later
// is corrupted, too.
func TestCorruptedPlansAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, *corruptionSeed))
	d := schedtest.Draw(func(lo, hi int) int { return lo + r.IntN(hi-lo+1) })
	variants := schedtest.All()
	packing := slices.DeleteFunc(schedtest.All(), func(v schedtest.Variant) bool {
		return v.Policy.Name() != "packing" && v.Policy.Name() != "lucid"
	})

	tried, byLaw := 0, 0
	rules := map[verify.Rule]int{}
	bySeal := map[string]int{}
	kinds := map[string]int{}
	missing := leaves(reflect.TypeFor[schedmate.Plan](), "") // fields that were not corrupted yet
	for tried < *corruptions || len(missing) > 0 && tried < 50**corruptions {
		s := schedtest.Snapshot(d, schedtest.AnyStyle(d))
		v := variants[d(0, len(variants)-1)]
		if d(0, 4) == 0 { // else pairs would be rare
			v = packing[d(0, len(packing)-1)]
			paired(d, &s)
		}
		valid := scheduler.Plan(v.Policy, s, scheduler.Budget{})
		effort := []explain.Effort{explain.Thorough, explain.Quick, {}}[d(0, 2)]
		valid.Reasons = explain.All(v.Policy, scheduler.Budget{}, s, &valid, effort)
		if d(0, 4) == 0 { // as a solver would answer
			value, bound := int64(d(0, 100)), int64(100)
			valid.Engine, valid.Value, valid.Bound, valid.BudgetUsed = "solver", &value, &bound, int64(d(0, 1000))
		}
		measuring(&s, &valid)
		hash := schedmate.Hash(s)
		valid.Hash = valid.Seal(hash)
		if err := verify.Check(&s, &valid); err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		for range 4 {
			plan := clone(reflect.ValueOf(valid)).Interface().(schedmate.Plan)
			field, op, path := corrupt(d, &s, &plan)
			kind := field + " " + op
			if same(&plan, &valid) {
				continue // drew what was there
			}
			tried++
			kinds[kind]++
			delete(missing, field)
			if err := verify.Check(&s, &plan); err == nil {
				t.Fatalf("%s: %s is not noticed", path, kind)
			}
			if field == "hash" {
				continue // there is nothing but the seal
			}
			if _, err := schedmate.Canonical(plan); err == nil { // else there is no seal to forge
				plan.Hash = plan.Seal(hash)
			}
			err := verify.Check(&s, &plan)
			var broken verify.Violations
			switch {
			case err == nil:
				bySeal[kind]++
				if whyValid(field, op) == "" {
					t.Errorf("%s: only the seal notices %s: name a reason, or a law\nwas %s\nis  %s", path, kind, text(&valid), text(&plan))
				}
			case errors.As(err, &broken):
				byLaw++
				for _, rule := range slices.Compact(slices.Sorted(maps.Keys(ruleSet(broken)))) {
					rules[rule]++
				}
			default:
				t.Fatalf("not Violations: %v", err)
			}
		}
	}
	for field := range missing {
		t.Errorf("field %s was never corrupted", field)
	}
	t.Logf("%d corruptions of %d kinds, all refused; %d by the laws alone: %v", tried, len(kinds), byLaw, rules)
	for _, kind := range slices.Sorted(maps.Keys(bySeal)) {
		field, op, _ := strings.Cut(kind, " ")
		t.Logf("only the seal: %-38s %3d of %3d: %s", kind, bySeal[kind], kinds[kind], whyValid(field, op))
	}
}

func ruleSet(vs verify.Violations) map[verify.Rule]bool {
	set := map[verify.Rule]bool{}
	for _, v := range vs {
		set[v.Rule] = true
	}
	return set
}

func text(p *schedmate.Plan) string {
	b, err := schedmate.Canonical(p)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// same reports whether two plans have the same content; nil lists and empty
// ones are the same content.
func same(a, b *schedmate.Plan) bool {
	// A code that is not declared has no text, so it is compared as it is.
	return reflect.DeepEqual(dense(a), dense(b))
}

func dense(p *schedmate.Plan) any {
	out := clone(reflect.ValueOf(*p))
	walk(out, func(v reflect.Value) {
		if v.Kind() == reflect.Slice && v.Len() == 0 {
			v.SetZero()
		}
	})
	return out.Interface()
}

func walk(v reflect.Value, f func(reflect.Value)) {
	f(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), f)
		}
	}
}

// clone returns a deep copy that can be set.
func clone(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(clone(v.Field(i)))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(clone(v.Index(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(clone(v.Elem()))
		}
	default:
		out.Set(v)
	}
	return out
}

// leaves lists the fields of a type that hold no fields themselves, by the
// names they have in documents.
func leaves(t reflect.Type, path string) map[string]bool {
	out := map[string]bool{}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			name := path
			if name != "" {
				name += "."
			}
			maps.Copy(out, leaves(t.Field(i).Type, name+jsonName(t.Field(i))))
		}
	case reflect.Slice:
		out[path] = true
		maps.Copy(out, leaves(t.Elem(), path+"[]"))
	case reflect.Pointer:
		maps.Copy(out, leaves(t.Elem(), path))
	default:
		out[path] = true
	}
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// site is one place of a plan and the ways to corrupt it.
type site struct {
	field, path string // without and with indices
	value       reflect.Value
}

func sites(v reflect.Value, field, path string) []site {
	switch v.Kind() {
	case reflect.Struct:
		var out []site
		for i := range v.NumField() {
			name := jsonName(v.Type().Field(i))
			if field != "" {
				name = "." + name
			}
			out = append(out, sites(v.Field(i), field+name, path+name)...)
		}
		return out
	case reflect.Slice:
		out := []site{{field, path, v}}
		for i := range v.Len() {
			out = append(out, sites(v.Index(i), field+"[]", fmt.Sprintf("%s[%d]", path, i))...)
		}
		return out
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct {
			if v.IsNil() {
				return nil
			}
			return sites(v.Elem(), field, path)
		}
	}
	return []site{{field, path, v}}
}

// corrupt changes one place of the plan. It draws the field first, so that
// fields of long lists do not drown the others.
func corrupt(d schedtest.Draw, s *schedmate.Snapshot, p *schedmate.Plan) (field, op, path string) {
	all := sites(reflect.ValueOf(p).Elem(), "", "")
	fields := map[string][]site{}
	for _, at := range all {
		fields[at.field] = append(fields[at.field], at)
	}
	names := slices.Sorted(maps.Keys(fields))
	of := fields[names[d(0, len(names)-1)]]
	at := of[d(0, len(of)-1)]
	return at.field, change(d, s, at), at.path
}

func change(d schedtest.Draw, s *schedmate.Snapshot, at site) string {
	v := at.value
	switch v.Kind() {
	case reflect.String:
		switch d(0, 3) {
		case 0:
			v.SetString(v.String() + "x")
			return "other"
		case 1:
			v.SetString(known(d, s, at.field))
			return "known"
		case 2:
			v.SetString("nobody")
			return "unknown"
		}
		v.SetString("")
		return "empty"
	case reflect.Bool:
		v.SetBool(!v.Bool())
		return "flip"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return number(d, v)
	case reflect.Uint8: // a reason's code
		if d(0, 2) == 0 {
			v.SetUint(uint64([]int{0, 9, 255}[d(0, 2)]))
			return "undeclared"
		}
		v.SetUint(uint64(d(1, int(schedmate.HeldBack))))
		return "other"
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			return "set"
		}
		if d(0, 3) == 0 {
			v.SetZero()
			return "unset"
		}
		return number(d, v.Elem())
	case reflect.Slice:
		return list(d, s, at)
	}
	panic("no way to corrupt a " + v.Kind().String())
}

func number(d schedtest.Draw, v reflect.Value) string {
	switch d(0, 4) {
	case 0:
		v.SetInt(v.Int() + 1)
		return "+1"
	case 1:
		v.SetInt(v.Int() - 1)
		return "-1"
	case 2:
		v.SetInt(1 << 30)
		return "huge"
	case 3:
		v.SetInt(-1 << 30)
		return "negative"
	}
	v.SetInt(0)
	return "zero"
}

func list(d schedtest.Draw, s *schedmate.Snapshot, at site) string {
	v := at.value
	op := d(0, 3)
	if v.Len() == 0 || op == 3 { // add something that looks right
		item := reflect.New(v.Type().Elem()).Elem()
		if item.Kind() == reflect.String {
			item.SetString(known(d, s, at.field+"[]"))
		}
		v.Set(reflect.Append(v, item))
		return "add"
	}
	i := d(0, v.Len()-1)
	switch op {
	case 0:
		dropped := v.Index(i).Interface()
		v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())))
		if a, is := dropped.(schedmate.Action); is { // the laws know more of some kinds than of others
			return "drop_" + string(a.Kind)
		}
		return "drop"
	case 1:
		v.Set(reflect.Append(v, clone(v.Index(i))))
		return "duplicate"
	}
	k := d(0, v.Len()-1)
	a, b := clone(v.Index(i)), clone(v.Index(k))
	v.Index(i).Set(b)
	v.Index(k).Set(a)
	return "swap"
}

// known draws an existing name of the kind that the field holds.
func known(d schedtest.Draw, s *schedmate.Snapshot, field string) string {
	var names []string
	switch {
	case strings.HasSuffix(field, ".vc"):
		for _, v := range s.Cluster.VCs {
			names = append(names, v.Name)
		}
	case strings.HasSuffix(field, "node"), strings.HasSuffix(field, "nodes[]"), strings.HasSuffix(field, "nodes"):
		for _, n := range s.Cluster.Nodes {
			names = append(names, n.ID)
		}
	case strings.HasSuffix(field, "kind"):
		names = []string{string(schedmate.Start), string(schedmate.Preempt)}
	case field == "policy":
		names = []string{"fifo", "srtf"}
	case field == "engine":
		names = []string{schedmate.RuleEngine, "solver"}
	default:
		for _, j := range slices.Concat(s.Waiting, s.Running) {
			names = append(names, j.Job.ID)
		}
	}
	if len(names) == 0 {
		return "nobody"
	}
	return names[d(0, len(names)-1)]
}

// paired lets jobs of a snapshot share GPUs, as policies that pack have them: some of
// those that run have a twin on the same GPUs that came later and slows them, and
// those that wait are light.
func paired(d schedtest.Draw, s *schedmate.Snapshot) {
	light := func(j *schedmate.JobStatus) {
		for kind, value := range map[schedmate.FactKind]int64{schedmate.ShareScore: 0, schedmate.GPUMemoryMiB: 1000} { //schedmate:ordered each kind once
			j.Facts = append(j.Facts, schedmate.Fact{Kind: kind, Value: value, Low: value, High: value, Source: schedmate.FromNeighbours})
		}
		slices.SortFunc(j.Facts, func(a, b schedmate.Fact) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	}
	last := int64(0)
	for _, j := range slices.Concat(s.Running, s.Waiting) {
		last = max(last, j.Seq)
		light(j)
	}
	for _, j := range slices.Clone(s.Running) {
		for i := range j.Attempt.Allocations {
			j.Attempt.Allocations[i].Share = schedmate.WholeGPU / 2
		}
		twin := *j
		last++
		twin.Job.ID, twin.Seq = j.Job.ID+"-twin", last
		twin.Attempt = &schedmate.Attempt{Number: j.Attempt.Number, Start: j.Attempt.Start, Allocations: slices.Clone(j.Attempt.Allocations)}
		alone, slow := slices.Repeat([]int64{100}, 32), slices.Repeat([]int64{300 + 100*int64(d(0, 2))}, 40)
		running := s.Running
		s.Running = append(slices.Clone(running), &twin)
		if d(0, 2) == 0 || s.Validate() != nil { // a quota that has no room for two, say
			s.Running = running
			continue
		}
		j.Steps = &schedmate.StepTimes{Alone: alone, Shared: slow}
	}
}
