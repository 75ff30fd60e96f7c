package config

import (
	"fmt"

	"schedmate"
	"schedmate/internal/docfile"
)

// Sources is where settings come from. Nothing else is looked at.
type Sources struct {
	// Flags holds the flags the user gave, by name without dashes: those of
	// the settings, and "config".
	Flags map[string]string
	// Env looks up an environment variable, as os.LookupEnv does.
	Env func(name string) (value string, ok bool)
	// SystemFile is the configuration file of the machine; "" if there is none.
	SystemFile string
	// Processors is the number of runs at a time that is built in.
	Processors int
}

// SystemFile is where the configuration of a machine is kept.
const SystemFile = "/etc/schedmate/config.yaml"

func (s *Sources) env(name string) string {
	if s.Env == nil {
		return ""
	}
	if value, ok := s.Env(name); ok {
		return value
	}
	return ""
}

// Effective is the configuration that holds, and where each value came from.
type Effective struct {
	Config
	File   string  // the configuration file that was read, or ""
	Values []Value // one for each setting, in the order of docs/format/config.md
}

// Value is the value of one setting.
type Value struct {
	Name   string `json:"name" yaml:"name"`
	Value  string `json:"value" yaml:"value"`
	Origin string `json:"origin" yaml:"origin"` // "flag --data", "environment SCHEDMATE_DATA", "file PATH:LINE" or "built-in"
}

// Origin says where the value of a setting came from.
func (e *Effective) Origin(setting string) string {
	for _, v := range e.Values {
		if v.Name == setting {
			return v.Origin
		}
	}
	return ""
}

// Load returns the configuration that follows from the sources.
func Load(s Sources) (*Effective, error) {
	file, err := s.readFile()
	if err != nil {
		return nil, err
	}
	var d document
	e := new(Effective)
	if file != nil {
		e.File = file.Name
		if err := file.RequireKind(Kind); err != nil {
			return nil, err
		}
		if err := docfile.Decode(file, &d); err != nil {
			return nil, err
		}
	}
	for i := range settings {
		v, err := s.value(&settings[i], file, &d)
		if err != nil {
			return nil, err
		}
		settings[i].set(&e.Config, v.Value)
		e.Values = append(e.Values, v)
	}
	return e, nil
}

// value returns what the strongest source says; all sources are checked.
func (s *Sources) value(t *setting, file *docfile.Document, d *document) (Value, error) {
	text, err := t.builtIn(s)
	if err != nil {
		return Value{}, err
	}
	v := Value{Name: t.name, Value: text, Origin: "built-in"}
	if file != nil {
		if line, given := file.Line(t.name); given {
			text := t.inFile(d)
			if err := t.checkInFile(text); err != nil {
				return Value{}, file.Explain(&schedmate.FieldError{Path: t.name, Problem: err.Error()})
			}
			v.Value, v.Origin = text, fmt.Sprintf("file %s:%d", file.Name, line)
		}
	}
	if text := s.env(t.variable()); text != "" {
		if err := t.check(text); err != nil {
			return Value{}, fmt.Errorf("environment variable %s: %w", t.variable(), err)
		}
		v.Value, v.Origin = text, "environment "+t.variable()
	}
	if text, given := s.Flags[t.name]; given {
		if err := t.check(text); err != nil {
			return Value{}, fmt.Errorf("flag --%s: %w", t.name, err)
		}
		v.Value, v.Origin = text, "flag --"+t.name
	}
	return v, nil
}
