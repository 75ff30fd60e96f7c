package admit

import (
	"cmp"
	"slices"

	"schedmate"
	"schedmate/scheduler/lease"
)

// Claim is what one job must have of an area: Leases leases of GPUs GPUs, at most
// one a slot, in slots 1 to By.
type Claim struct {
	Job    string
	Class  schedmate.SLOClass
	Tenant string
	VC     string // "" unless its VC may hold only so many of the GPUs
	GPUs   int
	Cell   int // the largest cell that it needs whole
	Leases int
	By     int

	kept []int // slots that it has in the standing calendar
}

func (c *Claim) demand() lease.Demand {
	return lease.Demand{GPUs: c.GPUs, Leases: c.Leases, By: c.By}
}

// Room is GPUs that some of the claims share in each slot. Gangs of cells of 1, 2, 4
// and 8 GPUs have places on the nodes if and only if, for each of these sizes, those
// that need cells of it or larger ones fit in the GPUs that make such cells.
type Room struct {
	Cell int    // of claims that need cells of this size or larger
	VC   string // of claims of this VC; "": of all
	GPUs []int  // by slot, from 1 on
}

// Holds reports whether a claim takes of the room.
func (r *Room) Holds(c *Claim) bool {
	return c.Cell >= r.Cell && (r.VC == "" || r.VC == c.VC)
}

// table is what the claims on an area share: a room for all, and, where they
// matter, narrower ones.
type table struct {
	rooms []Room
	steps int64 // of a search; 0: as many as its size is worth
}

// lay makes the table of an area for claims, to the last of their deadlines.
func (q *question) lay(a *area, claims []*Claim) *table { return q.layTo(a, claims, 1) }

// layTo makes it for so many slots at least.
func (q *question) layTo(a *area, claims []*Claim, slots int) *table {
	var sizes []int
	limits := make(map[string]int)
	for _, c := range claims {
		slots = max(slots, c.By)
		if !slices.Contains(sizes, c.Cell) {
			sizes = append(sizes, c.Cell)
		}
		if c.VC != "" {
			limits[c.VC], _ = a.limit(&q.s.Cluster, c.VC)
		}
	}
	all := a.capacity(1, slots, q.holds)
	t := &table{steps: q.o.Steps, rooms: []Room{{Cell: 1, GPUs: make([]int, slots)}}}
	for k, g := range all {
		t.rooms[0].GPUs[k] = g * (1000 - q.o.ReserveMilli) / 1000
	}
	slices.Sort(sizes)
	for _, cell := range sizes {
		if room := a.capacity(cell, slots, q.holds); !slices.Equal(room, all) {
			t.rooms = append(t.rooms, Room{Cell: cell, GPUs: room})
		}
	}
	for _, vc := range limited(claims) {
		most := make([]int, slots)
		for k := range most {
			most[k] = min(all[k], limits[vc])
		}
		t.rooms = append(t.rooms, Room{Cell: 1, VC: vc, GPUs: most})
	}
	return t
}

// limited lists the VCs of claims that have a limit, sorted.
func limited(claims []*Claim) []string {
	var out []string
	for _, c := range claims {
		if c.VC != "" && !slices.Contains(out, c.VC) {
			out = append(out, c.VC)
		}
	}
	slices.Sort(out)
	return out
}

// taken is a table with leases in it.
type taken struct{ rooms []Room }

func (t *table) empty() *taken {
	out := &taken{rooms: slices.Clone(t.rooms)}
	for i := range out.rooms {
		out.rooms[i].GPUs = slices.Clone(out.rooms[i].GPUs)
	}
	return out
}

func (x *taken) fits(c *Claim, k int) bool {
	for i := range x.rooms {
		if r := &x.rooms[i]; r.Holds(c) && r.GPUs[k-1] < c.GPUs {
			return false
		}
	}
	return true
}

func (x *taken) take(c *Claim, k int) {
	for i := range x.rooms {
		if r := &x.rooms[i]; r.Holds(c) {
			r.GPUs[k-1] -= c.GPUs
		}
	}
}

// hold takes the slots of claims.
func (x *taken) hold(claims []*Claim, slots lease.Calendar) {
	for i, c := range claims {
		for _, k := range slots[i] {
			x.take(c, k)
		}
	}
}

// earliest returns slots with room for a claim, those that it has before the
// earliest others, or nil.
func (x *taken) earliest(c *Claim) []int {
	if c.Leases > c.By {
		return nil
	}
	slots := make([]int, 0, c.Leases)
	for _, k := range c.kept {
		if k <= c.By && len(slots) < c.Leases && x.fits(c, k) {
			slots = append(slots, k)
		}
	}
	has := len(slots)
	for k := 1; k <= c.By && len(slots) < c.Leases; k++ {
		if _, is := slices.BinarySearch(slots[:has], k); !is && x.fits(c, k) {
			slots = append(slots, k)
		}
	}
	if len(slots) < c.Leases {
		return nil
	}
	slices.Sort(slots)
	return slots
}

// left is what the rooms leave to a claim in each slot.
func (x *taken) left(c *Claim) []int {
	out := slices.Clone(x.rooms[0].GPUs)
	for i := range x.rooms {
		if r := &x.rooms[i]; r.Holds(c) {
			for k := range out {
				out[k] = min(out[k], r.GPUs[k])
			}
		}
	}
	return out
}

// within reports whether a calendar keeps to all rooms.
func (t *table) within(claims []*Claim, slots lease.Calendar) bool {
	x := t.empty()
	for i, c := range claims {
		for _, k := range slots[i] {
			if !x.fits(c, k) {
				return false
			}
			x.take(c, k)
		}
	}
	return true
}

// classes parts claims into those that are alike in every room, the larger cells
// and the limited VCs first.
func classes(claims []*Claim) [][]int {
	order := make([]int, len(claims))
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		x, y := claims[i], claims[j]
		return cmp.Or(cmp.Compare(y.Cell, x.Cell), cmp.Compare(y.VC, x.VC))
	}
	slices.SortStableFunc(order, compare)
	var out [][]int
	for n, i := range order {
		if n == 0 || compare(order[n-1], i) != 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}
