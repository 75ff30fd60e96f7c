package resolve

import (
	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

var workerNames = []string{"dataloader_num_workers", "num_workers", "workers", "n_workers", "nworkers", "data_workers", "num_data_workers", "loader_workers", "num_train_workers"}

// workers answers the processes that load data for one training process: of
// the loader that feeds training, else by name; a loader that is told nothing
// loads in the process itself.
func (v *view) workers() {
	if c := v.trainLoader(); c != nil {
		if x, ok := c.Arg("num_workers", 5); ok {
			if n, is := x.Number(); is && n >= 0 {
				v.set(workload.NumWorkers, n, or(x.Origin, c.Site))
			}
		} else if !c.Open {
			v.set(workload.NumWorkers, 0, origin.Named(origin.Default, "torch DataLoader: num_workers 0"))
		}
	}
	if x, _, ok := v.lookup(isNumber, workerNames...); ok {
		n, _ := x.Number()
		v.set(workload.NumWorkers, n, x.Origin)
	}
	v.why(workload.NumWorkers, "no loader of data was seen")
}
