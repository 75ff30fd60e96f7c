package table

import "testing"

// The sheet speaks of data sets by the names that the table of data sets gives.
func TestSidesAreOfKnownDataSets(t *testing.T) {
	for name := range sides() {
		if d, ok := Dataset(name); !ok || d.Name != name || d.Domain != "cv" {
			t.Errorf("sides: %q is %q (%s): use the canonical name of a set of images", name, d.Name, d.Domain)
		}
	}
	if s, ok := SideOf("mnist"); !ok || s.Pixels != 28 {
		t.Errorf("mnist: got %v, want 28 pixels", s)
	}
	if _, ok := SideOf("imagenet"); ok {
		t.Error("imagenet: images of many sizes have no side")
	}
}
