package cli

import (
	"slices"

	"schedmate"
	"schedmate/scheduler/admit"
)

// offered is an offer with the leases that the job would have, and the promises
// that would be kept by other leases than now.
func offered(x *admit.Offer, job string, standing []promiseEntry) offerEntry {
	e := offerEntry{Deadline: unlessZero(x.Deadline), GPUs: x.GPUs, Kind: x.Kind, Leases: []schedmate.Seconds{}, Moves: []string{}}
	if x.Calendar == nil {
		return e
	}
	leases := make(map[string][]schedmate.Seconds)
	for _, l := range x.Calendar.Leases() {
		leases[l.Job] = append(leases[l.Job], l.Start)
	}
	e.Leases = append(e.Leases, leases[job]...)
	for i := range standing {
		p := &standing[i]
		to, ok := leases[p.Job]
		if !ok || p.Job == job {
			continue
		}
		from := slices.DeleteFunc(slices.Clone(p.Leases), func(at schedmate.Seconds) bool { return at < x.Calendar.From })
		if !slices.Equal(from, to) {
			e.Moves = append(e.Moves, p.Job)
		}
	}
	return e
}

// until is when the last lease ends, of promises and of offers, or, when later, the
// deadline that is asked for.
func (d *admissionDocument) until() schedmate.Seconds {
	end := d.answerTail.until(d.Now)
	if d.Deadline != nil {
		end = max(end, *d.Deadline)
	}
	for i := range d.Offers {
		if n := len(d.Offers[i].Leases); n > 0 {
			end = max(end, d.Offers[i].Leases[n-1]+d.Terms.Lease)
		}
	}
	return end
}

func (d *answerTail) until(now schedmate.Seconds) schedmate.Seconds {
	end := now
	for i := range d.Promises {
		if n := len(d.Promises[i].Leases); n > 0 {
			end = max(end, d.Promises[i].Leases[n-1]+d.Terms.Lease)
		}
	}
	return end
}

// loads are the areas that can promise anything, in runs of slots that are alike.
func loads(s *schedmate.Snapshot, o admit.Options, book admit.Book, job string, until schedmate.Seconds) []loadEntry {
	out := []loadEntry{}
	for _, l := range book.Loads(s, o, job, until) {
		for k := range l.Capacity {
			start := l.From + schedmate.Seconds(k)*l.Lease
			if n := len(out) - 1; k > 0 && out[n].GPUs == l.Capacity[k] && out[n].Promised == l.Promised[k] {
				out[n].End = start + l.Lease
				continue
			}
			out = append(out, loadEntry{l.Node, l.VC, l.GPUType, start, start + l.Lease, l.Capacity[k], l.Promised[k]})
		}
	}
	return out
}
