package profile

import (
	"errors"
	"math"

	"schedmate"
)

// OnNodes is the time of one iteration on so many nodes, from the times on one and
// on two: t1 + log2(nodes) (t2 - t1). Data-parallel workers that reduce in a tree
// exchange once more for every doubling. The times are in any unit; the answer is
// rounded to a whole one.
//
// Source: CHRONUS, section 4, the profiler.
func OnNodes(one, two int64, nodes int) (int64, error) {
	if one < 1 || two < 1 || nodes < 1 {
		return 0, errors.New("an iteration takes a positive time, on at least one node")
	}
	return one + int64(math.Round(math.Log2(float64(nodes))*float64(two-one))), nil
}

// Measurement is what it costs to measure one job.
type Measurement struct {
	GPUs    []int // of each run, one after the other
	Seconds schedmate.Seconds
	// GPUSeconds is the GPU time that is spent on it.
	GPUSeconds int64
}

// Cost is what it takes to measure a gang on nodes of so many GPUs: a run of one
// window on one node, and, of a gang that needs more, another on two. The paper
// never holds more than two nodes, however large the gang.
func (o *Options) Cost(gang, nodeGPUs int) Measurement {
	m := Measurement{GPUs: []int{min(gang, nodeGPUs)}}
	if gang > nodeGPUs {
		m.GPUs = append(m.GPUs, min(gang, 2*nodeGPUs))
	}
	for _, g := range m.GPUs {
		m.Seconds += o.Window
		m.GPUSeconds += int64(g) * int64(o.Window)
	}
	return m
}
