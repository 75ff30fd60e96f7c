package neighbours

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/history"
)

// Rate is a throughput of the work on some GPUs, for schedulers that choose
// type and number of GPUs.
type Rate struct {
	GPUType    string
	GPUs       int
	Throughput float64 // in the runs' own unit
	Measured   bool    // by runs on these GPUs; else from a run's table
}

// performance is what runs of the same work tell about its throughput: the
// median of those measured, and for all else the latest table. Runs that others
// slowed are left out.
func performance(same []run) []Rate {
	type on struct {
		gpuType string
		gpus    int
	}
	measured := make(map[on][]float64)
	var latest *history.Record
	for _, r := range same {
		if r.Throughput > 0 && r.GPUs > 0 && !r.Slowed {
			key := on{r.GPUType, r.GPUs}
			measured[key] = append(measured[key], r.Throughput)
		}
		if len(r.Perf) > 0 && (latest == nil || cmp.Or(cmp.Compare(r.EndS, latest.EndS), strings.Compare(r.ID, latest.ID)) > 0) {
			latest = r.Record
		}
	}
	var rates []Rate
	for key, list := range measured {
		rates = append(rates, Rate{key.gpuType, key.gpus, median(list), true})
	}
	if latest != nil {
		for gpuType, counts := range latest.Perf {
			for count, rate := range counts {
				n, err := strconv.Atoi(count)
				if err != nil || n <= 0 || !(rate > 0) || math.IsInf(rate, 0) || measured[on{gpuType, n}] != nil {
					continue // what is no number of GPUs tells nothing about one
				}
				rates = append(rates, Rate{gpuType, n, rate, false})
			}
		}
	}
	slices.SortFunc(rates, func(a, b Rate) int {
		return cmp.Or(strings.Compare(a.GPUType, b.GPUType), cmp.Compare(a.GPUs, b.GPUs))
	})
	return rates
}
