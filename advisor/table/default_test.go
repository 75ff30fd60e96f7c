package table

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/origin"
)

// Values as the libraries' documentation pages state them.
func TestDefaultsOfLibraries(t *testing.T) {
	for _, c := range []struct {
		class, option, version string
		want                   any
	}{
		{"transformers.TrainingArguments", "per_device_train_batch_size", "", 8.0},
		{"transformers.training_args.TrainingArguments", "learning_rate", "4.40.1", 5e-5},
		{"transformers.TrainingArguments", "optim", "4.28.0", "adamw_hf"},
		{"transformers.TrainingArguments", "optim", "4.46.0.dev0", "adamw_torch"},
		{"transformers.TrainingArguments", "optim", "5.1", "adamw_torch_fused"},
		{"transformers.Seq2SeqTrainingArguments", "num_train_epochs", "4.46", 3.0},
		{"trl.SFTConfig", "learning_rate", "0.12.1", 2e-5},
		{"trl.trainer.sft_config.SFTConfig", "dataloader_num_workers", "0.12.1", 0.0},
		{"trl.SFTConfig", "learning_rate", "0.11", 5e-5}, // that of its base then
		{"pytorch_lightning.Trainer", "max_epochs", "1.4.2", 1000.0},
		{"pytorch_lightning.trainer.trainer.Trainer", "precision", "1.4.2", "32"},
		{"lightning.pytorch.Trainer", "precision", "2.4", "32-true"},
		{"lightning.Trainer", "devices", "1.9", nil},
		{"torch.utils.data.dataloader.DataLoader", "num_workers", "2.5", 0.0},
		{"torch.optim.AdamW", "lr", "2.5", 1e-3},
		{"torch.optim.adamw.AdamW", "lr", "", 1e-3},
		{"tf.keras.optimizers.Adam", "learning_rate", "", 1e-3},
		{"keras.Model.fit", "batch_size", "", 32.0},
		{"tensorflow.keras.Model.fit", "epochs", "", 1.0},
		{"ultralytics.YOLO.train", "imgsz", "8.3", 640.0},
	} {
		d, ok := LibraryDefault(c.class, c.option, c.version)
		if want, isText := c.want.(string); isText && want == "32" {
			c.want = 32.0
		}
		if !ok {
			t.Errorf("%s %s of %q is not known", c.class, c.option, c.version)
		} else if diff := cmp.Diff(c.want, d.Value); diff != "" {
			t.Errorf("%s %s of %q: %s", c.class, c.option, c.version, diff)
		}
	}
}

func TestADefaultTellsItsVersionsAndWhatOthersTake(t *testing.T) {
	d, ok := LibraryDefault("TrainingArguments", "optim", "")
	if !ok || d.Text != "adamw_torch_fused" {
		t.Fatalf("got %+v, %v", d, ok)
	}
	if diff := cmp.Diff([]string{"adamw_hf", "adamw_torch"}, d.Others); diff != "" {
		t.Error(diff)
	}
	if d.Origin.Kind != origin.Default || d.Origin.Key != "transformers.TrainingArguments.optim [4.54, )" {
		t.Errorf("origin %v", d.Origin)
	}
}

func TestADefaultIsNotGuessed(t *testing.T) {
	for _, c := range [][3]string{
		{"torch.optim.SGD", "lr", "1.13"}, // had to be given then
		{"torch.optim.SGD", "no_such_option", ""},
		{"my.TrainingArguments", "learning_rate", ""},
		{"AdamW", "lr", ""}, // which library's?
		{"", "", ""}, {".", ".", "."}, {"transformers.", "optim", "x"},
	} {
		if d, ok := LibraryDefault(c[0], c[1], c[2]); ok {
			t.Errorf("%v: %+v", c, d)
		}
	}
}

// Each row is of use: some version takes its value.
func TestNoDefaultIsShadowed(t *testing.T) {
	for at, rows := range defaults().rows {
		for i, r := range rows {
			version := "999"
			if len(r.from) > 0 || len(r.until) > 0 {
				version = "0"
			}
			for _, raw := range mustRead("defaults") {
				if raw.text("class")+" "+raw.text("option") == at && raw.text("value") == r.text && raw.text("from") != "" {
					version = raw.text("from")
				}
			}
			if d, ok := LibraryDefault(r.class, r.option, version); !ok || d.Text != r.text {
				t.Errorf("%s: row %d (%q) is not found for version %s: got %q, %v", at, i, r.text, version, d.Text, ok)
			}
		}
	}
}
