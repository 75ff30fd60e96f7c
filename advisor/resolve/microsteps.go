package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
)

// roundsOfBackward is the number of rounds of a loop around the backward pass
// that lies inside of the loop in which the optimiser steps: so many micro
// steps make a step.
func (v *view) roundsOfBackward() (float64, *origin.Origin, bool) {
	steps := map[*pyeval.Loop]bool{}
	for _, c := range v.obs.Calls {
		if isStep(c) && !strings.Contains(strings.ToLower(c.Name), "sched") {
			steps[c.Loops] = true
		}
	}
	for _, c := range v.obs.Calls {
		l := c.Loops
		if l == nil || l.While || steps[l] || !steps[l.Parent] || lastPart(strings.TrimSuffix(c.Name, "()")) != "backward" || c.Doubt {
			continue
		}
		if over := l.Over.External(); over != nil && over.Name == "builtins.range" && over.Call != nil {
			if n, at, ok := span(over.Call); ok && n == float64(int(n)) {
				return n, at, true
			}
		}
	}
	return 0, nil, false
}

// sharesOf reports that a function of the repository, in a loop, cuts a batch
// into as many parts as a number says that came from one place.
func (v *view) sharesOf(n int, at *origin.Origin) bool {
	if n < 2 || at == nil {
		return false
	}
	for _, c := range v.obs.Calls {
		name := strings.ToLower(lastPart(c.Name))
		if c.Loops == nil || c.Doubt || !strings.HasPrefix(c.Name, "repo:") || !hasAny(name, "slice", "split", "shard", "chunk", "scatter", "partition") || !hasAny(name, "batch", "data", "tensor", "input") {
			continue
		}
		given := slices.Clone(c.Args)
		for _, k := range c.Kw {
			given = append(given, k.Value)
		}
		if slices.ContainsFunc(given, func(x pyeval.Value) bool {
			return x.Kind == pyeval.Int && int(x.Int) == n && x.Origin != nil && x.Origin.String() == at.String()
		}) {
			return true
		}
	}
	return false
}

func hasAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
