package resolve

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/conf"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/source"
	"schedmate/advisor/table"
)

// trainerOptions are the options of transformers' training arguments whose
// defaults decide a field.
var trainerOptions = []string{"per_device_train_batch_size", "gradient_accumulation_steps", "learning_rate", "optim", "num_train_epochs", "dataloader_num_workers"}

// trainingArguments is the call that makes the arguments of transformers'
// trainer, nil when the program makes none.
func (v *view) trainingArguments() *pyeval.Call {
	var found *pyeval.Call
	for _, c := range v.obs.Calls {
		if strings.HasSuffix(c.Name, "()") || strings.HasPrefix(c.Name, "repo:") && !ownArguments(c) {
			continue
		}
		last := lastPart(c.Name)
		if !strings.HasPrefix(c.Name, "repo:") && !strings.HasSuffix(last, "TrainingArguments") && !(strings.HasPrefix(c.Name, "trl.") && strings.HasSuffix(last, "Config")) {
			continue
		}
		if found == nil || found.Doubt && !c.Doubt {
			found = c
		}
	}
	return found
}

// ownArguments reports whether a call makes an object of a class of the
// repository that is transformers' training arguments with more fields.
func ownArguments(c *pyeval.Call) bool {
	o := c.Self.Object()
	return o != nil && slices.ContainsFunc(o.Class.Bases(), isTrainingArguments)
}

func isTrainingArguments(class string) bool {
	return strings.HasPrefix(class, "transformers.") && strings.HasSuffix(class, "TrainingArguments")
}

// gatherTrainer names what transformers' trainer was told, and what it takes
// for what it was not told.
func (v *view) gatherTrainer() {
	c := v.trainingArguments()
	if c == nil {
		return
	}
	for _, k := range c.Kw {
		x := k.Value
		x.Origin = or(x.Origin, c.Site)
		v.name(named{path: k.Name, value: x, config: true, doubt: c.Doubt, seq: c.Seq})
	}
	if o := c.Self.Object(); o != nil { // fields that the repository's class adds or has other defaults for
		o.Attrs.Each(func(k, x pyeval.Value) {
			if _, given := c.Arg(k.Text, -1); !given && k.Kind == pyeval.Str && x.Origin != nil {
				v.name(named{path: k.Text, value: x, config: true, doubt: c.Doubt, seq: c.Seq})
			}
		})
	}
	for _, option := range trainerOptions {
		if _, given := c.Arg(option, -1); given || c.Open {
			continue
		}
		d, ok := table.LibraryDefault(c.Name, option, "")
		if !ok && (strings.HasSuffix(lastPart(c.Name), "TrainingArguments") || ownArguments(c)) { // another library's, or the repository's, made after it
			d, ok = table.LibraryDefault("transformers.TrainingArguments", option, "")
		}
		if ok {
			v.name(named{path: option, value: pyeval.Default(d), config: true, fallback: true})
		}
	}
}

// zeroOf is the stage of partitioning in the configuration of DeepSpeed that a
// launcher or an option names: a file, or the configuration itself.
func (v *view) zeroOf() (string, *origin.Origin, bool) {
	var files []string
	for _, l := range v.run.Launchers {
		for _, key := range []string{"deepspeed_config_file", "zero_stage"} {
			w, ok := l.Settings[key]
			switch {
			case !ok || !w.Known:
			case key == "zero_stage" && strings.EqualFold(l.Settings["distributed_type"].Text, "deepspeed"):
				return w.Text, w.Origin, stageName(w.Text)
			case key != "zero_stage":
				files = append(files, w.Text)
			}
		}
	}
	for _, key := range []string{"deepspeed", "deepspeed_config", "ds_config", "deepspeed_config_file"} {
		if t, _, ok := v.text(key); ok {
			files = append(files, t)
		}
	}
	for _, file := range files {
		at, ok := source.Clean(path.Join(v.run.Dir, file))
		if !ok {
			continue
		}
		text, err := v.root.Read(at)
		if err != nil {
			continue
		}
		n, err := conf.ParseJSON(at, text)
		if err != nil {
			continue
		}
		if stage := n.Get("zero_optimization.stage"); stage != nil && stage.Kind == conf.Int {
			name := strconv.FormatInt(stage.Int, 10)
			return name, stage.Origin, stageName(name)
		}
	}
	return "", nil, false
}

func stageName(text string) bool { return text == "1" || text == "2" || text == "3" }
