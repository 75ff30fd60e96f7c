package pyeval

import "strings"

// Estimators of TensorFlow 1 are given a function that builds the model; train
// calls it with the mode of training.
func init() {
	for _, home := range []string{"tensorflow.estimator.ModeKeys.", "tensorflow.compat.v1.estimator.ModeKeys.", "tensorflow.contrib.learn.ModeKeys."} {
		for name, mode := range map[string]string{"TRAIN": "train", "EVAL": "eval", "PREDICT": "infer", "INFER": "infer"} {
			constants[home+name] = func(*Interp) Value { return str(mode) }
		}
	}
	native(func(in *Interp, c *Call) Value {
		est, _ := c.Arg("estimator", 0)
		spec, _ := c.Arg("train_spec", 1)
		d := &Call{Name: "train"}
		if e := spec.External(); e != nil && e.Call != nil {
			d.Kw = e.Call.Kw
		}
		if e := est.External(); e != nil && e.Call != nil {
			d.Name = e.Call.Name + ".train"
			trainEstimator(in, &External{Name: d.Name, Call: e.Call}, d)
		}
		return none()
	}, "tensorflow.estimator.train_and_evaluate", "tensorflow.compat.v1.estimator.train_and_evaluate")
}

// trainEstimator follows the train method of an estimator; done is false for
// other objects.
func trainEstimator(in *Interp, e *External, c *Call) (Value, bool) {
	if e.Call == nil || !strings.HasSuffix(lastName(e.Call.Name), "Estimator") {
		return Value{}, false
	}
	in.observe(c)
	fn, ok := e.Call.Arg("model_fn", 0)
	if !ok {
		return none(), true
	}
	params, given := e.Call.Arg("params", -1)
	if !given || params.Kind == None {
		params = dict()
		params.Dict().Open = true
	}
	if batch, ok := e.Call.Arg("train_batch_size", -1); ok && params.Dict() != nil {
		params = in.copyOf(params, 4)
		params.Dict().set(str("batch_size"), batch)
	}
	in.buildModel(fn, map[string]Value{
		"features": unknown("features of a batch"), "labels": unknown("labels of a batch"),
		"mode": str("train"), "params": params,
	})
	return none(), true
}

// buildModel calls a function that builds a model with those of the arguments
// that it has.
func (in *Interp) buildModel(fn Value, args map[string]Value) {
	f := fn
	if m, ok := fn.Ref.(*Method); ok {
		f = m.Func
	}
	def, ok := f.Ref.(*Function)
	if !ok || f.Kind != FunctionKind || in.depth >= in.budget.Depth-5 {
		return
	}
	c := &Call{Name: def.Name}
	all, _ := in.parameters(def)
	for _, p := range all {
		if v, ok := args[p.name]; ok {
			c.Kw = append(c.Kw, Keyword{p.name, v})
		}
	}
	loop := in.loop
	in.loop = nil
	in.call(fn, c, nil)
	in.loop = loop
}
