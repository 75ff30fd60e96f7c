package sia

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// exhaust tries every choice.
func exhaust(capacity []int, jobs [][]option) int64 {
	if len(jobs) == 0 {
		return 0
	}
	best, none := int64(-1<<62), true
	for _, o := range jobs[0] {
		none = none && !o.must
		if o.gpus > capacity[o.kind] {
			continue
		}
		capacity[o.kind] -= o.gpus
		best = max(best, o.gain+exhaust(capacity, jobs[1:]))
		capacity[o.kind] += o.gpus
	}
	if none {
		best = max(best, exhaust(capacity, jobs[1:]))
	}
	return best
}

// drawKnapsack invents a small round. Jobs that must have something come with room
// for it, as in a snapshot.
func drawKnapsack(t *rapid.T) ([]int, [][]option) {
	draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	capacity := make([]int, draw(1, 3))
	for i := range capacity {
		capacity[i] = draw(0, 8)
	}
	room := append([]int{}, capacity...)
	jobs := make([][]option, draw(0, 6))
	for i := range jobs {
		if kind := draw(0, len(capacity)-1); draw(0, 4) == 0 && room[kind] > 0 {
			gpus := draw(1, room[kind])
			room[kind] -= gpus
			jobs[i] = []option{{kind: kind, gpus: gpus, gain: int64(draw(-5, 20)), must: true}}
			continue
		}
		for range draw(0, 5) {
			jobs[i] = append(jobs[i], option{kind: draw(0, len(capacity)-1), gpus: draw(1, 6), gain: int64(draw(-3, 20))})
		}
	}
	return capacity, jobs
}

// describeChoice checks a choice and returns its gain: no kind gives more than it
// has, no job takes two options, and who must have something has it.
func describeChoice(capacity []int, jobs [][]option, c choice) (int64, error) {
	used, sum := make([]int, len(capacity)), int64(0)
	if len(c.option) != len(jobs) {
		return 0, fmt.Errorf("%d jobs have %d options", len(jobs), len(c.option))
	}
	for i, o := range c.option {
		switch {
		case o < -1 || o >= len(jobs[i]):
			return 0, fmt.Errorf("job %d takes option %d", i, o)
		case o < 0 && len(jobs[i]) > 0 && jobs[i][0].must:
			return 0, fmt.Errorf("job %d lost what it must have", i)
		case o < 0:
			continue
		}
		used[jobs[i][o].kind] += jobs[i][o].gpus
		sum += jobs[i][o].gain
	}
	for k := range used {
		if used[k] > capacity[k] {
			return 0, fmt.Errorf("%d GPUs of kind %d are given, there are %d", used[k], k, capacity[k])
		}
	}
	return sum, nil
}

// The search finds what trying everything finds, and says that it is proven.
func TestChoiceIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity, jobs := drawKnapsack(t)
		c := choose(capacity, jobs, defaultEffort)
		gain, err := describeChoice(capacity, jobs, c)
		if err != nil {
			t.Fatal(err)
		}
		if want := exhaust(capacity, jobs); gain != want || c.value != gain || c.bound != gain {
			t.Fatalf("gains %d (says %d, bound %d), the best is %d: %v of %v", gain, c.value, c.bound, want, jobs, capacity)
		}
	})
}

// With next to no effort the choice is still one that can be carried out, and its
// bound is no lie.
func TestChoiceWithoutEffort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity, jobs := drawKnapsack(t)
		c := choose(capacity, jobs, 1)
		gain, err := describeChoice(capacity, jobs, c)
		if err != nil {
			t.Fatal(err)
		}
		if best := exhaust(capacity, jobs); c.value != gain || c.bound < best {
			t.Fatalf("gains %d (says %d), at most %d, and %d can be had", gain, c.value, c.bound, best)
		}
	})
}

// Three jobs want one of two GPUs of a kind: the two that gain most have them.
func TestChoiceByHand(t *testing.T) {
	jobs := [][]option{
		{{kind: 0, gpus: 1, gain: 10}, {kind: 0, gpus: 2, gain: 15}},
		{{kind: 0, gpus: 1, gain: 3}},
		{{kind: 0, gpus: 1, gain: 7}},
	}
	c := choose([]int{2}, jobs, defaultEffort)
	if c.value != 17 || c.bound != 17 || c.option[0] != 0 || c.option[1] != -1 || c.option[2] != 0 {
		t.Errorf("got %+v", c)
	}
}
