package neighbours

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"schedmate"
	"schedmate/adapters/store/bolt"
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

// manyRuns are the runs of works each of which has run twenty times.
func manyRuns(n int) []*history.Record {
	runs := make([]*history.Record, n)
	for i := range runs {
		runs[i] = &history.Record{
			ID: fmt.Sprint(i), User: fmt.Sprintf("u%d", i%500), JobName: fmt.Sprintf("job-%d", i), Print: manyWorks(i / 20),
			Request: history.Request{GPUs: 8, GPUType: []string{"A100", "H100"}[i%2]}, StartS: schedmate.Seconds(i), EndS: schedmate.Seconds(i + 100 + i%7),
			State: history.Completed, Progress: 1,
		}
	}
	return runs
}

// BenchmarkEstimate asks about works of a history in which each has run twenty
// times, in memory and on disk. What the history teaches is learnt before. "Once"
// is what a command does for its one question: open, ask, close.
func BenchmarkEstimate(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		runs, end := manyRuns(n), schedmate.Seconds(n+1000)
		ask := func(b *testing.B, i int, past Past) {
			e, err := New(past, Default())
			if err == nil {
				q := Query{Print: manyWorks(i * 37 % (n / 20)), User: "u1", JobName: "job", Request: history.Request{GPUs: 8, GPUType: "H100"}, At: end}
				_, err = e.Estimate(context.Background(), q)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("memory/%d", n), func(b *testing.B) {
			index := history.NewIndex(nil)
			if err := index.Add(context.Background(), runs...); err != nil {
				b.Fatal(err)
			}
			e, err := New(index, Default())
			if err == nil {
				_, err = e.learn(end)
			}
			if err != nil {
				b.Fatal(err)
			}
			timed(b, func(i int) {
				q := Query{Print: manyWorks(i * 37 % (n / 20)), User: "u1", JobName: "job", Request: history.Request{GPUs: 8, GPUType: "H100"}, At: end}
				if _, err := e.Estimate(context.Background(), q); err != nil {
					b.Fatal(err)
				}
			})
		})
		h, file := onDisk(b, runs, Default(), end)
		b.Run(fmt.Sprintf("disk/%d", n), func(b *testing.B) {
			timed(b, func(i int) { ask(b, i, h) })
		})
		b.Run(fmt.Sprintf("once/%d", n), func(b *testing.B) {
			timed(b, func(i int) {
				store, err := bolt.OpenToRead(file)
				if err != nil {
					b.Fatal(err)
				}
				defer store.Close() // it is only read
				h, err := history.OpenToRead(context.Background(), history.Over[*bolt.Tx](store), nil)
				if err != nil {
					b.Fatal(err)
				}
				ask(b, i, h)
			})
		})
	}
}

func timed(b *testing.B, work func(i int)) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		work(i)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
