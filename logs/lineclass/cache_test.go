package lineclass

import "testing"

// A full set gives up one of its templates, an answer of the operator or an
// oracle is not overwritten by the model's, and nothing is mistaken for
// something else.
func TestCacheOfOneSet(t *testing.T) {
	var c cache
	template := func(i int) uint64 { return uint64(i)<<20 | uint64(i%8)<<13 | 5 } // all of set 5
	for i := range 20 {
		c.put(template(i), answer{class: Class(i%8 + 1), confidence: 0.5})
		if a, ok := c.get(template(i)); !ok || a.class != Class(i%8+1) || a.confidence != 0.5 {
			t.Fatalf("template %d: %+v, %v", i, a, ok)
		}
	}
	kept := 0
	for i := range 20 {
		if a, ok := c.get(template(i)); ok {
			kept++
			if a.class != Class(i%8+1) {
				t.Errorf("template %d has the class of another: %s", i, a.class)
			}
		}
	}
	if kept != cacheWays {
		t.Errorf("%d templates are kept, want %d", kept, cacheWays)
	}
	if _, ok := c.get(template(100)); ok {
		t.Error("a template is known that nobody has put")
	}

	settled := template(19)
	c.put(settled, answer{Warning, 0.9, true})
	c.put(settled, answer{InfraError, 0.4, false})
	if a, _ := c.get(settled); a != (answer{Warning, 0.9, true}) {
		t.Errorf("the model has overwritten what was settled: %+v", a)
	}
	c.put(settled, answer{BenignInfo, 1, true})
	if a, _ := c.get(settled); a != (answer{BenignInfo, 1, true}) {
		t.Errorf("the settled answer cannot be changed: %+v", a)
	}
}

// Every class and every confidence in thousandths comes back as it was.
func TestCacheKeepsAnswers(t *testing.T) {
	var c cache
	for _, class := range Classes() {
		for i := range 1001 {
			want := answer{class, rounded(float32(i) / 1000), i%2 == 0}
			template := uint64(i)<<32 | uint64(class)<<16 | uint64(i)
			c.put(template, want)
			if got, ok := c.get(template); !ok || got != want {
				t.Fatalf("put %+v, got %+v, %v", want, got, ok)
			}
		}
	}
}
