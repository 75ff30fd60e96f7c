package table

import (
	"strings"
	"sync"

	"schedmate/advisor/origin"
)

// GPUInfo is an accelerator type.
type GPUInfo struct {
	Name     string  // canonical, such as "a100-80gb"
	MemoryGB float64 // 10^9 bytes; 0 when the name leaves it open
	Source   string
	Origin   *origin.Origin
}

type gpuTable struct {
	rows  []GPUInfo
	index *index
}

var gpus = sync.OnceValue(func() *gpuTable {
	rows := mustRead("gpus")
	t := &gpuTable{index: mustIndex(rows)}
	for _, r := range rows {
		name := r.text("name")
		t.rows = append(t.rows, GPUInfo{
			Name: name, MemoryGB: r.number("memory_gb"), Source: r.text("source"), Origin: origin.Named(origin.Table, "gpus: "+name),
		})
	}
	return t
})

// GPU looks an accelerator up by a product name, a scheduler's type or a node
// label: "NVIDIA A100-SXM4-80GB", "gpu:v100", "nvidia.com/gpu.product=Tesla-T4".
func GPU(name string) (GPUInfo, bool) {
	t := gpus()
	if row, ok := t.index.whole[key(name)]; ok {
		return t.rows[row], true
	}
	w := words(name)
	for length := len(w); length > 0; length-- { // the longest run of words; a type may be as short as "t4"
		for from := 0; from+length <= len(w); from++ {
			if row, ok := t.index.whole[strings.Join(w[from:from+length], "")]; ok {
				return t.rows[row], true
			}
		}
	}
	return GPUInfo{}, false
}
