package neighbours

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
	"schedmate/advisor/workload"
)

// manyWorks is a print of one of many works, of which a few names are shared.
func manyWorks(n int) fingerprint.Print {
	return fingerprint.New(fingerprint.Canonical{
		workload.ModelName:          fingerprint.Words(fmt.Sprintf("model-%d", n*7919%997)),
		workload.Dataset:            fingerprint.Words(fmt.Sprintf("data-%d", n*104729%199)),
		workload.Task:               fingerprint.Words([]string{"sft", "image-classification", "pretrain", "detection", "dpo"}[n%5]),
		workload.Iterations:         fingerprint.Number(float64(1 + n%300)),
		workload.IterationType:      fingerprint.Words("epoch"),
		workload.PerDeviceBatchSize: fingerprint.Number(float64(int(1) << (n % 8))),
		workload.GPUsTotal:          fingerprint.Number(float64(int(1) << (n % 5))),
	}, "")
}

// BenchmarkEstimate asks about works of a history in which each has run twenty
// times. What the history teaches is learnt before.
func BenchmarkEstimate(b *testing.B) {
	for _, runs := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			index := history.NewIndex(nil)
			var batch []*history.Record
			for i := range runs {
				batch = append(batch, &history.Record{
					ID: fmt.Sprint(i), User: fmt.Sprintf("u%d", i%500), JobName: fmt.Sprintf("job-%d", i), Print: manyWorks(i / 20),
					Request: history.Request{GPUs: 8, GPUType: []string{"A100", "H100"}[i%2]}, StartS: schedmate.Seconds(i), EndS: schedmate.Seconds(i + 100 + i%7),
					State: history.Completed, Progress: 1,
				})
				if len(batch) == 10000 || i == runs-1 {
					if err := index.Add(context.Background(), batch...); err != nil {
						b.Fatal(err)
					}
					batch = nil
				}
			}
			e := New(index, Default())
			q := Query{User: "u1", JobName: "job", Request: history.Request{GPUs: 8, GPUType: "H100"}, At: schedmate.Seconds(runs + 1000)}
			e.learn(q.At)
			var took []time.Duration
			n := 0
			for b.Loop() {
				q.Print = manyWorks(n * 37 % (runs / 20))
				start := time.Now()
				if _, err := e.Estimate(context.Background(), q); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				n++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
