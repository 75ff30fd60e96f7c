package fingerprint

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Settings are hashes of what a program was set to do beyond the fields, by
// name: a cap on samples, a list of data, a switch of the model. [Open] is a
// setting whose value is not known or is told by a field; it equals any. One
// that is missing equals [Off].
type Settings map[string]string

// Values of settings that are no hashes.
const (
	Open = "*"
	Off  = "off"
)

// MostSettings bounds the settings of one print.
const MostSettings = 400

// sameProgram is the share of names that two lists of settings have in common
// when they are of one program; the settings of two programs say nothing about
// each other.
const sameProgram = 0.8

// UnmarshalJSON refuses what no program writes.
func (s *Settings) UnmarshalJSON(text []byte) error {
	var all map[string]string
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("settings: %w: want an object of texts", err)
	}
	if len(all) > MostSettings {
		return fmt.Errorf("settings: %d of them, want at most %d", len(all), MostSettings)
	}
	*s = all
	return nil
}

// names lists the settings in order.
func (s Settings) names() []string {
	list := make([]string, 0, len(s))
	for name := range s {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// differ names the settings of one program that two runs set otherwise, in
// order.
func (s Settings) differ(o Settings) (names []string) {
	common := 0
	for name, x := range s {
		y, there := o[name]
		if there {
			common++
		} else {
			y = Off
		}
		if x != y && x != Open && y != Open {
			names = append(names, name)
		}
	}
	for name, y := range o {
		if _, there := s[name]; !there && y != Open && y != Off {
			names = append(names, name)
		}
	}
	if float64(common) < sameProgram*float64(len(s)+len(o)-common) {
		return nil
	}
	slices.Sort(names)
	return names
}
