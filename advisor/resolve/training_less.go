package resolve

import (
	"fmt"
	"strings"

	"schedmate/advisor/workload"
)

// ofTraining are the fields that only a training has.
var ofTraining = []workload.Field{
	workload.Iterations, workload.IterationType, workload.Optimizer, workload.LearningRate, workload.GradAccum,
	workload.PerDeviceBatchSize, workload.GlobalBatchSize, workload.BatchUnit, workload.Tuning,
}

// trainsNothing is where a program ends itself, by an option that says so,
// before any training; empty when it may train. A program that starts others
// may have them train.
func (v *view) trainsNothing() string {
	exit := v.obs.Exit
	if exit == nil || !exit.Sure || v.train != nil || v.obs.Stopped != "" {
		return ""
	}
	for _, c := range v.obs.Calls {
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		switch {
		case last == "fit", last == "learn", last == "backward", last == "spawn", last == "submit", last == "launch", last == "start", strings.HasPrefix(last, "exec"), strings.HasSuffix(last, "Trainer"):
			return ""
		case strings.HasPrefix(c.Name, "subprocess."), c.Name == "os.system", isStep(c), strings.HasPrefix(strings.ToLower(last), "train") && !strings.HasPrefix(c.Name, "repo:"):
			return ""
		}
	}
	return exit.Site.Place()
}

// withoutTraining takes back what is only said of the training that does not
// come.
func (v *view) withoutTraining() {
	at := v.trainsNothing()
	if at == "" {
		return
	}
	v.md.TrainsNothing = true
	v.warn("this run trains nothing: it ends at %s", at)
	for _, f := range ofTraining {
		delete(v.md.Values, f)
		delete(v.md.Candidates, f)
		v.md.Unknown[f] = fmt.Sprintf("the run trains nothing: it ends at %s", at)
	}
}
