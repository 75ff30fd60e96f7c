package memory

import (
	"cmp"
	"slices"

	"schedmate"
)

// latest keeps of each incident its last record, in the order of time. A later
// one without an outcome does not undo what was confirmed.
func latest(records []Record) []Record {
	at := make(map[string]int, len(records))
	out := make([]Record, 0, len(records))
	for _, r := range records {
		i, ok := at[r.Incident]
		if !ok {
			at[r.Incident] = len(out)
			out = append(out, r)
			continue
		}
		if r.Outcome == nil {
			r.Outcome = out[i].Outcome
		}
		out[i] = r
	}
	slices.SortFunc(out, compareRecords)
	return out
}

func compareRecords(a, b Record) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Incident, b.Incident))
}

// Compact returns what a file of records should be rewritten to: each incident
// once, in the order of time; of those before since only the confirmed ones;
// and at most so many. Where that is too few, the oldest that nobody confirmed
// go first.
func Compact(records []Record, since schedmate.Seconds, most int) []Record {
	kept := slices.DeleteFunc(latest(records), func(r Record) bool { return r.At < since && r.Outcome == nil })
	surplus := len(kept) - max(most, 0)
	for _, confirmed := range []bool{false, true} {
		kept = slices.DeleteFunc(kept, func(r Record) bool {
			if surplus <= 0 || (r.Outcome != nil) != confirmed {
				return false
			}
			surplus--
			return true
		})
	}
	return kept
}
