package livetest

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"schedmate/internal/slurmlab"
)

// queued is how many jobs wait: many for a real cluster.
const queued = 10_000

// mostMiB is how much memory the program may have while it answers about so many
// jobs. The race detector takes several times as much for itself.
const mostMiB = 150 * raceFactor

// One user's hundred jobs among ten thousand are answered about, with few questions
// to Slurm and little memory.
func TestTenThousandJobs(t *testing.T) {
	lab := slurmlab.Fresh(t)
	if _, err := lab.Flood(t.Context(), queued); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, lab).as(t, "daemon")
	s := p.run(t, "why", "--verbose")
	if lines := strings.Count(s.out, "\n"); s.code != 0 || lines != 1+queued/100 {
		t.Errorf("exit code %d, %d lines, want a heading and %d jobs: %s%.2000s", s.code, lines, queued/100, s.err, s.out)
	}
	if !strings.Contains(s.err, "Slurm was asked 4 times") { // jobs, nodes, partitions, reservations
		t.Errorf("%s", s.err)
	}
	t.Logf("%d MiB", s.cost.PeakMiB)
	if s.cost.PeakMiB > mostMiB {
		t.Errorf("it took %d MiB of memory, may take %d", s.cost.PeakMiB, mostMiB)
	}
	// The answer stands for a minute: nobody is asked.
	if s := p.run(t, "why", "--verbose"); !strings.Contains(s.err, "Slurm was asked 0 times") {
		t.Errorf("asked again within a moment: %s", s.err)
	}
	// All of it can be saved, and read again.
	saved := snapshotOf(t, p)
	if s := p.run(t, "why", "-f", saved, "-u", "daemon"); s.code != 0 || strings.Count(s.out, "\n") != 1+queued/100 {
		t.Errorf("from the file: exit code %d: %s%.2000s", s.code, s.err, s.out)
	}
}

// BenchmarkTenThousandJobs measures why for one user among ten thousand jobs, beside
// squeue --json alone. Its own CPU time is that of one core, whoever else computes:
//
//	go test ./internal/cli/livetest -run '^$' -bench TenThousand -benchtime 5x
func BenchmarkTenThousandJobs(b *testing.B) {
	lab := slurmlab.Fresh(b)
	if _, err := lab.Flood(b.Context(), queued); err != nil {
		b.Fatal(err)
	}
	p := newProgram(b, lab).as(b, "daemon")
	var squeue, ours, own time.Duration
	most := 0
	for b.Loop() {
		ask := exec.CommandContext(b.Context(), "squeue", "--json", "-a")
		ask.Env = lab.Environment()
		begun := time.Now()
		if err := ask.Run(); err != nil { // its output goes nowhere
			b.Fatal(err)
		}
		squeue += time.Since(begun)
		s := p.run(b, "why", "--fresh")
		if s.code != 0 {
			b.Fatal(s.err)
		}
		ours, own, most = ours+s.took, own+s.cost.CPU, max(most, s.cost.PeakMiB)
	}
	b.ReportMetric(squeue.Seconds()/float64(b.N), "s-squeue")
	b.ReportMetric(ours.Seconds()/float64(b.N), "s-why")
	b.ReportMetric(own.Seconds()/float64(b.N), "own-CPU-s")
	b.ReportMetric(float64(most), "MiB")
}
