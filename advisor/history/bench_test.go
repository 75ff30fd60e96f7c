package history

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

// crowd is an index of many records: each work is run twenty times, as busy
// sites do, by models and data sets of which a few are much used.
func crowd(b *testing.B, records int) *Index {
	x := NewIndex(nil)
	batch := make([]*Record, 0, 10000)
	for i := range records {
		batch = append(batch, ended(fmt.Sprint(i), crowdWork(i/20), schedmate.Seconds(100+i)))
		if len(batch) == cap(batch) || i == records-1 {
			if err := x.Add(context.Background(), batch...); err != nil {
				b.Fatal(err)
			}
			batch = make([]*Record, 0, 10000)
		}
	}
	return x
}

func crowdWork(n int) fingerprint.Print {
	spread := n * 2654435761 % 1000003
	return fingerprint.New(fingerprint.Canonical{
		workload.ModelName:          fingerprint.Words(fmt.Sprintf("model-%d", spread%997)),
		workload.Dataset:            fingerprint.Words(fmt.Sprintf("data-%d", spread/7%199)),
		workload.Task:               fingerprint.Words([]string{"sft", "image-classification", "pretrain", "detection", "dpo"}[spread%5]),
		workload.Iterations:         fingerprint.Number(float64(1 + n%300)),
		workload.IterationType:      fingerprint.Words("epoch"),
		workload.PerDeviceBatchSize: fingerprint.Number(float64(int(1) << (n % 8))),
		workload.GPUsTotal:          fingerprint.Number(float64(int(1) << (n % 5))),
		workload.SeqLen:             fingerprint.Number(float64(int(512) << (n % 4))),
		workload.Precision:          fingerprint.Words("bf-16"),
		workload.Optimizer:          fingerprint.Words("adamw"),
	}, "")
}

func BenchmarkSearch(b *testing.B) {
	for _, records := range []int{1e4, 1e5, 1e6} {
		for name, filter := range map[string]Filter{"related": Related, "every": Every} {
			b.Run(fmt.Sprintf("%s/%d", name, records), func(b *testing.B) {
				x := crowd(b, records)
				var took []time.Duration
				n := 0
				for b.Loop() {
					start := time.Now()
					if _, err := x.Search(context.Background(), crowdWork(n*37%(records/20)), 50, filter, schedmate.Seconds(records+200)); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
					n++
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
				b.ReportMetric(float64(len(x.works)), "works")
			})
		}
	}
}
