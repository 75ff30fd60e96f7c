package schedmate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ArrayTasks is a list of the tasks of a job array, such as 1-5,9,20-30:2%4: what
// is behind % says how many may run at a time, and names none.
type ArrayTasks struct {
	spans []span
	// CutShort: the list ended in three dots, as Slurm ends long ones. What stands
	// before the dots may have lost digits, and is not among the tasks.
	CutShort bool
}

// span is tasks from one index to another, in steps.
type span struct{ from, to, by int }

// mostArrayTasks bounds the tasks of one list. Slurm's own bound, MaxArraySize, is
// at most 4,000,001.
const mostArrayTasks = 1 << 26

// ReadArrayTasks reads such a list.
func ReadArrayTasks(list string) (ArrayTasks, error) {
	var tasks ArrayTasks
	list, _, _ = strings.Cut(list, "%")
	parts := strings.Split(list, ",")
	if last := parts[len(parts)-1]; strings.HasSuffix(last, "...") {
		parts, tasks.CutShort = parts[:len(parts)-1], true
	}
	for _, part := range parts {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		s, err := readSpan(part)
		if err != nil {
			return ArrayTasks{}, fmt.Errorf("is no list of array tasks: %.60q", list)
		}
		if tasks.spans = append(tasks.spans, s); tasks.Count() > mostArrayTasks {
			return ArrayTasks{}, fmt.Errorf("names more than %d array tasks: %.60q", mostArrayTasks, list)
		}
	}
	return tasks, nil
}

func readSpan(part string) (s span, err error) {
	ends, step, stepped := strings.Cut(part, ":")
	low, high, dash := strings.Cut(ends, "-")
	if s.from, err = strconv.Atoi(low); err != nil {
		return s, err
	}
	s.to, s.by = s.from, 1
	if dash {
		if s.to, err = strconv.Atoi(high); err != nil {
			return s, err
		}
	}
	if stepped {
		if s.by, err = strconv.Atoi(step); err != nil {
			return s, err
		}
	}
	if s.from < 0 || s.to < s.from || s.by < 1 || s.to > mostArrayTasks {
		return s, fmt.Errorf("is no span: %s", part)
	}
	return s, nil
}

// Count returns how many tasks the list names.
func (t ArrayTasks) Count() int {
	n := 0
	for _, s := range t.spans {
		n += (s.to-s.from)/s.by + 1
	}
	return n
}

// Has reports whether the list names a task.
func (t ArrayTasks) Has(n int) bool {
	return slices.ContainsFunc(t.spans, func(s span) bool { return s.from <= n && n <= s.to && (n-s.from)%s.by == 0 })
}

// tasks are the array and the tasks that a record such as 6_[1-2%1] stands for, none
// of a list that cannot be read; false for any other record.
func (j *ObservedJob) tasks() (array string, tasks ArrayTasks, ok bool) {
	array, list, ok := strings.Cut(j.ID, "_[")
	if !ok {
		return "", tasks, false
	}
	tasks, err := ReadArrayTasks(strings.TrimSuffix(list, "]"))
	if err != nil {
		return array, ArrayTasks{}, true
	}
	return array, tasks, true
}

// TaskIDs returns the ids of the tasks that the record stands for, at most so many:
// 6_1 and 6_2 for 6_[1-2%1]. Of a list that was cut short it is those shown.
func (j *ObservedJob) TaskIDs(most int) []string {
	array, tasks, ok := j.tasks()
	if !ok {
		return []string{j.ID}
	}
	var ids []string
	for _, s := range tasks.spans {
		for n := s.from; n <= s.to && len(ids) < most; n += s.by {
			ids = append(ids, array+"_"+strconv.Itoa(n))
		}
	}
	return ids
}

// HasTask reports whether the record stands for a task of that id, besides others.
func (j *ObservedJob) HasTask(id string) bool {
	asked, task, ok := strings.Cut(id, "_")
	array, tasks, listed := j.tasks()
	n, err := strconv.Atoi(task)
	return ok && listed && asked == array && err == nil && tasks.Has(n)
}
