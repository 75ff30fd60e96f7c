package cli_test

import (
	"strings"
	"testing"
)

// The page on synthetic traces has the lists and tables that the program prints,
// and its commands work.
func TestPageOnSyntheticTracesIsCurrent(t *testing.T) {
	besideDocs(t)
	parts := map[string]string{"list": "```\n" + schedmateIn(t, "trace", "list") + "```\n"}
	for line := range strings.Lines(readFile(t, "docs/synthetic.md")) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    schedmate ")
		if !ok {
			continue
		}
		out := schedmateIn(t, strings.Fields(command)...)
		if words := strings.Fields(command); words[1] == "marginals" {
			parts[words[2]] = "```\n" + out + "```\n" // the last one of a profile stands below it
		}
	}
	fill(t, "docs/synthetic.md", parts)
}
