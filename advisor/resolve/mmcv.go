package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// The frameworks before mmengine build the same from one configuration, by a
// runner of mmcv or a function of theirs for each kind of work.

// oldRunners are last names of what is handed the work.
var oldRunners = []string{"build_runner", "EpochBasedRunner", "IterBasedRunner", "train_detector", "train_segmentor", "train_model", "train_classifier"}

// oldRunner is the configuration that such a runner works by.
func (v *view) oldRunner() (pyeval.Value, bool) {
	ran := slices.ContainsFunc(v.calls(oldRunners...), func(c *pyeval.Call) bool {
		home, _, _ := strings.Cut(strings.TrimPrefix(c.Name, "repo:"), ".")
		return !c.Doubt && (strings.HasPrefix(home, "mm") || lastPart(c.Name) == "build_runner")
	})
	if !ran {
		return pyeval.Value{}, false
	}
	for _, cfg := range v.obs.Configs {
		_, model := key(cfg, "model", "type")
		_, data := key(cfg, "data", "train")
		_, optimizer := key(cfg, "optimizer", "type")
		if model && data && optimizer {
			return cfg, true
		}
	}
	return pyeval.Value{}, false
}

// plainHolders are types of models that only hold a backbone and a head: what
// they are is told by their parts.
var plainHolders = []string{"ImageClassifier", "EncoderDecoder", "CascadeEncoderDecoder", "TopDown", "BottomUp", "Recognizer2D", "Recognizer3D", "BaseClassifier", "TopdownPoseEstimator"}

// namedWhole is a type of model that the table does not know, in a runner's
// configuration: the framework looks it up by this name. Its parts have other
// names.
func namedWhole(kind pyeval.Value) *modelName {
	if !isText(kind) || kind.Origin == nil || slices.Contains(plainHolders, lastPart(kind.Text)) {
		return nil
	}
	name := lastPart(kind.Text)
	return &modelName{text: name, at: kind.Origin, info: table.ModelInfo{Name: name, Domain: "cv", Wraps: true, Origin: kind.Origin}, ok: true}
}

// oldPrecision is that of a runner of mmcv: half precision is a node of its own.
func (v *view) oldPrecision() {
	cfg, ok := v.oldRunner()
	if !ok {
		return
	}
	if half, ok := key(cfg, "fp16"); ok && half.Dict() != nil {
		v.set(workload.Precision, "amp-fp16", or(half.Origin, origin.Named(origin.Rule, "mmcv: fp16 is set")))
	}
}

// runnerData is the type of the training data in a runner's configuration; a
// data set may stand within one that repeats it.
func (v *view) runnerData() (pyeval.Value, bool) {
	cfg, ok := v.runner()
	if !ok {
		return pyeval.Value{}, false
	}
	data, ok := key(cfg, "train_dataloader", "dataset")
	if !ok {
		data, ok = key(cfg, "data", "train")
	}
	for range 4 {
		inner, has := key(data, "dataset")
		if !has {
			break
		}
		data = inner
	}
	kind, is := key(data, "type")
	return kind, ok && is && isText(kind)
}
