package resolve

import (
	"path"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/workload"
)

// tuning answers which part of the parameters is trained.
func (v *view) tuning() {
	four := false
	for _, c := range v.obs.Calls {
		if x, ok := c.Arg("load_in_4bit", -1); ok && x.Kind == pyeval.Bool && x.Int == 1 {
			four = true
		}
	}
	if _, on := v.flag("load_in_4bit", "use_4bit"); on {
		four = true
	}
	if t, _, ok := v.text("quantize", "quantization"); ok && (strings.Contains(t, "nf4") || strings.Contains(t, "fp4") || strings.Contains(t, "4bit")) {
		four = true
	}
	if bits, _, ok := v.number("quantization_bit", "bits"); ok && bits == 4 {
		four = true
	}
	lora := "lora"
	if four {
		lora = "qlora"
	}
	for _, c := range sure(v.calls("get_peft_model", "LoraConfig")) {
		if !c.Doubt {
			v.set(workload.Tuning, lora, c.Site)
		}
	}
	for _, c := range sure(v.obs.Calls) { // "mark_only_lora_as_trainable", of loralib and its heirs
		if name := lastPart(c.Name); strings.Contains(name, "lora") && strings.Contains(name, "trainable") && !c.Doubt {
			v.set(workload.Tuning, lora, c.Site)
		}
	}
	if at, ok := v.adapted(); ok {
		v.set(workload.Tuning, lora, at)
	}
	if at, ok := v.flag("use_lora", "lora", "use_peft", "apply_lora"); ok {
		v.set(workload.Tuning, lora, at)
	}
	if t, at, ok := v.text("finetuning_type", "peft_type", "adapter", "peft_method"); ok {
		t = strings.ToLower(t)
		if t == "lora" {
			t = lora
		}
		v.set(workload.Tuning, t, at)
	}
	v.held()
	v.probes()
	v.frozenPart()
	v.absent(workload.Tuning, "no-adapter")
}

// held is a switch that holds a part of the model as it is.
func (v *view) held() {
	if at, ok := v.flag("linear_probe", "linear_probing", "linear_eval", "head_only", "train_head_only", "only_head"); ok {
		v.set(workload.Tuning, "linear-probe", at)
	}
	if at, ok := v.flag("freeze_backbone", "frozen_backbone", "freeze_encoder", "freeze_base", "freeze_base_model", "freeze_feature_extractor", "freeze_pretrained"); ok {
		v.set(workload.Tuning, "frozen-backbone", at)
	}
	if file, at, ok := v.text("frozen_weights", "frozen_checkpoint"); ok && !nothing(file) {
		v.set(workload.Tuning, "frozen-backbone", at)
	}
}

// probes reports a program that is named after training a linear layer on
// features that stay: "main_lincls.py", "eval_linear.py", "linear_probe.py".
func (v *view) probes() {
	name := normal(lastPart(strings.TrimSuffix(path.Base(v.run.Name), ".py")))
	for _, word := range []string{"lincls", "linprobe", "linear_prob", "linear_eval", "eval_linear", "linear_cls", "linear_classif", "lineareval", "linearprobe"} {
		if strings.Contains(name, word) {
			v.set(workload.Tuning, "linear-probe", or(v.run.NameFrom, origin.Named(origin.Rule, "a program named after linear probes")))
			return
		}
	}
}

// frozenPart reports that the parameters of a pretrained part of what is trained
// are taken from training, all of them and on every way. (A part that is no
// pretrained one follows another by its mean.)
func (v *view) frozenPart() {
	for _, c := range v.calls("requires_grad_") {
		on, told := c.Arg("requires_grad", 0)
		if c.Doubt || !told || on.Kind != pyeval.Bool || on.Int == 1 || c.Loops == nil || c.Loops.Over.External() == nil {
			continue
		}
		all := c.Loops.Over.External().Call
		if all == nil || !strings.HasSuffix(all.Name, "parameters") {
			continue
		}
		part := all.Self
		if v.reach == nil {
			v.reach = v.trained()
		}
		if e := part.External(); e != nil && e.Call != nil && (v.reach.values[e] || v.reach.calls[e.Call]) && v.reach.model && strings.HasSuffix(e.Call.Name, "from_pretrained") {
			v.set(workload.Tuning, "frozen-backbone", c.Site)
		}
	}
}

// adapted reports that adapters are trained whichever way the program goes: a
// trainer gets a model with adapters, be they new or those of a checkpoint; or
// the weights are prepared in few bits, which cannot be trained themselves.
func (v *view) adapted() (*origin.Origin, bool) {
	for _, c := range v.obs.Calls {
		switch last := lastPart(strings.TrimSuffix(c.Name, "()")); {
		case c.Doubt:
		case strings.HasPrefix(c.Name, "peft.prepare_model_for_"):
			if len(v.calls("get_peft_model", "LoraConfig")) > 0 {
				return c.Site, true
			}
		case strings.HasSuffix(last, "Trainer"):
			model, ok := c.Arg("model", 0)
			if ok && withAdapters(model) {
				return c.Site, true
			}
		}
	}
	return nil, false
}

func withAdapters(model pyeval.Value) bool {
	for _, a := range model.Alternatives() {
		e := a.External()
		if e == nil || !strings.HasPrefix(e.Name, "peft.") || !strings.HasSuffix(e.Name, "PeftModel.from_pretrained") && !strings.HasSuffix(e.Name, "get_peft_model") {
			return false
		}
	}
	return true
}
