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
	for _, key := range append([]string{"train_file", "train_files", "train_manifests", "input_dir", "data.paths", "dataset.paths", "train_paths", "data_paths", "dataset_paths", "path", "dir", "data_folder", "image_dir", "image_folder", "img_dir", "data_source", "lmdb_path"}, datasetNames...) {
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
