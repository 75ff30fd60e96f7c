package schedmate_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"schedmate"
)

// decisionTypes are all types that a recorded decision is made of.
var decisionTypes = []reflect.Type{
	reflect.TypeFor[schedmate.Snapshot](), reflect.TypeFor[schedmate.Cluster](), reflect.TypeFor[schedmate.Node](), reflect.TypeFor[schedmate.VC](),
	reflect.TypeFor[schedmate.JobStatus](), reflect.TypeFor[schedmate.Job](), reflect.TypeFor[schedmate.Workload](), reflect.TypeFor[schedmate.SLO](),
	reflect.TypeFor[schedmate.Tier](), reflect.TypeFor[schedmate.Outcome](), reflect.TypeFor[schedmate.Fact](), reflect.TypeFor[schedmate.Evidence](),
	reflect.TypeFor[schedmate.Note](), reflect.TypeFor[schedmate.StepTimes](), reflect.TypeFor[schedmate.Packed](), reflect.TypeFor[schedmate.Undo](),
	reflect.TypeFor[schedmate.Tuning](), reflect.TypeFor[schedmate.StepModel](), reflect.TypeFor[schedmate.TunedType](),
	reflect.TypeFor[schedmate.Attempt](), reflect.TypeFor[schedmate.Allocation](),
	reflect.TypeFor[schedmate.Plan](), reflect.TypeFor[schedmate.Action](), reflect.TypeFor[schedmate.PromiseChange](), reflect.TypeFor[schedmate.Measurement](), reflect.TypeFor[schedmate.Reason](), reflect.TypeFor[schedmate.Change](),
	reflect.TypeFor[schedmate.Decision](),
}

// notRecorded are the fields that no canonical encoding holds, each with the
// reason why a decision can be derived again without it.
var notRecorded = map[string]string{
	"Snapshot.occupancy": "derived from Cluster and Running; its host keeps it so that nobody counts again",
	"Snapshot.ranked":    "says that Waiting is sorted as the policy would sort it, which changes the cost of a plan and not the plan",
}

// Every field is either in the canonical encoding, where a change of it changes
// the hash, or in notRecorded.
func TestEveryFieldIsRecorded(t *testing.T) {
	var left []string
	for _, typ := range decisionTypes {
		recorded := make(map[string]string)
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := typ.Name() + "." + f.Name
			inJSON, jsonOptional := tag(f, "json")
			inYAML, yamlOptional := tag(f, "yaml")
			if !f.IsExported() || inJSON == "" || inJSON == "-" {
				left = append(left, name)
				if inYAML != "" && inYAML != "-" {
					t.Errorf("%s is written to YAML and not to JSON", name)
				}
				continue
			}
			if inJSON != inYAML || jsonOptional != yamlOptional {
				t.Errorf("%s: the tags differ: json %q, yaml %q", name, f.Tag.Get("json"), f.Tag.Get("yaml"))
			}
			if other, taken := recorded[inJSON]; taken {
				t.Errorf("%s and %s.%s are both called %s", name, typ.Name(), other, inJSON)
			}
			recorded[inJSON] = f.Name
			if f.Type == reflect.TypeFor[schedmate.Seconds]() && !strings.HasSuffix(inJSON, "_s") {
				t.Errorf("%s holds seconds, so %q must end in _s", name, inJSON)
			}
		}
	}
	slices.Sort(left)
	if want := slices.Sorted(maps.Keys(notRecorded)); !slices.Equal(left, want) {
		t.Errorf("not recorded are %v; reasons are given for %v", left, want)
	}
}

// tag returns the name a field has in an encoding, and whether it may be left
// out there.
func tag(f reflect.StructField, encoding string) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get(encoding), ",")
	return name, strings.Contains(options, "omit")
}

// decisionTypes is complete, and holds nothing whose encoding is not unique:
// no floating-point number, nothing that is looked up by map, nothing behind
// an interface.
func TestDecisionTypesAreClosed(t *testing.T) {
	reached := make(map[reflect.Type]bool)
	for _, root := range []any{schedmate.Snapshot{}, schedmate.Plan{}, schedmate.Decision{}} {
		if err := reach(reflect.TypeOf(root), reached); err != nil {
			t.Error(err)
		}
	}
	for typ := range reached {
		if !slices.Contains(decisionTypes, typ) {
			t.Errorf("%s is part of a decision: list it in decisionTypes", typ)
		}
	}
	for _, typ := range decisionTypes {
		if !reached[typ] {
			t.Errorf("%s is no part of a decision", typ)
		}
	}
}

// reach collects the structs that a type is made of, exported fields only. It
// returns an error for a type that has no unique encoding.
func reach(typ reflect.Type, reached map[reflect.Type]bool) error {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return reach(typ.Elem(), reached)
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Struct:
		if reached[typ] {
			return nil
		}
		reached[typ] = true
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				if err := reach(f.Type, reached); err != nil {
					return fmt.Errorf("%s.%s: %w", typ.Name(), f.Name, err)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("a %s has no canonical form", typ.Kind())
}

// fill gives every field of v a value of its own, every pointer a target and
// every list two items.
func fill(v reflect.Value, next *int64) {
	*next++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), next)
		fill(v.Index(1), next)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), next)
			}
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Uint8: // a ReasonCode
		v.SetUint(1 + uint64(*next)%uint64(schedmate.HeldBack))
	default:
		v.SetInt(*next)
	}
}

// filled returns a value in which no exported field is zero.
func filled[T any]() *T {
	v, next := new(T), int64(0)
	fill(reflect.ValueOf(v).Elem(), &next)
	return v
}

// eachChange makes every single change of a field below v (in lists, of their
// second item), calls f while it holds, and undoes it.
func eachChange(v reflect.Value, path string, f func(what string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	try := func(what string, changed reflect.Value) {
		v.Set(changed)
		f(path + " " + what)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Pointer:
		try("becomes nil", reflect.Zero(v.Type()))
		eachChange(v.Elem(), path, f)
	case reflect.Slice:
		try("loses its last item", v.Slice(0, 1))
		try("loses its first item", v.Slice(1, 2))
		try("gets an item", reflect.Append(v.Slice3(0, 2, 2), v.Index(1)))
		turned := reflect.MakeSlice(v.Type(), 2, 2)
		turned.Index(0).Set(v.Index(1))
		turned.Index(1).Set(v.Index(0))
		try("is turned round", turned)
		eachChange(v.Index(1), path+"[1]", f) // items are of one type
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i); name.IsExported() {
				eachChange(v.Field(i), path+"."+name.Name, f)
			}
		}
	case reflect.Bool:
		try("changes", reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.String:
		try("changes", reflect.ValueOf(v.String()+"x").Convert(v.Type()))
		try("becomes empty", reflect.Zero(v.Type()))
	case reflect.Uint8: // a ReasonCode
		try("changes", reflect.ValueOf(1+v.Uint()%uint64(schedmate.HeldBack)).Convert(v.Type()))
	default:
		try("changes", reflect.ValueOf(v.Int()+1).Convert(v.Type()))
		try("becomes 0", reflect.Zero(v.Type()))
	}
}

// Whatever changes in a snapshot, its hash changes.
func TestEveryChangeOfASnapshotChangesItsHash(t *testing.T) {
	s := filled[schedmate.Snapshot]()
	checkChanges(t, reflect.ValueOf(s).Elem(), func() string { return schedmate.Hash(s) })
}

// Whatever changes in a plan, or in the snapshot it answers, its seal changes.
func TestEveryChangeOfAPlanChangesItsSeal(t *testing.T) {
	p := filled[schedmate.Plan]()
	body := *p
	body.Hash = "" // the seal does not seal itself
	if p.Seal("the snapshot") != body.Seal("the snapshot") {
		t.Error("the seal depends on itself")
	}
	if p.Hash == "" {
		t.Error("sealing changes the plan")
	}
	body.Hash = p.Hash
	for i := range reflect.TypeFor[schedmate.Plan]().NumField() {
		if f := reflect.TypeFor[schedmate.Plan]().Field(i); f.Name != "Hash" {
			checkChanges(t, reflect.ValueOf(p).Elem().Field(i), func() string { return p.Seal("the snapshot") })
		}
	}
	if p.Seal("the snapshot") == p.Seal("another snapshot") {
		t.Error("the seal does not depend on the snapshot")
	}
}

// Whatever changes in a decision, its name changes.
func TestEveryChangeOfADecisionChangesItsID(t *testing.T) {
	d := filled[schedmate.Decision]()
	checkChanges(t, reflect.ValueOf(d).Elem(), func() string { return d.ID() })
}

// checkChanges makes every single change below v and wants another hash for each.
func checkChanges(t *testing.T, v reflect.Value, hash func() string) {
	t.Helper()
	original, changes := hash(), 0
	eachChange(v, v.Type().Name(), func(what string) {
		changes++
		if hash() == original {
			t.Errorf("%s, and the hash stays", what)
		}
	})
	if changes == 0 {
		t.Errorf("nothing of %s was changed", v.Type())
	}
	if hash() != original {
		t.Errorf("the changes of %s were not undone", v.Type())
	}
}
