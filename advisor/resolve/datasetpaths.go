package resolve

import (
	"regexp"
	"strings"

	"schedmate/advisor/launch"
	"schedmate/advisor/origin"
	"schedmate/advisor/table"
	"schedmate/advisor/workload"
)

// datasetOfPath names the data by a folder above it: "squad" of
// "/data/squad/v1.1/train.json". Only a folder that is a data set's name and
// nothing more counts, the innermost first.
func (v *view) datasetOfPath() bool {
	keys := append([]string{"train_file", "train_files", "train_manifests", "input_dir", "data.paths", "dataset.paths", "path", "dir", "data_source"}, datasetNames...)
	for _, key := range sortedNames(v.names) {
		if holdsData(key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		for _, n := range v.all(lastPart(key)) {
			if strings.Contains(key, ".") && n.path != key {
				continue
			}
			x := n.value
			if items, _ := x.Items(); len(items) > 0 {
				from := x.Origin
				x = items[0]
				x.Origin = or(x.Origin, from)
			}
			if isText(x) && n.config && v.folder(x.Text, x.Origin) {
				return true
			}
		}
	}
	return false
}

// holdsData reports whether a name is one for a place of training data: "wavs_dir",
// "input_training_file".
func holdsData(key string) bool {
	if strings.Contains(key, "val") || strings.Contains(key, "test") || strings.Contains(key, "eval") {
		return false
	}
	place, data := false, false
	for _, word := range strings.Split(key, "_") {
		switch strings.TrimSuffix(word, "s") {
		case "dir", "path", "file", "root", "folder", "manifest", "filelist", "list":
			place = true
		case "train", "training", "data", "dataset", "input", "wav", "audio", "image", "img", "text", "corpu", "mel", "video":
			data = true
		}
	}
	return place && data
}

// preparedDataset names the data that another program of the same submission
// prepares.
func (v *view) preparedDataset() bool {
	for i := range v.launch.Invocations {
		inv := &v.launch.Invocations[i]
		if inv == v.run || inv.Program == launch.Other {
			continue
		}
		for _, w := range inv.Args {
			if w.Known && !strings.HasPrefix(w.Text, "-") && v.folder(w.Text, w.Origin) {
				return true
			}
		}
	}
	return false
}

// recipe names the data by the folder that the job runs in: collections of
// recipes keep one for each data set ("egs/librispeech/s5").
func (v *view) recipe() bool {
	return v.folder("./"+v.run.Dir, origin.Named(origin.Rule, "the folder that the job runs in: "+v.run.Dir))
}

// storedAs is the end of a folder's name that tells how the data are kept in it.
var storedAs = regexp.MustCompile(`(?i)[-_.](lmdb|tfrecords?|wds|webdataset|hdf5|h5|mds|shards|raw|processed|preprocessed|tokenized|256|512|1024)$`)

func (v *view) folder(text string, at *origin.Origin) bool {
	parts := strings.Split(text, "/")
	if len(parts) < 2 || len(parts) > 64 || at == nil {
		return false
	}
	for i := len(parts) - 1; i >= 0; i-- {
		name := storedAs.ReplaceAllString(parts[i], "")
		if d, ok := table.Dataset(name); ok && d.Whole && len(name) >= 3 {
			v.set(workload.Domain, d.Domain, d.Origin)
			return v.set(workload.Dataset, d.Name, at)
		}
	}
	return false
}
