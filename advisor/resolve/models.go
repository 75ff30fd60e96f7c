package resolve

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var modelNames = []string{"model_name_or_path", "model_name", "arch", "model_arch", "base_model", "model_id", "model_type", "model", "pretrained_model_name_or_path", "net", "network", "architecture", "backbone", "model_size", "model_version", "config_name", "checkpoint_dir", "model_path", "encoder", "weights", "cfg"}

// named model: a text, or the class or function that makes it.
type modelName struct {
	text string
	at   *origin.Origin
	info table.ModelInfo
	ok   bool // the table knows it

	whole bool // the class of what is trained, around a model of the table
}

// models answers the model's name, and from the table its family and size. In
// order of trust: what a factory or a hub call is asked for, a constructor of a
// library that the table knows, a name in the configuration that the table
// knows, the class that the optimiser trains.
func (v *view) models() {
	best := v.modelName()
	if best == nil {
		v.why(workload.ModelName, "no model that can be named was seen")
		return
	}
	v.model = best
	v.set(workload.ModelName, best.text, best.at)
	if best.ok {
		if best.info.Family != "" {
			v.set(workload.ModelFamily, best.info.Family, best.info.Origin)
		}
		if best.info.Domain != "" {
			v.set(workload.Domain, best.info.Domain, best.info.Origin)
		}
	}
}

func known(text string, at *origin.Origin) *modelName {
	m := &modelName{text: text, at: at}
	m.info, m.ok = table.Model(text)
	return m
}

// knownOf is a name that a factory was given. A factory of a package that is
// named after a family of models ("open_clip.create_model") makes models of
// that family: "ViT-B-32" is then no plain vision transformer.
func knownOf(factory, text string, at *origin.Origin) *modelName {
	for _, part := range strings.Split(strings.TrimPrefix(factory, "repo:"), ".") {
		home, ok := table.Model(part)
		if !ok || !home.Whole || home.Family == "" {
			continue
		}
		m := &modelName{text: text, at: at}
		m.info, m.ok = table.ModelOf(home.Family, text)
		if m.ok && m.info.Family != home.Family { // of that family, with a tower of the other's shape
			width, layers := m.info.Width, m.info.Layers
			m.info = home
			m.info.Width, m.info.Layers, m.info.ParamsM = width, layers, 0
		}
		return m
	}
	return known(text, at)
}

func (v *view) modelName() *modelName {
	var weak *modelName
	for _, try := range []func() *modelName{v.runnerModel, v.factoryModel, v.wrapperFile, v.folderFile, v.nodeModel, v.askedModel, v.configModel, v.configFile, v.classModel, v.entryModel} {
		m := try()
		if m == nil || m.text == "" || m.at == nil || len(m.text) > 120 {
			continue
		}
		if m.whole {
			return m
		}
		sized := m.info.Width > 0 || m.info.ParamsM > 0 || m.info.Layers > 0
		if m.ok && (m.info.Wraps || sized && (weak == nil || !weak.ok)) {
			return m
		}
		if weak == nil || m.ok && (!weak.ok || sized && m.info.Domain == weak.info.Domain) {
			weak = m // a name with a size says more than that of an architecture
		}
	}
	if weak != nil && ofAny[weak.text] {
		if m := v.outputModel(); m != nil {
			return m
		}
	}
	if weak != nil && saysNothing[weak.text] {
		return v.fileOfClass(weak)
	}
	return weak
}

// askedModel is what builtModel found, under the name that the configuration
// asks for where that is of the same family: "resnet50" made a ResNet. A class
// that is another word for a model of the table goes by the table's name.
func (v *view) askedModel() *modelName {
	m, inner := v.builtModel()
	if m == nil {
		return m
	}
	if whole := v.wholeOf(m); inner && whole != nil {
		return whole
	}
	if asked := v.askedAs(m); asked != nil {
		return asked
	}
	if !m.info.Wraps && plain(m.text)[0] != plain(m.info.Name)[0] { // "MemTransformerLM" is Transformer-XL
		m.text = m.info.Name
	}
	return m
}

// askedAs is the name under which the configuration asks for a model that was
// made, nil when it does not.
func (v *view) askedAs(m *modelName) *modelName {
	kinds := v.kinds()
	for _, key := range append(modelNames[:len(modelNames):len(modelNames)], append([]string{"name", "exp_name"}, kinds...)...) {
		told := slices.Contains(kinds, key) // of nothing else: it may say more than the name
		for _, n := range v.all(key) {
			if !n.config || n.doubt || !isText(n.value) || n.value.Origin == nil {
				continue
			}
			asked := known(cleanModel(n.value.Text), n.value.Origin)
			if asked.ok && (asked.info.Whole || told) && asked.info.Wraps == m.info.Wraps && asked.info.Family == m.info.Family && (asked.info.ParamsM > 0 || m.info.ParamsM == 0) {
				return asked
			}
		}
	}
	return nil
}

// plain is a name in small letters and digits alone.
func plain(name string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(name)) + " "
}

// builtModel is a function or class of the repository that is named after a
// model of the table and makes one. One that holds others (a detector, a
// two-tower model) is the model; what it holds are its parts. Inner is one that
// is made in a constructor: of what has it as a part, or holds it.
func (v *view) builtModel() (found *modelName, inner bool) {
	below := map[string]bool{} // functions that a constructor called
	for i, c := range v.obs.Calls {
		if !strings.HasPrefix(c.Name, "repo:") || c.Doubt {
			continue
		}
		o := c.Self.Object()
		part := c.Func == "__init__" || below[c.Func]
		if o == nil {
			below[lastPart(c.Name)] = part
		}
		if o != nil && !isModule(o.Class.Bases()) {
			continue
		}
		name := lastPart(c.Name)
		if name == "Generator" && c.Func == "__init__" { // the last part of a model of another kind
			continue
		}
		if o == nil && !constructsName(name) && !strings.ContainsAny(name, "0123456789") {
			continue
		}
		m := known(name, c.Site)
		if !m.ok || !m.info.Whole || o == nil && v.computes(i) {
			continue
		}
		if part && m.info.Family == "mlp" { // most models have such layers
			continue
		}
		if found == nil || m.info.Wraps && !found.info.Wraps || inner && !part && m.info.Wraps == found.info.Wraps {
			found, inner = m, part
		}
	}
	return found, inner
}

// configFile is the name of the configuration file that the command gives:
// configurations are named after what they configure.
func (v *view) configFile() *modelName {
	for _, w := range v.run.Args {
		if !w.Known || strings.ContainsAny(w.Text, " \n") || !configures(w.Text) {
			continue
		}
		text := w.Text
		if i := strings.IndexByte(text, '='); i >= 0 { // --config=file
			text = text[i+1:]
		}
		if m := known(cleanModel(text), w.Origin); m.ok {
			m.text = m.info.Name
			return m
		}
	}
	return nil
}

// wrapperFile is configFile where it names a model that has others inside: what
// the program is seen to build are then the parts.
func (v *view) wrapperFile() *modelName {
	if m := v.configFile(); m != nil && m.info.Wraps {
		return m
	}
	return nil
}

// folderFile is the model that a configuration file and its folder name together,
// as "pythia/410M.yml" does: of which size it is, no class tells.
func (v *view) folderFile() *modelName {
	words := v.run.Args
	if !slices.ContainsFunc(words, func(w launch.Word) bool { return configures(w.Text) }) { // who was submitted may have started it without
		for _, other := range v.launch.Invocations {
			words = append(words[:len(words):len(words)], other.Args...)
		}
	}
	for _, w := range words {
		if !w.Known || strings.ContainsAny(w.Text, " \n=") || !configures(w.Text) {
			continue
		}
		folder, size := path.Base(path.Dir(w.Text)), cleanModel(path.Base(w.Text))
		if known(size, w.Origin).ok {
			continue
		}
		alone, m := known(folder, w.Origin), known(folder+"-"+size, w.Origin)
		if alone.ok && alone.info.Whole && m.ok && m.info.Whole && m.info.ParamsM > 0 && m.info.Family == alone.info.Family && m.info.Name != alone.info.Name {
			m.text = m.info.Name
			return m
		}
	}
	return nil
}

// ofClass is the model that a class is named after: "GPTModel" is a GPT.
func ofClass(name string, at *origin.Origin) *modelName {
	m := known(name, at)
	if !m.ok || m.info.Whole {
		return m
	}
	for _, suffix := range []string{"ModelPipe", "Pipe", "Model", "Module", "Network"} {
		if stem, cut := strings.CutSuffix(name, suffix); cut && stem != "" {
			if s := known(stem, at); s.ok && s.info.Whole && s.info.Family == m.info.Family {
				return s
			}
		}
	}
	return m
}

// entryModel is the name of the script, where scripts are named after what
// they train.
func (v *view) entryModel() *modelName {
	base := strings.TrimSuffix(path.Base(v.run.Name), ".py")
	if m := known(base, v.run.NameFrom); m.ok {
		m.text = m.info.Name
		return m
	}
	return nil
}

// factoryModel is what a factory of models was asked for.
func (v *view) factoryModel() *modelName {
	var weak *modelName
	take := func(m *modelName) *modelName {
		if m.ok {
			return m
		}
		if weak == nil {
			weak = m
		}
		return nil
	}
	for _, c := range v.obs.Calls {
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		if strings.Contains(strings.ToLower(c.Name), "tokenizer") || strings.Contains(c.Name, "Processor") {
			continue
		}
		if c.Func == "__init__" || v.frozen(c) { // a part of a model of the repository, or one that only measures a loss
			continue
		}
		switch {
		case last == "create_model", last == "from_pretrained" && (strings.Contains(c.Name, "Model") || strings.Contains(c.Name, "For")), last == "get_model", last == "from_name":
			for _, key := range []string{"model_name", "pretrained_model_name_or_path", "name", "model_name_or_path"} {
				x, ok := c.Arg(key, 0)
				if !ok || !isText(x) {
					continue
				}
				if m := take(knownOf(c.Name, cleanModel(x.Text), or(x.Origin, c.Site))); m != nil {
					return m
				}
				break
			}
		case strings.HasPrefix(c.Name, "torchvision.models."), strings.HasPrefix(c.Name, "timm.models."), strings.HasPrefix(c.Name, "segmentation_models_pytorch."):
			if m := known(last, c.Site); m.ok {
				return m
			}
		}
	}
	return weak
}

// cleanModel cuts folders and suffixes that are no part of a name.
func cleanModel(text string) string {
	text = strings.TrimSuffix(strings.TrimRight(text, "/"), ".git")
	whole := text
	for _, suffix := range []string{".pt", ".pth", ".yaml", ".yml", ".json", ".bin", ".ckpt", ".py", ".safetensors"} {
		text = strings.TrimSuffix(text, suffix)
	}
	if text != whole || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.Count(text, "/") > 1 {
		text = path.Base(text)
	}
	return text
}

// configModel is a text that the configuration keeps under a name for models.
func (v *view) configModel() *modelName {
	var weak *modelName
	for _, key := range modelNames {
		for _, n := range v.all(key) {
			place := slices.Contains([]string{"cfg", "weights", "config_name", "model_path", "checkpoint_dir"}, key)
			if !isText(n.value) || n.value.Origin == nil || len(n.value.Text) > 120 || place && !n.config { // a plain path may be of a part
				continue
			}
			text := cleanModel(n.value.Text)
			m := known(text, n.value.Origin)
			if m.ok {
				return m
			}
			if weak == nil && !place && key != "model_type" && n.config {
				weak = m
			}
		}
	}
	return weak
}

// classModel is the class of the repository, or the constructor of a library,
// that makes what is trained.
func (v *view) classModel() *modelName {
	for _, c := range v.obs.Calls { // the object whose parameters the optimiser gets
		if name, _ := v.optimiserOf(c); name == "" || len(c.Args) == 0 {
			continue
		}
		if m := v.modelOf(c.Args[0], 4); m != nil {
			if agent := v.agentOf(m); agent != nil {
				return agent
			}
			if asked := v.askedAs(m); m.ok && m.info.Whole && asked != nil {
				return asked
			}
			if asked := v.spelled(m); asked != nil {
				return asked
			}
			return m
		}
	}
	for _, c := range v.obs.Calls {
		if o := c.Self.Object(); o != nil && strings.HasPrefix(c.Name, "repo:") && isModule(o.Class.Bases()) {
			m := ofClass(o.Class.Name, o.Class.Origin)
			if asked := v.spelled(m); asked != nil {
				return asked
			}
			return m
		}
	}
	return nil
}

func isModule(bases []string) bool {
	for _, b := range bases {
		if strings.HasSuffix(b, "nn.Module") || strings.HasSuffix(b, "LightningModule") || strings.HasSuffix(b, "PreTrainedModel") || strings.HasSuffix(b, "keras.Model") || strings.HasSuffix(b, "linen.Module") {
			return true
		}
	}
	return false
}

func (v *view) modelOf(x pyeval.Value, depth int) *modelName {
	if o := v.objectOf(x, depth); o != nil {
		return ofClass(o.Class.Name, o.Class.Origin)
	}
	return nil
}

// objectOf is the model of the repository that a value is, or that it was got
// from: its parameters, a group of them, a wrapper of it.
func (v *view) objectOf(x pyeval.Value, depth int) *pyeval.Object {
	if depth == 0 {
		return nil
	}
	if o := x.Object(); o != nil && isModule(o.Class.Bases()) {
		return o
	}
	if e := x.External(); e != nil && e.Call != nil {
		if e.Call.Self.Ref != nil {
			if m := v.objectOf(e.Call.Self, depth-1); m != nil {
				return m
			}
		}
		for _, a := range e.Call.Args {
			if m := v.objectOf(a, depth-1); m != nil {
				return m
			}
		}
		if e.Args.Ref != nil {
			return v.objectOf(e.Args, depth-1)
		}
	}
	if d := x.Dict(); d != nil {
		if p, ok := d.Get("params"); ok {
			return v.objectOf(p, depth-1)
		}
	}
	if items, _ := x.Items(); len(items) > 0 {
		return v.objectOf(items[0], depth-1)
	}
	return nil
}
