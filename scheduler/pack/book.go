package pack

import (
	"cmp"
	"slices"

	"schedmate"
)

// Book is what packing remembers from one plan to the next. It lives in the notes
// of plans, so that a decision can be derived again from its snapshot.
//
// Invariant: all lists are sorted and without duplicates.
type Book struct {
	never  []string // jobs that are not packed again
	apart  [][2]string
	speeds []sighted
	seen   [][2]string // of the running jobs beside whom their speed is in speeds already

	read    []schedmate.Note // what it was read from
	changed bool             // since then
}

// sighted is the speed of one workload beside another.
type sighted struct {
	key, beside     string
	score, besideOf Score
	tally
}

// The kinds of the book's notes. The two texts of a note are called Job and Node;
// here they are jobs or, in apartNote and speedNote, keys of workloads.
const (
	neverNote = "pack_never"
	apartNote = "pack_apart"
	speedNote = "pack_speed" // numbers: sightings, sum of speeds, score, score of the other
	seenNote  = "pack_seen"
)

// Recall reads the book from the notes of the last plan. Notes of other policies
// and those that make no sense are passed over; what was noted of jobs that are
// gone is forgotten, what was learned from them is not.
func Recall(s *schedmate.Snapshot) *Book {
	here := make(map[string]bool, len(s.Waiting)+len(s.Running))
	for _, list := range [][]*schedmate.JobStatus{s.Waiting, s.Running} {
		for _, j := range list {
			here[j.Job.ID] = true
		}
	}
	b := &Book{read: s.Memory}
	for i := range s.Memory {
		switch n := &s.Memory[i]; n.Kind {
		case neverNote:
			if here[n.Job] {
				b.refuse(n.Job)
			} else {
				b.changed = true
			}
		case apartNote:
			b.apart = insert(b.apart, [2]string{n.Job, n.Node})
		case seenNote:
			if here[n.Job] && here[n.Node] {
				b.seen = insert(b.seen, [2]string{n.Job, n.Node})
			} else {
				b.changed = true
			}
		case speedNote:
			if len(n.Numbers) == 4 && n.Numbers[0] > 0 && n.Numbers[1] > 0 {
				b.learn(sighted{n.Job, n.Node, Score(n.Numbers[2]), Score(n.Numbers[3]), tally{n.Numbers[0], n.Numbers[1]}})
			}
		default:
			b.changed = true
		}
	}
	return b
}

// Notes are what the next plan has to be told, sorted by kind and text.
func (b *Book) Notes() []schedmate.Note {
	if !b.changed {
		return b.read
	}
	var notes []schedmate.Note
	for _, p := range b.apart {
		notes = append(notes, schedmate.Note{Kind: apartNote, Job: p[0], Node: p[1]})
	}
	for _, id := range b.never {
		notes = append(notes, schedmate.Note{Kind: neverNote, Job: id})
	}
	for _, p := range b.seen {
		notes = append(notes, schedmate.Note{Kind: seenNote, Job: p[0], Node: p[1]})
	}
	for _, r := range b.speeds {
		notes = append(notes, schedmate.Note{Kind: speedNote, Job: r.key, Node: r.beside, Numbers: []int64{r.seen, r.sum, int64(r.score), int64(r.besideOf)}})
	}
	return notes
}

// Never reports whether the job shall not be packed again.
func (b *Book) Never(job string) bool {
	_, found := slices.BinarySearch(b.never, job)
	return found
}

// Apart reports whether a pair of the same workloads has been taken apart.
func (b *Book) Apart(x, y Member) bool {
	if len(b.apart) == 0 {
		return false // and no workload need be hashed
	}
	_, found := slices.BinarySearchFunc(b.apart, couple(x.key, y.key), compare)
	return found
}

func (b *Book) refuse(job string) {
	if i, found := slices.BinarySearch(b.never, job); !found {
		b.never = slices.Insert(b.never, i, job)
	}
}

// part remembers that newcomer and mate have been taken apart.
func (b *Book) part(newcomer, mate Member, workloads bool) {
	b.changed = true
	b.refuse(newcomer.Job.Job.ID)
	if x, y := newcomer.key, mate.key; workloads && x != "" && y != "" {
		b.apart = insert(b.apart, couple(x, y))
	}
}

// sight learns how fast a job is beside another, once for each pair of jobs.
func (b *Book) sight(job, other Member, speed int) {
	x, y := job.key, other.key
	pair := [2]string{job.Job.Job.ID, other.Job.Job.ID}
	if _, found := slices.BinarySearchFunc(b.seen, pair, compare); found || x == "" || y == "" {
		return
	}
	b.changed = true
	b.seen = insert(b.seen, pair)
	b.learn(sighted{x, y, job.Score, other.Score, tally{1, int64(speed)}})
}

func (b *Book) learn(r sighted) {
	i, found := slices.BinarySearchFunc(b.speeds, r, func(a, b sighted) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.beside, b.beside))
	})
	if !found {
		b.speeds = slices.Insert(b.speeds, i, r)
		return
	}
	t := &b.speeds[i]
	t.seen, t.sum, t.score, t.besideOf = t.seen+r.seen, t.sum+r.sum, r.score, r.besideOf
}

// ofPair is what has been seen of one workload beside another.
func (b *Book) ofPair(x, y string) tally {
	if x == "" || y == "" {
		return tally{}
	}
	i, found := slices.BinarySearchFunc(b.speeds, [2]string{x, y}, func(r sighted, k [2]string) int {
		return cmp.Or(cmp.Compare(r.key, k[0]), cmp.Compare(r.beside, k[1]))
	})
	if !found {
		return tally{}
	}
	return b.speeds[i].tally
}

// ofClass is what has been seen of jobs of one score beside those of another.
func (b *Book) ofClass(x, y Score) tally {
	var t tally
	for _, r := range b.speeds {
		if r.score == x && r.besideOf == y {
			t.seen, t.sum = t.seen+r.seen, t.sum+r.sum
		}
	}
	return t
}

// couple is a pair without an order.
func couple(x, y string) [2]string {
	if y < x {
		x, y = y, x
	}
	return [2]string{x, y}
}

func compare(a, b [2]string) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func insert(list [][2]string, p [2]string) [][2]string {
	if i, found := slices.BinarySearchFunc(list, p, compare); !found {
		return slices.Insert(list, i, p)
	}
	return list
}
