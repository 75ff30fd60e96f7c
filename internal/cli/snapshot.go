package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
)

// openInput opens a document; "-" is standard input.
func (a *app) openInput(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.streams.In), nil
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, notFound(fmt.Errorf("read %s: %w: check the path", path, errors.Unwrap(err)))
		}
		return nil, asFailure(fmt.Errorf("read %s: %w", path, err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, usage(fmt.Errorf("read %s: it is a folder; name a file", path))
	}
	return f, nil
}

func (a *app) readSnapshot(path string) (*schedmate.Snapshot, error) {
	if path == "" {
		return nil, usage(errors.New("name a snapshot with -f FILE ('-' is standard input)"))
	}
	f, err := a.openInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	name := path
	if path == "-" {
		name = "standard input"
	}
	s, err := docfile.ReadSnapshot(name, f)
	if err != nil {
		return nil, usage(err)
	}
	return s, nil
}

// policyFlags are the flags of commands that plan once.
type policyFlags struct {
	file, preset string
}

// chosenPolicy builds the policy that the configuration or --policy names,
// and returns its options in canonical form beside it.
func (a *app) chosenPolicy(preset string) (scheduler.Policy, string, error) {
	d, err := policy.All().Find(a.config.Policy)
	if err != nil {
		return nil, "", usage(err)
	}
	reading, err := resolvePreset(d, preset)
	if err != nil {
		return nil, "", usage(err)
	}
	p, err := d.Preset(reading)
	if err != nil {
		return nil, "", usage(err)
	}
	built, err := d.New(p.Options)
	if err != nil {
		return nil, "", usage(err)
	}
	options, err := schedmate.Canonical(p.Options)
	if err != nil {
		return nil, "", asFailure(err)
	}
	return built, string(options), nil
}

// resolvePreset turns "artifact" into the policy's one artifact preset; any
// other name stands for itself.
func resolvePreset(d *scheduler.Descriptor, preset string) (string, error) {
	if preset != "artifact" {
		return preset, nil
	}
	var artifacts []string
	for _, p := range d.Presets {
		if p.Name != scheduler.DefaultPreset && p.Name != "paper" {
			artifacts = append(artifacts, p.Name)
		}
	}
	switch len(artifacts) {
	case 0:
		return "", fmt.Errorf("policy %s follows no public artifact: use --preset default", d.Name)
	case 1:
		return artifacts[0], nil
	}
	return "", fmt.Errorf("policy %s follows several artifacts: name one of %v", d.Name, artifacts)
}
