package milp

import (
	"math/rand"
	"testing"

	"schedmate/scheduler/lease"
)

// choices calls do with every choice of a board that has a calendar.
func choices(b *board, do func(pick []int)) {
	d := &deadlines{search: &search{b: b, spend: always}}
	pick := make([]int, len(b.m.Jobs))
	var job func(j int)
	job = func(j int) {
		if j == len(pick) {
			d.demand(pick)
			if _, v := lease.Find(b.m.Capacity, nil, d.demands, always); v == lease.Found {
				do(pick)
			}
			return
		}
		pick[j] = -1
		job(j + 1)
		for i := b.first[j]; i < b.first[j+1]; i++ {
			pick[j] = i
			job(j + 1)
		}
	}
	job(0)
}

func point(b *board, pick []int) []float64 {
	y := make([]float64, len(b.options))
	for _, i := range pick {
		if i >= 0 {
			y[i] = 1
		}
	}
	return y
}

// A row that gangs cannot be mixed is broken by the choice it was made for, and by
// no choice at all that has a calendar, of whatever options; and such rows are
// found for most choices that whole gangs alone make impossible.
func TestRowsOfMixturesProperty(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	made, unseen := 0, 0
	for made < 150 {
		b := handful(r, 4, 2+r.Intn(3), []int{4, 8}[r.Intn(2)])
		d := newDeadlines(b, leastPoints, always)
		pick := make([]int, len(b.m.Jobs))
		for j := range pick {
			from, to := b.of(j)
			pick[j] = from + r.Intn(to-from+1)
			if pick[j] == to {
				pick[j] = -1
			}
		}
		d.demand(pick)
		if _, v := lease.Find(b.m.Capacity, nil, d.demands, always); v != lease.Impossible || len(d.rows.broken(point(b, pick))) > 0 {
			continue // there is a calendar, or simpler rows see that there is none
		}
		claims, start := d.claims()
		q := d.weighed(claims, start, mostRows)
		if q == nil {
			if unseen++; unseen > 1000 {
				t.Fatalf("%d rows made, of %d choices none", made, unseen)
			}
			continue
		}
		made++
		if !q.breaks(point(b, pick)) {
			t.Fatal("the choice keeps the row that was made for it")
		}
		choices(b, func(other []int) {
			if q.breaks(point(b, other)) {
				t.Fatalf("%v has a calendar and breaks the row %v <= %v of %v\n%+v", other, q.need, q.most, pick, *b.m)
			}
		})
	}
	t.Logf("%d rows made, none for %d choices", made, unseen)
}

// Rows in rooms of a size of gang, prefix rows and rows of slot sets hold for every
// choice that has a calendar.
func TestRowsOfFamiliesProperty(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 60 {
		b := handful(r, 4, 1+r.Intn(4), 8)
		f := newFamilies(b)
		var rows []*row
		for n := range f.sizes {
			for k := 1; k <= b.slots; k++ {
				rows = append(rows, f.row(n, k).list())
			}
			for range 8 {
				set := make([]bool, b.slots)
				for k := range set {
					set[k] = r.Intn(2) == 0
				}
				rows = append(rows, b.setRow(set, f.sizes[n]))
			}
		}
		choices(b, func(pick []int) {
			for _, q := range rows {
				if q.breaks(point(b, pick)) {
					t.Fatalf("%v has a calendar and breaks %v <= %v\n%+v", pick, q.need, q.most, *b.m)
				}
			}
		})
	}
}
