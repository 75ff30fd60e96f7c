//go:build unix

package milp_test

import (
	"math/rand"
	"slices"
	"syscall"
	"testing"
	"time"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/milptest"
)

// Rounds like those of the paper and ten times as large. Besides the time of a
// mean round, each reports the 99th percentile of the process's CPU time (which
// other work on the machine does not change), and of the proven gap in per cent.
func BenchmarkRounds(b *testing.B) {
	for _, set := range milptest.Sets {
		b.Run(set.Name, func(b *testing.B) {
			models := set.Models(rand.New(rand.NewSource(1)))
			var cpu, gap []float64
			n := 0
			for b.Loop() {
				m := models[n%len(models)]
				before := processCPU(b)
				p := milp.Solve(m, milp.Options{Seed: uint64(n)})
				cpu = append(cpu, (processCPU(b)-before).Seconds()*1000)
				gap = append(gap, 100*p.Gap())
				n++
			}
			b.ReportMetric(percentile(cpu), "p99-cpu-ms")
			b.ReportMetric(percentile(gap), "p99-gap-%")
		})
	}
}

func percentile(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)*99/100]
}

func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
