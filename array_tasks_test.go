package schedmate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The tasks of an array, as Slurm writes them.
func TestTaskIDs(t *testing.T) {
	for id, want := range map[string]string{
		"7": "7", "7_3": "7_3", "7_[1-3]": "7_1 7_2 7_3", "7_[1-3%1]": "7_1 7_2 7_3", "7_[1,4-5]": "7_1 7_4 7_5", "7_[0-6:3%2]": "7_0 7_3 7_6",
		"7_[1-2,...]": "7_1 7_2", "7_[x]": "", "7_[3-1]": "", "7_[1-9999999]": "7_1 7_2 7_3 7_4 7_5", "7_[1-3:0]": "",
	} {
		j := ObservedJob{ID: id}
		if got := strings.Join(j.TaskIDs(5), " "); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if ids := (&ObservedJob{ID: "7_[1-50000%7]"}).TaskIDs(1 << 20); len(ids) != 50000 || !slices.Contains(ids, "7_50000") {
		t.Errorf("%d tasks", len(ids))
	}
}

// A record has the tasks that it lists and no others, and counts each of them.
func TestATaskIsInItsRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make(map[int]bool)
		var parts []string
		next := 0
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			from := next + rapid.IntRange(0, 5).Draw(t, "gap")
			to, by := from+rapid.IntRange(0, 12).Draw(t, "length"), rapid.IntRange(1, 4).Draw(t, "step")
			for n := from; n <= to; n += by {
				want[n] = true
			}
			parts = append(parts, fmt.Sprintf("%d-%d:%d", from, to, by))
			next = to + 1
		}
		j := ObservedJob{ID: "7_[" + strings.Join(parts, ",") + "%2]"}
		if got := len(j.TaskIDs(1000)); got != len(want) {
			t.Errorf("%s: %d ids, want %d", j.ID, got, len(want))
		}
		for n := range next + 3 {
			if got := j.HasTask(fmt.Sprint("7_", n)); got != want[n] || j.HasTask(fmt.Sprint("8_", n)) {
				t.Errorf("%s: task %d: %v, want %v", j.ID, n, got, want[n])
			}
		}
	})
}

func TestListsOfTasksThatAreNone(t *testing.T) {
	for _, list := range []string{"x", "1-", "-3", "5-2", "1-9:0", "1-9:-1", "1,,x", "1-99999999999", "0-67108864,0-67108864"} {
		if tasks, err := ReadArrayTasks(list); err == nil {
			t.Errorf("%q: %d tasks, want an error", list, tasks.Count())
		}
	}
	if tasks, err := ReadArrayTasks("1-2,12..."); err != nil || tasks.Count() != 2 || !tasks.CutShort {
		t.Errorf("cut short: %d tasks, %v, %v", tasks.Count(), tasks.CutShort, err)
	}
}
