package schedmate

import (
	"fmt"
	"math"
)

// Tuning is what the training library of an adaptive job reports: a job whose
// batch size and number of GPUs are both tuned while it runs. It holds what the
// job has measured about itself, never what nobody has measured yet.
//
// Invariant: 1 <= Batch; 1 <= LimitBatch, MostBatch; 1 <= LeastLocal; Restart
// lies in [0, MaxSeconds]; Squared and Variance are finite and not negative; Types
// are valid and sorted by GPUType without duplicates.
type Tuning struct {
	Batch      int `json:"batch" yaml:"batch"`             // samples a step over the whole gang, as the user wrote it
	LimitBatch int `json:"limit_batch" yaml:"limit_batch"` // the largest that the user asks for
	MostBatch  int `json:"most_batch" yaml:"most_batch"`   // the largest at which the library still trains well
	LeastLocal int `json:"least_local" yaml:"least_local"` // the fewest samples of one GPU in one pass

	Restart Seconds `json:"restart_s,omitempty" yaml:"restart_s,omitempty"` // what a start costs: checkpoint, restore, warm-up

	// The squared norm of the gradient and the variance of its estimate at the
	// initial batch size, as last measured; both 0: not yet.
	Squared  float64 `json:"gradient_squared,omitempty" yaml:"gradient_squared,omitempty"`
	Variance float64 `json:"gradient_variance,omitempty" yaml:"gradient_variance,omitempty"`

	Types []TunedType `json:"types" yaml:"types"` // the types of GPU that the job can use
}

// TunedType is what is known about an adaptive job on one type of GPU.
//
// Invariant: MostLocal >= 1; OneGPU is positive and finite; MostGPUs >= 0, and 0
// exactly if Model is nil; Model is valid.
type TunedType struct {
	GPUType   string     `json:"gpu_type" yaml:"gpu_type"`
	MostLocal int        `json:"most_local" yaml:"most_local"`                   // samples that fit on one GPU in one pass
	OneGPU    float64    `json:"one_gpu_per_s" yaml:"one_gpu_per_s"`             // samples a second on one GPU, of the short run that profiles a newcomer
	MostGPUs  int        `json:"most_gpus,omitempty" yaml:"most_gpus,omitempty"` // the largest gang that it has been measured on
	Model     *StepModel `json:"model,omitempty" yaml:"model,omitempty"`         // fitted to what has been measured; nil: it has not run there
}

// StepModel predicts the time of a training step (Pollux, OSDI'21, section 3.2):
//
//	compute = Compute + ComputeSample * samples of one GPU
//	network = Across + AcrossGPU * (GPUs - 2) on several nodes,
//	          Within + WithinGPU * (GPUs - 2) on several GPUs of one node
//	step    = (compute^Gamma + network^Gamma)^(1/Gamma)
//
// in seconds. Gamma 1 is no overlap of the two, a large one perfect overlap.
//
// Invariant: the constants are positive and finite; Gamma lies in [1, 10].
type StepModel struct {
	Compute       float64 `json:"compute_s" yaml:"compute_s"`
	ComputeSample float64 `json:"compute_sample_s" yaml:"compute_sample_s"`
	Across        float64 `json:"across_s" yaml:"across_s"`
	AcrossGPU     float64 `json:"across_gpu_s" yaml:"across_gpu_s"`
	Within        float64 `json:"within_s" yaml:"within_s"`
	WithinGPU     float64 `json:"within_gpu_s" yaml:"within_gpu_s"`
	Gamma         float64 `json:"gamma" yaml:"gamma"`
}

// On returns what is known about the type, or nil.
func (t *Tuning) On(gpuType string) *TunedType {
	for i := range t.Types {
		if t.Types[i].GPUType == gpuType {
			return &t.Types[i]
		}
	}
	return nil
}

// Validate checks the invariant of Tuning; nil is valid.
func (t *Tuning) Validate(path string) error {
	if t == nil {
		return nil
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"batch", t.Batch}, {"limit_batch", t.LimitBatch}, {"most_batch", t.MostBatch}, {"least_local", t.LeastLocal}} {
		if f.value < 1 {
			return fieldErr(path+"."+f.name, "must be at least 1, got %d", f.value)
		}
	}
	if err := checkTime(path, ".restart_s", t.Restart, 0); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"gradient_squared", t.Squared}, {"gradient_variance", t.Variance}} {
		if !(f.value >= 0) || math.IsInf(f.value, 0) {
			return fieldErr(path+"."+f.name, "must not be negative, got %g", f.value)
		}
	}
	for i := range t.Types {
		at := index(path+".types", i)
		if i > 0 && t.Types[i-1].GPUType >= t.Types[i].GPUType {
			return fieldErr(at+".gpu_type", "types must be sorted without duplicates: %q follows %q", t.Types[i].GPUType, t.Types[i-1].GPUType)
		}
		if err := t.Types[i].validate(at); err != nil {
			return err
		}
	}
	return nil
}

func (t *TunedType) validate(path string) error {
	switch {
	case t.MostLocal < 1:
		return fieldErr(path+".most_local", "must be at least 1, got %d", t.MostLocal)
	case !positive(t.OneGPU):
		return fieldErr(path+".one_gpu_per_s", "must be positive, got %g", t.OneGPU)
	case t.MostGPUs < 0 || t.MostGPUs > MaxGangGPUs || (t.MostGPUs == 0) != (t.Model == nil):
		return fieldErr(path+".most_gpus", "must lie in [0, %d] and come with a model, got %d", MaxGangGPUs, t.MostGPUs)
	case t.Model == nil:
		return checkText(path, ".gpu_type", t.GPUType)
	}
	for i, v := range t.Model.Constants() {
		if !positive(v) {
			return fieldErr(fmt.Sprintf("%s.model", path), "constant %d must be positive, got %g", i+1, v)
		}
	}
	if g := t.Model.Gamma; g < 1 || g > 10 {
		return fieldErr(path+".model.gamma", "must lie in [1, 10], got %g", g)
	}
	return checkText(path, ".gpu_type", t.GPUType)
}

// Constants lists the seven numbers in the order of the fields.
func (m *StepModel) Constants() [7]float64 {
	return [7]float64{m.Compute, m.ComputeSample, m.Across, m.AcrossGPU, m.Within, m.WithinGPU, m.Gamma}
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
