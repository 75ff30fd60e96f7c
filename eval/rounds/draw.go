package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
	"schedmate/scheduler/milp/roundfile"
)

// drawn writes rounds and admissions of each kind.
func drawn(folder string, rounds int, seed int64) error {
	kinds := append([]milptest.Kind{
		{Name: "tiny", Draw: func(r milptest.Random) *milp.Model { return numbered(milptest.Tiny(r, false)) }},
		{Name: "tiny UniSched", Draw: func(r milptest.Random) *milp.Model { return numbered(milptest.Tiny(r, true)) }},
	}, milptest.Kinds()...)
	for _, kind := range kinds {
		name := strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(kind.Name))
		r := rand.New(rand.NewSource(seed))
		var plans, admissions []json.RawMessage
		for n := range rounds {
			m := kind.Draw(r)
			text, err := roundfile.Write(fmt.Sprintf("%s-%d", name, n+1), m)
			if err != nil {
				return err
			}
			plans = append(plans, text)
			edge, err := edge(fmt.Sprintf("%s-admit-%d", name, n+1), m)
			if err != nil {
				return err
			}
			admissions = append(admissions, edge...)
		}
		for file, list := range map[string][]json.RawMessage{name: plans, name + "-admit": admissions} {
			if err := write(filepath.Join(folder, file+".json"), list); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(file string, list []json.RawMessage) error {
	var out strings.Builder
	for n, c := range list {
		if n > 0 {
			out.WriteString(",\n")
		}
		out.Write(c)
	}
	if err := os.WriteFile(file, []byte("{\"cases\": [\n"+out.String()+"\n]}\n"), 0o644); err != nil {
		return fmt.Errorf("write rounds: %w", err)
	}
	return nil
}

func numbered(m *milp.Model) *milp.Model {
	for j := range m.Jobs {
		m.Jobs[j].ID = "job-" + strconv.Itoa(j+1)
	}
	return m
}

// edge is the last admission that the planner grants to jobs of a round in their
// order, and the first that it refuses.
func edge(name string, m *milp.Model) ([]json.RawMessage, error) {
	only := *m
	only.Jobs = nil
	for _, j := range m.Jobs {
		if len(j.Steps) > 0 {
			j.Steps = j.Steps[:1]
			only.Jobs = append(only.Jobs, j)
		}
	}
	var last json.RawMessage
	for n := 1; n <= len(only.Jobs); n++ {
		part := only
		part.Jobs = only.Jobs[:n]
		text, err := admission(fmt.Sprintf("%s-%d", name, n), &part)
		if err != nil {
			return nil, err
		}
		a, err := roundfile.Solve(text, roundfile.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !*a.Admit {
			if last == nil {
				return []json.RawMessage{text}, nil
			}
			return []json.RawMessage{last, text}, nil
		}
		last = text
	}
	if last == nil {
		return nil, nil
	}
	return []json.RawMessage{last}, nil
}

// admission asks about the last job of a round when the others are promised.
func admission(name string, m *milp.Model) (json.RawMessage, error) {
	text, err := roundfile.Write(name, m)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Name  string                     `json:"name"`
		Round map[string]json.RawMessage `json:"round"`
		New   json.RawMessage            `json:"new"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("round %s: %w", name, err)
	}
	var jobs []json.RawMessage
	if err := json.Unmarshal(doc.Round["jobs"], &jobs); err != nil {
		return nil, fmt.Errorf("round %s: %w", name, err)
	}
	doc.New = jobs[len(jobs)-1]
	if doc.Round["jobs"], err = json.Marshal(append([]json.RawMessage{}, jobs[:len(jobs)-1]...)); err != nil {
		return nil, fmt.Errorf("round %s: %w", name, err)
	}
	if text, err = json.Marshal(doc); err != nil {
		return nil, fmt.Errorf("round %s: %w", name, err)
	}
	return text, nil
}
