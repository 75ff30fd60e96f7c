package fit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		text string
		want [][]string
		ok   bool
	}{
		{"", nil, true},
		{"a100", [][]string{{"a100"}}, true},
		{"a100&ib", [][]string{{"a100", "ib"}}, true},
		{"a100,ib", [][]string{{"a100", "ib"}}, true},
		{"a100|h100", [][]string{{"a100"}, {"h100"}}, true},
		{"(a100|h100)&ib", [][]string{{"a100", "ib"}, {"h100", "ib"}}, true},
		{"[rack1|rack2]", [][]string{{"rack1"}, {"rack2"}}, true},
		{"[rack1*2&rack2*4]", nil, false},
		{"rack1*2", nil, false},
		{"a100&", nil, false},
		{"(a100", nil, false},
		{"!a100", nil, false},
		{"a100 | h100", nil, false},
		{"fs&[rack1|rack2]", nil, false},
	} {
		f, ok := readFeatures(c.text)
		var got [][]string
		for _, t := range f.tests {
			got = append(got, t.has)
		}
		if ok != c.ok || ok && !cmp.Equal(got, c.want) {
			t.Errorf("%q reads as %v, %t; want %v, %t", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestLicences(t *testing.T) {
	got, ok := readLicences("matlab:2,ansys,abaqus@server:3")
	want := []licence{{"matlab", 2}, {"ansys", 1}, {"abaqus@server", 3}}
	if !ok || !cmp.Equal(got, want, cmp.AllowUnexported(licence{})) {
		t.Errorf("got %v, %t", got, ok)
	}
	for _, text := range []string{"matlab|ansys", "matlab:x", "matlab:-1", ":2"} {
		if _, ok := readLicences(text); ok {
			t.Errorf("%q was understood", text)
		}
	}
}

// Whatever is written, reading ends and does not panic; what is understood asks for
// something by name.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"a&b|c", "[a|b]", "(a|b)&(c|d)", "matlab:2,x", "afterok:12:13_*(unfulfilled)?afterany:1+5", "AssocGrpGRES", "((((("} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if features, ok := readFeatures(text); ok {
			for _, c := range features.tests {
				for _, name := range c.has {
					if name == "" {
						t.Errorf("%q asks for a feature without a name", text)
					}
				}
			}
		}
		readLicences(text)
		readDependency(text)
		meaning(text)
	})
}
