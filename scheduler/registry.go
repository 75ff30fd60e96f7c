package scheduler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Preset is one named reading of a policy: the default, a paper's, or a public
// artifact's, with what that artifact's own simulator charges.
type Preset struct {
	Name    string // "default", "paper", or an artifact's name such as "lucid"
	Options any    // of the policy's options type
	World   World
}

// Descriptor describes one policy to hosts: its presets and how to build it.
type Descriptor struct {
	Name    string
	Summary string // one line for people
	Presets []Preset

	// New builds the policy. Options is a value of the type the presets have;
	// the error names the field that is wrong.
	New func(options any) (Policy, error)

	// Decode overlays JSON onto a copy of the preset's options, strictly.
	Decode func(preset any, overlay []byte) (any, error)
}

// Describe builds a Descriptor from a policy's typed constructor.
func Describe[O any](name, summary string, build func(O) (Policy, error), presets ...TypedPreset[O]) Descriptor {
	d := Descriptor{Name: name, Summary: summary}
	for _, p := range presets {
		d.Presets = append(d.Presets, Preset{Name: p.Name, Options: p.Options, World: p.World})
	}
	d.New = func(options any) (Policy, error) {
		o, ok := options.(O)
		if !ok {
			return nil, fmt.Errorf("policy %s: options are of type %T", name, options)
		}
		p, err := build(o)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", name, err)
		}
		return p, nil
	}
	d.Decode = func(preset any, overlay []byte) (any, error) {
		if _, ok := preset.(O); !ok {
			return nil, fmt.Errorf("policy %s: options are of type %T", name, preset)
		}
		base, err := json.Marshal(preset) // a copy that shares no slice with the preset
		if err != nil {
			return nil, fmt.Errorf("policy %s: options: %w", name, err)
		}
		var o O
		for _, doc := range [][]byte{base, overlay} {
			if len(doc) == 0 {
				continue
			}
			if err := decodeStrictly(doc, &o); err != nil {
				return nil, fmt.Errorf("policy %s: options: %w", name, err)
			}
		}
		return o, nil
	}
	return d
}

func decodeStrictly(doc []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("one JSON object is expected, more follows")
	}
	return nil
}

// TypedPreset is a Preset with the policy's own options type.
type TypedPreset[O any] struct {
	Name    string
	Options O
	World   World
}

// DefaultPreset is the name of every policy's own best reading.
const DefaultPreset = "default"

// Preset returns the preset of that name.
func (d *Descriptor) Preset(name string) (Preset, error) {
	i := slices.IndexFunc(d.Presets, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(d.Presets))
		for k, p := range d.Presets {
			names[k] = p.Name
		}
		return Preset{}, fmt.Errorf("policy %s has no preset %q: use one of %s", d.Name, name, strings.Join(names, ", "))
	}
	return d.Presets[i], nil
}

// Registry is the closed, ordered list of policies.
type Registry []Descriptor

// Find returns the descriptor of that name.
func (r Registry) Find(name string) (*Descriptor, error) {
	for i := range r {
		if r[i].Name == name {
			return &r[i], nil
		}
	}
	return nil, fmt.Errorf("unknown policy %q: use one of %s", name, strings.Join(r.Names(), ", "))
}

// Names lists the policies in the registry's order.
func (r Registry) Names() []string {
	names := make([]string, len(r))
	for i := range r {
		names[i] = r[i].Name
	}
	return names
}
