//go:build unix

package milp_test

import (
	"math/rand"
	"slices"
	"syscall"
	"testing"
	"time"

	"schedmate/scheduler/milp"
)

// Rounds like those of the paper and ten times as large. Besides the time of a
// mean round, each reports the 99th percentile of the process's CPU time (which
// other work on the machine does not change), and of the proven gap in per cent.
func BenchmarkRounds(b *testing.B) {
	for _, set := range []struct {
		name  string
		round func(r *rand.Rand, n int) *milp.Model
		among int
	}{
		{"jobs=20-50/gpus=fitted", func(r *rand.Rand, n int) *milp.Model {
			return chronus(r, 20+n%31, 0, 48, 30, 1.2)
		}, 50},
		{"jobs=50-150/gpus=96", func(r *rand.Rand, n int) *milp.Model {
			return chronus(r, 50+2*(n%51), 96, 72, 20, 0.8+0.4*r.Float64())
		}, 50},
		{"jobs=200-800/gpus=960", func(r *rand.Rand, n int) *milp.Model {
			return chronus(r, 200+6*(n%101), 960, 72, 20, 0.8+0.4*r.Float64())
		}, 100},
		{"jobs=200-800/gpus=960/lease=10min", func(r *rand.Rand, n int) *milp.Model {
			return chronus(r, 200+6*(n%101), 960, 144, 10, 0.8+0.4*r.Float64())
		}, 50},
		{"jobs=5000/gpus=10240", func(r *rand.Rand, n int) *milp.Model {
			return chronus(r, 5000, 10240, 72, 20, 0.9+0.1*float64(n%5))
		}, 5},
		{"unisched/jobs=200-800/gpus=960", func(r *rand.Rand, n int) *milp.Model {
			return unisched(r, 200+6*(n%101), 960, 144)
		}, 30},
		{"unisched/jobs=1000-1600/gpus=960", func(r *rand.Rand, n int) *milp.Model {
			return unisched(r, 1000+20*(n%31), 960, 144)
		}, 30},
		{"unisched/jobs=400-1200/gpus=512", func(r *rand.Rand, n int) *milp.Model {
			return unisched(r, 400+27*(n%31), 512, 144)
		}, 30},
	} {
		b.Run(set.name, func(b *testing.B) {
			r := rand.New(rand.NewSource(1))
			models := make([]*milp.Model, set.among)
			for n := range models {
				models[n] = set.round(r, n*7)
			}
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
