package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedmate"
)

// source is where the parts of an observation come from: commands, or the REST
// service.
type source interface {
	queue(context.Context) (*queue, error)
	nodes(context.Context) ([]schedmate.ObservedNode, []schedmate.Gap, error)
	partitions(context.Context) ([]schedmate.Partition, []schedmate.Gap, error)
	reservations(context.Context) ([]schedmate.Reservation, []schedmate.Gap, error)
	licences(context.Context) ([]schedmate.Licence, []schedmate.Gap, error)

	// seesAll reports whether Slurm is known to hide nothing from whoever asks.
	seesAll() bool
}

// observe asks for the parts one after the other. Without the queue there is no
// observation; any other part that cannot be read is a gap. Once Slurm has fallen
// silent it is not asked further.
func observe(ctx context.Context, from source, clock func() time.Time) (*schedmate.Observation, error) {
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, System: schedmate.System{Name: "slurm"}}
	var q *queue
	err := patiently(ctx, func() (err error) {
		q, err = from.queue(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Now = schedmate.Seconds(clock().Unix())
	o.Jobs, o.Gaps = q.jobs, q.gaps
	o.System.Version, o.System.Cluster = q.system.Version, q.system.Cluster
	silent := false
	o.Nodes = part(ctx, o, &silent, "nodes", from.nodes)
	o.Partitions = part(ctx, o, &silent, "partitions", from.partitions)
	o.Reservations = part(ctx, o, &silent, "reservations", from.reservations)
	if slices.ContainsFunc(o.Jobs, func(j schedmate.ObservedJob) bool { return j.Licences != "" }) {
		o.Licences = part(ctx, o, &silent, "licences", from.licences)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := 0; o.System.Version == "" && i < len(o.Nodes); i++ {
		o.System.Version = o.Nodes[i].Version
	}
	if !silent && !q.cut && !from.seesAll() {
		o.Gaps = append(o.Gaps, hiddenJobs(ctx, o, from)...)
	}
	o.Gaps = append(o.Gaps, clocksApart(o)...)
	return o, nil
}

// part reads what the rest can do without.
func part[T any](ctx context.Context, o *schedmate.Observation, silent *bool, what string, read func(context.Context) ([]T, []schedmate.Gap, error)) []T {
	if *silent || ctx.Err() != nil {
		o.Gaps = append(o.Gaps, schedmate.Gap{What: what, Why: "not asked for: Slurm had stopped answering", Next: "ask again"})
		return nil
	}
	var list []T
	var gaps []schedmate.Gap
	err := patiently(ctx, func() (err error) {
		list, gaps, err = read(ctx)
		return err
	})
	o.Gaps = append(o.Gaps, gaps...)
	if errors.Is(err, errCut) && len(list) > 0 {
		o.Gaps = append(o.Gaps, schedmate.Gap{What: "the rest of the " + what, Why: fmt.Sprintf("Slurm's answer broke off after %d of them", len(list)), Next: "ask again"})
		return list
	}
	if err != nil {
		var unreachable *UnreachableError
		*silent = errors.As(err, &unreachable)
		o.Gaps = append(o.Gaps, schedmate.Gap{What: what, Why: err.Error()})
		return nil
	}
	return list
}

// partly makes a gap of an answer about jobs that broke off: what came before it holds.
func partly(q *queue, err error) error {
	if !errors.Is(err, errCut) || q == nil || len(q.jobs) == 0 {
		return err
	}
	q.cut = true
	q.gaps = append(q.gaps, schedmate.Gap{What: "the rest of the queue", Why: "Slurm's answer broke off after " + plural(len(q.jobs), "job"), Next: "ask again"})
	return nil
}

// backOff is how long to wait before a busy Slurm is asked again.
var backOff = []time.Duration{2 * time.Second, 6 * time.Second}

// patiently asks again while Slurm is busy.
func patiently(ctx context.Context, ask func() error) error {
	for try := 0; ; try++ {
		err := ask()
		var busy *UnreachableError
		if err == nil || !errors.As(err, &busy) || !busy.Retriable() || try >= len(backOff) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(backOff[try]):
		}
	}
}

// hiddenJobs tells when nodes carry more than the jobs that are shown. Slurm says
// nothing where it hides jobs of other users (PrivateData in slurm.conf): they are
// just not there. Jobs also start and end between the questions about jobs and nodes.
// So the queue is read once more, but only where there is reason to: jobs of one user
// at most are shown, or much of what is in use is nobody's.
func hiddenJobs(ctx context.Context, o *schedmate.Observation, from source) []schedmate.Gap {
	if !unowned(o, o.Jobs).suspicious(o) {
		return nil
	}
	again, err := from.queue(ctx)
	if err != nil || again.cut {
		return nil // nothing can be told, and nobody is accused
	}
	left := unowned(o, o.Jobs, again.jobs)
	if !left.suspicious(o) {
		return nil
	}
	return []schedmate.Gap{{
		What: "jobs of other users",
		Why:  fmt.Sprintf("on %s, %d of %d CPUs in use belong to no job that Slurm shows, asked twice: it may hide jobs of others from this user", plural(left.nodes, "node"), left.cpus, left.used),
		Next: "ask Slurm's administrator (PrivateData in slurm.conf, or the role of operator)",
	}}
}

// use is what of the CPUs in use no job accounts for.
type use struct{ nodes, cpus, used int }

// suspicious reports whether so much is nobody's that jobs may be hidden. Who sees jobs
// of several users is hidden little; the rest is what starts and ends meanwhile.
func (u use) suspicious(o *schedmate.Observation) bool {
	if u.cpus == 0 {
		return false
	}
	users := make(map[string]bool)
	for i := range o.Jobs {
		users[o.Jobs[i].User] = true
	}
	return len(users) <= 1 || 4*u.cpus >= u.used
}

// unowned counts the CPUs in use that jobs do not account for, as they were seen in one
// answer about the queue or another. Nodes on which a job ended a moment ago, or of
// which it is not told how much a job holds, are passed over.
func unowned(o *schedmate.Observation, answers ...[]schedmate.ObservedJob) use {
	held, unknown := make(map[string]int), make(map[string]bool)
	seen := make(map[string]bool)
	for _, jobs := range answers {
		for i := range jobs {
			j := &jobs[i]
			if j.Over() && j.End+justEnded >= o.Now {
				for _, node := range j.Nodes {
					unknown[node] = true
				}
			}
			if !j.Runs() || seen[j.ID] {
				continue
			}
			seen[j.ID] = true
			for _, h := range j.Allocation {
				held[h.Node] += h.CPUs
				unknown[h.Node] = unknown[h.Node] || h.CPUs == 0
			}
		}
	}
	var u use
	for i := range o.Nodes {
		n := &o.Nodes[i]
		u.used += n.CPUsUsed
		if n.CPUsUsed > held[n.Name] && !unknown[n.Name] {
			u.nodes, u.cpus = u.nodes+1, u.cpus+n.CPUsUsed-held[n.Name]
		}
	}
	return u
}

// justEnded is how long after its end a job may still be counted at its nodes.
const justEnded schedmate.Seconds = 60

// mostSkew is how far two clocks may differ before a person is told.
const mostSkew = 60

// clocksApart tells when a job was submitted, or has started, after now.
func clocksApart(o *schedmate.Observation) []schedmate.Gap {
	var latest schedmate.Seconds
	for i := range o.Jobs {
		latest = max(latest, o.Jobs[i].Submit)
		if o.Jobs[i].Runs() {
			latest = max(latest, o.Jobs[i].Start)
		}
	}
	if latest <= o.Now+mostSkew {
		return nil
	}
	return []schedmate.Gap{{
		What: "how long jobs wait and run",
		Why:  fmt.Sprintf("a job came %d s after this machine's now: the clock here is behind that of slurmctld", latest-o.Now),
		Next: "set the clocks of both by NTP",
	}}
}
