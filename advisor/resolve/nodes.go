package resolve

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// nodeNames lists what the nodes of a configuration for a thing are called, the
// outermost first: of "model: {_name_: lm, layer: {_name_: hyena}}" it is lm and
// then hyena. A name that stands deeper is that of a part, which tells of the
// whole when the whole has a name that nobody knows.
func (v *view) nodeNames(things ...string) []named {
	var all []named
	for _, key := range []string{"_name_", "name"} {
		for _, n := range v.all(normal(key)) {
			top, _, nested := strings.Cut(n.path, ".")
			if nested && n.config && isText(n.value) && n.value.Origin != nil && slices.Contains(things, normal(top)) && depth(n.path) <= 3 {
				all = append(all, n)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return depth(a.path) - depth(b.path) })
	return all
}

// trainNodes are the names of nodes for training data that stand deeper, as of
// "datasets: {train: {name: div2k}}" and "input: {data: {name: imagenet}}".
func (v *view) trainNodes() []named {
	var all []named
	for _, n := range v.all("name") {
		parts := strings.Split(normal(n.path), ".")
		if len(parts) < 3 || !n.config || !isText(n.value) || n.value.Origin == nil {
			continue
		}
		of := parts[:len(parts)-1]
		if slices.ContainsFunc(of, func(p string) bool {
			return strings.HasPrefix(p, "val") || strings.HasPrefix(p, "test") || strings.Contains(p, "eval")
		}) {
			continue
		}
		last := of[len(of)-1]
		if last == "train" || last == "training" {
			last = of[len(of)-2]
		}
		if slices.Contains([]string{"data", "dataset", "datasets", "train_dataset", "train_data"}, last) {
			all = append(all, n)
		}
	}
	return all
}

// trainPaths are the paths of a list of data sets, "datasets: [{path: x}]", and
// the names or places of the data in the node for the loader.
func (v *view) trainPaths() []named {
	var all []named
	for _, key := range []string{"hf_name", "local"} {
		for _, n := range v.all(key) {
			if p := normal(n.path); n.config && isText(n.value) && n.value.Origin != nil && (p == "train_loader.dataset."+key || p == "train_dataset."+key || p == "train_dataloader.dataset."+key) {
				all = append(all, n)
			}
		}
	}
	for _, n := range v.all("path") {
		if n.config && isText(n.value) && n.value.Origin != nil && slices.Contains([]string{"datasets.path", "train_datasets.path", "data.datasets.path"}, normal(n.path)) {
			all = append(all, n)
		}
	}
	return all
}

// nodeModel is the name of the configuration's node for the model.
func (v *view) nodeModel() *modelName {
	for _, n := range v.nodeNames("model", "net", "network", "backbone") {
		m := known(cleanModel(n.value.Text), n.value.Origin)
		if m.ok && m.info.Whole {
			return m
		}
	}
	for _, key := range []string{"_component_", "_target_", "class_path"} { // the function or class that builds it
		for _, n := range v.all(normal(key)) {
			if !n.config || !isText(n.value) || n.value.Origin == nil || n.path != "model."+key {
				continue
			}
			builder := lastPart(n.value.Text)
			for _, adapter := range []string{"qlora_", "lora_", "dora_"} {
				builder = strings.TrimPrefix(builder, adapter)
			}
			if m := known(builder, n.value.Origin); m.ok && m.info.Whole && m.info.ParamsM > 0 {
				return m
			}
		}
	}
	return nil
}

// missingNames answers what the name of a configuration that is not there says
// of the job: of "experiment=pile/gpt" the data and the model.
func (v *view) missingNames() {
	for _, m := range v.obs.Missing {
		stem := strings.TrimSuffix(path.Base(m.Path), path.Ext(m.Path))
		for _, w := range v.run.Args {
			_, value, ok := strings.Cut(w.Text, "=")
			if !w.Known || !ok || path.Base(value) != stem || !strings.Contains(value, "/") {
				continue
			}
			for _, part := range strings.Split(value, "/") {
				if d, ok := table.Dataset(part); ok {
					v.set(workload.Dataset, d.Name, w.Origin)
				} else if m := known(part, w.Origin); m.ok && m.info.Whole {
					v.set(workload.ModelName, m.info.Name, w.Origin)
					v.set(workload.ModelFamily, m.info.Family, m.info.Origin)
					v.set(workload.Domain, m.info.Domain, m.info.Origin)
				}
			}
			v.tasks()
			return
		}
	}
}
