package milp

import (
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"schedmate/scheduler/reward"
)

// handful draws a board of some jobs with steps.
func handful(r *rand.Rand, jobs, slots, gpus int) *board {
	m := &Model{Capacity: make([]int, slots), Sub: 1}
	for k := range m.Capacity {
		m.Capacity[k] = gpus/2 + r.Intn(gpus/2+1)
	}
	for range jobs {
		by := 1 + r.Intn(slots+2)
		j := Job{Kind: reward.Soft, Late: reward.One, Steps: []reward.Step{
			{By: by, Reward: 100 * reward.One}, {By: by + 1 + r.Intn(2), Reward: reward.Points(20+r.Intn(70)) * reward.One}}}
		for range 1 + r.Intn(2) {
			j.Policies = append(j.Policies, Policy{GPUs: 1 + r.Intn(gpus), Leases: 1 + r.Intn(by)})
		}
		m.Jobs = append(m.Jobs, j)
	}
	return newBoard(m, false)
}

// The optimum of the linear program, with rows added one after the other, columns
// closed and opened again and a basis that is come back to, is that of a dense
// simplex method which is given everything at once.
func TestTheLinearProgramAgreesWithADenseOne(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for n := range 400 {
		b := handful(r, 2+r.Intn(7), 2+r.Intn(5), 8)
		x := newRelaxation(b, always)
		f := newFamilies(b)
		f.falls = false // no rows of slot sets
		settle := func() float64 {
			for {
				if got := x.resolve(math.Inf(-1)); got == nothing {
					return math.Inf(-1)
				} else if got != solved {
					t.Fatalf("program %d: ended with %v", n, got)
				}
				if !x.addAll(f.broken(x.point())) {
					return x.bound()
				}
				x.shed()
			}
		}
		agree := func(what string) {
			t.Helper()
			got, want := settle(), dense(t, b, f, x.open)
			if math.Abs(got-want) > 1e-6 && !(math.IsInf(got, -1) && math.IsInf(want, -1)) {
				t.Fatalf("program %d, %s: want %v, got %v", n, what, want, got)
			}
		}
		agree("at first")
		first := x.save()
		var closed []int
		for range 1 + r.Intn(4) {
			if c := r.Intn(len(b.options) + 1); c < len(b.options) && x.open[c] {
				x.open[c] = false
				closed = append(closed, c)
			}
		}
		x.enliven()
		x.appraise()
		agree("with columns closed")
		for _, c := range closed {
			x.open[c] = true
		}
		if !x.load(first) {
			t.Fatalf("program %d: the basis cannot be loaded", n)
		}
		agree("open again")
	}
}

// dense solves the program with all rows of all families.
func dense(t *testing.T, b *board, f *families, open []bool) float64 {
	t.Helper()
	var rows []*row
	for n := range f.sizes {
		for k := 1; k <= b.slots; k++ {
			rows = append(rows, f.row(n, k))
		}
	}
	// Columns: options, then a slack for each row and each job.
	n, jobs := len(b.options), len(b.m.Jobs)
	a := mat.NewDense(len(rows)+jobs, n+len(rows)+jobs, nil)
	rhs, cost := make([]float64, len(rows)+jobs), make([]float64, n+len(rows)+jobs)
	for i := range b.options {
		if open[i] {
			cost[i] = -gainOf(&b.options[i]) // closed ones take and earn nothing
		}
		a.Set(len(rows)+b.options[i].job, i, 1)
		for q := range rows {
			a.Set(q, i, rows[q].need[i])
		}
	}
	for q := range rhs {
		a.Set(q, n+q, 1)
		if rhs[q] = 1; q < len(rows) {
			rhs[q] = rows[q].most
		}
	}
	best, _, err := lp.Simplex(cost, a, rhs, 1e-10, nil)
	if err != nil {
		t.Fatalf("dense program: %v", err)
	}
	return -best
}
