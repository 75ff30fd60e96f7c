package table

import (
	"sync"

	"schedmate/advisor/origin"
)

// DatasetInfo is what the table knows of a data set or an environment. A
// number that is not known is 0.
type DatasetInfo struct {
	Name    string  // canonical, such as "imagenet"
	Domain  string  // nlp cv audio multimodal recsys graph rl
	Task    string  // what it is mostly used for; may be empty
	Samples float64 // of the usual training split: images, documents, clips, interactions, nodes
	Classes int
	Whole   bool // the text was this set's name and nothing more
	Source  string
	Origin  *origin.Origin
}

type datasetTable struct {
	rows  []DatasetInfo
	index *index
}

var datasets = sync.OnceValue(func() *datasetTable {
	rows := mustRead("datasets")
	t := &datasetTable{index: mustIndex(rows)}
	for _, r := range rows {
		name := r.text("name")
		t.rows = append(t.rows, DatasetInfo{
			Name: name, Domain: r.text("domain"), Task: r.text("task"), Samples: r.number("samples"), Classes: int(r.number("classes")),
			Source: r.text("source"), Origin: origin.Named(origin.Table, "datasets: "+name),
		})
	}
	return t
})

// Dataset looks a data set or environment up by a name, hub id, path or module:
// "ILSVRC/imagenet-1k", "/data/coco2017", "BreakoutNoFrameskip-v4". It abstains
// when the text names several.
func Dataset(name string) (DatasetInfo, bool) {
	t := datasets()
	f, _, ok := t.index.find(name, parts(name, true), sole)
	if !ok {
		return DatasetInfo{}, false
	}
	d := t.rows[f.row]
	d.Whole = f.whole
	return d, true
}
