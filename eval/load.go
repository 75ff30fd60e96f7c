package eval

import (
	"fmt"
	"slices"
	"strings"

	"schedmate/eval/experiments"
	"schedmate/internal/docfile"
)

// Load reads an experiment that the product ships.
func Load(name string) (*Experiment, error) {
	if !slices.Contains(experiments.Names(), name) {
		return nil, fmt.Errorf("unknown experiment %q: use one of %s", name, strings.Join(experiments.Names(), ", "))
	}
	f, err := experiments.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open experiment %s: %w", name, err)
	}
	defer f.Close()
	var e Experiment
	if err := docfile.Read(name+".yaml", f, &e); err != nil {
		return nil, err
	}
	if e.Name != name {
		return nil, fmt.Errorf("experiment %s.yaml: name: must be the file's name, got %q", name, e.Name)
	}
	return &e, nil
}
