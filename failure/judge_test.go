package failure

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The rest of the logs decide what a line means; all that they say has a name.
func TestEveryConditionIsUsed(t *testing.T) {
	used := map[Condition]bool{}
	for _, k := range Default().Kinds {
		for _, j := range k.InContext {
			for _, c := range j.When {
				used[c] = true
			}
		}
		for _, o := range k.Otherwise {
			for _, c := range o.When {
				used[c] = true
			}
		}
	}
	for name, c := range conditions {
		if !used[name] {
			t.Errorf("no kind uses the condition %s: leave it out", name)
		}
		if c.means == "" {
			t.Errorf("the condition %s says nothing of what it means", name)
		}
	}
}

// A reader of Chinese gets the reasons in Chinese.
func TestReasonsHaveATranslation(t *testing.T) {
	set := Default()
	for english, chinese := range set.chinese {
		if english != "" && (chinese == "" || chinese == english || strings.ContainsAny(chinese, "\"")) {
			t.Errorf("%q is translated as %q", english, chinese)
		}
	}
	const why = "the network had failed"
	if got := set.Chinese(why); got == why {
		t.Errorf("%q has no translation", why)
	}
	if got := set.Chinese("rank 3 is the only one that did not wait"); got != "rank 3 is the only one that did not wait" {
		t.Errorf("a reason that quotes the logs became %q", got)
	}
}

// The page for people who write rules names all conditions, and what they mean.
func TestConditionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/diagnose.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range conditions {
		if row := fmt.Sprintf("| `%s` | %s |", name, c.means); !strings.Contains(string(page), row) {
			t.Errorf("docs/diagnose.md lacks the row %s", row)
		}
	}
}
