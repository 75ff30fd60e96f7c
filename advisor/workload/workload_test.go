package workload

import (
	"math"
	"strings"
	"testing"

	"schedmate/advisor/origin"
)

func TestValuesOutsideOfAFieldsRangeAreRefused(t *testing.T) {
	for _, c := range []struct {
		field Field
		value any
		why   string // part of the error; empty: it is a value
	}{
		{Iterations, 90.0, ""},
		{Iterations, []float64{7038, 1563}, ""}, // two phases
		{Iterations, -1.0, "outside"},
		{Iterations, math.NaN(), "outside"},
		{GPUsTotal, 8.0, ""},
		{GPUsTotal, 0.5, "outside"},
		{GPUsTotal, []float64{8, 8}, "no value"},
		{NumWorkers, 0.0, ""},
		{ModelName, "resnet50", ""},
		{ModelName, "", "no value"},
		{ModelName, strings.Repeat("x", 201), "no value"},
		{ModelName, 50.0, "must be text"},
		{Optimizer, 3, "no value of any field"},
		{Field("mood"), "good", "unknown name"},
	} {
		err := Check(c.field, c.value)
		switch {
		case c.why == "" && err != nil:
			t.Errorf("%s = %v: %v", c.field, c.value, err)
		case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%s = %v: got %v, want an error with %q", c.field, c.value, err, c.why)
		}
	}
}

func TestMetadataKeepsItsInvariants(t *testing.T) {
	at := origin.Named(origin.CLI, "--epochs")
	good := Metadata{Values: map[Field]Value{Iterations: {Value: 90.0, Origin: at}}, Multiplier: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for why, m := range map[string]Metadata{
		"has no evidence":               {Values: map[Field]Value{Iterations: {Value: 90.0}}, Multiplier: 1},
		"both determined and undecided": {Values: map[Field]Value{Iterations: {Value: 90.0, Origin: at}}, Candidates: map[Field][]Value{Iterations: {{Value: 5.0, Origin: at}}}, Multiplier: 1},
		"multiplier":                    {},
	} {
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want an error with %q", err, why)
		}
	}
}
