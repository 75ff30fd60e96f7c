package traces

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

// besideTests opens the made-up profiles of this package's tests.
func besideTests(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join("testdata", strings.TrimSuffix(filepath.FromSlash(name), ".gz")))
}

// Made-up profiles, worked out by hand.
//
//	cifar10: 2,048 samples on 2 + 4 GPUs are ceil(341.33) = 342 a GPU, between 256
//	  (0.2 s) and 512 (0.4 s): 0.2 + 0.2 * 86/256 = 0.2671875 s; 1,000 iterations,
//	  the last epoch's, slowed down by 1.8: 480.9375 s.
//	deepspeech2: 320 samples on 6 GPUs are ceil(53.3) = 54 a GPU, in two rounds of
//	  27: 0.3 + 0.2 * 11/16 = 0.4375 s and one round without the exchange of 0.1 s,
//	  0.775 s in all; 2,000 iterations, slowed down by 1.2: 1,860 s.
//	bert: 384 samples on 12 GPUs are 32 a GPU, in three rounds of ceil(10.67) = 11:
//	  0.7 + 0.2 * 3/4 = 0.85 s and twice 0.65 s, 2.15 s; 400 iterations, 1.2: 1,032 s.
//	  The step of another type of GPU does not count.
func TestSiaJobsRunAsTheyAskWithoutAdaption(t *testing.T) {
	text := siaHeader + "cifar10-0,107,cifar10,6,2048\ndeepspeech2-1,110.6,deepspeech2,6,320\nbert-2,120,bert,12,384\n"
	got, err := ReadWith(strings.NewReader(text), "trace.csv", "sia", Options{Beside: besideTests})
	if err != nil {
		t.Fatal(err)
	}
	job := func(id, app string, gpus, batch int, submit, run schedmate.Seconds, iterations int64) sim.Job {
		return sim.Job{Job: schedmate.Job{ID: id, GPUs: gpus, Submit: submit, Iterations: iterations,
			Workload: schedmate.Workload{Model: app, BatchSize: batch},
			Outcome:  &schedmate.Outcome{Run: run, State: schedmate.Completed}}}
	}
	want := []sim.Job{
		job("cifar10-0", "cifar10", 6, 2048, 107, 481, 1000),
		job("deepspeech2-1", "deepspeech2", 6, 320, 111, 1860, 2000),
		job("bert-2", "bert", 12, 384, 120, 1032, 400),
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
}

// The profiles are read strictly, too, and without them nothing is guessed.
func TestSiaNeedsItsProfiles(t *testing.T) {
	text := siaHeader + "a,0,bert,4,384\n"
	const steps = "placement,local_bsz,step_time,sync_time,app,gpu_type\n"
	const ends = "epoch,iteration,app,batch_size\n"
	files := func(validation, placements string) func(string) (io.ReadCloser, error) {
		return func(name string) (io.ReadCloser, error) {
			if name == siaValidation {
				return io.NopCloser(strings.NewReader(validation)), nil
			}
			return io.NopCloser(strings.NewReader(placements)), nil
		}
	}
	for _, c := range []struct {
		beside func(string) (io.ReadCloser, error)
		want   string
	}{
		{nil, "trace.csv: needs the profiles of the Sia artifact, which the product does not carry; name the folder of traces with --data or $SCHEDMATE_DATA"},
		{func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist }, "read the profiles of format sia: file does not exist"},
		{files("epoch,iteration,app\n1,1,bert\n", steps), `sia/validation.csv.gz:1: column "batch_size": is missing; use the table of the Sia artifact`},
		{files(ends+"1,1,bert,384\n", steps+"4,x,1,1,bert,aws\n"), `sia/placements.csv.gz:2: column "local_bsz": must be a number from 0 on, got "x"; use the table of the Sia artifact`},
		{files(ends+"1,1,bert,384\n", steps+"4,-1,1,1,bert,aws\n"), `sia/placements.csv.gz:2: column "local_bsz": must be a number from 0 on, got "-1"; use the table of the Sia artifact`},
	} {
		if _, err := ReadWith(strings.NewReader(text), "trace.csv", "sia", Options{Beside: c.beside}); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// Shapes are written as the profile writes them: as few nodes as possible, of
// all turns the first.
func TestSiaShapes(t *testing.T) {
	for gpus, want := range map[int]string{1: "1", 4: "4", 5: "14", 6: "24", 9: "144", 16: "4444"} {
		if got := siaNodes(gpus); got != want {
			t.Errorf("%d GPUs: %s, want %s", gpus, got, want)
		}
	}
}

// Whole workloads of the published files, against totals computed in Python.
func TestSiaWorkloads(t *testing.T) {
	for _, c := range []struct {
		file, workload string
		want           sums
		others         int
	}{
		{"philly", "1", sums{Jobs: 160, GPUs: 1612, Run: 549482, Submit: 2357198, Iterations: 660877}, 1120},
		{"saturn", "10", sums{Jobs: 160, GPUs: 1472, Run: 678496, Submit: 2037194, Iterations: 679968}, 1440},
		{"newtrace", "3", sums{Jobs: 960, GPUs: 8932, Run: 2974051, Submit: 75822428, Iterations: 2719687}, 8640},
		{"scale", "scale_4x/2", sums{Jobs: 640, GPUs: 5496, Run: 2221060, Submit: 7798460, Iterations: 2498860}, 20960},
	} {
		trace, err := OpenWith(inFolder(t, filepath.Join("sia", "workloads_"+c.file+".csv.gz")), "sia", Options{Workload: c.workload, Beside: besideData(t)})
		if err != nil {
			t.Error(err)
			continue
		}
		got := sumUp(trace)
		got.First, got.Last, got.GPUSeconds = 0, 0, 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.file, c.workload, diff)
		}
		if len(trace.Dropped) != 1 || trace.Dropped[0].Count != c.others {
			t.Errorf("%s %s: left out %v, want %d of other workloads", c.file, c.workload, trace.Dropped, c.others)
		}
	}
}

// besideData opens files of the optional data folder.
func besideData(t *testing.T) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) { return os.Open(inFolder(t, filepath.FromSlash(name))) }
}
