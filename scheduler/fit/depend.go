package fit

import (
	"fmt"
	"strconv"
	"strings"

	"schedmate"
)

// clause is one part of a dependency: afterok:12:13(unfulfilled).
type clause struct {
	kind string // afterok, afterany, afternotok, aftercorr, after, singleton, expand
	ids  []string
	mark string // unfulfilled, fulfilled, failed; or empty
}

// readDependency reads a dependency as Slurm writes it. Parts behind a ? are
// alternatives; either is then true.
func readDependency(text string) (clauses []clause, either bool) {
	either = strings.Contains(text, "?")
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '?' }) {
		body, mark, marked := strings.Cut(part, "(")
		cl := clause{}
		if marked {
			cl.mark = strings.TrimSuffix(mark, ")")
		}
		fields := strings.Split(body, ":")
		cl.kind = strings.TrimSpace(fields[0])
		for _, id := range fields[1:] {
			id, _, _ = strings.Cut(id, "+") // a delay in minutes
			cl.ids = append(cl.ids, strings.TrimSuffix(id, "_*"))
		}
		clauses = append(clauses, cl)
	}
	return clauses, either
}

func (a *question) depends() bool {
	clauses, either := readDependency(a.j.Dependency)
	never := a.told.kind == DependencyNever
	open := a.told.kind == Dependency || never
	for _, cl := range clauses {
		switch cl.mark {
		case "failed":
			never = never || !either
			open = true
		case "unfulfilled":
			open = true
		}
	}
	if !open {
		return false
	}
	var states []string
	var until schedmate.Seconds
	told := true // all of the ends are
	for _, cl := range clauses {
		if cl.mark == "fulfilled" {
			continue
		}
		for _, id := range cl.ids {
			tasks := a.c.tasksOf(id)
			if len(tasks) == 0 {
				a.a.Jobs = append(a.a.Jobs, JobRef{ID: id})
				states, told = append(states, fmt.Sprintf("%s %s (not in the queue any more)", cl.kind, id)), false
			}
			for _, i := range tasks {
				j := &a.c.o.Jobs[i]
				a.a.Jobs = append(a.a.Jobs, a.c.ref(i))
				states = append(states, fmt.Sprintf("%s %s, which is %s", cl.kind, j.ID, j.State))
				end := a.c.ends[i]
				switch {
				case j.Over():
				case j.Runs() && end.basis != NoEnd && cl.kind != "after":
					until = max(until, end.at)
					a.a.Until.Releases = append(a.a.Until.Releases, Release{j.ID, end.at, end.basis})
				default:
					told = false
				}
			}
		}
		if cl.kind == "singleton" {
			states, told = append(states, "singleton: other jobs of the same name and user"), false
		}
	}
	if never || either || !told {
		until, a.a.Until.Releases = 0, nil
	}
	a.a.Until.At = until
	what := "other jobs"
	if len(states) > 0 {
		what = names(states)
	}
	if never {
		a.a.Told.Start = 0
		return a.say(DependencyNever, "It will never start: its dependency cannot be fulfilled (%s).", what)
	}
	return a.say(Dependency, "It waits for %s.", what)
}

// tasksOf returns the jobs of an id: itself, or the tasks of the array, in their order.
func (c *Cluster) tasksOf(id string) []int {
	if i, ok := c.byJob[id]; ok {
		return []int{i}
	}
	if c.byNumber == nil {
		c.byNumber = make(map[string][]int)
		for i := range c.o.Jobs {
			j := &c.o.Jobs[i]
			number := strconv.FormatInt(j.Number, 10)
			if j.Array != "" && j.Array != number {
				c.byNumber[j.Array] = append(c.byNumber[j.Array], i)
			}
			c.byNumber[number] = append(c.byNumber[number], i)
		}
	}
	return c.byNumber[id]
}
