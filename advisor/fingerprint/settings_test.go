package fingerprint

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSettingsOfOneProgram(t *testing.T) {
	base := Settings{"cap": "1", "gated": Off, "width": "64", "lists": "a", "held": Open}
	for what, c := range map[string]struct {
		other Settings
		want  []string
	}{
		"the same":                   {Settings{"cap": "1", "gated": Off, "width": "64", "lists": "a", "held": Open}, nil},
		"another value":              {Settings{"cap": "2", "gated": Off, "width": "64", "lists": "b", "held": Open}, []string{"cap", "lists"}},
		"switched on":                {Settings{"cap": "1", "gated": "1", "width": "64", "lists": "a", "held": Open}, []string{"gated"}},
		"off, or not there":          {Settings{"cap": "1", "width": "64", "lists": "a", "held": Open}, nil},
		"a setting more":             {Settings{"cap": "1", "gated": Off, "width": "64", "lists": "a", "held": Open, "more": "1"}, []string{"more"}},
		"a field tells it elsewhere": {Settings{"cap": Open, "gated": Off, "width": "64", "lists": "a", "held": "3"}, nil},
		"another program":            {Settings{"cap": "2", "colour": "red"}, nil},
		"nothing known":              {nil, nil},
	} {
		if diff := cmp.Diff(c.want, base.differ(c.other)); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
}

// Property: settings differ in the same names from either side.
func TestSettingsDifferBothWays(t *testing.T) {
	some := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), rapid.SampledFrom([]string{"1", "2", Open, Off}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := Settings(some.Draw(t, "a")), Settings(some.Draw(t, "b"))
		if diff := cmp.Diff(a.differ(b), b.differ(a)); diff != "" {
			t.Fatal(diff)
		}
		if names := a.differ(a); names != nil {
			t.Fatalf("differs from itself in %v", names)
		}
	})
}

// One recipe is one run, even if its model is called after a file that has
// another name now; but not one with another amount.
func TestOneRecipeUnderAnotherName(t *testing.T) {
	a := printOf(resnet).With("r", Settings{"port": "1"})
	if c := Compare(a, printOf(resnet.with(known{"model_name": "big_run"})).With("r", Settings{"port": "2"})); c.Decision != Same {
		t.Errorf("another name: %s, because they %v", c.Decision, c.Why)
	}
	if c := Compare(a, printOf(resnet.with(known{"iterations": 30})).With("r", nil)); c.Decision == Same {
		t.Error("another amount is the same")
	}
}

// Prints that differ in what With adds must not be kept as one.
func TestWhatWithAddsIsPartOfTheWhole(t *testing.T) {
	base := printOf(resnet)
	seen := map[string]string{}
	for what, p := range map[string]Print{
		"nothing": base, "a recipe": base.With("r", nil), "settings": base.With("", Settings{"a": "1"}), "others": base.With("", Settings{"a": "2"}), "both": base.With("r", Settings{"a": "1"}),
	} {
		if other, there := seen[p.Whole]; there {
			t.Errorf("%s and %s have one hash", what, other)
		}
		seen[p.Whole] = what
		if again := p.With(p.Recipe, p.Settings); again.Whole != p.Whole {
			t.Errorf("%s: made again it has another hash", what)
		}
	}
	if base.With("", nil).Whole != base.Whole {
		t.Error("nothing added changes the hash")
	}
}

func TestTooManySettingsAreRefused(t *testing.T) {
	all := map[string]string{}
	for i := range MostSettings + 1 {
		all[fmt.Sprint(i)] = "1"
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var s Settings
	if err := json.Unmarshal(text, &s); err == nil {
		t.Error("accepted")
	}
}
