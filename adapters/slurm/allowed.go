package slurm

import "slices"

// shape is a form of call that only shows. The list of them is what the promise
// to change nothing rests on; [Commands.stream] refuses the rest.
type shape struct {
	command string
	flags   []string // options alone, in front, in any order
	valued  []string // options whose value is the next word
	words   []string // then these words, in this order
}

var shows = []shape{
	{command: "squeue", flags: []string{"--json", "-h", "-a"}, valued: []string{"-t", "-O"}},
	{command: "sacct", flags: []string{"-P", "-n", "-D", "-X", "-a"}, valued: []string{"-o", "-u", "-j", "-S", "-E", "--delimiter"}},
	{command: "scontrol", flags: []string{"-d", "-o", "-a"}, words: []string{"show", "node"}},
	{command: "scontrol", flags: []string{"-d", "-o", "-a"}, words: []string{"show", "partition"}},
	{command: "scontrol", flags: []string{"-d", "-o", "-a"}, words: []string{"show", "reservation"}},
	{command: "scontrol", flags: []string{"-d", "-o", "-a"}, words: []string{"show", "license"}},
	{command: "scontrol", words: []string{"show", "config"}},
	{command: "sdiag"},
}

// allowed reports whether a command has one of the shapes. Everything else is
// refused, also what would only show: a list of what is good needs no knowledge of
// what is bad.
func allowed(command string, args []string) bool {
	return slices.ContainsFunc(shows, func(s shape) bool { return s.command == command && s.matches(args) })
}

func (s *shape) matches(args []string) bool {
	for len(args) > 0 {
		if slices.Contains(s.flags, args[0]) {
			args = args[1:]
		} else if slices.Contains(s.valued, args[0]) && len(args) > 1 {
			args = args[2:]
		} else {
			break
		}
	}
	return slices.Equal(args, s.words)
}
