package table

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"schedmate/advisor/workload"
)

// The look-ups take any text, answer the same twice, and a name that was found
// finds itself.
func FuzzLookUps(f *testing.F) {
	for _, s := range []string{"gpt2-xl", "ViT-B/16", "a.b.c", "4.46.dev", "U-Net++", "\xff\xfe", "ÄÖÜ-7b", "/x/y.tar.gz", "", "İ1.5b"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) { hold(t, a, b) })
}

func TestLookUpsHoldForTextsMadeOfNames(t *testing.T) {
	rows := append(mustRead("models"), mustRead("datasets")...)
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(
			rapid.Map(rapid.IntRange(0, len(rows)-1), func(i int) string { return rows[i].text("name") }),
			rapid.SampledFrom([]string{"/", "-", "_", ".", " ", "7b", "v2", "finetuned", ".pt", "(", "+"}),
		)
		texts := rapid.SliceOfN(piece, 0, 5)
		join := func(all []string) (s string) {
			for _, p := range all {
				s += p
			}
			return s
		}
		hold(t, join(texts.Draw(t, "a")), join(texts.Draw(t, "b")))
	})
}

func hold(t rapid.TB, a, b string) {
	m, ok := Model(a)
	if again, okAgain := Model(a); ok != okAgain || !cmp.Equal(m, again) {
		t.Fatalf("Model(%q) differs between two calls", a)
	}
	if ok {
		ofTable := m.Origin.Key == "models: "+m.Name // a size that was read from the text has no row
		if self, found := Model(m.Name); ofTable && (!found || self.Name != m.Name) {
			t.Fatalf("Model(%q) = %q, which is then %q, %v", a, m.Name, self.Family, found)
		}
		if m.Family == "" || m.Domain == "" {
			t.Fatalf("Model(%q) = %+v is not whole", a, m)
		}
	}
	if d, ok := Dataset(a); ok {
		if self, found := Dataset(d.Name); !found || self.Name != d.Name {
			t.Fatalf("Dataset(%q) = %q, which is then %q", a, d.Name, self.Name)
		}
	}
	Optimizer(a)
	GPU(a)
	LibraryDefault(a, b, a)
	LibraryDefault("transformers.TrainingArguments", "optim", b)
	for _, field := range workload.Fields() {
		if c := Canonical(field, a); Canonical(field, c) != c {
			t.Fatalf("Canonical(%s, %q) = %q, which is then %q", field, a, c, Canonical(field, c))
		}
	}
	s := Signals{Dataset: a, Model: b, ModelFamily: b, ModelClass: a, Losses: []string{a, b}, EntryName: a, Callees: []string{b}, Flags: []Flag{{a, b}}, InitFrom: b}
	slug, rule, ok := Task(s)
	slug2, rule2, ok2 := Task(s)
	if slug != slug2 || ok != ok2 || !cmp.Equal(rule, rule2, cmpopts.EquateEmpty()) {
		t.Fatalf("Task(%+v) differs between two calls", s)
	}
}
