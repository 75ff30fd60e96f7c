package report

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestCharactersWithoutAShapeAreWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"plain <b> & text":                "plain <b> & text",
		"two\nlines\tand":                 "two\nlines\tand",
		"job\u202egnp.exe":                "job⟨U+202E⟩gnp.exe",
		"\u2066iso\u2069":                 "⟨U+2066⟩iso⟨U+2069⟩",
		"zero\u200bwidth":                 "zero⟨U+200B⟩width",
		"\x1b[31mred":                     "⟨U+001B⟩[31mred",
		"nul\x00":                         "nul⟨U+0000⟩",
		"bad\xffutf":                      "bad⟨0xFF⟩utf",
		"\ufffd is itself":                "\ufffd is itself",
		"שלום 你好 é":                       "שלום 你好 é",
		"\u2028line":                      "⟨U+2028⟩line",
		"\U000e0041tag":                   "⟨U+E0041⟩tag",
		"a\u0301\u0302":                   "a\u0301\u0302",
		"a\u0301\u0301\u0301\u0301\u0301": "a\u0301\u0301\u0301\u0301⟨U+0301⟩",
	} {
		if got := visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}

// Property: whatever the text, what is shown holds no character that could
// reorder or hide other text, and showing it again changes nothing.
func TestVisibleTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := visible(rapid.String().Draw(t, "text"))
		for _, r := range got {
			if !unicode.IsGraphic(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q holds %U", got, r)
			}
		}
		if again := visible(got); again != got {
			t.Fatalf("shown twice, %q becomes %q", got, again)
		}
	})
}

const attack = `</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>"'` + "`{{.}}\u202e\u2066\u200f\x1b\x00\x85"

// plant appends the attack to every string that the value reaches.
func plant(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + attack)
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			plant(v.Index(i))
		}
	}
}

// Every text of a page, also one in a field that is added later, comes from
// strangers.
func TestHostileTextStaysText(t *testing.T) {
	for name, page := range map[string]Page{"two-policies": twoPolicies(), "seeded": seeded()} {
		t.Run(name, func(t *testing.T) {
			plant(reflect.ValueOf(&page).Elem())
			got := render(t, page)
			checkPage(t, got)
			if n := strings.Count(strings.ToLower(got), "<script"); n != 2 {
				t.Errorf("page has %d script elements, want our data and our script", n)
			}
			if strings.Contains(got, "<img") {
				t.Error("an element came in from outside")
			}
			for _, r := range got {
				if !unicode.IsGraphic(r) && r != '\n' {
					t.Errorf("page holds %U", r)
				}
			}
		})
	}
}
