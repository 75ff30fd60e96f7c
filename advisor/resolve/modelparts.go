package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
)

// computes reports that the function of a call was followed and made nothing:
// what is named after a model and only computes a number ("MAE" of the metrics)
// makes no model.
func (v *view) computes(i int) bool {
	name := lastPart(v.obs.Calls[i].Name)
	inside := false
	for _, c := range v.obs.Calls[i+1 : min(i+200, len(v.obs.Calls))] {
		if c.Func != name {
			continue
		}
		inside = true
		last := lastPart(strings.TrimSuffix(c.Name, "()"))
		if strings.HasPrefix(c.Name, "repo:") || constructsName(last) || strings.HasPrefix(c.Name, "timm.") || strings.Contains(c.Name, "models.") {
			return false
		}
	}
	return inside
}

// wholeOf is the class that the optimiser trains, where it has a model of the
// table as its part and a name of its own: of a segmenter with a ResNet inside
// it is the segmenter. A class that is named after a role is no better name
// than that of its part.
func (v *view) wholeOf(part *modelName) *modelName {
	o := v.trainedClass()
	if o == nil || o.Class.Name == part.text || roleName(o.Class.Name) || lightning(o.Class.Bases()) {
		return nil
	}
	m := known(o.Class.Name, o.Class.Origin)
	if m.ok && m.info.Family == part.info.Family {
		return nil
	}
	m.whole = true
	return m
}

// trainedClass is the model of the repository that is spread over devices, else
// the one of which the optimiser gets the parameters.
func (v *view) trainedClass() *pyeval.Object {
	var spread *pyeval.Object
	one := true
	for _, c := range sure(v.calls("DistributedDataParallel", "DataParallel", "DDP", "FullyShardedDataParallel")) {
		if len(c.Args) == 0 {
			continue
		}
		if o := v.objectOf(c.Args[0], 4); o != nil {
			one = one && (spread == nil || spread == o)
			spread = o
		}
	}
	if spread != nil && one {
		return spread
	}
	for _, c := range v.obs.Calls {
		if name, _ := v.optimiserOf(c); name == "" || len(c.Args) == 0 {
			continue
		}
		if o := v.objectOf(c.Args[0], 4); o != nil {
			return o
		}
	}
	return nil
}

func lightning(bases []string) bool {
	return slices.ContainsFunc(bases, func(b string) bool { return strings.HasSuffix(b, "LightningModule") })
}

// roleName reports whether a class is named after what it is for and not after
// what it is: "Net", "ModelWrapper", "ImageClassifier".
func roleName(name string) bool {
	if ofAny[name] {
		return true
	}
	for _, end := range []string{"Wrapper", "Module", "Classifier", "Trainer", "Learner", "System", "Task", "Solver", "Network", "Model", "Net", "Backbone", "Encoder", "Decoder", "Head", "Regressor", "Predictor", "Extractor"} {
		if head, ok := strings.CutSuffix(name, end); ok && general[strings.ToLower(head)] {
			return true
		}
	}
	return false
}

// general are words before the end of such a name that say no more.
var general = map[string]bool{"": true, "my": true, "base": true, "image": true, "text": true, "video": true, "audio": true, "simple": true, "custom": true, "main": true, "full": true, "the": true, "basic": true, "multi": true, "lit": true, "pl": true, "lightning": true, "model": true, "feature": true, "features": true, "our": true, "neural": true, "deep": true, "linear": true, "segmentation": true, "classification": true, "detection": true, "denoiser": true, "generic": true, "single": true, "distributed": true, "parallel": true}

// spelled is the name under which the configuration asks for the model of a
// class, where the class's name has all its words: "image_transformer_v2" of
// ImageTransformerDenoiserModelV2.
func (v *view) spelled(m *modelName) *modelName {
	class := plain(m.text)
	for _, key := range []string{"type", "name", "arch"} {
		for _, n := range v.all(key) {
			of, _, _ := strings.Cut(strings.ToLower(n.path), ".")
			if !n.config || n.doubt || !isText(n.value) || n.value.Origin == nil || !slices.Contains(modelParts, of) || strings.Count(n.path, ".") != 1 {
				continue
			}
			words := strings.FieldsFunc(strings.ToLower(n.value.Text), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
			all := len(words) > 1
			for _, w := range words {
				all = all && strings.Contains(class, w)
			}
			if all {
				return known(n.value.Text, n.value.Origin)
			}
		}
	}
	return nil
}

// agentOf is the agent that holds a trained network as a part, where the network
// is named after its role in it and the agent is one, or goes by the name of an
// algorithm of the table.
func (v *view) agentOf(part *modelName) *modelName {
	inner := v.trainedClass()
	if inner == nil || inner.Class.Name != part.text || part.ok && !ofAny[part.text] {
		return nil
	}
	for _, c := range v.obs.Calls {
		o := c.Self.Object()
		if o == nil || o == inner || !strings.HasPrefix(c.Name, "repo:") || isModule(o.Class.Bases()) {
			continue
		}
		holds, parts := false, 0
		o.Attrs.Each(func(_, item pyeval.Value) {
			if x := item.Object(); x != nil && isModule(x.Class.Bases()) {
				parts++
				holds = holds || x == inner
			}
		})
		if !holds || parts < 2 {
			continue
		}
		m := known(o.Class.Name, o.Class.Origin)
		if m.ok && m.info.Whole && m.info.Domain == "rl" || strings.HasSuffix(o.Class.Name, "Agent") && len(o.Class.Name) > len("BaseAgent") {
			return m
		}
	}
	return nil
}

// kinds are the names, sorted, under which a configuration keeps which one of
// its models is meant and that no list can hold: "vit_name", "net_type".
func (v *view) kinds() []string {
	var all []string
	for _, key := range sortedNames(v.names) {
		head, end := "", ""
		if i := strings.LastIndexByte(key, '_'); i > 0 {
			head, end = key[:i], key[i+1:]
		}
		if end != "name" && end != "type" && end != "arch" && end != "variant" {
			continue
		}
		if m, ok := table.Model(head); ok && m.Whole || slices.Contains([]string{"net", "network", "vit", "resnet", "cnn", "transformer", "backbone", "encoder"}, head) {
			all = append(all, key)
		}
	}
	return all
}
