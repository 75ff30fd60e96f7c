package launch

import (
	"maps"
	"path"
	"slices"
	"strings"

	"schedmate/advisor/source"
)

// Again is what a program of the launch starts when it runs a command line
// itself, as a console script that starts torchrun does: the invocation behind
// those words, in the folder, environment and allocation of the program. It
// reports false when the words run no Python program.
func (l *Launch) Again(root *source.Root, from *Invocation, words []Word) (*Invocation, bool) {
	if len(words) == 0 || len(words) > maxWords {
		return nil, false
	}
	below := &Launch{Requested: l.Requested, Written: map[string]string{}}
	m := &machine{root: root, made: map[string]bool{}, own: map[string]bool{}, launch: below}
	s := &shell{m: m, vars: map[string]variable{}, funcs: map[string]function{}, dir: from.Dir, name: literal("bash", nil), status: yes, under: slices.Clone(from.Launchers)}
	for _, name := range slices.Sorted(maps.Keys(from.Env)) {
		w := from.Env[name]
		s.vars[name] = variable{items: []value{{{text: w.Text, unknown: !w.Known, from: w.Origin}}}, exported: true}
	}
	s.world = world{set: true, nodes: from.Nodes, perNode: from.PerNode, procs: from.Processes, devices: from.Devices, env: map[string]Word{}}
	var all []value
	for _, w := range words {
		all = append(all, value{{text: w.Text, unknown: !w.Known, solid: true, from: w.Origin}})
	}
	s.run(all)
	next := below.Main()
	if next == nil || next.Program == Other || next.Program == Console && path.Base(next.Name) == path.Base(from.Name) && len(next.Launchers) == len(from.Launchers) {
		return nil, false
	}
	for _, w := range below.Warnings {
		if !slices.ContainsFunc(l.Warnings, func(o Warning) bool { return strings.EqualFold(o.Text, w.Text) }) {
			l.Warnings = append(l.Warnings, w)
		}
	}
	next.Repeats, next.Doubt = from.Repeats, from.Doubt
	return next, true
}
