package resolve

import (
	"path"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

var checkpointNames = []string{"finetune", "init_checkpoint", "resume_from_checkpoint", "pretrained_model_path", "load_from", "frozen_weights", "init_checkpoint_path", "initial_checkpoint", "resume", "resume_from", "ckpt_path", "weights", "load_checkpoint", "pretrained", "pretrain", "checkpoint", "restore_path"}

// beginnings answers what training starts from, and which part is trained. A
// start from a checkpoint is told by the checkpoint's name, as far as the code
// has one.
func (v *view) beginnings() {
	v.initial()
	v.tuning()
}

func (v *view) initial() {
	if v.runnerBeginning() {
		return
	}
	calls := sure(v.obs.Calls)
	for _, c := range v.obs.Calls {
		if c.Doubt && lastPart(c.Name) == "from_pretrained" && v.oneOfSeveral(c) {
			calls = append(calls[:len(calls):len(calls)], c)
		}
	}
	for _, c := range calls {
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		if last == "from_pretrained" && !strings.Contains(c.Name, "okenizer") && !strings.Contains(c.Name, "Config") && !strings.Contains(c.Name, "rocessor") && !v.frozen(c) {
			name := "checkpoint"
			at := c.Site
			if x := firstModel(c); isText(x) {
				name, at = x.Text, or(x.Origin, at)
			}
			v.set(workload.InitFrom, name, at)
			return
		}
	}
	if v.givenCheckpoint() {
		return
	}
	for _, c := range calls {
		if name, at, ok := pretrainedBy(c); ok && !v.frozen(c) {
			v.set(workload.InitFrom, name, at)
			return
		}
	}
	for _, key := range checkpointNames {
		for _, n := range v.all(key) {
			switch {
			case !n.config || depth(n.path) > 3: // far down it is that of a part
			case isText(n.value) && !nothing(n.value.Text):
				v.set(workload.InitFrom, n.value.Text, n.value.Origin)
				return
			case n.value.Kind == pyeval.Bool && n.value.Int == 1:
				word := "pretrained"
				if strings.HasPrefix(key, "resume") {
					word = "resume"
				}
				v.set(workload.InitFrom, word, n.value.Origin)
				return
			}
		}
	}
	for _, key := range sortedNames(v.names) { // a switch of its own: imagenet_pretrain
		if !strings.HasSuffix(key, "_pretrain") && !strings.HasSuffix(key, "_pretrained") {
			continue
		}
		for _, n := range v.all(key) {
			if n.config && n.value.Kind == pyeval.Bool && n.value.Int == 1 {
				v.set(workload.InitFrom, "pretrained", n.value.Origin)
				return
			}
		}
	}
	v.absent(workload.InitFrom, "no-checkpoint-loaded")
}

// givenCheckpoint is the checkpoint of a whole model that the command itself
// names: it comes after whatever the parts began with.
func (v *view) givenCheckpoint() bool {
	for _, key := range checkpointNames {
		for _, n := range v.all(key) {
			at := n.value.Origin
			if n.config && at != nil && at.Kind == origin.CLI && isText(n.value) && strings.Contains(path.Base(n.value.Text), ".") && depth(n.path) <= 3 {
				return v.set(workload.InitFrom, n.value.Text, at)
			}
		}
	}
	return false
}

// pretrainedBy is what a constructor of another package was told to begin with.
func pretrainedBy(c *pyeval.Call) (string, *origin.Origin, bool) {
	if strings.HasPrefix(c.Name, "repo:") {
		return "", nil, false
	}
	name := "pretrained"
	torchvision := strings.HasPrefix(c.Name, "torchvision.models.")
	if torchvision {
		name = "pretrained " + lastPart(c.Name)
	}
	x, ok := c.Arg("pretrained", -1)
	switch {
	case ok && x.Kind == pyeval.Bool && x.Int == 1:
		return name, or(x.Origin, c.Site), true
	case ok && isText(x):
		return x.Text, or(x.Origin, c.Site), true
	}
	if x, ok := c.Arg("weights", -1); ok && torchvision && (isText(x) || x.External() != nil) {
		return name, or(x.Origin, c.Site), true
	}
	return "", nil, false
}

// oneOfSeveral reports that a call stands for one of several at its place: of
// which class it is is open, that it happens is not.
func (v *view) oneOfSeveral(c *pyeval.Call) bool {
	if c.Site == nil {
		return false
	}
	for _, o := range v.obs.Calls {
		if o != c && o.Site != nil && o.Site.Line == c.Site.Line && o.Site.File == c.Site.File && o.Name != c.Name && lastPart(o.Name) == lastPart(c.Name) {
			return true
		}
	}
	return false
}

func nothing(text string) bool {
	switch strings.ToLower(text) {
	case "", "none", "false", "no", "null", "scratch", "random", "auto", "never":
		return true
	}
	return false
}

func firstModel(c *pyeval.Call) pyeval.Value {
	for _, key := range []string{"pretrained_model_name_or_path", "model_name_or_path", "model_name", "name"} {
		if x, ok := c.Arg(key, 0); ok {
			return x
		}
	}
	return pyeval.Value{}
}
