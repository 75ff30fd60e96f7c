package redact

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"schedmate"
)

// shown are the fields of an observation whose text stays: without them there is no
// answer to why a job waits. Each other text is a person's.
var shown = map[string]bool{
	"apiVersion": true, "kind": true, "name": true, "version": true, "states": true, "type": true, "partitions": true, "features": true, "planned_nodes": true,
	"state": true, "nodes": true, "flags": true, "allow_qos": true, "what": true, "next": true, "why": true, "id": true, "array": true, "het": true, "qos": true, "reason": true,
	"licences": true, "dependency": true, "gpu_type": true, "exclude": true, "node": true, "failed_node": true,
}

// fill puts a canary into every text, and a number into every number.
func fill(v reflect.Value, path string, canaries map[string]string) {
	switch v.Kind() {
	case reflect.String:
		name := path[strings.LastIndex(path, ".")+1:]
		canary := fmt.Sprintf("CANARY%03d", len(canaries))
		canaries[canary] = name
		v.SetString(canary)
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			fill(v.Field(i), path+"."+name, canaries)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path, canaries)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, canaries)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

// No text of people is left, whatever fields an observation has: one that is new is
// a person's until it is listed above.
func TestObservationsForOthersNameNobody(t *testing.T) {
	var o schedmate.Observation
	canaries := make(map[string]string)
	fill(reflect.ValueOf(&o).Elem(), "", canaries)
	o.APIVersion, o.Kind = schedmate.APIVersion, schedmate.ObservationKind
	o.Jobs[0].State = "FAILED"
	o.Partitions[0].Nodes = nil
	for i := range o.Nodes { // valid, with a canary still
		o.Nodes[i].GPUs[0].InUse = []int{0}
	}
	o.Jobs[0].Allocation[0].GPUIndices = []int{0}
	own := []string{o.Jobs[0].Name, o.Reservations[0].Name, o.Nodes[0].Reason}
	hiddenToo := strings.Join([]string{o.Jobs[0].Reservation, o.Nodes[0].ReasonBy}, " ")
	c, err := Observation(&o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for canary, field := range canaries {
		person := !shown[field] || strings.Contains(hiddenToo, canary)
		for _, name := range own {
			person = person || name == canary
		}
		if person && strings.Contains(string(text), canary) {
			t.Errorf("%s of the field %q is left", canary, field)
		}
	}
	if o.Jobs[0].Name != own[0] || o.Jobs[0].Ending.CancelledBy == c.Jobs[0].Ending.CancelledBy {
		t.Error("the original has changed, or its copy has not")
	}
}

// One person has one pseudonym wherever the name stands, so that what belongs
// together still does.
func TestPseudonymsAreTheSameThroughout(t *testing.T) {
	o := &schedmate.Observation{
		APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, System: schedmate.System{Name: "slurm"},
		Reservations: []schedmate.Reservation{{Name: "course", Users: []string{"ann", "bob"}}},
		Jobs: []schedmate.ObservedJob{
			{ID: "1", State: "PENDING", User: "bob", Reservation: "course", Name: "x"}, {ID: "2", State: "PENDING", User: "ann", Name: "x"},
			{ID: "3", State: "CANCELLED", User: "ann", Ending: &schedmate.Ending{CancelledBy: "bob"}},
		},
	}
	c, err := Observation(o)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Reservations[0]
	if r.Users[0] != c.Jobs[1].User || r.Users[1] != c.Jobs[0].User || c.Jobs[2].Ending.CancelledBy != c.Jobs[0].User || r.Name != c.Jobs[0].Reservation || c.Jobs[0].Name != c.Jobs[1].Name || c.Jobs[0].User == c.Jobs[1].User {
		t.Errorf("%+v %+v", r, c.Jobs)
	}
}
