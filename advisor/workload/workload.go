// Package workload is the advisor's answer about a job: typed, range-checked
// fields with evidence. Names and units of the fields are a contract with
// scorers and users' scripts.
package workload

import (
	"fmt"
	"math"
	"slices"

	"schedmate/advisor/origin"
)

// Field names one fact about the work of a job.
type Field string

// The fields; a field that cannot be determined is absent.
const (
	ModelName          Field = "model_name"
	ModelFamily        Field = "model_family"
	Domain             Field = "domain" // nlp cv audio multimodal recsys graph rl
	Task               Field = "task"
	Dataset            Field = "dataset"
	Iterations         Field = "iterations"            // in units of IterationType, of the condition that ends the run
	IterationType      Field = "iteration_type"        // epoch step token sample env_step
	PerDeviceBatchSize Field = "per_device_batch_size" // per accelerator and micro step, in BatchUnit
	GradAccum          Field = "grad_accum"            // micro steps per optimiser step
	GlobalBatchSize    Field = "global_batch_size"     // per optimiser step over all data-parallel ranks
	BatchUnit          Field = "batch_unit"            // samples tokens seconds frames env-steps
	LearningRate       Field = "learning_rate"         // what the optimiser gets at its peak, after scaling rules
	Optimizer          Field = "optimizer"
	Precision          Field = "precision" // fp32 tf32 fp16 amp-fp16 bf16 amp-bf16 fp8 nf4+bf16
	DModel             Field = "d_model"
	NLayers            Field = "n_layers"
	SeqLen             Field = "seq_len"    // tokens
	ImageSize          Field = "image_size" // pixels
	NumWorkers         Field = "num_workers"
	GPUsPerNode        Field = "gpus_per_node"
	Nodes              Field = "nodes"
	GPUsTotal          Field = "gpus_total" // 0: CPU or TPU
	ParallelStrategy   Field = "parallel_strategy"
	TensorParallel     Field = "tensor_parallel"
	PipelineParallel   Field = "pipeline_parallel"
	InitFrom           Field = "init_from" // scratch or checkpoint
	Tuning             Field = "tuning"    // full lora qlora frozen-backbone
	ParamsM            Field = "params_m"  // millions of parameters
)

// kind is the type and range of a field's value.
type kind struct {
	text     bool
	low, top float64 // of a number; a list's items obey it too
	whole    bool
	list     bool // several numbers are allowed: one per phase, per dimension
}

var kinds = map[Field]kind{
	ModelName: {text: true}, ModelFamily: {text: true}, Domain: {text: true}, Task: {text: true}, Dataset: {text: true},
	IterationType: {text: true}, BatchUnit: {text: true}, Optimizer: {text: true}, Precision: {text: true},
	ParallelStrategy: {text: true}, InitFrom: {text: true}, Tuning: {text: true},
	Iterations:         {low: 0, top: 1e15, list: true},
	PerDeviceBatchSize: {low: 0, top: 1e9, list: true},
	GradAccum:          {low: 1, top: 1e6, whole: true, list: true},
	GlobalBatchSize:    {low: 0, top: 1e12, list: true},
	LearningRate:       {low: 0, top: 1e4, list: true},
	DModel:             {low: 1, top: 1e7, whole: true, list: true},
	NLayers:            {low: 1, top: 1e5, whole: true, list: true},
	SeqLen:             {low: 1, top: 1e9, whole: true, list: true},
	ImageSize:          {low: 1, top: 1e6, list: true},
	NumWorkers:         {low: 0, top: 1e5, whole: true},
	GPUsPerNode:        {low: 0, top: 4096, whole: true},
	Nodes:              {low: 1, top: 1e6, whole: true},
	GPUsTotal:          {low: 0, top: 1e7, whole: true},
	TensorParallel:     {low: 1, top: 1e5, whole: true},
	PipelineParallel:   {low: 1, top: 1e5, whole: true},
	ParamsM:            {low: 0, top: 1e9},
}

// Fields lists all fields by name.
func Fields() []Field {
	all := make([]Field, 0, len(kinds))
	for f := range kinds {
		all = append(all, f)
	}
	slices.Sort(all)
	return all
}

// Value is one determined value with its evidence.
//
// Invariant: Value is a string, a float64 or a []float64, as the field's type
// says and within its range; Origin is not nil.
type Value struct {
	Value  any
	Origin *origin.Origin
}

// Metadata is what is known of one job's work.
//
// Invariant: a field is in at most one of Values and Candidates; a field in
// Unknown is in neither of them or only in Candidates.
type Metadata struct {
	Values        map[Field]Value
	Candidates    map[Field][]Value // several possibilities between which the code does not decide
	Unknown       map[Field]string  // why a field is absent, for people
	Multiplier    int               // runs that the submission makes of this work: sweeps, folds, seeds; at least 1
	TrainsNothing bool              // the program ends before any training
	Warnings      []string          // what the user should know: "this launch will abort: ..."
}

// Number returns a field's single number.
func (m *Metadata) Number(f Field) (float64, bool) {
	v, ok := m.Values[f].Value.(float64)
	return v, ok
}

// Text returns a field's text.
func (m *Metadata) Text(f Field) (string, bool) {
	v, ok := m.Values[f].Value.(string)
	return v, ok
}

// Check tells whether a value is of a field's type and in its range.
func Check(f Field, value any) error {
	k, ok := kinds[f]
	if !ok {
		return fmt.Errorf("field %s: unknown name", f)
	}
	number := func(x float64) error {
		if math.IsNaN(x) || x < k.low || x > k.top || (k.whole && x != math.Trunc(x)) {
			return fmt.Errorf("field %s: %v is outside [%v, %v] or not whole", f, x, k.low, k.top)
		}
		return nil
	}
	switch v := value.(type) {
	case string:
		if !k.text || v == "" || len(v) > 200 {
			return fmt.Errorf("field %s: %q is no value of this field", f, v)
		}
	case float64:
		if k.text {
			return fmt.Errorf("field %s: must be text, got %v", f, v)
		}
		return number(v)
	case []float64:
		if k.text || !k.list || len(v) == 0 || len(v) > 64 {
			return fmt.Errorf("field %s: %v is no value of this field", f, v)
		}
		for _, x := range v {
			if err := number(x); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("field %s: a %T is no value of any field", f, value)
	}
	return nil
}

// Validate checks the invariants.
func (m *Metadata) Validate() error {
	for f, v := range m.Values {
		if err := Check(f, v.Value); err != nil {
			return err
		}
		if v.Origin == nil {
			return fmt.Errorf("field %s: has no evidence", f)
		}
		if len(m.Candidates[f]) > 0 {
			return fmt.Errorf("field %s: is both determined and undecided", f)
		}
	}
	if m.Multiplier < 1 {
		return fmt.Errorf("multiplier: must be at least 1, got %d", m.Multiplier)
	}
	return nil
}
