package eval

import "slices"

// Delays are the completion times and the queue delays of jobs, in seconds.
// Percentiles interpolate linearly between closest ranks, as numpy does.
type Delays struct {
	MeanJCT   float64 `json:"mean_jct_s"`
	P50JCT    float64 `json:"p50_jct_s"`
	P90JCT    float64 `json:"p90_jct_s"`
	P99JCT    float64 `json:"p99_jct_s"`
	P999JCT   float64 `json:"p999_jct_s"`
	MeanQueue float64 `json:"mean_queue_s"`
	P50Queue  float64 `json:"p50_queue_s"`
	P90Queue  float64 `json:"p90_queue_s"`
	P99Queue  float64 `json:"p99_queue_s"`
	P999Queue float64 `json:"p999_queue_s"`
}

// delays measures what each job took and waited. It sorts both.
func delays(jct, queue []float64) Delays {
	slices.Sort(jct)
	slices.Sort(queue)
	return Delays{
		MeanJCT: mean(jct), P50JCT: quantile(jct, .5), P90JCT: quantile(jct, .9), P99JCT: quantile(jct, .99), P999JCT: quantile(jct, .999),
		MeanQueue: mean(queue), P50Queue: quantile(queue, .5), P90Queue: quantile(queue, .9), P99Queue: quantile(queue, .99), P999Queue: quantile(queue, .999),
	}
}
