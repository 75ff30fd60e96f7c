package main

import (
	"encoding/json"
	"fmt"
	"math"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

// score is how the planner did on a file.
type score struct {
	decided, equal, within, proven int
	cpu                            []float64
	wrong                          []string
}

// same is how far two rewards may differ that are the same but for rounding in
// files.
const same = 2e-5

func scored(file string) (*score, error) {
	list, err := read(file)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: holds no rounds", file)
	}
	s := &score{}
	for _, text := range list {
		var c answered
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		before, err := used()
		if err != nil {
			return nil, err
		}
		a, err := roundfile.Solve(text, roundfile.Options{Options: milp.Options{Seed: 1}})
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, c.Name, err)
		}
		after, err := used()
		if err != nil {
			return nil, err
		}
		s.cpu = append(s.cpu, (after - before).Seconds())
		if a.Admit != nil {
			s.admission(&c, a)
		} else {
			s.plan(&c, a)
		}
	}
	return s, nil
}

func (s *score) admission(c *answered, a *roundfile.Answer) {
	s.proven++ // a no without a proof is an error of Solve
	switch {
	case c.Expect.Admit == nil:
		s.within++
	case *c.Expect.Admit != *a.Admit:
		s.decided++
		s.wrong = append(s.wrong, fmt.Sprintf("%s: the referee says %v", c.Name, *c.Expect.Admit))
	default:
		s.decided++
		s.equal++
	}
}

func (s *score) plan(c *answered, a *roundfile.Answer) {
	if *a.Gap == 0 {
		s.proven++
	}
	off := func(what string) {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %s: we earn %v of at most %v in %d steps, the referee %v %v", c.Name, what, *a.Objective, *a.Bound, a.BudgetUsed, c.Expect.Objective, c.Expect.Bounds))
	}
	low, high := math.Inf(-1), math.Inf(1)
	switch {
	case c.Expect.Objective != nil:
		s.decided++
		low, high = *c.Expect.Objective, *c.Expect.Objective
	case len(c.Expect.Bounds) == 2:
		low, high = c.Expect.Bounds[0], c.Expect.Bounds[1]
	}
	switch {
	case *a.Bound < low-same:
		off("our bound is wrong")
	case *a.Objective > high+same:
		off("more than there can be")
	case *a.Objective < low-same:
		off("less than there is")
	case c.Expect.Objective != nil:
		s.equal++
	default:
		s.within++
	}
}
