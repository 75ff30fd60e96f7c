package milp

import (
	"math/rand"
	"testing"

	"schedmate/scheduler/cells"
	"schedmate/scheduler/lease"
	"schedmate/scheduler/reward"
)

// spotRound draws spot jobs and a slot 1 for them.
func spotRound(r *rand.Rand) *Model {
	m := &Model{Capacity: []int{1 + r.Intn(12)}, Sub: 1 + r.Intn(4)}
	if r.Intn(2) == 0 {
		free := cells.Free([]cells.Node{cells.Node(r.Intn(256)), cells.Node(r.Intn(256))})
		m.Gate, m.Capacity[0] = &lease.Gate{Free: free}, free[0]
	}
	for range 1 + r.Intn(4) {
		j := Job{Kind: reward.Spot}
		for range 1 + r.Intn(2) {
			gpus := 1 + r.Intn(8)
			ways := cells.Combinations(gpus)
			j.Policies = append(j.Policies, Policy{GPUs: gpus, Cells: ways[r.Intn(len(ways))], Leases: 1 + r.Intn(6)})
		}
		if r.Intn(4) == 0 {
			j.Kind, j.Policies = reward.Profiling, []Policy{{GPUs: 1 + r.Intn(2), Leases: 1}}
		}
		m.Jobs = append(m.Jobs, j)
	}
	return m
}

// The best service of spot jobs within a room is that of trying all sets of
// sub-slots for everybody, and what it says it uses is what it uses.
func TestServingAgreesWithTryingEverything(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for n := range 2000 {
		m := spotRound(r)
		b := m.spotBoard()
		room := m.room()
		for l := range room {
			if room[l] > 0 && room[l] < plenty && r.Intn(3) == 0 {
				room[l] = r.Intn(room[l] + 1)
			}
		}
		p, limit := b.serve(room, 0, always)
		if want := servedMost(m, room); p == nil || p.gain != want || limit != want {
			t.Fatalf("round %d: want %v, got %+v, at most %v\n%+v %+v %v", n, want.Value(), p, limit.Value(), *m, m.Gate, room)
		}
		var use cells.Levels
		for q := 1; q <= m.Sub; q++ {
			var sum cells.Levels
			for j, s := range p.picks {
				for _, sub := range s.subs {
					if sub == q {
						sum = sum.Add(takes(m, j, s.policy))
					}
				}
			}
			for l := range sum {
				use[l] = max(use[l], sum[l])
			}
		}
		if use != p.use || !room.Holds(use) {
			t.Fatalf("round %d: uses %v, says %v, has %v", n, use, p.use, room)
		}
	}
}

func takes(m *Model, job, policy int) cells.Levels {
	if m.Gate == nil {
		return cells.Levels{m.Jobs[job].Policies[policy].GPUs}
	}
	return m.Jobs[job].Policies[policy].cells().Levels()
}

// servedMost is the slow twin.
func servedMost(m *Model, room cells.Levels) reward.Points {
	free := make([]cells.Levels, m.Sub)
	for q := range free {
		free[q] = room
	}
	var job func(j int) reward.Points
	job = func(j int) reward.Points {
		if j == len(m.Jobs) {
			return 0
		}
		best := job(j + 1)
		for c, p := range m.Jobs[j].Policies {
			each := reward.BestEffort(p.Leases)
			for set := 1; set < 1<<m.Sub; set++ {
				n, fits := 0, true
				for q := range free {
					if set>>q&1 == 1 {
						n++
						fits = fits && free[q].Holds(takes(m, j, c))
					}
				}
				if !fits || n > p.Leases {
					continue
				}
				before := append([]cells.Levels(nil), free...)
				for q := range free {
					if set>>q&1 == 1 {
						free[q] = free[q].Sub(takes(m, j, c))
					}
				}
				best = max(best, reward.Points(n)*each+job(j+1))
				copy(free, before)
			}
		}
		return best
	}
	return job(0)
}
