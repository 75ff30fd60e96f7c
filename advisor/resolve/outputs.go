package resolve

import (
	"path"
	"strings"

	"schedmate/advisor/table"
)

// ofAny are names of classes that stand for a role, not for a model.
var ofAny = map[string]bool{"Generator": true, "Discriminator": true, "Model": true, "Net": true, "Network": true, "Encoder": true, "Decoder": true, "MyModel": true}

// outputModel is the model by which a program names what it writes: of the
// folder "cp_hifigan" it is hifi-gan.
func (v *view) outputModel() *modelName {
	for _, key := range []string{"checkpoint_path", "checkpoint_dir", "checkpoints", "exp_name", "experiment_name", "experiment", "run_name", "save_dir", "save_path", "output_dir", "output_path", "out_dir", "log_dir", "project", "wandb_project"} {
		for _, n := range v.all(key) {
			if !n.config || n.doubt || !isText(n.value) || n.value.Origin == nil || len(n.value.Text) > 120 {
				continue
			}
			if m, ok := table.Model(cleanModel(n.value.Text)); ok && endsWith(n.value.Text, m.Name) {
				return &modelName{text: m.Name, at: n.value.Origin, info: m, ok: true}
			}
		}
	}
	return nil
}

// endsWith reports whether a text begins or ends with a model's name, without
// the differences of style: one that stands among others may be of a part.
func endsWith(text, name string) bool {
	t, n := strings.TrimSpace(plain(path.Base(text))), strings.TrimSpace(plain(name))
	return strings.HasPrefix(t, n) || strings.HasSuffix(t, n)
}

// saysNothing are names of classes that fit any model at all.
var saysNothing = map[string]bool{"Model": true, "MyModel": true}

// fileOfClass is the model by the file of its class, where classes are called
// alike and files are named after what they hold; nil when the file's name says
// no more.
func (v *view) fileOfClass(m *modelName) *modelName {
	if m.at == nil || m.at.File == "" {
		return nil
	}
	stem := strings.TrimSuffix(path.Base(m.at.File), path.Ext(m.at.File))
	words := strings.FieldsFunc(strings.ToLower(stem), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for _, w := range words {
		if !general[strings.TrimSuffix(w, "s")] && !roles[strings.TrimSuffix(w, "s")] {
			return known(stem, m.at)
		}
	}
	return nil
}

// roles are words in the names of files that hold models of any kind.
var roles = map[string]bool{"train": true, "trainer": true, "main": true, "run": true, "net": true, "network": true, "module": true, "init": true, "arch": true, "architecture": true, "util": true, "layer": true, "learner": true, "example": true, "demo": true, "test": true, "script": true, "task": true, "backbone": true, "encoder": true, "decoder": true, "modeling": true, "lib": true, "core": true, "common": true, "exp": true, "experiment": true, "solver": true, "py": true, "eval": true, "finetune": true, "pretrain": true, "ddp": true, "fsdp": true, "tutorial": true, "class": true, "cls": true}
