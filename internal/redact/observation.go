package redact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"schedmate"
)

// hidden stands for free text of people.
const hidden = "‹redacted›"

// Observation returns a copy of an observation that can be shown to others: users,
// accounts, names of the cluster, of jobs and of reservations become pseudonyms, the
// same ones throughout; free text is replaced; paths, comments and commands are left
// out. Names of nodes, their features, partitions, QOS and licences stay: without them
// there is no answer to why a job waits. So does the version of the scheduler.
func Observation(o *schedmate.Observation) (*schedmate.Observation, error) {
	c := *o
	users, accounts, jobs, reservations := pseudonyms{prefix: "user"}, pseudonyms{prefix: "account"}, pseudonyms{prefix: "job"}, pseudonyms{prefix: "reservation"}
	c.System.Cluster = (&pseudonyms{prefix: "cluster"}).of(o.System.Cluster)
	c.Jobs = slices.Clone(o.Jobs)
	for i := range c.Jobs {
		j := &c.Jobs[i]
		j.User, j.Account, j.Name, j.Reservation = users.of(j.User), accounts.of(j.Account), jobs.of(j.Name), reservations.each(j.Reservation)
		j.WorkDir, j.Command, j.Stdout, j.Stderr, j.Comment = "", "", "", "", ""
		if j.Description != "" {
			j.Description = hidden
		}
		if strings.ContainsFunc(j.Reason, unicode.IsSpace) { // the scheduler's own reasons are one word
			j.Reason = hidden
		}
		if e := j.Ending; e != nil && e.CancelledBy != "" {
			end := *e
			end.CancelledBy = users.of(e.CancelledBy)
			j.Ending = &end
		}
	}
	c.Nodes = slices.Clone(o.Nodes)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.ReasonBy = users.of(n.ReasonBy)
		if n.Reason != "" {
			n.Reason = hidden
		}
	}
	c.Partitions = slices.Clone(o.Partitions)
	for i := range c.Partitions {
		p := &c.Partitions[i]
		p.AllowAccounts = accounts.all(p.AllowAccounts)
		p.AllowGroups = users.all(p.AllowGroups)
		p.Restrictions = withoutValues(p.Restrictions)
	}
	c.Reservations = slices.Clone(o.Reservations)
	for i := range c.Reservations {
		r := &c.Reservations[i]
		r.Name, r.Users, r.Accounts = reservations.of(r.Name), users.all(r.Users), accounts.all(r.Accounts)
	}
	slices.SortFunc(c.Reservations, func(a, b schedmate.Reservation) int { return schedmate.CompareJobIDs(a.Name, b.Name) })
	c.Gaps = slices.Clone(o.Gaps)
	for i := range c.Gaps {
		c.Gaps[i] = schedmate.Gap{What: hidden, Why: hidden} // they quote records and paths
	}
	return &c, c.Validate()
}

// withoutValues keeps of demands such as DenyAccounts=ann what is demanded.
func withoutValues(demands []string) []string {
	demands = slices.Clone(demands)
	for i, demand := range demands {
		if key, _, ok := strings.Cut(demand, "="); ok {
			demands[i] = key + "=" + hidden
		} else {
			demands[i] = hidden
		}
	}
	return demands
}

// pseudonyms gives each name one of its own.
type pseudonyms struct {
	prefix string
	known  map[string]string
}

func (p *pseudonyms) of(name string) string {
	if name == "" {
		return ""
	}
	if p.known == nil {
		p.known = make(map[string]string)
	}
	if known, ok := p.known[name]; ok {
		return known
	}
	p.known[name] = fmt.Sprintf("%s-%04d", p.prefix, len(p.known)+1)
	return p.known[name]
}

// each replaces the names of a list with commas; what is before a name, as in -ann
// for a user that is left out, stays.
func (p *pseudonyms) each(list string) string {
	names := strings.Split(list, ",")
	for i, name := range names {
		bare := strings.TrimPrefix(name, "-")
		names[i] = name[:len(name)-len(bare)] + p.of(bare)
	}
	return strings.Join(names, ",")
}

func (p *pseudonyms) all(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = p.each(name)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
