package failure

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// BenchmarkReadRules is what a process pays before it reads its first line.
func BenchmarkReadRules(b *testing.B) {
	folder, err := fs.Sub(embedded, "rules")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := readRules(ruleFolder{folder, true}); err != nil {
			b.Fatal(err)
		}
	}
}

// manyRanks is the log of a job of 64 ranks whose lines are interleaved, and that
// one of them ends.
func manyRanks(steps int) []byte {
	var log bytes.Buffer
	for step := range steps {
		for rank := range 64 {
			fmt.Fprintf(&log, "[rank%d]: 2024-03-01 10:%02d:%02d,123 INFO step %d/200000 loss %.4f lr 3.0e-4 tokens/s %d\n", (rank*7+step)%64, step/60%60, step%60, step, 2+1/float64(step+1), 9000+rank)
		}
	}
	log.WriteString("[rank37]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n")
	for rank := range 64 {
		fmt.Fprintf(&log, "[rank%d]:[E ProcessGroupNCCL.cpp:616] [Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600045 milliseconds before timing out.\n", rank, rank, steps)
	}
	return log.Bytes()
}

// BenchmarkDiagnose reads the interleaved log of 64 ranks.
func BenchmarkDiagnose(b *testing.B) {
	log := manyRanks(4000)
	rules := Default()
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		s := NewScanner(rules)
		if err := s.Read("train.log", bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
		if d := s.Diagnosis(); d.Subclass != "gpu_ecc" {
			b.Fatalf("diagnosed %s", d.Subclass)
		}
	}
}

// BenchmarkAllErrors reads a log in which every line is another error.
func BenchmarkAllErrors(b *testing.B) {
	var lines []string
	for _, r := range Default().Rules {
		lines = append(lines, r.Positive...)
	}
	log := []byte(strings.Repeat(strings.Join(lines, "\n")+"\n", 10))
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		s := NewScanner(Default())
		if err := s.Read("train.log", bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
		s.Diagnosis()
	}
}
