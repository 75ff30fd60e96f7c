package traces

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inFolder returns the path of a file of the optional data folder and skips the
// test when the folder is absent.
func inFolder(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("SCHEDMATE_DATA")
	if dir == "" {
		t.Skipf("needs %s of the optional data folder: set SCHEDMATE_DATA", name)
	}
	return filepath.Join(dir, name)
}

func openFolder(t *testing.T, name string, f Format) *Trace {
	t.Helper()
	trace, err := Open(inFolder(t, name), f)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// The whole published files against totals computed in Python.
func TestWholeTraces(t *testing.T) {
	zeroGPUs := func(count, line int) []Drop {
		return []Drop{{Reason: "asks 0 GPUs", Count: count, FirstLine: line}}
	}
	for _, c := range []struct {
		file    string
		format  Format
		want    sums
		dropped []Drop
	}{
		{"chronus/philly_slo.csv.gz", "chronus", // 30,940 rows
			sums{Jobs: 30735, GPUs: 42785, Run: 479859840, Submit: 16628464500, Strict: 30735,
				Deadlines: 17398944000, Rewards: 3073500, VCs: 11}, zeroGPUs(205, 190)},
		{"chronus/philly_mix1.csv.gz", "chronus",
			sums{Jobs: 30756, GPUs: 42947, Run: 481546140, Submit: 16584369480, Strict: 21600, BestEffort: 9156,
				Deadlines: 12203337600, Rewards: 2160000, VCs: 11}, zeroGPUs(184, 197)},
		{"chronus/philly_mix2.csv.gz", "chronus",
			sums{Jobs: 30746, GPUs: 43061, Run: 486116520, Submit: 16670275680, Strict: 9211, Soft: 18410, BestEffort: 3125,
				Deadlines: 47523725400, Rewards: 5523600, VCs: 11}, zeroGPUs(194, 226)},
		{"philly/philly_pollux.csv.gz", "philly",
			sums{Jobs: 82247, GPUs: 107235, Run: 1080390950, Submit: 376409849141, VCs: 15}, nil},
		{"philly/philly_111k.csv.gz", "philly", // 111,549 rows
			sums{Jobs: 111539, GPUs: 194256, Run: 3970636303, Submit: 724986420491},
			[]Drop{{Reason: "ran 0 seconds", Count: 10, FirstLine: 23208}}},
		{"anchors/lucid_philly594_input.csv.gz", "lucid",
			sums{Jobs: 594, GPUs: 1494, Run: 4585424, Submit: 51567496, Estimates: 5058895, Util: 311183, MemoryMiB: 2585935}, nil},
		{"anchors/lucid_philly2088_input.csv.gz", "lucid",
			sums{Jobs: 2088, GPUs: 4115, Run: 34000167, Submit: 642914841, Util: 1085553, MemoryMiB: 8883421}, nil},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			trace := openFolder(t, c.file, c.format)
			got := sumUp(trace)
			got.First, got.Last, got.GPUSeconds, got.Iterations = 0, 0, 0, 0
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.dropped, trace.Dropped); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPolluxJobsInTheOrderOfTheirSubmission(t *testing.T) {
	trace := openFolder(t, "philly/philly_pollux.csv.gz", "philly")
	job := func(i int) string {
		j := &trace.Jobs[i]
		return fmt.Sprintf("%s at %d: %d GPUs of %s for %d s", j.ID, j.Submit, j.GPUs, j.VC, j.Outcome.Run)
	}
	for i, want := range map[int]string{ // found by hand in the sorted file; second 0 is 2017-09-04 10:30:41
		0:     "p00000 at 0: 8 GPUs of 7f04ca for 2240194 s",
		1000:  "p01000 at 1771876: 1 GPUs of 11cb48 for 81 s",
		82246: "p82246 at 9408690: 1 GPUs of 11cb48 for 64 s",
	} {
		if got := job(i); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The slice that the public simulators were run on: the first 6,000 rows by
// submission, of which 5 ask 0 GPUs. The jobs of the stored run must be ours.
func TestFirst6000OfMix2AreTheJobsOfTheStoredRun(t *testing.T) {
	trace := openFolder(t, "chronus/philly_mix2.csv.gz", "chronus")
	slice, err := trace.Apply(Filter{FirstJobs: 5995, ShiftTo: seconds(60)})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(inFolder(t, "anchors/chronus_philly_mix2_6000_output.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string) // id -> submission in minutes, gang, duration in minutes
	for _, r := range rows[1:] {
		want[r[0]] = r[3] + " " + r[7] + " " + r[11]
	}
	got := make(map[string]string)
	for i := range slice.Jobs {
		j := &slice.Jobs[i]
		got[j.ID] = fmt.Sprint(int64(j.Submit/60), j.GPUs, int64(j.Outcome.Run/60))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The bundled week is nothing but rows of the whole file.
func TestBundledWeekIsASliceOfTheWholeFile(t *testing.T) {
	whole := openFolder(t, "philly/philly_111k.csv.gz", "philly")
	const day = 86400
	slice, err := whole.Apply(Filter{MaxGPUs: 32, FromSeconds: 116 * day, ToSeconds: 123 * day})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(openBundled(t, "philly-week.csv.gz", "philly").Jobs, slice.Jobs); diff != "" {
		t.Error(diff)
	}
	var large int
	for _, d := range slice.Dropped {
		if d.Reason == "filter: asks more than 32 GPUs" {
			large = d.Count
		}
	}
	if large == 0 {
		t.Error("the whole file has larger jobs, the filter counted none")
	}
}
