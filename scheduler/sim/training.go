package sim

import (
	"fmt"
	"math"

	"schedmate"
	"schedmate/scheduler/adaptive"
	"schedmate/scheduler/goodput"
)

// Training is an adaptive job: what it really does, and how far its user lets
// its batch size grow. Only an elastic host in rounds adapts it; to any other it
// is a block of its run time.
//
// Invariant: Application is valid; LimitBatch >= 1.
type Training struct {
	Application *adaptive.Application
	LimitBatch  int
}

func (t *Training) validate() error {
	if t == nil {
		return nil
	}
	if t.LimitBatch < 1 {
		return fmt.Errorf("a limit of %d samples a step is none", t.LimitBatch)
	}
	if t.Application == nil {
		return fmt.Errorf("names no application")
	}
	return t.Application.Validate()
}

// trainee is how far an adaptive job is, and what its training library knows and
// does: it measures steps, fits a model to them, and tunes the batch size at the
// end of every epoch and in every round. Only report reaches a policy.
type trainee struct {
	truth  *adaptive.Application
	times  *adaptive.Times
	report schedmate.Tuning
	points map[string][]goodput.Point // by type of GPU
	models map[string]*goodput.Model
	own    map[string][]goodput.Point // of points those that it has made itself
	past   *adaptive.Application      // whose steps it was told; nil: nobody's
	noise  float64

	epoch    int
	progress float64
	saved    struct {
		epoch    int
		progress float64
	}

	on           *adaptive.Type // nil: it has no GPUs
	shape        adaptive.Shape
	local, extra int
	delay        schedmate.Seconds // left of the start
}

func newTrainee(t *Training, times *adaptive.Times, types []string) (*trainee, error) {
	a := t.Application
	tr := &trainee{truth: a, times: times, points: make(map[string][]goodput.Point), models: make(map[string]*goodput.Model), own: make(map[string][]goodput.Point)}
	tr.report = schedmate.Tuning{Batch: a.Batch, LimitBatch: t.LimitBatch, MostBatch: a.MostBatch, LeastLocal: a.LeastLocal, Restart: a.Delay}
	for _, name := range types {
		on := a.On(name)
		if on == nil {
			return nil, fmt.Errorf("application %s was not measured on GPUs of type %q", a.Name, name)
		}
		tr.report.Types = append(tr.report.Types, schedmate.TunedType{GPUType: name, MostLocal: on.MostLocal, OneGPU: max(1, int64(math.Round(on.OneGPU()*1e6)))})
	}
	return tr, nil
}

// has reports whether the job already runs on GPUs of that type and shape.
func (tr *trainee) has(on string, shape adaptive.Shape) bool {
	return tr.on != nil && tr.on.Name == on && tr.shape == shape
}

// place starts the job on GPUs.
func (tr *trainee) place(on string, shape adaptive.Shape) {
	tr.on, tr.shape, tr.delay = tr.truth.On(on), shape, tr.truth.Delay
	tr.tune()
}

// save takes a checkpoint.
func (tr *trainee) save() { tr.saved.epoch, tr.saved.progress = tr.epoch, tr.progress }

// lose takes back what was done since the last checkpoint.
func (tr *trainee) lose() { tr.epoch, tr.progress = tr.saved.epoch, tr.saved.progress }

// stop takes the GPUs away.
func (tr *trainee) stop() { tr.on = nil }

// share is how much of the work is done.
func (tr *trainee) share() float64 { return tr.progress / tr.truth.Ends[tr.truth.Epochs()] }

// advance lets the job work from one instant to another, and returns its end or
// Forever.
func (tr *trainee) advance(from, to schedmate.Seconds) (schedmate.Seconds, error) {
	paid := min(tr.delay, to-from)
	tr.delay -= paid
	gpus := tr.shape.GPUs()
	for at := from + paid; at < to; {
		batch := float64(gpus * tr.local * (tr.extra + 1))
		squared, variance := tr.truth.Gradient(tr.epoch, batch)
		tr.noise = variance / squared // infinite where there is no gradient left
		tr.report.Noise = int64(min(math.Round(tr.noise*1e9), 1<<62))
		time, err := tr.times.Step(tr.on, tr.shape, tr.local)
		if err != nil {
			return 0, err
		}
		tr.measure(time)
		step := time.Seconds + float64(tr.extra)*(time.Seconds-time.Sync)
		rate := goodput.Gain(tr.noise, batch/float64(tr.truth.Batch)) / step / tr.truth.Slowdown
		end := tr.truth.Ends[tr.epoch+1]
		if ahead := tr.progress + rate*float64(to-at); ahead < end {
			tr.progress, at = ahead, to
		} else {
			at += schedmate.Seconds(math.RoundToEven((end - tr.progress) / rate))
			tr.progress = end
			if tr.epoch++; tr.epoch == tr.truth.Epochs() {
				return at, nil
			}
		}
		tr.tune()
	}
	return schedmate.Forever, nil
}

// measure takes note of a step that the job has not made before.
func (tr *trainee) measure(time adaptive.Time) {
	points := tr.points[tr.on.Name]
	nodes, gpus := tr.shape.Nodes(), tr.shape.GPUs()
	for _, p := range points {
		if p.Nodes == nodes && p.GPUs == gpus && p.Local == tr.local {
			return
		}
	}
	p := goodput.Point{Nodes: nodes, GPUs: gpus, Local: tr.local, Seconds: time.Seconds, Sync: time.Sync}
	tr.own[tr.on.Name] = append(tr.own[tr.on.Name], p)
	if tr.mistaken(p) {
		tr.forget()
		return
	}
	tr.points[tr.on.Name] = append(points, p)
	tr.fit(tr.report.On(tr.on.Name))
}

// tune chooses the batch size.
func (tr *trainee) tune() {
	t := &tr.report
	gpus := tr.shape.GPUs()
	most := tr.on.MostOn(tr.shape)
	m := tr.models[tr.on.Name]
	if m != nil {
		c := goodput.Best(goodput.Learner{Batch: t.Batch, LeastLocal: t.LeastLocal, Noise: tr.noise}, m, goodput.Gang{Nodes: tr.shape.Nodes(), GPUs: gpus, MostLocal: most}, t.MostBatch)
		tr.local, tr.extra = c.Local, c.Extra
	}
	if m == nil || tr.local == 0 {
		batch := max(t.Batch, t.LeastLocal*gpus)
		share := goodput.Ceil(float64(batch) / float64(gpus))
		tr.extra = max(0, goodput.Ceil(float64(share)/float64(most))-1)
		if gpus == 1 && batch > t.Batch {
			tr.extra = max(1, tr.extra)
		}
		tr.local = goodput.Ceil(float64(share) / float64(tr.extra+1))
	}
	if limit := tr.on.MostWith(gpus); limit > 0 {
		tr.local = min(tr.local, limit)
	}
	tr.local = max(1, min(tr.local, t.MostBatch/(gpus*(tr.extra+1))))
}
