package resolve

import (
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

var workerNames = []string{"dataloader_num_workers", "num_workers", "workers", "n_workers", "nworkers", "data_workers", "num_data_workers", "loader_workers", "num_train_workers", "workers_per_gpu"}

// workers answers the processes that load data for one training process: of
// the loader that feeds training, else by name; a loader that is told nothing
// loads in the process itself.
func (v *view) workers() {
	if v.trainingArguments() != nil { // their trainer makes the loader
		if x, _, ok := v.lookup(isNumber, workerNames[0]); ok {
			n, _ := x.Number()
			v.set(workload.NumWorkers, n, x.Origin)
		}
	}
	if c := v.trainLoader(); c != nil {
		if x, ok := c.Arg("num_workers", 5); ok {
			if n, is := x.Number(); is && n >= 0 {
				v.set(workload.NumWorkers, n, or(x.Origin, c.Site))
			}
		} else if !c.Open && !c.Doubt {
			v.set(workload.NumWorkers, 0, origin.Named(origin.Default, "torch DataLoader: num_workers 0"))
		}
	}
	if x, _, ok := v.lookup(isNumber, workerNames...); ok {
		n, _ := x.Number()
		v.set(workload.NumWorkers, n, x.Origin)
	}
	if c := v.trainLoader(); c != nil && c.Doubt && !c.Open {
		if _, told := c.Arg("num_workers", 5); !told {
			v.set(workload.NumWorkers, 0, origin.Named(origin.Default, "torch DataLoader: num_workers 0"))
		}
	}
	if n, at, ok := v.ownWorkers(); ok {
		v.set(workload.NumWorkers, n, at)
	}
	if len(v.calls("DataLoader", "Loader")) == 0 && v.train != nil && !v.handsOver() {
		v.absent(workload.NumWorkers, "no-loader")
	}
	v.why(workload.NumWorkers, "no loader of data was seen")
}

// handsOver reports that data is loaded by a pipeline with workers of its own,
// whose number the machine decides.
func (v *view) handsOver() bool {
	for _, c := range v.obs.Calls {
		if strings.HasPrefix(c.Name, "tensorflow.data") || strings.HasPrefix(c.Name, "tensorflow_datasets") || strings.HasPrefix(c.Name, "tf.data") || strings.HasPrefix(c.Name, "nvidia.dali") {
			return true
		}
	}
	return false
}

// ownWorkers is the number of processes that a sampler or reader of the
// repository is told to start.
func (v *view) ownWorkers() (float64, *origin.Origin, bool) {
	for _, c := range v.obs.Calls {
		name := lastPart(c.Name)
		if c.Doubt || !strings.HasPrefix(c.Name, "repo:") || !constructsName(name) || !hasAny(strings.ToLower(name), "sampler", "loader", "reader", "iterator", "feeder", "fetcher", "generator", "queue") {
			continue
		}
		for _, key := range workerNames {
			if x, ok := c.Arg(key, -1); ok && isPositive(x) {
				n, _ := x.Number()
				return n, or(x.Origin, c.Site), true
			}
		}
	}
	return 0, nil, false
}
