package table

import (
	"slices"
	"strings"
	"testing"
)

func TestTasksOfTypicalJobs(t *testing.T) {
	for _, c := range []struct {
		story, want string
		s           Signals
	}{
		{"a decoder from scratch on web text", "language-modeling-pretrain", Signals{Dataset: "openwebtext", Model: "gpt2", InitFrom: "scratch"}},
		{"the same from weights", "language-modeling-finetune", Signals{Dataset: "shakespeare", Model: "gpt2-xl", InitFrom: "gpt2-xl"}},
		{"instructions", "sft", Signals{Dataset: "tatsu-lab/alpaca", Model: "huggyllama/llama-7b", ModelClass: "LlamaForCausalLM", InitFrom: "x"}},
		{"a DPO trainer", "dpo", Signals{Model: "qwen3-4b", Callees: []string{"trl.trainer.dpo_trainer.DPOTrainer"}}},
		{"a flag names the method", "dpo", Signals{Model: "qwen3-4b", Flags: []Flag{{"--stage", "dpo"}}}},
		{"encoder and questions", "question-answering", Signals{Dataset: "squad", Model: "bert-large-uncased"}},
		{"encoder and books", "masked-lm-pretrain", Signals{Dataset: "wikipedia", Model: "BERT-Large", EntryName: "run_pretraining.py"}},
		{"encoder-decoder and news", "summarization", Signals{Dataset: "cnn_dailymail", Model: "t5-base", ModelClass: "T5ForConditionalGeneration"}},
		{"backbone and photographs", "image-classification", Signals{Dataset: "imagenet", Model: "resnet50", Losses: []string{"torch.nn.CrossEntropyLoss"}}},
		{"backbone and synthetic data", "image-classification", Signals{Dataset: "FakeData", Model: "resnet18"}},
		{"a masked autoencoder", "masked-image-modeling", Signals{Dataset: "imagenet", Model: "mae_vit_base_patch16"}},
		{"a detector with masks", "instance-segmentation", Signals{Dataset: "coco_2017_train", Model: "mask_rcnn_R_50_FPN_1x.yaml"}},
		{"a detector", "object-detection", Signals{Dataset: "coco", Model: "yolov5s"}},
		{"its segmenting variant", "instance-segmentation", Signals{Dataset: "coco128-seg", Model: "yolov5s-seg.pt"}},
		{"its classifying variant", "image-classification", Signals{Dataset: "cifar100", Model: "yolov5s-cls.pt", EntryName: "classify/train.py"}},
		{"two towers and captions", "contrastive-pretrain", Signals{Dataset: "laion-400m", ModelFamily: "clip"}},
		{"diffusion of faces", "image-generation", Signals{Dataset: "ffhq", ModelFamily: "latent-diffusion"}},
		{"diffusion of classes", "class-conditional-image-generation", Signals{Dataset: "imagenet", ModelFamily: "latent-diffusion"}},
		{"a process of diffusion around a net of its own", "image-generation", Signals{Dataset: "cifar10", Model: "UNetModel", Callees: []string{"nets.respace.SpacedDiffusion"}}},
		{"views of one picture", "self-supervised-pretraining", Signals{Dataset: "cifar10", Model: "resnet18", EntryName: "main_pretrain.py", Flags: []Flag{{"method", "byol"}}}},
		{"its autoencoder", "image-reconstruction", Signals{Dataset: "imagenet", Model: "AutoencoderKL"}},
		{"clicks", "ctr-prediction", Signals{Dataset: "criteo-kaggle", Model: "DLRM"}},
		{"clips of sound", "audio-classification", Signals{Dataset: "esc50", ModelFamily: "vit", Losses: []string{"torch.nn.CrossEntropyLoss"}}},
		{"speech to letters", "asr", Signals{Dataset: "librispeech", Model: "jasper", Losses: []string{"torch.nn.CTCLoss"}}},
		{"cells", "semantic-segmentation", Signals{Dataset: "isbi2012", Model: "unet"}},
		{"classes of pictures", "image-classification", Signals{Dataset: "imagenet", Model: "unet", Losses: []string{"cross_entropy"}}},
		{"a game", "reinforcement-learning", Signals{Dataset: "CartPole-v1", ModelFamily: "ppo", Callees: []string{"gym.make"}}},
		{"graph of papers", "node-classification", Signals{Dataset: "ogbn-arxiv", Model: "GCN"}},
		{"words of another language", "machine-translation", Signals{Dataset: "wmt14.en-de", ModelFamily: "transformer"}},
		{"a synthetic task", "synthetic-associative-recall", Signals{Dataset: "icl_synthetics", ModelFamily: "h3"}},
	} {
		slug, rule, ok := Task(c.s)
		if !ok || slug != c.want || rule.Origin == nil || rule.Source == "" {
			t.Errorf("%s: got %q by %v, %v; want %q", c.story, slug, rule.Origin, ok, c.want)
		}
	}
	if slug, rule, ok := Task(Signals{Dataset: "my.csv", Model: "MyNet", EntryName: "train.py"}); ok {
		t.Errorf("nothing is known, but the task is %q by %v", slug, rule.Origin)
	}
}

// A rule is dead when no signals reach it: others before it take all.
func TestNoTaskRuleIsDead(t *testing.T) {
	for _, row := range tasks() {
		if !slices.ContainsFunc(witnesses(row), func(s Signals) bool {
			_, rule, ok := Task(s)
			return ok && rule.Line == row.rule.Line
		}) {
			t.Errorf("tasks:%d: %q by %s is never reached", row.rule.Line, row.slug, row.because())
		}
	}
}

// witnesses are signals that fulfil a row, for each of its possibilities.
func witnesses(row taskRow) []Signals {
	text := func(pattern string) string { return strings.ReplaceAll(pattern, "*", "") }
	all := []Signals{{}}
	vary := func(patterns []string, set func(*Signals, string)) {
		if patterns == nil {
			return
		}
		var next []Signals
		for _, s := range all {
			for _, p := range patterns {
				if len(next) < 2000 {
					c := s
					set(&c, p)
					next = append(next, c)
				}
			}
		}
		all = next
	}
	vary(row.family, func(s *Signals, v string) { s.ModelFamily = v })
	vary(row.model, func(s *Signals, v string) {
		if i := slices.IndexFunc(models().rows, func(m ModelInfo) bool { return wildcard(v, m.Name) }); i >= 0 {
			s.Model = models().rows[i].Name
		}
	})
	vary(row.datasetTask, func(s *Signals, v string) {
		for _, d := range datasets().rows {
			if d.Task != "" && wildcard(v, d.Task) && (row.domain == nil || slices.Contains(row.domain, d.Domain)) {
				s.Dataset = d.Name
			}
		}
	})
	if row.datasetTask == nil {
		vary(row.domain, func(s *Signals, v string) {
			for _, d := range datasets().rows {
				if d.Domain == v && (s.Dataset == "" || d.Task == "") {
					s.Dataset = d.Name
				}
			}
		})
	}
	vary(row.class, func(s *Signals, v string) { s.ModelClass = text(v) })
	vary(row.loss, func(s *Signals, v string) { s.Losses = []string{text(v)} })
	vary(row.entry, func(s *Signals, v string) { s.EntryName = text(v) })
	vary(row.callee, func(s *Signals, v string) { s.Callees = []string{text(v)} })
	vary(row.flag, func(s *Signals, v string) {
		s.Flags = nil
		for part := range strings.SplitSeq(text(v), "&") {
			name, value, _ := strings.Cut(part, "=")
			s.Flags = append(s.Flags, Flag{name, value})
		}
	})
	vary(row.init, func(s *Signals, v string) { s.InitFrom = v })
	return all
}

func TestSlugsAreWrittenAlike(t *testing.T) {
	all := Slugs()
	t.Logf("%d slugs", len(all))
	for _, slug := range all {
		if slug != strings.ToLower(slug) || strings.ContainsAny(slug, " _") {
			t.Errorf("slug %q", slug)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*.DPOTrainer", "trl.DPOTrainer", true}, {"*.DPOTrainer", "DPOTrainer", false}, {"gym.vector.*", "gym.vector.Sync", true}, {"a*b*c", "abc", true},
		{"a*b*c", "acb", false}, {"*", "", true}, {"a*a", "a", false}, {"*ctc*", "torch.nn.ctcloss", true}, {"x", "xy", false},
	} {
		if got := wildcard(c.pattern, c.text); got != c.want {
			t.Errorf("wildcard(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}
