package resolve

import (
	"path"
	"slices"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/pyeval"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

var datasetNames = []string{"dataset_name", "dataset", "train_dataset", "data_name", "task_name", "env_id", "env_name", "data_set", "dataset_type", "train_data", "corpus", "dataset_path", "dataset_dir", "data_path", "data_dir", "data", "train_file", "train_path", "dataroot", "data_root", "root", "train_dir", "training_files", "training_file", "train_filelist", "training_filelist", "train_list", "dataset_config_name", "data_location", "data_file", "json_path", "input_file", "datasets", "task", "root_dir", "dataset_str", "data_pkl"}

// datasets answers what is trained on. In order of trust: a data set class or
// loader of a library that the table knows, a name in the configuration that
// the table knows, a path that holds such a name, a name that it does not know.
func (v *view) datasets() {
	var weak struct {
		text string
		at   *origin.Origin
	}
	take := func(text string, at *origin.Origin, strong bool) bool {
		if at == nil || len(text) > 120 || strings.Trim(text, "./ ") == "" || strings.ContainsAny(text, "<>|") || isTask(text) || vague[strings.ToLower(text)] {
			return false
		}
		if d, ok := table.Dataset(text); ok {
			v.set(workload.Dataset, d.Name, at)
			if d.Domain != "" { // architectures go from one domain to another, data do not
				delete(v.md.Values, workload.Domain)
				v.set(workload.Domain, d.Domain, d.Origin)
			}
			return true
		}
		if strong && weak.text == "" {
			weak.text, weak.at = text, at
		}
		return false
	}
	doubted := func(c *pyeval.Call) bool { return c.Doubt && len(v.trainPaths()) > 0 }
	for _, c := range v.obs.Calls {
		last := lastPart(c.Name)
		switch {
		case doubted(c): // the configuration says it better
		case last == "load_dataset", last == "load_from_disk", last == "gym.make", last == "make" && strings.HasPrefix(c.Name, "gym"):
			if x := firstText(c); x.Kind == pyeval.Str {
				name := x.Text
				if len(c.Args) > 1 && isText(c.Args[1]) {
					if take(name+"/"+c.Args[1].Text, or(x.Origin, c.Site), false) {
						return
					}
				}
				if take(cleanPath(name), or(x.Origin, c.Site), true) {
					return
				}
			}
		case strings.Contains(c.Name, "datasets.") && constructsName(last) && last != "ImageFolder" && last != "DatasetFolder" && !strings.HasPrefix(c.Name, "repo:"):
			if take(last, c.Site, false) {
				return
			}
		}
	}
	for _, n := range append(v.nodeNames("dataset", "data", "datamodule", "train_dataset"), append(v.trainNodes(), v.trainPaths()...)...) {
		if take(cleanPath(n.value.Text), n.value.Origin, true) {
			return
		}
	}
	for _, n := range v.all("train") { // a list of data sets by what they are for
		parent := strings.TrimSuffix(strings.ToLower(n.path), ".train")
		place := slices.Contains([]string{"dset", "dataset", "data"}, parent) && isText(n.value) && strings.Contains(n.value.Text, "/")
		if !n.config || parent != "datasets" && parent != "data.datasets" && !place {
			continue
		}
		x := n.value
		if items, _ := x.Items(); len(items) > 0 {
			x = items[0]
			x.Origin = or(x.Origin, n.value.Origin)
		}
		if isText(x) && take(cleanPath(x.Text), x.Origin, true) {
			return
		}
	}
	if x, ok := v.runnerData(); ok && take(dataClass(lastPart(x.Text)), x.Origin, false) {
		return
	}
	for _, key := range []string{"data", "datamodule", "data_module"} { // an object that is the data
		for _, n := range v.all(key) {
			o := n.value.Object()
			if o == nil || !n.config || o.Class.Origin == nil || !slices.ContainsFunc(o.Class.Bases(), func(b string) bool { return strings.HasSuffix(b, "DataModule") }) {
				continue
			}
			if take(dataClass(o.Class.Name), o.Class.Origin, true) {
				return
			}
		}
	}
	asked := v.askedData()
	for _, key := range datasetNames {
		for _, n := range v.all(key) {
			if asked != nil && n.value.Origin != asked.value.Origin && onlyDefault(n.value.Origin) { // what the command names is not that
				continue
			}
			if key == "task" && !n.config { // what a loop of evaluation goes over
				continue
			}
			if m, ok := table.Model(cleanPath(n.value.Text)); ok && m.Whole && strings.HasPrefix(n.value.Text, "/") { // a folder of the model
				continue
			}
			if isText(n.value) && take(ofSplit(cleanPath(n.value.Text), n.value.Text), n.value.Origin, n.config && key != "task" && key != "root" && (key != "data" || asked != nil) && (key != "root_dir" || strings.Contains(strings.ToLower(n.path), "data."))) {
				return
			}
			if items, _ := n.value.Items(); len(items) > 0 && isText(items[0]) {
				if take(cleanPath(items[0].Text), or(items[0].Origin, n.value.Origin), false) {
					return
				}
			}
		}
	}
	for _, c := range v.obs.Calls { // classes of the repository that are named after their data
		if o := c.Self.Object(); o != nil && strings.HasPrefix(c.Name, "repo:") {
			for _, b := range append([]string{o.Class.Name}, o.Class.Bases()...) {
				if b == o.Class.Name && !strings.HasSuffix(b, "DataModule") {
					continue
				}
				if strings.HasSuffix(b, "Dataset") || strings.HasSuffix(b, "DataModule") {
					name := dataClass(o.Class.Name)
					named := strings.HasSuffix(b, "DataModule") && !strings.Contains(name, "From") || telling(name)
					if take(name, o.Class.Origin, !c.Doubt && named) {
						return
					}
				}
			}
		} else if parts := strings.Split(c.Name, "."); len(parts) > 2 && parts[0] != "torch" && constructsName(parts[len(parts)-1]) && slices.Contains(parts, "data") {
			if take(dataClass(parts[len(parts)-1]), c.Site, false) { // a class of a package for data
				return
			}
		}
	}
	if v.datasetOfPath() || v.preparedDataset() {
		return
	}
	if file := weak.text; file == "" || generic(strings.TrimSuffix(file, path.Ext(file))) {
		v.recipe()
	}
	if weak.text != "" {
		v.set(workload.Dataset, weak.text, weak.at)
	}
	v.why(workload.Dataset, "no data set that can be named was seen")
}

// ofSplit is the folder of a file that is named after its part of the data
// alone: "e2e" of "data/e2e/train.jsonl".
func ofSplit(name, text string) string {
	switch strings.ToLower(strings.TrimSuffix(path.Base(text), path.Ext(text))) {
	case "train", "training":
		if dir := path.Base(path.Dir(text)); strings.Contains(text, "/") && path.Ext(text) != "" && strings.Trim(dir, "./") != "" && !vague[strings.ToLower(dir)] {
			return dir
		}
	}
	return name
}

// vague are words that stand where a data set's name could and say nothing.
var vague = map[string]bool{"auto": true, "default": true, "none": true, "custom": true, "data": true, "dataset": true, "train": true, "text": true, "json": true, "csv": true, "webdataset": true, "files": true, "parquet": true, "arrow": true, "imagefolder": true, "audiofolder": true, "videofolder": true, "generator": true, "input": true, "output": true, "results": true, "tmp": true, "true": true, "false": true, "images": true, "imgs": true, "wavs": true, "audio": true, "videos": true, "raw": true, "processed": true, "test": true, "val": true, "valid": true, "validation": true, "eval": true, "dev": true}

// isTask reports a word for what is done with the data.
func isTask(text string) bool {
	_, is := slices.BinarySearch(table.Slugs(), strings.ReplaceAll(strings.ToLower(text), "_", "-"))
	return is
}

func constructsName(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

func firstText(c *pyeval.Call) pyeval.Value {
	for _, key := range []string{"path", "name", "id"} {
		if x, ok := c.Arg(key, 0); ok && isText(x) {
			return x
		}
	}
	return pyeval.Value{}
}

// generic reports whether a file's name is made of words that any training file
// could have.
func generic(stem string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(stem), func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		switch word {
		case "train", "training", "data", "dataset", "file", "files", "input", "inputs", "text", "my":
		default:
			return false
		}
	}
	return true
}

// cleanPath is the telling part of a path to data.
func cleanPath(text string) string {
	text = strings.TrimRight(strings.TrimPrefix(text, "hf://datasets/"), "/")
	whole := text
	for _, suffix := range []string{".json", ".jsonl", ".csv", ".txt", ".yaml", ".yml", ".parquet", ".bin", ".npz", ".zip", ".tar", ".pkl", ".h5", ".hdf5"} {
		text = strings.TrimSuffix(text, suffix)
	}
	if stem := path.Base(text); len(stem) < len(path.Base(whole)) && generic(stem) {
		return path.Base(whole) // "train_data.csv" says a little more than "train_data"
	}
	if dir, file, ok := strings.Cut(text, "/"); ok && generic(dir) && !generic(file) && !strings.Contains(file, "/") { // "data/name", no organisation of a hub
		return file
	}
	if strings.Count(text, "/") <= 1 && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") {
		return text
	}
	parts := strings.Split(text, "/")
	for len(parts) > 1 {
		if shard := parts[len(parts)-1]; strings.Trim(shard, "0123456789{}.*?-_[]") == "" { // {00000..41455}
			parts = parts[:len(parts)-1]
			continue
		}
		switch strings.ToLower(parts[len(parts)-1]) {
		case "train", "data", "training", "images", "val", "tr", "":
			parts = parts[:len(parts)-1]
			continue
		}
		break
	}
	return path.Base(strings.Join(parts, "/"))
}
