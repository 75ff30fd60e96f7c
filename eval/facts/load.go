package facts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"schedmate/internal/docfile"
)

//go:embed models
var shipped embed.FS

// Names lists the models that the product ships, in alphabetical order:
//
//	measured  what the parts reached on labelled cases, without any language model
//	paper     what the paper reports of a language model with 7 billion parameters, and what it costs
//	perfect   the truth, at once and for nothing
//	useless   answers that have nothing to do with the truth
func Names() []string {
	entries, err := fs.ReadDir(shipped, "models")
	if err != nil {
		panic("BUG: the embedded fact models cannot be listed: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// measuredName is the model that others take what they leave out from.
const measuredName = "measured"

// Load reads a model that the product ships.
func Load(name string) (*Model, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown fact model %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	f, err := shipped.Open(path.Join("models", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("open fact model %s: %w", name, err)
	}
	defer f.Close() // it is only read
	var m Model
	if err := docfile.Read(name+".yaml", f, &m); err != nil {
		return nil, err
	}
	if m.Prior == nil {
		measured, err := Load(measuredName)
		if err != nil {
			return nil, err
		}
		m.Prior = measured.Prior
	}
	return &m, nil
}
