package slurm

import (
	"context"
	"slices"
	"testing"
	"time"

	"schedmate"
)

// looks is a Slurm that answers about its queue anew each time, and always the same
// about its nodes.
type looks struct {
	queues [][]schedmate.ObservedJob
	used   map[string]int // CPUs of nodes
	asked  int
}

func (l *looks) queue(context.Context) (*queue, error) {
	jobs := l.queues[min(l.asked, len(l.queues)-1)]
	l.asked++
	return &queue{jobs: slices.Clone(jobs)}, nil
}

func (l *looks) nodes(context.Context) ([]schedmate.ObservedNode, []schedmate.Gap, error) {
	var list []schedmate.ObservedNode
	for _, name := range []string{"n1", "n2"} {
		list = append(list, schedmate.ObservedNode{Name: name, States: []string{"MIXED"}, CPUs: 64, CPUsUsed: l.used[name]})
	}
	return list, nil, nil
}

func (l *looks) partitions(context.Context) ([]schedmate.Partition, []schedmate.Gap, error) {
	return nil, nil, nil
}

func (l *looks) reservations(context.Context) ([]schedmate.Reservation, []schedmate.Gap, error) {
	return nil, nil, nil
}

func (l *looks) licences(context.Context) ([]schedmate.Licence, []schedmate.Gap, error) {
	return nil, nil, nil
}

func (l *looks) seesAll() bool { return false }

// Jobs start and end while Slurm is asked, so that jobs and nodes never quite agree.
func TestJobsOfOthersAreSaidToBeHiddenOnlyWhereTheyStayAway(t *testing.T) {
	const now = 1_800_000_000
	runs := func(id, user, node string, cpus int) schedmate.ObservedJob {
		return schedmate.ObservedJob{ID: id, User: user, State: "RUNNING", Submit: now - 99, Start: now - 9, Nodes: []string{node}, Allocation: []schedmate.NodeHolding{{Node: node, CPUs: cpus}}}
	}
	ended := func(id, user, node string) schedmate.ObservedJob {
		return schedmate.ObservedJob{ID: id, User: user, State: "COMPLETED", Submit: now - 99, Start: now - 9, End: now, Nodes: []string{node}}
	}
	ann, bob, more := runs("1", "ann", "n1", 40), runs("2", "bob", "n2", 8), runs("3", "ann", "n2", 8)
	for _, c := range []struct {
		name   string
		queues [][]schedmate.ObservedJob
		used   map[string]int
		gap    bool
		asked  int
	}{
		{"all is accounted for", [][]schedmate.ObservedJob{{ann, bob}}, map[string]int{"n1": 40, "n2": 8}, false, 1},
		{"one of several users' jobs started in between", [][]schedmate.ObservedJob{{ann, bob}}, map[string]int{"n1": 40, "n2": 16}, false, 1},
		{"the only user's job started in between", [][]schedmate.ObservedJob{{ann}, {ann, more}}, map[string]int{"n1": 40, "n2": 8}, false, 2},
		{"it had ended when asked again", [][]schedmate.ObservedJob{{ann}, {ann, ended("3", "ann", "n2")}}, map[string]int{"n1": 40, "n2": 8}, false, 2},
		{"a job ended in between", [][]schedmate.ObservedJob{{ann, more}}, map[string]int{"n1": 40}, false, 1},
		{"bob's job is hidden from ann", [][]schedmate.ObservedJob{{ann}}, map[string]int{"n1": 40, "n2": 8}, true, 2},
		{"nothing is shown at all", [][]schedmate.ObservedJob{{}}, map[string]int{"n1": 40, "n2": 8}, true, 2},
		{"a coordinator sees two users of many", [][]schedmate.ObservedJob{{bob, runs("4", "eve", "n2", 1)}}, map[string]int{"n1": 40, "n2": 9}, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &looks{queues: c.queues, used: c.used}
			o, err := observe(t.Context(), l, func() time.Time { return time.Unix(now, 0) })
			if err != nil {
				t.Fatal(err)
			}
			if hidden := len(o.Gaps) > 0; hidden != c.gap || l.asked != c.asked {
				t.Errorf("gaps %+v, the queue was read %d times; want a gap %t, %d times", o.Gaps, l.asked, c.gap, c.asked)
			}
		})
	}
}
