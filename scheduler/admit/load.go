package admit

import "schedmate"

// Load is what one area can promise, and what of it is promised, slot after slot.
//
// Invariant: Capacity and Promised have an entry for each slot, from 1 on.
type Load struct {
	Node        string // that stands for the area
	VC, GPUType string // its owner and type; "" when shared, or of no type
	From, Lease schedmate.Seconds
	Capacity    []int // GPUs that can be promised: those held back are not among them
	Promised    []int // GPUs in leases of the book, expectations included
}

// Loads lists the areas of the cluster, sorted by owner and type, up to the last
// slot that begins before an instant. It reads the calendars as they stand in the
// book: recheck it first. What a job that asks holds of GPUs counts as free.
func (b Book) Loads(s *schedmate.Snapshot, o Options, asks string, until schedmate.Seconds) []Load {
	q := b.against(s, &o, asks)
	slots := int(min(max(1, (until-q.from+o.Lease-1)/o.Lease), mostSlots))
	out := make([]Load, len(q.areas))
	for i, at := range q.areas {
		capacity := at.capacity(1, slots, q.holds)
		for k := range capacity {
			capacity[k] = capacity[k] * (1000 - o.ReserveMilli) / 1000
		}
		out[i] = Load{Node: at.name, VC: at.vc, GPUType: at.gpuType, From: q.from, Lease: o.Lease, Capacity: capacity, Promised: make([]int, slots)}
	}
	for i := range b.promises {
		p := &b.promises[i]
		at := q.areaOf(p)
		for j := range out {
			if q.areas[j] != at {
				continue
			}
			for _, k := range b.kept(p, q.from, &o) {
				if k <= slots {
					out[j].Promised[k-1] += p.GPUs
				}
			}
		}
	}
	return out
}
