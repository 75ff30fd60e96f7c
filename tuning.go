package schedmate

// Tuning is what the training library of an adaptive job reports: a job whose
// batch size and number of GPUs are both tuned while it runs. It holds what the
// job has measured about itself, never what nobody has measured yet.
//
// Invariant: 1 <= Batch; 1 <= LimitBatch, MostBatch; 1 <= LeastLocal; Restart
// lies in [0, MaxSeconds]; Noise >= 0; Types are valid and sorted by GPUType without
// duplicates.
type Tuning struct {
	Batch      int `json:"batch" yaml:"batch"`             // samples a step over the whole gang, as the user wrote it
	LimitBatch int `json:"limit_batch" yaml:"limit_batch"` // the largest that the user asks for
	MostBatch  int `json:"most_batch" yaml:"most_batch"`   // the largest at which the library still trains well
	LeastLocal int `json:"least_local" yaml:"least_local"` // the fewest samples of one GPU in one pass

	Restart Seconds `json:"restart_s,omitempty" yaml:"restart_s,omitempty"` // what a start costs: checkpoint, restore, warm-up

	// Noise is the variance of the gradient's estimate at the initial batch size,
	// over the gradient's squared norm, in billionths, as last measured. The larger
	// it is, the more a larger batch teaches.
	Noise int64 `json:"noise_billionths,omitempty" yaml:"noise_billionths,omitempty"`

	Types []TunedType `json:"types" yaml:"types"` // the types of GPU that the job can use
}

// TunedType is what is known about an adaptive job on one type of GPU.
//
// Invariant: MostLocal, OneGPU >= 1; MostGPUs >= 0, and 0
// exactly if Model is nil; Model is valid.
type TunedType struct {
	GPUType   string     `json:"gpu_type" yaml:"gpu_type"`
	MostLocal int        `json:"most_local" yaml:"most_local"`                   // samples that fit on one GPU in one pass
	OneGPU    int64      `json:"one_gpu_micro" yaml:"one_gpu_micro"`             // millionths of a sample a second on one GPU, of the short run that profiles a newcomer
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
// Times are femtoseconds, so that nothing that matters is lost; Gamma is in
// billionths: 1 is no overlap of the two, a large one perfect overlap.
//
// Invariant: times are positive; Gamma lies in [1, 10] times a billion.
type StepModel struct {
	Compute       int64 `json:"compute_fs" yaml:"compute_fs"`
	ComputeSample int64 `json:"compute_sample_fs" yaml:"compute_sample_fs"`
	Across        int64 `json:"across_fs" yaml:"across_fs"`
	AcrossGPU     int64 `json:"across_gpu_fs" yaml:"across_gpu_fs"`
	Within        int64 `json:"within_fs" yaml:"within_fs"`
	WithinGPU     int64 `json:"within_gpu_fs" yaml:"within_gpu_fs"`
	Gamma         int64 `json:"gamma_billionths" yaml:"gamma_billionths"`
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
	if t.Noise < 0 {
		return fieldErr(path+".noise_billionths", "must not be negative, got %d", t.Noise)
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
	case t.OneGPU < 1:
		return fieldErr(path+".one_gpu_micro", "must be at least 1, got %d", t.OneGPU)
	case t.MostGPUs < 0 || t.MostGPUs > MaxGangGPUs || (t.MostGPUs == 0) != (t.Model == nil):
		return fieldErr(path+".most_gpus", "must lie in [0, %d] and come with a model, got %d", MaxGangGPUs, t.MostGPUs)
	case t.Model == nil:
		return checkText(path, ".gpu_type", t.GPUType)
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"compute_fs", t.Model.Compute}, {"compute_sample_fs", t.Model.ComputeSample}, {"across_fs", t.Model.Across},
		{"across_gpu_fs", t.Model.AcrossGPU}, {"within_fs", t.Model.Within}, {"within_gpu_fs", t.Model.WithinGPU},
	} {
		if f.value < 1 {
			return fieldErr(path+".model."+f.name, "must be at least 1, got %d", f.value)
		}
	}
	if g := t.Model.Gamma; g < 1_000_000_000 || g > 10_000_000_000 {
		return fieldErr(path+".model.gamma_billionths", "must lie in [1000000000, 10000000000], got %d", g)
	}
	return checkText(path, ".gpu_type", t.GPUType)
}
