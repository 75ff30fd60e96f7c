//go:build unix

package milp_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"schedmate/eval/rounds"
	"schedmate/scheduler/milp"
)

// Rounds of the sizes at which the planner is timed; `make bench` prints the same
// as a table. Besides the time of a mean round, each reports the 99th percentile of
// the process's CPU time (which other work on the machine does not change), and of
// the proven gap in per cent.
func BenchmarkRounds(b *testing.B) {
	for _, size := range rounds.Sizes() {
		b.Run(strings.ReplaceAll(size.Name, " ", "_"), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 0))
			models := make([]*milp.Model, 20)
			for n := range models {
				models[n] = size.Draw(r)
			}
			var cpu, gap []float64
			n := 0
			for b.Loop() {
				before := processCPU(b)
				p := milp.Solve(models[n%len(models)], milp.Options{Seed: uint64(n)})
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
