package traces

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedmate"
	"schedmate/scheduler/adaptive"
)

// siaProfiles are the measurements of the Sia artifact that its workloads leave
// out: how many iterations a job needs at a batch size, and how long a step takes
// on GPUs of a shape. They may not be redistributed, so they are read from the
// data folder.
type siaProfiles struct {
	iterations map[siaWork]int64
	steps      map[siaShape][]siaStep // by ascending batch

	applications map[string]*adaptive.Application // if jobs are to be adaptive
}

type siaWork struct {
	application string
	batch       int // over the whole gang
}

// siaShape is how many GPUs of each node an application has, as the profile
// writes it: "244" are two of one node and four of two others.
type siaShape struct{ application, gpus string }

type siaStep struct {
	batch         float64 // of one GPU
	seconds, sync float64 // of the whole step, and of the exchange in it
}

const (
	siaValidation = "sia/validation.csv.gz"
	siaPlacements = "sia/placements.csv.gz"
	siaGPU        = "aws" // the profile's name of a node of four T4
	siaNodeGPUs   = 4
)

// siaSlowdown is what the artifact's simulator charges on top of a measured step.
var siaSlowdown = map[string]float64{"bert": 1.2, "cifar10": 1.8, "deepspeech2": 1.2, "imagenet": 1.2, "yolov3": 1.2}

// readSiaProfiles reads both tables of the data folder.
func readSiaProfiles(open func(string) (io.ReadCloser, error)) (*siaProfiles, error) {
	p := &siaProfiles{iterations: make(map[siaWork]int64), steps: make(map[siaShape][]siaStep)}
	epochs := make(map[siaWork]float64)
	err := siaTable(open, siaValidation, []string{"app"}, []string{"batch_size", "epoch", "iteration"}, float64(schedmate.MaxSeconds), func(names []string, n []float64) {
		w := siaWork{names[0], int(n[0])}
		if n[1] > epochs[w] { // the last epoch is the end of training
			epochs[w], p.iterations[w] = n[1], int64(n[2])
		}
	})
	if err != nil {
		return nil, err
	}
	err = siaTable(open, siaPlacements, []string{"app", "placement", "gpu_type"}, []string{"local_bsz", "step_time", "sync_time"}, float64(schedmate.MaxSeconds), func(names []string, n []float64) {
		if names[2] == siaGPU {
			s := siaShape{names[0], names[1]}
			p.steps[s] = append(p.steps[s], siaStep{n[0], n[1], n[2]})
		}
	})
	for _, steps := range p.steps {
		slices.SortFunc(steps, func(a, b siaStep) int { return cmp.Compare(a.batch, b.batch) })
	}
	return p, err
}

// siaTable reads the columns of a table that hold names and those that hold
// numbers, up to the most that makes sense.
func siaTable(open func(string) (io.ReadCloser, error), name string, texts, numbers []string, most float64, each func(names []string, n []float64)) error {
	f, err := open(name)
	if err != nil {
		return fmt.Errorf("read the profiles of format sia: %w", err)
	}
	defer f.Close()
	src, err := newSource(f, name, usualLimits)
	if err != nil {
		return err
	}
	header, err := src.header()
	if err != nil {
		return err
	}
	const next = "use the table of the Sia artifact"
	columns := slices.Concat(texts, numbers)
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(header, c); at[i] < 0 {
			return &InputError{File: name, Line: 1, Column: c, Problem: "is missing", Next: next}
		}
	}
	var row []string
	names, n := make([]string, len(texts)), make([]float64, len(numbers))
	for {
		var line int
		if line, row, err = src.row(row[:0]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for i := range names {
			names[i] = row[at[i]]
		}
		for i := range n {
			cell := row[at[len(texts)+i]]
			if n[i], err = strconv.ParseFloat(cell, 64); err != nil || !(n[i] >= 0 && n[i] <= most) {
				return &InputError{File: name, Line: line, Column: numbers[i], Problem: fmt.Sprintf("must be a number from 0 on, got %.40q", cell), Next: next}
			}
		}
		each(names, n)
	}
}

// run is how long a job runs as it asks, without adaption, and in how many
// iterations. Where that is not known it names the column that says too much.
func (p *siaProfiles) run(application string, batch, replicas int) (run schedmate.Seconds, iterations int64, column, problem string) {
	slowdown, known := siaSlowdown[application]
	if !known {
		return 0, 0, "application", fmt.Sprintf("no run time is known of %.40q", application)
	}
	iterations, known = p.iterations[siaWork{application, batch}]
	if !known {
		return 0, 0, "batch_size", fmt.Sprintf("no run time is known of %s with %d samples a step", application, batch)
	}
	steps := p.steps[siaShape{application, siaNodes(replicas)}]
	if len(steps) == 0 {
		return 0, 0, "num_replicas", fmt.Sprintf("no step of %s on %d GPUs has been measured", application, replicas)
	}
	local := float64(batch) / float64(replicas)
	rounds := math.Max(1, math.Ceil(local/steps[len(steps)-1].batch-1e-8)) // as few as the memory allows
	micro := math.Ceil(local/rounds - 1e-8)
	if micro < steps[0].batch {
		return 0, 0, "num_replicas", fmt.Sprintf("no step of %s with as few as %g samples a GPU has been measured", application, micro)
	}
	i := 1
	for i < len(steps)-1 && steps[i].batch < micro {
		i++
	}
	step := between(steps[i-1], steps[min(i, len(steps)-1)], micro)
	seconds := step.seconds + (rounds-1)*(step.seconds-step.sync) // only the last round exchanges
	return schedmate.Seconds(math.Round(float64(iterations) * seconds * slowdown)), iterations, "", ""
}

// between is the step of a batch on the line through two others.
func between(a, b siaStep, batch float64) siaStep {
	if a.batch == b.batch {
		return a
	}
	x := (batch - a.batch) / (b.batch - a.batch)
	return siaStep{batch, a.seconds + x*(b.seconds-a.seconds), a.sync + x*(b.sync-a.sync)}
}

// siaNodes is the shape of a gang on as few nodes as possible, the way the
// profile writes it: of all turns the first in the order of digits.
func siaNodes(gpus int) string {
	shape := strings.Repeat(strconv.Itoa(siaNodeGPUs), min(gpus/siaNodeGPUs, 1000)) // far above what was measured
	if rest := gpus % siaNodeGPUs; rest > 0 {
		shape = strconv.Itoa(rest) + shape
	}
	return shape
}
