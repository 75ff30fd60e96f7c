package pyeval

import (
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/table"
)

// What transformers and accelerate say about the machine, and what an object
// of transformers' training arguments knows without being told.
func init() {
	prefixed := func(names ...string) []string {
		var all []string
		for _, n := range names {
			all = append(all, "transformers.utils."+n, "transformers.utils.import_utils."+n, "transformers."+n, "accelerate.utils."+n)
		}
		return all
	}
	native(natives["torch.cuda.is_available"], prefixed("is_torch_cuda_available", "is_cuda_available")...)
	native(func(in *Interp, c *Call) Value { return boolean(false) }, prefixed("is_torch_xpu_available", "is_torch_npu_available", "is_torch_mps_available", "is_torch_mlu_available", "is_torch_musa_available", "is_torch_hpu_available", "is_xpu_available", "is_npu_available", "is_mps_available", "is_torch_xla_available", "is_torch_tpu_available")...)
	native(func(in *Interp, c *Call) Value { return in.program.Machine.BF16 }, prefixed("is_torch_bf16_gpu_available", "is_torch_bf16_available", "is_bf16_available")...)
	for _, m := range []string{"ParallelMode", "training_args.ParallelMode"} {
		for name, value := range map[string]string{"NOT_PARALLEL": "not_parallel", "NOT_DISTRIBUTED": "not_distributed", "DISTRIBUTED": "distributed", "TPU": "tpu"} {
			constants["transformers."+m+"."+name] = func(*Interp) Value { return str(value) }
		}
	}
}

// trainingArguments reports whether a class of another package is one of
// transformers' training arguments, or of a library that builds on them.
func trainingArguments(name string) bool {
	return strings.HasSuffix(name, "TrainingArguments") || strings.HasPrefix(name, "trl.") && strings.HasSuffix(name, "Config")
}

// unset is an option of a library's configuration object that was not given: a
// fact of the machine, else the library's default.
func (in *Interp) unset(class, name string) (Value, bool) {
	if !trainingArguments(class) {
		return Value{}, false
	}
	m := in.program.Machine
	_, launched := in.program.Environ["LOCAL_RANK"]
	launched = launched || m.WorldSize.Kind == Int && m.WorldSize.Int > 1
	switch name {
	case "world_size":
		return m.WorldSize, true
	case "n_gpu", "_n_gpu":
		if launched {
			return integer(1), true
		}
		return m.Devices, true
	case "local_rank":
		if launched {
			return integer(0), true
		}
		return integer(-1), true
	case "process_index", "local_process_index":
		return integer(0), true
	case "should_log", "should_save":
		return boolean(true), true
	case "parallel_mode":
		switch {
		case launched:
			return str("distributed"), true
		case m.Devices.Kind == Int && m.Devices.Int > 1:
			return str("not_distributed"), true
		}
		return str("not_parallel"), true
	}
	d, ok := table.LibraryDefault(class, name, "")
	if !ok {
		return Value{}, false
	}
	return Default(d), true
}

// Default is the value of a row of the table of defaults.
func Default(d table.DefaultValue) Value {
	v := none()
	switch x := d.Value.(type) {
	case bool:
		v = boolean(x)
	case float64:
		v = float(x)
		if x == float64(int64(x)) && !strings.ContainsAny(d.Text, ".e") {
			v = integer(int64(x))
		}
	case string:
		v = str(x)
	}
	at := *d.Origin
	at.Kind = origin.Default
	return v.with(&at)
}
