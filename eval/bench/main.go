// Command bench measures what simulations cost, as processes of their own:
// CPU seconds (user and system, start-up and garbage collection included) and
// peak memory, beside the figures that an experiment's reference program took,
// and how both grow with the number of jobs.
//
//	go run ./eval/bench -binary ./schedmate -data DIR EXPERIMENT...
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"schedmate/eval"
)

// repeats is how often a process is measured; the median counts.
const repeats = 3

// factors are the sizes at which growth is shown.
var factors = []int{1, 10, 100}

func main() {
	binary := flag.String("binary", "./schedmate", "the program to measure")
	data := flag.String("data", os.Getenv("SCHEDMATE_DATA"), "folder of traces")
	growth := flag.String("growth", "", "comma-separated `names` of the experiments whose growth is shown")
	flag.Parse()
	if err := run(*binary, *data, strings.Split(*growth, ","), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(binary, data string, growing, names []string) error {
	for _, name := range names {
		e, err := eval.Load(name)
		if err != nil {
			return err
		}
		if e.Trace.File != "" && data == "" {
			fmt.Printf("%s: not measured, it needs the folder of traces: set -data or $SCHEDMATE_DATA\n\n", name)
			continue
		}
		b := bench{binary: binary, data: data, experiment: e, out: tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)}
		if err := b.beside(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if slices.Contains(growing, name) {
			if err := b.grows(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

type bench struct {
	binary, data string
	experiment   *eval.Experiment
	out          *tabwriter.Writer
}

// beside shows our cost beside that of the reference program, where it is known.
func (b *bench) beside() error {
	if b.experiment.Reference != nil && len(b.experiment.Reference.Costs) > 0 {
		fmt.Printf("%s: this program and %s\n", b.experiment.Name, b.experiment.Reference.Source)
		if err := b.besideReference(); err != nil {
			return err
		}
	}
	return nil
}

// grows shows how cost grows with the number of jobs.
func (b *bench) grows() error {
	for _, how := range []string{"repeat", "widen"} {
		what := "copies of the trace one after the other"
		if how == "widen" {
			what = "copies of each job on as many times the nodes"
		}
		fmt.Printf("%s: growth with N %s (N = 1, 10, 100)\n", b.experiment.Name, what)
		if err := b.growth(how); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) besideReference() error {
	fmt.Fprintln(b.out, "policy\tequal jobs\ttheir CPU s\tour CPU s\ttimes less\tof it simulating\ttheir peak MB\tour peak MB\t")
	for _, p := range b.experiment.Policies {
		theirs, known := b.experiment.Reference.Costs[p.Name]
		if !known {
			continue
		}
		m, err := b.median("--policies", p.Name)
		if err != nil {
			return err
		}
		equal := "-"
		if ref := m.run.Reference; ref != nil {
			equal = fmt.Sprintf("%d/%d", ref.EqualJobs, ref.Jobs)
		}
		peak := "-"
		if theirs.PeakMB > 0 {
			peak = strconv.FormatFloat(theirs.PeakMB, 'f', 0, 64)
		}
		fmt.Fprintf(b.out, "%s\t%s\t%.1f\t%.3f\t%.0f\t%.3f\t%s\t%.0f\t\n",
			p.Name, equal, theirs.CPUSeconds, m.cpu, theirs.CPUSeconds/m.cpu, m.run.CPUSeconds, peak, m.peakMB)
	}
	return b.flush()
}

func (b *bench) growth(how string) error {
	fmt.Fprintln(b.out, "policy\tN\tjobs\tCPU s\tmicroseconds a job\tpeak MB\t")
	for _, p := range b.experiment.Policies {
		for _, n := range factors {
			m, err := b.median("--policies", p.Name, "--"+how, strconv.Itoa(n))
			if err != nil {
				return err
			}
			fmt.Fprintf(b.out, "%s\t%d\t%d\t%.3f\t%.1f\t%.0f\t\n", p.Name, n, m.run.Jobs, m.cpu, 1e6*m.cpu/float64(m.run.Jobs), m.peakMB)
		}
	}
	return b.flush()
}

func (b *bench) flush() error {
	if err := b.out.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	fmt.Println()
	return nil
}

// measure is what one process took.
type measure struct {
	cpu    float64
	peakMB float64
	run    eval.Run
}

func (b *bench) median(args ...string) (measure, error) {
	all := make([]measure, repeats)
	for i := range all {
		var err error
		if all[i], err = b.measure(args); err != nil {
			return measure{}, err
		}
	}
	slices.SortFunc(all, func(x, y measure) int {
		if x.cpu < y.cpu {
			return -1
		}
		return 1
	})
	return all[repeats/2], nil
}

func (b *bench) measure(args []string) (measure, error) {
	args = append([]string{"simulate", "--experiment", b.experiment.Name, "--parallel", "1", "-o", "json"}, args...)
	cmd := exec.Command(b.binary, args...)
	cmd.Env = append(os.Environ(), "SCHEDMATE_DATA="+b.data)
	var stderr bytes.Buffer // notes are of no interest here
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return measure{}, fmt.Errorf("%s %v: %w\n%s", b.binary, args, err, stderr.Bytes())
	}
	var rep eval.Report
	if err := json.Unmarshal(out, &rep); err != nil {
		return measure{}, fmt.Errorf("%s %v: %w", b.binary, args, err)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return measure{}, fmt.Errorf("this system does not tell what a process used")
	}
	return measure{
		cpu:    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		peakMB: float64(usage.Maxrss) * maxrssUnit() / 1e6,
		run:    rep.Runs[0],
	}, nil
}

// maxrssUnit is the unit in bytes in which the system counts peak memory.
func maxrssUnit() float64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}
