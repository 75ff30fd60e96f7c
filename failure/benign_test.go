package failure

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// benignLists are texts without a failure, and how many of their lines are known to
// be taken for one: alone, and within a run.
var benignLists = []struct {
	name  string
	known int
}{
	{"benign.txt", 1},
	{"configs.txt", 3},
	{"commands.txt", 3},
	{"help.txt", 5},
}

// Healthy lines with words of failure, printed settings, echoed commands and help
// texts are no findings: neither in a log of their own, nor at the start of a run.
func TestBenignTextsAreNoFindings(t *testing.T) {
	for _, list := range benignLists {
		t.Run(list.name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + list.name)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "\n"); n < 60 {
				t.Errorf("the list has %d lines, want 60", n)
			}
			var run strings.Builder
			for i := range 30 {
				fmt.Fprintf(&run, "iteration %d/ 900 | loss: 2.31 | 0.4 s\n", i+1)
			}
			for name, log := range map[string]string{"alone": string(text), "within a run": run.String() + string(text) + run.String()[:200]} {
				lines := strings.Split(log, "\n")
				var taken []string
				for _, e := range readText(t, log).events {
					for _, at := range e.lines {
						taken = append(taken, fmt.Sprintf("tier %d, rule %s: %s", e.tier(), e.rule.ID, lines[at.line-1]))
					}
				}
				told := fmt.Sprintf("%s: %d lines are taken for failures, known are %d:\n%s", name, len(taken), list.known, strings.Join(taken, "\n"))
				if len(taken) != list.known {
					t.Error(told)
				} else if list.known > 0 {
					t.Log(told)
				}
			}
		})
	}
}
