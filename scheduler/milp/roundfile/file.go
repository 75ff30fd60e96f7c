package roundfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/reward"
)

// Case is one question. Which fields it has says what is asked: see Kind.
type Case struct {
	Name  string          `json:"name"`
	Round json.RawMessage `json:"round"`
	New   json.RawMessage `json:"new"`

	NodesFree []string       `json:"nodes_free"`
	Cells     map[string]int `json:"cells"`

	Leases *int `json:"leases"`
	Slots  *int `json:"slots"`

	Expect json.RawMessage `json:"expect"` // what some other solver has proven; not read here
}

// Read returns the cases of a file, without looking into them.
func Read(text []byte) ([]json.RawMessage, error) {
	var doc struct {
		Cases *[]json.RawMessage `json:"cases"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("rounds: %w: give one JSON object with cases", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("rounds: one JSON object is expected, more follows")
	}
	if doc.Cases == nil {
		return nil, errors.New("rounds: there is no field cases: it holds the list of rounds")
	}
	return *doc.Cases, nil
}

// round is the document of a lease round.
type round struct {
	Slots     int            `json:"slots"`
	Sub       int            `json:"sub"`
	Capacity  []int          `json:"capacity"`
	FreeCells map[string]int `json:"free_cells,omitempty"`
	Jobs      []job          `json:"jobs"`
}

type job struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Late     float64  `json:"late"`
	Steps    []step   `json:"steps"`
	Policies []policy `json:"policies"`
}

type step struct {
	By     int     `json:"by"`
	Reward float64 `json:"reward"`
}

type policy struct {
	GPUs   int            `json:"gpus"`
	Cells  map[string]int `json:"cells,omitempty"`
	Leases int            `json:"leases"`
}

// strictly decodes without unknown fields.
func strictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// Model returns the round of a case; nil when it asks about no round.
func Model(text json.RawMessage) (*milp.Model, error) {
	var c Case
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("case: %w", err)
	}
	if len(c.Round) == 0 {
		return nil, nil
	}
	return c.model()
}

// model reads a round document; with a new job, all jobs are promised.
func (c *Case) model() (*milp.Model, error) {
	var r round
	if err := strictly(c.Round, &r); err != nil {
		return nil, fmt.Errorf("round: %w", err)
	}
	if r.Slots != len(r.Capacity) {
		return nil, fmt.Errorf("round.slots: is %d, but capacity has %d slots", r.Slots, len(r.Capacity))
	}
	if len(c.New) > 0 {
		var j job
		if err := strictly(c.New, &j); err != nil {
			return nil, fmt.Errorf("new: %w", err)
		}
		r.Jobs = append(r.Jobs, j)
	}
	m := &milp.Model{Capacity: r.Capacity, Sub: r.Sub}
	if r.FreeCells != nil {
		free, err := sizes(r.FreeCells)
		if err != nil {
			return nil, fmt.Errorf("round.free_cells: %w", err)
		}
		m.Gate = &lease.Gate{Free: cells.Levels(free)}
	}
	names := make(map[string]bool)
	for i := range r.Jobs {
		j, err := r.Jobs[i].model()
		if err != nil {
			return nil, fmt.Errorf("round.jobs[%d] %s: %w", i, r.Jobs[i].ID, err)
		}
		if names[j.ID] {
			return nil, fmt.Errorf("round.jobs[%d]: there is another job %s", i, j.ID)
		}
		names[j.ID] = true
		j.Must = len(c.New) > 0
		m.Jobs = append(m.Jobs, j)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("round: %w", err)
	}
	return m, nil
}

func (j *job) model() (milp.Job, error) {
	out := milp.Job{ID: j.ID, Kind: reward.Kind(j.Kind)}
	var err error
	if out.Late, err = reward.Of(j.Late); err != nil {
		return out, fmt.Errorf("late: %w", err)
	}
	for s, doc := range j.Steps {
		points, err := reward.Of(doc.Reward)
		if err != nil {
			return out, fmt.Errorf("steps[%d]: %w", s, err)
		}
		out.Steps = append(out.Steps, reward.Step{By: doc.By, Reward: points})
	}
	for c, doc := range j.Policies {
		p := milp.Policy{GPUs: doc.GPUs, Leases: doc.Leases}
		if doc.Cells != nil {
			if p.Cells, err = sizes(doc.Cells); err != nil {
				return out, fmt.Errorf("policies[%d].cells: %w", c, err)
			}
		}
		out.Policies = append(out.Policies, p)
	}
	return out, nil
}

// sizes reads counts by size of cell, in which sizes may be absent.
func sizes(doc map[string]int) (cells.Count, error) {
	var c cells.Count
	known := 0
	for i, size := range cells.Sizes {
		if n, ok := doc[strconv.Itoa(size)]; ok {
			c[i] = n
			known++
		}
	}
	if known != len(doc) {
		return c, errors.New("cells have 1, 2, 4 or 8 GPUs")
	}
	return c, c.Validate()
}
