package schedmate

// Note is one line of what a policy remembers from one plan to the next: a
// place in a queue, the nodes of a group. That a policy's state stands in its
// plans and snapshots, and nowhere else, is what lets any past decision be
// derived again.
//
// A policy takes notes as hints: they may name jobs that have ended, and miss
// jobs that have come. Without notes it plans as for a cluster that it has not
// seen before.
//
// Invariant: Kind is one to 32 lower-case letters or underscores, so that no
// prose fits into it; Job and Node are UTF-8.
type Note struct {
	Kind    string  `json:"kind" yaml:"kind"`
	Job     string  `json:"job,omitempty" yaml:"job,omitempty"`
	Node    string  `json:"node,omitempty" yaml:"node,omitempty"`
	Numbers []int64 `json:"numbers,omitempty" yaml:"numbers,omitempty"`
}

// ValidateMemory checks the invariant of every note.
func ValidateMemory(path string, notes []Note) error {
	for i := range notes {
		n := &notes[i]
		if !word(n.Kind) {
			return fieldErr(index(path, i)+".kind", "must be 1 to 32 lower-case letters or underscores, got %q", n.Kind)
		}
		if err := first(checkText(path, ".job", n.Job), checkText(path, ".node", n.Node)); err != nil {
			return err
		}
	}
	return nil
}

func word(text string) bool {
	for _, r := range text {
		if r != '_' && (r < 'a' || r > 'z') {
			return false
		}
	}
	return text != "" && len(text) <= 32
}
