package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"schedmate"
)

func (r *REST) queue(ctx context.Context) (q *queue, err error) {
	err = r.get(ctx, "jobs", func(body io.Reader) (err error) {
		q, err = readJobsJSON(body)
		return err
	})
	return q, partly(q, err)
}

func (r *REST) nodes(ctx context.Context) (nodes []schedmate.ObservedNode, gaps []schedmate.Gap, err error) {
	err = r.get(ctx, "nodes", func(body io.Reader) (err error) {
		nodes, gaps, err = readNodesJSON(body)
		return err
	})
	return nodes, gaps, err
}

func (r *REST) partitions(ctx context.Context) ([]schedmate.Partition, []schedmate.Gap, error) {
	told := false // flags, one of which is the default
	all, gaps, err := list(ctx, r, "partitions", func(p schedmate.Partition) string { return p.Name }, func(p *partitionRecord) (schedmate.Partition, error) {
		told = told || p.Flags != nil
		return p.partition()
	})
	if !told && len(all) > 0 {
		gaps = append(gaps, schedmate.Gap{What: "which partition is the default", Why: fmt.Sprintf("v0.0.%d of slurmrestd does not tell it", r.version)})
	}
	return all, gaps, err
}

func (r *REST) reservations(ctx context.Context) ([]schedmate.Reservation, []schedmate.Gap, error) {
	now := schedmate.Seconds(r.clock().Unix())
	return list(ctx, r, "reservations", func(one schedmate.Reservation) string { return one.Name }, func(one *reservationRecord) (schedmate.Reservation, error) {
		return one.reservation(now)
	})
}

func (r *REST) licences(ctx context.Context) ([]schedmate.Licence, []schedmate.Gap, error) {
	return list(ctx, r, "licenses", func(l schedmate.Licence) string { return l.Name }, (*licenceRecord).licence)
}

// seesAll: whose token it is tells only the service.
func (r *REST) seesAll() bool { return false }

// list reads an answer that is a list of records with names, and sorts by them. One
// that cannot be read is a gap.
func list[R, T any](ctx context.Context, r *REST, what string, name func(T) string, make func(*R) (T, error)) ([]T, []schedmate.Gap, error) {
	var out []T
	q := &queue{}
	err := r.get(ctx, what, func(body io.Reader) error {
		fields := q.aboutItself()
		fields[what] = func(a *answer) error {
			return eachElement(a, func(record *R, err error) {
				var one T
				if err == nil {
					one, err = make(record)
				}
				if err == nil && name(one) == "" {
					err = errors.New("a record has no name")
				}
				if err != nil {
					q.gaps = append(q.gaps, unreadable(err, "GET "+what))
					return
				}
				out = append(out, one)
			})
		}
		return q.nothing(len(out), eachField(body, fields))
	})
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return slices.CompactFunc(out, func(a, b T) bool { return name(a) == name(b) }), q.gaps, err
}

// reservationRecord is a reservation in JSON.
type reservationRecord struct {
	Name     text   `json:"name"`
	Nodes    text   `json:"node_list"`
	Start    number `json:"start_time"`
	End      number `json:"end_time"`
	Users    text   `json:"users"`
	Accounts text   `json:"accounts"`
	Flags    words  `json:"flags"`
}

// reservation tells the state as scontrol does, which works it out in the same way.
func (r *reservationRecord) reservation(now schedmate.Seconds) (schedmate.Reservation, error) {
	nodes, err := Hosts(string(r.Nodes))
	if err != nil {
		return schedmate.Reservation{}, err
	}
	one := schedmate.Reservation{
		Name: clean(r.Name), Start: r.Start.seconds(), End: r.End.seconds(), Nodes: nodes,
		Users: names(r.Users), Accounts: names(r.Accounts), Flags: r.Flags, State: "INACTIVE",
	}
	if len(one.Flags) == 0 {
		one.Flags = nil
	}
	if one.End != 0 && one.End < one.Start {
		return one, errors.New("reservation " + one.Name + " ends before it starts")
	}
	if one.Start <= now && (now <= one.End || one.End == 0) {
		one.State = "ACTIVE"
	}
	return one, nil
}

// licenceRecord is a licence in JSON.
type licenceRecord struct {
	Name     text   `json:"LicenseName"`
	Total    number `json:"Total"`
	Used     number `json:"Used"`
	Reserved number `json:"Reserved"`
}

func (l *licenceRecord) licence() (schedmate.Licence, error) {
	return schedmate.Licence{Name: clean(l.Name), Total: l.Total.count(), Used: l.Used.count(), Reserved: l.Reserved.count()}, nil
}
