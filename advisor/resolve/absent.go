package resolve

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// absent answers a field by what was not seen, as the table of absence rules
// has it. It may only be used when the path was followed to where training
// begins: what was not followed may hold anything.
func (v *view) absent(f workload.Field, condition string) {
	if rule, ok := table.WhenAbsent(f, condition); ok && v.reached() && !v.configuredElsewhere() {
		v.set(f, rule.Value, rule.Origin)
	}
}

// configuredElsewhere reports that the command names a configuration file by a
// place outside of the repository, of which nothing was read: it may switch on
// anything.
func (v *view) configuredElsewhere() bool {
	for _, w := range v.run.Args {
		text := w.Text
		if _, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
			text = value
		}
		if !w.Known || !strings.HasPrefix(text, "/") || !configures(text) || strings.HasSuffix(text, ".py") {
			continue
		}
		if !slices.ContainsFunc(v.root.FilesRead(), func(file string) bool { return strings.HasSuffix(text, "/"+file) || path.Base(file) == path.Base(text) }) {
			return true
		}
	}
	return false
}
