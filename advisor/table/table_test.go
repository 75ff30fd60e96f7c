package table

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/origin"
	"schedmate/advisor/workload"
)

var named = []string{"models", "datasets", "optimizers", "gpus", "precisions"}

func TestEveryRowHasASourceAndOnlyNumbersInItsNumberColumns(t *testing.T) {
	for _, name := range append(slices.Clone(named), "tasks", "defaults", "bases", "absence") {
		rows, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.text("source") == "" {
				t.Errorf("%s:%d: no source", name, r.line)
			}
			for i, column := range r.columns {
				if slices.Contains([]string{"params_m", "d_model", "layers", "heads", "vocab", "input", "samples", "classes", "memory_gb", "state_bytes", "priority"}, column) {
					if x := r.number(column); x < 0 || r.cells[i] != "" && x == 0 && column != "state_bytes" {
						t.Errorf("%s:%d: %s is %q", name, r.line, column, r.cells[i])
					}
				}
			}
		}
	}
}

func TestEveryAliasResolvesToItsOneRow(t *testing.T) {
	for _, name := range named {
		rows := mustRead(name)
		ix, err := newIndex(rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			for _, alias := range append([]string{r.text("name")}, r.list("aliases")...) {
				if got, ok := ix.whole[key(strings.TrimLeft(alias, marks))]; !ok || got != i {
					t.Errorf("%s:%d: %q resolves to row %d, %v", name, r.line, alias, got, ok)
				}
			}
		}
	}
}

func TestTwoRowsCannotShareAnAlias(t *testing.T) {
	row := func(name, aliases string) record {
		return record{"models", 1, []string{"name", "aliases"}, []string{name, aliases}}
	}
	if _, err := newIndex([]record{row("gpt2-xl", "gpt2-1.5b"), row("gpt2-huge", "GPT-2 XL")}); err == nil {
		t.Error("gpt2-xl was taken twice")
	}
}

// sharedRepositories are those whose labelled jobs are published with the
// project: knowledge that only one of them has generalises to none.
var sharedRepositories = []string{
	"pytorch/examples", "HazyResearch/safari", "NVIDIA/DeepLearningExamples", "hiyouga/LLaMA-Factory", "karpathy/nanoGPT", "facebookresearch/deit",
	"facebookresearch/detectron2", "kuangliu/pytorch-cifar", "tatsu-lab/stanford_alpaca", "huggingface/pytorch-image-models", "vwxyzjn/cleanrl",
	"google/flax", "Lightning-AI/litgpt", "mlfoundations/open_clip", "facebookresearch/dlrm", "ultralytics/yolov5", "open-mmlab/mmpretrain",
	"tloen/alpaca-lora", "CompVis/latent-diffusion", "YuanGongND/ast",
}

func TestRowsThatOnlyOneSharedRepositoryKnowsAreRare(t *testing.T) {
	total, ofOne := 0, 0
	for _, name := range append(slices.Clone(named), "tasks", "defaults", "bases", "absence") {
		for _, r := range mustRead(name) {
			total++
			if slices.ContainsFunc(sharedRepositories, func(repo string) bool { return r.text("source") == "repo:"+repo }) {
				ofOne++
				t.Logf("%s:%d: %s", name, r.line, r.text("source"))
			}
		}
	}
	t.Logf("%d of %d rows", ofOne, total)
	if ofOne*100 > total {
		t.Errorf("%d of %d rows: more than one in a hundred", ofOne, total)
	}
}

// A transformer has about 12 L d^2 weights in its layers (Kaplan et al. 2020,
// arXiv:2001.08361) and V d in its embeddings.
func TestParametersOfTransformersFollowFromTheirShape(t *testing.T) {
	encoderDecoder := []string{"t5", "mt5", "byt5", "bart", "mbart", "pegasus", "led", "marian", "m2m100", "nllb", "whisper", "trocr"}
	otherwise := map[string]string{
		"t5-3b": "feed-forward of 16 d", "t5-11b": "feed-forward of 64 d", "albert": "layers share weights", "mixtral": "experts", "deepseek-v2": "experts",
		"deepseek-v3": "experts", "qwen3-30b-a3b": "experts", "llama4": "experts", "qwen1.5-moe-a2.7b": "experts", "qwen3-235b-a22b": "experts", "clip": "two towers", "siglip": "two towers",
		"electra-small": "embeddings narrower than layers", "detr": "a backbone holds most", "mask2former": "a backbone holds most",
		"lightgcn": "embeddings are all of it", "mmdit": "weights for each modality", "transformer-xl": "adaptive embeddings", "wav2vec2": "convolutions in front",
		"conformer": "convolutions in every layer", "decision-transformer": "small", "alphafold": "pairs", "bevformer": "a backbone holds most", "flux": "two kinds of layers",
		"dit": "modulation of every layer", "sit": "modulation of every layer", "whisper-large-v3-turbo": "decoder of 4 layers", "mixer": "no attention", "byt5": "decoder of a third of the layers",
		"gemma-7b": "heads wider than d over heads, feed-forward of 8 d", "gemma-2-27b": "feed-forward of 8 d", "qwen2-vl-2b": "a vision tower",
		"sam": "a decoder", "mllama": "cross attention in between", "mae-vit-base": "a decoder",
	}
	checked := 0
	for _, m := range models().rows {
		_, skipFamily := otherwise[m.Family]
		_, skipName := otherwise[m.Name]
		if m.Width == 0 || m.Layers == 0 || m.ParamsM == 0 || skipFamily || skipName {
			continue
		}
		layers := float64(m.Layers)
		if slices.Contains(encoderDecoder, m.Family) || m.Family == "transformer" {
			layers *= 2.3 // the decoder also attends to the encoder
		}
		if m.Family == "mamba" {
			layers /= 2 // two blocks have the weights of one layer of attention and feed-forward
		}
		width := float64(m.Width)
		want := (12*layers*width*width + float64(m.Vocab)*width) / 1e6
		if ratio := m.ParamsM / want; ratio > 2 || ratio < 0.5 {
			t.Errorf("%s: %v million parameters, but its shape gives %.0f", m.Name, m.ParamsM, want)
		}
		if m.Heads > 0 && m.Width%m.Heads != 0 && m.Family != "gpt" && !slices.Contains(encoderDecoder, m.Family) { // T5 fixes the width of a head
			t.Errorf("%s: width %d is no multiple of %d heads", m.Name, m.Width, m.Heads)
		}
		checked++
	}
	t.Logf("%d models checked", checked)
	if checked < 150 {
		t.Errorf("only %d models have a shape to check", checked)
	}
}

func TestAModelIsFoundByTheNamesPeopleUse(t *testing.T) {
	for text, want := range map[string]string{
		"gpt2-xl":                                    "gpt2-xl",
		"GPT-2 XL":                                   "gpt2-xl",
		"openai-community/gpt2-medium":               "gpt2-medium",
		"GPT2LMHeadModel":                            "gpt2",
		"EleutherAI/pythia-160m":                     "pythia-160m",
		"facebook/opt-1.3b":                          "opt-1.3b",
		"facebook/opt-13b":                           "opt-13b",
		"/scratch/models/Llama-2-7b-hf/":             "llama-2-7b",
		"/data/llama-7b/checkpoint-1000":             "llama-7b",
		"Qwen/Qwen2.5-7B-Instruct":                   "qwen2.5-7b",
		"Qwen/Qwen2.5-VL-7B-Instruct":                "qwen2.5-vl-7b",
		"meta-llama/Meta-Llama-3.1-8B-Instruct":      "llama-3.1-8b",
		"mistralai/Mixtral-8x7B-v0.1":                "mixtral-8x7b",
		"google/flan-t5-base":                        "flan-t5-base",
		"bert-large-uncased":                         "bert-large",
		"bert_large.pt":                              "bert-large",
		"vit_small_patch16_224.augreg_in21k":         "vit-small",
		"timm/resnet50.a1_in1k":                      "resnet50",
		"ResNet18":                                   "resnet18",
		"torchvision.models.wide_resnet50_2":         "wide-resnet50-2",
		"ViT-B/16":                                   "vit-base",
		"swin_tiny_patch4_window7_224":               "swin-tiny",
		"MobileNetV2":                                "mobilenet-v2",
		"yolov8n.pt":                                 "yolov8n",
		"yolov5s-seg.yaml":                           "yolov5s-seg",
		"mask_rcnn_R_50_FPN_1x.yaml":                 "mask-rcnn-r50-fpn",
		"mask_rcnn_swin_tiny":                        "mask-rcnn",
		"stabilityai/stable-diffusion-xl-base-1.0":   "sdxl",
		"U-Net++":                                    "unet-plus-plus",
		"openai/whisper-small.en":                    "whisper-small",
		"patrickvonplaten/wav2vec2-base-timit-demo":  "wav2vec2-base",
		"sentence-transformers/all-MiniLM-L6-v2":     "minilm-l6-h384",
		"state-spaces/mamba-130m-hf":                 "mamba-130m",
		"llama-llama3":                               "llama3",
		"my-org/gpt2-xl-finetuned-on-legal-contract": "gpt2-xl",
	} {
		m, ok := Model(text)
		if !ok || m.Name != want {
			t.Errorf("Model(%q) = %q, %v; want %q", text, m.Name, ok, want)
		}
		if ok && (m.Origin == nil || m.Origin.Kind != origin.Table || !strings.HasPrefix(m.Origin.Key, "models: "+want)) {
			t.Errorf("Model(%q): origin %v", text, m.Origin)
		}
	}
}

func TestAModelIsNotGuessed(t *testing.T) {
	for _, text := range []string{
		"", "model", "my_net.py", "train_opt", "options", "bert-vs-gpt2-xl", "resnet50_or_densenet121", "phisics", "clip_grad_norm", "ast.parse",
		strings.Repeat("gpt2-xl-", 1000), "\x00\xff", "////", "....", "robertson", "transformer_blocks",
	} {
		if m, ok := Model(text); ok {
			t.Errorf("Model(%q) = %q", text, m.Name)
		}
	}
}

func TestASizeThatTheTableLacksIsReadFromTheName(t *testing.T) {
	m, ok := Model("qwen2.5-9b-instruct")
	if !ok || m.Family != "qwen2.5" || m.ParamsM != 9000 || m.Width != 0 || m.Name != "qwen2.5-9b" {
		t.Errorf("got %+v, %v", m, ok)
	}
	if m, ok := Model("allenai/OLMo2-1B"); !ok || m.Family != "olmo2" || m.ParamsM != 1000 {
		t.Errorf("got %+v, %v", m, ok)
	}
	if m, ok := Model("acme/llama-3-8b-pruned-to-4b"); !ok || m.ParamsM != 4000 || m.Layers != 0 {
		t.Errorf("a size that contradicts the row leaves the family alone: got %+v, %v", m, ok)
	}
	if m, ok := Model("acme/Llama-3-8B-1m-context"); !ok || m.Layers != 32 {
		t.Errorf("1m is a context length: got %+v, %v", m, ok)
	}
	if m, ok := Model("resnet50_cc12m"); !ok || m.Name != "resnet50" {
		t.Errorf("got %+v, %v", m, ok)
	}
}

func TestNumbersAreThoseOfTheStockModelOnly(t *testing.T) {
	for _, text := range []string{"hf-internal-testing/tiny-random-gpt2", "transformer_lm_gpt2_big", "deeplabv3_mobilenet_v3_large", "acme/gpt2-moe"} {
		if m, ok := Model(text); !ok || m.ParamsM != 0 || m.Width != 0 || m.Layers != 0 {
			t.Errorf("Model(%q) = %+v, %v", text, m, ok)
		}
	}
}

func TestANameMayMeanAModelOnlyWithinAFamily(t *testing.T) {
	if m, ok := ModelOf("clip", "ViT-B-32"); !ok || m.Name != "clip-vit-b-32" || m.ParamsM != 151 {
		t.Errorf("got %+v, %v", m, ok)
	}
	if m, ok := ModelOf("clip", "gpt2-xl"); !ok || m.Name != "gpt2-xl" {
		t.Errorf("got %+v, %v", m, ok)
	}
}

func TestADatasetIsFoundByTheNamesPeopleUse(t *testing.T) {
	for text, want := range map[string]string{
		"ILSVRC/imagenet-1k": "imagenet", "/data/ILSVRC2012/train": "imagenet", "imagenet2012:5.*.*": "imagenet", "torchvision.datasets.CIFAR10": "cifar10",
		"/mnt/coco2017/annotations": "coco", "coco128.yaml": "coco128", "BreakoutNoFrameskip-v4": "atari-breakout", "ALE/Breakout-v5": "atari-breakout",
		"Hopper-v4": "hopper", "CartPole-v1": "cartpole", "wikitext-2-raw-v1": "wikitext-2", "tatsu-lab/alpaca": "alpaca", "alpaca_data.json": "alpaca",
		"rajpurkar/squad_v2": "squad-v2", "train-clean-100": "train-clean-100", "ogbn-products": "ogbn-products", "data/shakespeare_char": "tiny-shakespeare",
		"/data/laion400m/{00000..41455}.tar": "laion-400m", "datasets/esc50/": "esc50", "criteo_1tb": "criteo-terabyte",
	} {
		if d, ok := Dataset(text); !ok || d.Name != want {
			t.Errorf("Dataset(%q) = %q, %v; want %q", text, d.Name, ok, want)
		}
	}
	for _, text := range []string{"", "data", "train.csv", "my_custom_dataset.json", "cifar10_vs_svhn", "mathematics", "R50-C4"} {
		if d, ok := Dataset(text); ok {
			t.Errorf("Dataset(%q) = %q", text, d.Name)
		}
	}
}

func TestAnOptimizerIsFoundByConfigurationNameAndByClass(t *testing.T) {
	for text, want := range map[string]string{
		"adamw_torch": "AdamW", "torch.optim.adamw.AdamW": "AdamW", "AdamW": "AdamW", "sgd": "SGD", "nesterov": "SGD", "momentum": "SGD",
		"apex.optimizers.FusedLAMB": "FusedLAMB", "paged_adamw_8bit": "PagedAdamW8bit", "bnb.optim.AdamW8bit": "AdamW8bit", "optax.adamw": "AdamW",
		"lambc": "LAMB", "rmsproptf": "RMSpropTF", "tf.keras.optimizers.Adam": "Adam", "deepspeed.ops.adam.DeepSpeedCPUAdam": "DeepSpeedCPUAdam",
	} {
		if o, ok := Optimizer(text); !ok || o.Name != want {
			t.Errorf("Optimizer(%q) = %q, %v; want %q", text, o.Name, ok, want)
		}
	}
	if o, ok := Optimizer("my.Optimizer"); ok {
		t.Errorf("Optimizer of an unknown class = %q", o.Name)
	}
}

func TestAnAcceleratorIsFoundByProductSchedulerTypeAndLabel(t *testing.T) {
	for text, want := range map[string]string{
		"NVIDIA A100-SXM4-80GB": "a100-80gb", "gpu:v100": "v100", "nvidia.com/gpu.product=Tesla-T4": "t4", "Tesla V100-SXM2-32GB": "v100-32gb",
		"NVIDIA GeForce RTX 3090": "rtx-3090", "h100": "h100", "gres:gpu:a100_80gb": "a100-80gb",
	} {
		if g, ok := GPU(text); !ok || g.Name != want {
			t.Errorf("GPU(%q) = %q, %v; want %q", text, g.Name, ok, want)
		}
	}
	if g, ok := GPU("gpu"); ok {
		t.Errorf("GPU(gpu) = %q", g.Name)
	}
}

func TestAbsenceRulesHaveValuesOfTheirFields(t *testing.T) {
	for _, a := range Absences() {
		if err := workload.Check(a.Field, a.Value); err != nil {
			t.Errorf("%s, %s: %v", a.Field, a.Condition, err)
		}
	}
	a, ok := WhenAbsent(workload.Precision, "no-mixed-precision")
	if !ok || a.Value != "fp32" || a.Origin.Kind != origin.Rule {
		t.Errorf("got %+v, %v", a, ok)
	}
	if _, ok := WhenAbsent(workload.Precision, "no-such-condition"); ok {
		t.Error("a condition that no row has was found")
	}
}

func TestAFingerprintUnitesSpellingsAndNothingElse(t *testing.T) {
	same := map[workload.Field][][2]string{
		workload.ModelName: {{"meta-llama/Llama-2-7b-hf", "/models/llama-2-7b"}, {"resnet50", "ResNet-50"}, {"my-net.py", "MyNet"}},
		workload.Dataset:   {{"identity,alpaca_en_demo", "alpaca_en_demo, identity"}, {"imagenet", "ILSVRC2012"}},
		workload.Optimizer: {{"adamw_torch", "torch.optim.AdamW"}},
		workload.Precision: {{"bf16-mixed", "amp_bf16"}, {"32", "fp32"}},
	}
	for _, field := range slices.Sorted(maps.Keys(same)) {
		for _, pair := range same[field] {
			if diff := cmp.Diff(Canonical(field, pair[0]), Canonical(field, pair[1])); diff != "" {
				t.Errorf("%s: %v: %s", field, pair, diff)
			}
		}
	}
	for _, pair := range [][2]string{{"gpt2-xl", "gpt2-xl-wide"}, {"opt-1.3b", "opt-13b"}, {"llama-7b", "llama-2-7b"}, {"llama-2-7b", "vicuna-7b"}, {"bart-large", "bart-large-cnn"}, {"", "x"}} {
		if a, b := Canonical(workload.ModelName, pair[0]), Canonical(workload.ModelName, pair[1]); a == b {
			t.Errorf("%v are both %q", pair, a)
		}
	}
}
