package observe

import (
	"strings"
	"testing"

	"schedmate"
)

// People name a job, a task, an array, a part: each finds its records.
func TestFind(t *testing.T) {
	jobs := []schedmate.ObservedJob{
		{ID: "5", Number: 5},
		{ID: "6_1", Number: 7, Array: "6"}, {ID: "6_[2-9:2%1]", Number: 6, Array: "6", Tasks: 4},
		{ID: "8+0", Number: 8, Het: "8"}, {ID: "8+1", Number: 9, Het: "8"},
		{ID: "70"},
	}
	for name, want := range map[string]string{
		"5": "5", "6": "6_1 6_[2-9:2%1]", "6_1": "6_1", "6_2": "6_[2-9:2%1]", "6_8": "6_[2-9:2%1]", "6_3": "", "6_10": "", "7": "6_1", "8": "8+0 8+1", "8+1": "8+1", "9": "8+1",
		"70": "70", "0": "", "": "", "6_": "", "6_[2-9:2%1]": "6_[2-9:2%1]", "x": "", "05": "",
	} {
		var ids []string
		for _, j := range Find(jobs, name) {
			ids = append(ids, j.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q finds %q, want %q", name, got, want)
		}
	}
}

// A task that is gone is told from a job that never was.
func TestWhatIsMissing(t *testing.T) {
	jobs := []schedmate.ObservedJob{{ID: "12_1", Array: "12"}, {ID: "40+0", Het: "40"}, {ID: "7"}}
	for id, whole := range map[string]string{"12_5": "12", "40+1": "40", "99": "", "99_1": "", "_": "", "": ""} {
		if got := Missing(jobs, id, "Slurm"); got.Whole != whole {
			t.Errorf("%q is missing of %q, want %q: %v", id, got.Whole, whole, got)
		}
	}
}
