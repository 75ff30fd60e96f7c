// Command roundbench measures the lease planner on rounds of the sizes at which
// it is timed and of the kinds that are hard to solve: CPU seconds a round, and
// how far the plan can be from the best, as proven.
//
//	go run ./eval/roundbench                       # all of them
//	go run ./eval/roundbench -only UniSched -rounds 30
//	go run ./eval/roundbench -write DIR            # the same rounds as files, for other solvers
//
// CPU seconds are those of the process, user and system, garbage collection
// included: wall times are noise on a machine that does other things.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"schedmate/eval/rounds"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

func main() {
	count := flag.Int("rounds", 0, "`rounds` of each row; 0: 40, of the largest sizes fewer")
	seed := flag.Uint64("seed", 1, "seed of the rounds")
	only := flag.String("only", "", "only rows whose name contains this `text`")
	write := flag.String("write", "", "write the rounds into files of this `folder` and measure nothing")
	flag.Parse()
	if err := run(os.Stdout, *count, *seed, *only, *write); err != nil {
		fmt.Fprintln(os.Stderr, "roundbench:", err)
		os.Exit(1)
	}
}

// row is one line of the tables.
type row struct {
	name string
	draw func(*rand.Rand) *milp.Model
	few  bool // large: ten rounds tell enough
}

func rows() (sizes, kinds []row) {
	for _, s := range rounds.Sizes() {
		sizes = append(sizes, row{s.Name, s.Draw, strings.Contains(s.Name, ",000 jobs")})
	}
	for _, k := range rounds.Kinds() {
		kinds = append(kinds, row{k.Name, k.Draw, false})
	}
	return sizes, kinds
}

func run(out io.Writer, count int, seed uint64, only, folder string) error {
	sizes, kinds := rows()
	for _, table := range []struct {
		title string
		rows  []row
	}{
		{"rounds of the timings", sizes},
		{"rounds of 8 to 50 jobs that are hard to solve to the optimum", kinds},
	} {
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
		if folder == "" {
			fmt.Fprintf(out, "%s: CPU seconds a round, gap between plan and bound in per cent\n", table.title)
			fmt.Fprintln(w, "rounds of\trounds\tCPU s p50\tp99\tmax\tgap % mean\tp99\tmax\tproven optimal\t")
		}
		for _, r := range table.rows {
			if !strings.Contains(r.name, only) {
				continue
			}
			n := count
			if n == 0 {
				if n = 40; r.few {
					n = 10
				}
			}
			if folder != "" {
				if err := r.write(folder, n, seed); err != nil {
					return err
				}
				continue
			}
			if err := r.measure(w, n, seed); err != nil {
				return err
			}
		}
		if folder == "" {
			if err := w.Flush(); err != nil {
				return fmt.Errorf("write table: %w", err)
			}
			fmt.Fprintln(out)
		}
	}
	return nil
}

// each calls do with the rounds of a row; each row draws its own numbers, so
// that leaving out rows does not change the others.
func (r *row) each(n int, seed uint64, do func(i int, m *milp.Model) error) error {
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		if err := do(i, r.draw(rnd)); err != nil {
			return fmt.Errorf("%s, round %d: %w", r.name, i+1, err)
		}
	}
	return nil
}

func (r *row) measure(w io.Writer, n int, seed uint64) error {
	var cpu, gap []float64
	proven := 0
	err := r.each(n, seed, func(i int, m *milp.Model) error {
		runtime.GC() // of the drawing, which is not the planner's
		before, err := used()
		if err != nil {
			return err
		}
		p := milp.Solve(m, milp.Options{Seed: seed})
		after, err := used()
		if err != nil {
			return err
		}
		cpu, gap = append(cpu, (after-before).Seconds()), append(gap, 100*p.Gap())
		if p.Proven() {
			proven++
		}
		return nil
	})
	if err != nil {
		return err
	}
	sum := 0.0
	for _, g := range gap {
		sum += g
	}
	slices.Sort(cpu)
	slices.Sort(gap)
	_, err = fmt.Fprintf(w, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.3f\t%.3f\t%.3f\t%d/%d\t\n", r.name, n,
		percentile(cpu, 50), percentile(cpu, 99), cpu[len(cpu)-1], sum/float64(n), percentile(gap, 99), gap[len(gap)-1], proven, n)
	return err
}

// percentile of a sorted list: the least number that so many of a hundred do not
// exceed.
func percentile(sorted []float64, p int) float64 {
	return sorted[(len(sorted)*p+99)/100-1]
}

func (r *row) write(folder string, n int, seed uint64) error {
	file := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' {
			return c
		}
		if c == ' ' {
			return '-'
		}
		return -1
	}, r.name)
	var cases []string
	err := r.each(n, seed, func(i int, m *milp.Model) error {
		text, err := roundfile.Write(fmt.Sprintf("%s-%d", file, i+1), m)
		cases = append(cases, string(text))
		return err
	})
	if err != nil {
		return err
	}
	name := filepath.Join(folder, file+".json")
	if err := os.WriteFile(name, []byte(`{"cases":[`+strings.Join(cases, ",\n")+"]}\n"), 0o644); err != nil {
		return fmt.Errorf("write rounds: %w", err)
	}
	fmt.Println(name)
	return nil
}

// used is the CPU time of this process so far.
func used() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, fmt.Errorf("ask for the CPU time used: %w", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}
