package resolve

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

var checkpointNames = []string{"finetune", "init_checkpoint", "resume_from_checkpoint", "pretrained_model_path", "load_from", "frozen_weights", "init_checkpoint_path", "initial_checkpoint", "resume", "resume_from", "ckpt_path", "weights", "load_checkpoint", "pretrained", "pretrain", "checkpoint", "restore_path", "pretrained_dir"}

// beginnings answers what training starts from, and which part is trained. A
// start from a checkpoint is told by the checkpoint's name, as far as the code
// has one.
func (v *view) beginnings() {
	v.initial()
	v.tuning()
	// A part that stays as it is was trained before.
	if kind, _ := v.md.Text(workload.Tuning); kind == "linear-probe" || kind == "frozen-backbone" {
		if start := v.md.Values[workload.InitFrom]; start.Origin != nil && start.Origin.Kind == origin.Rule {
			delete(v.md.Values, workload.InitFrom)
			if calls := v.calls("load_state_dict"); len(calls) > 0 {
				v.set(workload.InitFrom, "pretrained", calls[0].Site)
			}
		}
	}
	// Adapters are trained beside weights that are there.
	kind, _ := v.md.Text(workload.Tuning)
	start, _ := v.md.Text(workload.InitFrom)
	if name, ok := v.md.Text(workload.ModelName); ok && (kind == "lora" || kind == "qlora") && (start == "scratch" || start == "") {
		delete(v.md.Values, workload.InitFrom)
		v.set(workload.InitFrom, name, v.md.Values[workload.ModelName].Origin)
	}
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
			case isText(n.value) && !nothing(n.value.Text) && !v.choice(key, n.value.Text):
				v.set(workload.InitFrom, n.value.Text, n.value.Origin)
				return
			case n.value.Kind == pyeval.Bool && n.value.Int == 1:
				word := "pretrained"
				if strings.HasPrefix(key, "resume") {
					if !v.loads() { // goes on where there is something to go on from
						continue
					}
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
	if name, at, ok := v.loadedStart(); ok {
		v.set(workload.InitFrom, name, at)
		return
	}
	if t, at, ok := v.text("init_from", "init_weights_from"); ok && t == "scratch" && v.reached() {
		v.set(workload.InitFrom, "scratch", at)
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

// choice reports whether a text is one of the words between which an option
// lets people choose: such a word is no file.
func (v *view) choice(key, text string) bool {
	for _, p := range v.obs.Parsers {
		for _, o := range p.Options {
			words, _ := o.Choices.Items()
			if normal(o.Dest) == key && slices.ContainsFunc(words, func(w pyeval.Value) bool { return isText(w) && w.Text == text }) {
				return true
			}
		}
	}
	return false
}

// oneOfSeveral reports that a call stands for one of several at its place: of
// which class it is is open, that it happens is not.
func (v *view) oneOfSeveral(c *pyeval.Call) bool {
	if c.Site == nil {
		return false
	}
	if v.several == nil { // once: there are thousands of calls
		v.several = map[callPlace]bool{}
		names := map[callPlace]string{}
		for _, o := range v.obs.Calls {
			if o.Site == nil {
				continue
			}
			at := placeOf(o)
			if name, seen := names[at]; seen && name != o.Name {
				v.several[at] = true
			}
			names[at] = o.Name
		}
	}
	return v.several[placeOf(c)]
}

// callPlace is where a call stands, and the last part of its name.
type callPlace struct {
	file string
	line int
	last string
}

func placeOf(c *pyeval.Call) callPlace {
	return callPlace{c.Site.File, c.Site.Line, lastPart(c.Name)}
}

// loads reports that the program surely loads a state, whatever it finds.
func (v *view) loads() bool {
	for _, c := range v.calls("load", "load_state_dict", "load_checkpoint", "restore", "restore_checkpoint", "load_weights") {
		if !c.Doubt && !strings.HasPrefix(c.Name, "yaml.") && !strings.HasPrefix(c.Name, "json.") && !strings.HasPrefix(c.Name, "np.") && !strings.HasPrefix(c.Name, "numpy.") {
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
