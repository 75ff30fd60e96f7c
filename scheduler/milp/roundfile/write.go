package roundfile

import (
	"encoding/json"
	"fmt"
	"strconv"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/milp"
)

// Write returns the case that asks for the best plan of a round, for [Read] and
// for other solvers. Rewards are written as people write them: those that are no
// six-digit numbers come back rounded.
func Write(name string, m *milp.Model) ([]byte, error) {
	r := round{Slots: len(m.Capacity), Sub: max(1, m.Sub), Capacity: m.Capacity, Jobs: []job{}}
	if r.Capacity == nil {
		r.Capacity = []int{}
	}
	if m.Gate != nil {
		r.FreeCells = bySize(m.Gate.Free)
	}
	for i := range m.Jobs {
		j := &m.Jobs[i]
		if j.Must {
			return nil, fmt.Errorf("job %s: a round of the format has no promised jobs; ask for its admission instead", j.ID)
		}
		doc := job{ID: j.ID, Kind: string(j.Kind), Late: j.Late.Value(), Steps: []step{}, Policies: []policy{}}
		for _, s := range j.Steps {
			doc.Steps = append(doc.Steps, step{By: s.By, Reward: s.Reward.Value()})
		}
		for _, p := range j.Policies {
			out := policy{GPUs: p.GPUs, Leases: p.Leases}
			if p.Cells != (cells.Count{}) {
				out.Cells = make(map[string]int)
				for n, size := range cells.Sizes {
					if p.Cells[n] > 0 {
						out.Cells[strconv.Itoa(size)] = p.Cells[n]
					}
				}
			}
			doc.Policies = append(doc.Policies, out)
		}
		r.Jobs = append(r.Jobs, doc)
	}
	text, err := json.Marshal(struct {
		Name  string `json:"name"`
		Round round  `json:"round"`
	}{name, r})
	if err != nil {
		return nil, fmt.Errorf("round %s: %w", name, err)
	}
	return text, nil
}
