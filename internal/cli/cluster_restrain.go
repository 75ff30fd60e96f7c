package cli

import (
	"slices"

	"schedmate"
	"schedmate/failure"
)

// ranOn is what a scheduler knows that the job's own output cannot change.
type ranOn struct {
	nodes []string
	own   []string // files that the job wrote
}

// restrain takes back what rests on the job's own word alone: whoever owns a job can
// print what a kernel or a scheduler would. A node on which the job did not run is not
// named, and none is taken out of service without a witness beside the job's output. Confidence, advice
// and restart follow that.
func (r *ranOn) restrain(in *failure.Incident) {
	d := &in.Diagnosis
	if r == nil || d.Node == "" {
		return
	}
	if len(r.nodes) > 0 && !slices.Contains(r.nodes, d.Node) {
		in.RanElsewhere()
		return
	}
	if d.Quarantine && !slices.ContainsFunc(d.Witnesses, func(q schedmate.Quote) bool { return !slices.Contains(r.own, q.File) }) {
		in.OwnWordOnly()
	}
}
