package traces

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
)

// The traces that come with the program; data/README.md says where they are
// from, how they were cut and under which licence.
//
//go:embed data/*.csv.gz
var bundled embed.FS

// Bundled opens a trace that comes with the program. Its name is one of
// BundledNames; the format is what comes before the first dash.
func Bundled(name string) (fs.File, error) {
	if !slices.Contains(BundledNames(), name) {
		return nil, fmt.Errorf("no trace %q comes with the program; there are: %s", name, list(BundledNames()))
	}
	return bundled.Open("data/" + name)
}

// BundledNames lists the traces that come with the program.
func BundledNames() []string {
	entries, err := bundled.ReadDir("data")
	if err != nil {
		panic("BUG: the embedded traces are missing: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}
