package launch

import (
	"path"
	"slices"
	"strings"
)

// Main is the invocation that trains, or nil when nothing runs. Each one gets
// points, in this order of weight: it is no tool of the surroundings (pip,
// tensorboard) and no python -c; its name does not speak of preparing,
// evaluating or plotting; a distributed launcher starts it; its name speaks of
// training; it surely runs. Of equals the one with the most words is taken, for
// training is what people configure; then the last; and of several runs of
// that program the first, which is where phases begin.
func (l *Launch) Main() *Invocation {
	best, points := -1, 0
	for i := range l.Invocations {
		p := l.Invocations[i].points()
		if best < 0 || p > points || (p == points && len(l.Invocations[i].Args) >= len(l.Invocations[best].Args)) {
			best, points = i, p
		}
	}
	if best < 0 {
		return nil
	}
	for i := range l.Invocations[:best] {
		if inv := &l.Invocations[i]; inv.Name == l.Invocations[best].Name && inv.points() == points {
			return inv
		}
	}
	return &l.Invocations[best]
}

var (
	tools = strings.Fields(`pip pip3 easy_install tensorboard wandb mlflow jupyter jupyter-lab huggingface-cli hf gdown kaggle git-lfs dvc http.server ensurepip
		venv virtualenv pytest nvitop gpustat ray poetry uv pipenv pdm setup.py hydra conda modelscope nvidia-cuda-mps-control unittest ipykernel`)
	preparing = strings.Fields(`download prepare prep preprocess preprocessing convert setup install get make build create generate extract tokenize split index clean
		eval evaluate evaluation test validate validation infer inference predict plot visualize demo export merge report result results analyze analysis summarize benchmark check collect average dask shard`)
	training = strings.Fields(`train training trainer finetune finetuning tune pretrain pretraining sft dpo ppo rlhf main run fit launch learn`)
)

func (inv *Invocation) points() int {
	p := 0
	base := strings.ToLower(path.Base(inv.Name))
	if inv.Program == Other || slices.Contains(tools, base) {
		p -= 100
	}
	words := strings.FieldsFunc(strings.TrimSuffix(base, ".py"), func(c rune) bool { return c == '_' || c == '-' || c == '.' })
	if inv.Program == Console && len(inv.Args) > 0 { // "litgpt download", "yolo train"
		words = append(words, strings.FieldsFunc(strings.ToLower(inv.Args[0].Text), func(c rune) bool { return c == '_' || c == '-' })...)
	}
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(list, w) || (len(w) > 5 && slices.Contains(list, strings.TrimSuffix(w, "s")))
		})
	}
	trains := in(training) || strings.Contains(base, "train")
	switch {
	case in(preparing) && !trains:
		p -= 40
	case trains:
		p += 10
	}
	for _, l := range inv.Launchers {
		switch l.Name {
		case "srun", "ray":
			p += 5
		default:
			p += 20
		}
	}
	if inv.Doubt != "" {
		p -= 3
	}
	if inv.Program == Console {
		p -= 2 // may be any tool that is not known here
	}
	return p
}
