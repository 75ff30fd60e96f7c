package traces

import (
	_ "embed"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedmate"
	"schedmate/scheduler/sim"
)

// The throughputs that the ElasticFlow artifact has measured, in iterations a
// second by GPU type, model, global batch size and number of GPUs; tables/README.md
// says where they are from.
//
//go:embed tables/elasticflow-throughputs.csv
var elasticflowTable string

type profiled struct {
	model string
	batch int
}

type throughput struct {
	gpuType      string
	gpus         int
	itersPerSecs float64
}

// elasticflowThroughputs returns the table by what is trained.
var elasticflowThroughputs = sync.OnceValue(func() map[profiled][]throughput {
	rows, err := csv.NewReader(strings.NewReader(elasticflowTable)).ReadAll()
	if err != nil {
		panic("BUG: the embedded table of throughputs is broken: " + err.Error())
	}
	table := make(map[profiled][]throughput)
	for _, row := range rows[1:] {
		batch, err1 := strconv.Atoi(row[2])
		gpus, err2 := strconv.Atoi(row[3])
		speed, err3 := strconv.ParseFloat(row[4], 64)
		if err1 != nil || err2 != nil || err3 != nil || !(speed >= 0) {
			panic("BUG: the embedded table of throughputs is broken: " + strings.Join(row, ","))
		}
		if speed == 0 {
			continue // a failed measurement
		}
		key := profiled{row[1], batch}
		table[key] = append(table[key], throughput{row[0], gpus, speed})
	}
	return table
})

// elasticflowSpeeds returns the speeds of a job, or nil if they are not known.
// A gang cannot be larger than the batch. The unit is the power of ten of an
// iteration that makes the work a number of 17 digits, so that rounding shifts
// an end by less than a thousandth of a second.
func elasticflowSpeeds(j *schedmate.Job) *sim.Speeds {
	known := elasticflowThroughputs()[profiled{j.Workload.Model, j.Workload.BatchSize}]
	if len(known) == 0 {
		return nil
	}
	unit := int64(1)
	for j.Iterations*unit < 1e16 {
		unit *= 10
	}
	s := &sim.Speeds{Work: j.Iterations * unit}
	for _, t := range known {
		if t.gpus > j.Workload.BatchSize {
			continue
		}
		perSecond := min(math.Round(t.itersPerSecs*float64(unit)), sim.MaxWork)
		s.Rates = append(s.Rates, sim.Rate{GPUs: t.gpus, GPUType: t.gpuType, PerSecond: max(1, int64(perSecond))})
	}
	slices.SortFunc(s.Rates, sim.CompareRates)
	return s
}
