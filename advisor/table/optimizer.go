package table

import (
	"strings"
	"sync"

	"schedmate/advisor/origin"
)

// OptimizerInfo is what the table knows of an optimiser.
type OptimizerInfo struct {
	Name       string  // canonical, such as "AdamW"
	Scheme     string  // adaptive, sgd or second-order: what a rule for scaling the learning rate asks
	StateBytes float64 // of state for a parameter; 0 when not known
	Source     string
	Origin     *origin.Origin
}

type optimizerTable struct {
	rows  []OptimizerInfo
	index *index
}

var optimizers = sync.OnceValue(func() *optimizerTable {
	rows := mustRead("optimizers")
	t := &optimizerTable{index: mustIndex(rows)}
	for _, r := range rows {
		name := r.text("name")
		t.rows = append(t.rows, OptimizerInfo{
			Name: name, Scheme: r.text("scheme"), StateBytes: r.number("state_bytes"),
			Source: r.text("source"), Origin: origin.Named(origin.Table, "optimizers: "+name),
		})
	}
	return t
})

// Optimizer looks an optimiser up by the name in a configuration or the
// qualified name of its class: "adamw_torch", "torch.optim.adamw.AdamW",
// "bnb.optim.AdamW8bit". The class is enough: whoever wraps it is not asked.
func Optimizer(name string) (OptimizerInfo, bool) {
	t := optimizers()
	if row, ok := t.index.whole[key(name)]; ok {
		return t.rows[row], true
	}
	if i := strings.LastIndexAny(name, "./:"); i >= 0 {
		if row, ok := t.index.whole[key(name[i+1:])]; ok {
			return t.rows[row], true
		}
	}
	return OptimizerInfo{}, false
}
