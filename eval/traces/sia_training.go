package traces

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"schedmate"
	"schedmate/scheduler/adaptive"
	"schedmate/scheduler/sim"
)

// siaTraining is what the tables leave out about an application: the constants
// that the artifact's simulator has for it.
//
// The time of a start is the simulator's own; what the artifact's policy believes
// about it is another number, and an option of the policy.
type siaTraining struct {
	batch, most, least int // initial and largest batch, and the smallest of one GPU
	delay              schedmate.Seconds
}

var siaTrainings = map[string]siaTraining{
	"bert":        {12, 384, 4, 120},
	"cifar10":     {128, 4096, 32, 50},
	"deepspeech2": {20, 640, 10, 25},
	"imagenet":    {200, 12_800, 20, 250},
	"ncf":         {256, 32_768, 32, 15},
	"yolov3":      {8, 512, 4, 80},
}

// siaMemory is where the policy is told less memory than the table reaches.
var siaMemory = map[[2]string]int{{"deepspeech2", "rtx"}: 57}

const siaScalability = "sia/scalability.csv.gz"

// readSiaApplications reads what each application really does on each type of
// GPU, at every batch size and in every epoch.
func readSiaApplications(open func(string) (io.ReadCloser, error)) (map[string]*adaptive.Application, error) {
	apps := make(map[string]*adaptive.Application)
	types := make(map[[2]string]*adaptive.Type)
	app := func(name string) *adaptive.Application {
		c, known := siaTrainings[name]
		if !known {
			return nil
		}
		if apps[name] == nil {
			apps[name] = &adaptive.Application{
				Name: name, Ends: []float64{0}, Batch: c.batch, MostBatch: c.most, LeastLocal: c.least,
				Slowdown: max(1, siaSlowdown[name]), Delay: c.delay,
			}
		}
		return apps[name]
	}
	on := func(application, gpuType string) *adaptive.Type {
		if app(application) == nil {
			return nil
		}
		key := [2]string{application, gpuType}
		if types[key] == nil {
			types[key] = &adaptive.Type{Name: gpuType}
		}
		return types[key]
	}
	type cell struct{ epoch, progress, squared, variance float64 }
	rows := make(map[siaWork][]cell)
	err := siaTable(open, siaValidation, []string{"app"}, []string{"batch_size", "epoch", "progress", "grad_sqr", "grad_var"}, 1e100, func(names []string, n []float64) {
		w := siaWork{names[0], int(n[0])}
		rows[w] = append(rows[w], cell{n[1], n[2], n[3], n[4]})
	})
	if err != nil {
		return nil, err
	}
	works := make([]siaWork, 0, len(rows))
	for w := range rows {
		works = append(works, w)
	}
	slices.SortFunc(works, func(a, b siaWork) int {
		return cmp.Or(cmp.Compare(a.application, b.application), cmp.Compare(a.batch, b.batch))
	})
	for _, w := range works {
		a := app(w.application)
		if a == nil {
			continue
		}
		g := adaptive.Gradient{Batch: w.batch}
		slices.SortStableFunc(rows[w], func(x, y cell) int { return cmp.Compare(x.epoch, y.epoch) })
		for i, c := range rows[w] {
			if len(a.Ends) == i+1 {
				a.Ends = append(a.Ends, c.progress)
			}
			a.Ends[i+1] = min(a.Ends[i+1], c.progress) // an epoch ends with the batch size that is through it first
			g.Squared, g.Variance = append(g.Squared, c.squared), append(g.Variance, c.variance)
		}
		a.Gradients = append(a.Gradients, g)
	}
	steps := make(map[*adaptive.Type]map[adaptive.Shape][]adaptive.Measured)
	err = siaTable(open, siaPlacements, []string{"app", "placement", "gpu_type"}, []string{"local_bsz", "step_time", "sync_time"}, float64(schedmate.MaxSeconds), func(names []string, n []float64) {
		if t := on(names[0], names[2]); t != nil {
			if steps[t] == nil {
				steps[t] = make(map[adaptive.Shape][]adaptive.Measured)
			}
			s := adaptive.Shape(names[1])
			steps[t][s] = append(steps[t][s], adaptive.Measured{Local: int(n[0]), Time: adaptive.Time{Seconds: n[1], Sync: n[2]}})
		}
	})
	if err != nil {
		return nil, err
	}
	err = siaTable(open, siaScalability, []string{"app", "gpu_type"}, []string{"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"}, float64(schedmate.MaxSeconds), func(names []string, n []float64) {
		if t := on(names[0], names[1]); t != nil {
			t.Scaled = append(t.Scaled, adaptive.Scale{Nodes: int(n[0]), GPUs: int(n[1]), Measured: adaptive.Measured{Local: int(n[2]), Time: adaptive.Time{Seconds: n[3], Sync: n[4]}}})
		}
	})
	if err != nil {
		return nil, err
	}
	for key, t := range types {
		for s, list := range steps[t] {
			slices.SortFunc(list, func(a, b adaptive.Measured) int { return cmp.Compare(a.Local, b.Local) })
			t.Placed = append(t.Placed, adaptive.Placement{Shape: s, Steps: list})
			t.MostLocal = max(t.MostLocal, list[len(list)-1].Local)
		}
		slices.SortFunc(t.Placed, func(a, b adaptive.Placement) int { return cmp.Compare(a.Shape, b.Shape) })
		if most, told := siaMemory[key]; told {
			t.MostLocal = min(t.MostLocal, most)
		}
		a := apps[key[0]]
		a.Types = append(a.Types, *t)
	}
	for _, a := range apps {
		slices.SortFunc(a.Types, func(x, y adaptive.Type) int { return cmp.Compare(x.Name, y.Name) })
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("read the profiles of format sia: %w; use the tables of the Sia artifact", err)
		}
	}
	return apps, nil
}

// train makes the row's job adaptive, if the reader asks for that.
func (r *row) train(j *sim.Job) {
	if r.sia.applications == nil || r.err != nil {
		return
	}
	a := r.sia.applications[j.Workload.Model]
	if a == nil {
		r.fail("application", fmt.Sprintf("nothing is known of how %.40q trains", j.Workload.Model), correctCell)
		return
	}
	j.Training = &sim.Training{Application: a, LimitBatch: j.Workload.BatchSize}
}
