package resolve

import "schedmate/advisor/table"

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
			if m, ok := table.Model(cleanModel(n.value.Text)); ok {
				return &modelName{text: m.Name, at: n.value.Origin, info: m, ok: true}
			}
		}
	}
	return nil
}
