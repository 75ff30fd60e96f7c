package synthetic

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// The model of every profile has the published aggregates. They are computed
// here the slow way: by adding up the run times of four thousand equal shares of
// the distribution, as jobs are drawn from it.
func TestModelsHaveThePublishedAggregates(t *testing.T) {
	p := Load()
	for i := range p.Profiles {
		q := &p.Profiles[i]
		f, err := q.Fit(p.Gangs[q.Gangs])
		if err != nil {
			t.Error(err)
			continue
		}
		var run, total, below, gpus float64
		var used [3]float64
		const parts = 4000
		for k, g := range f.Sizes {
			gpus += f.Shares[k] * g
			for s, share := range f.States {
				for part := range parts {
					x := float64(f.draw(g, s, (float64(part)+0.5)/parts))
					w := f.Shares[k] * share / parts
					run, total, used[s] = run+w*x, total+w*x*g, used[s]+w*x*g
					if x <= q.Run.Median {
						below += w
					}
				}
			}
		}
		check := func(what string, got, want, within float64) {
			if math.Abs(got/want-1) > within {
				t.Errorf("%s: %s is %g, published is %g", q.Name, what, got, want)
			}
		}
		check("mean gang", gpus, q.GPUs.Mean, 1e-6)
		check("mean run", run, q.Run.Mean, 0.02) // four thousand parts cut the tail a little
		check("share up to the median run", below, 0.5, 0.01)
		if q.GPUSeconds != nil {
			v := q.GPUSeconds.values()
			check("GPU time a job", total, (v[0]+v[1]+v[2])/float64(q.Jobs), 0.02)
			for s, share := range q.GPUSeconds.shares() {
				check(fmt.Sprintf("GPU time %s", states[s]), used[s]/total, share, 0.02)
			}
		}
		upTo := 0.0
		for k, g := range f.Sizes {
			if g <= q.GPUs.Median {
				upTo += f.Shares[k]
			}
		}
		if upTo < 0.5 {
			t.Errorf("%s: %g of the jobs ask at most the median gang", q.Name, upTo)
		}
	}
}

func TestAggregatesThatNoModelHas(t *testing.T) {
	p := Load()
	q := p.Profiles[0]
	q.GPUs.Mean = 1000 // its largest gang is 512
	if _, err := q.Fit(p.Gangs[q.Gangs]); err == nil {
		t.Error("a mean gang above the largest one was fitted")
	}
	q = p.Profiles[0]
	q.Run.Mean = q.Run.Max * 0.99
	if f, err := q.Fit(p.Gangs[q.Gangs]); err == nil {
		t.Errorf("a mean run at the longest one was fitted: %+v", f)
	}
}

// The figures are those of the published summaries, cell by cell.
func TestFiguresAreCopiedAsPublished(t *testing.T) {
	dir := os.Getenv("SCHEDMATE_DATA")
	if dir == "" {
		t.Skip("needs helios and acme/cluster_summary.csv.gz of the optional data folder: set SCHEDMATE_DATA")
	}
	p := Load()
	for _, c := range []struct{ profile, file, row string }{
		{"venus", "helios", "Venus"}, {"earth", "helios", "Earth"}, {"saturn", "helios", "Saturn"}, {"uranus", "helios", "Uranus"}, {"helios", "helios", "total"},
		{"seren", "acme", "Seren"}, {"kalos", "acme", "Kalos"}, {"pai", "acme", "PAI"},
	} {
		q, err := p.Profile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		row := summaryRow(t, filepath.Join(dir, c.file, "cluster_summary.csv.gz"), c.row)
		figures := map[string]float64{
			"gpu_job_num": float64(q.Jobs), "med_run_time_gpu": q.Run.Median, "avg_run_time_gpu": q.Run.Mean,
			"avg_gpu_num": q.GPUs.Mean, "med_gpu_num": q.GPUs.Median,
		}
		if c.file == "helios" {
			figures["gpu_num"] = float64(q.PublishedGPUs)
		} else {
			figures["max_run_time_gpu"], figures["max_gpu"] = q.Run.Max, q.GPUs.Max
		}
		if q.States != nil {
			figures["complete_rate_gpu"], figures["cancel_rate_gpu"], figures["fail_rate_gpu"] = q.States.Completed, q.States.Cancelled, q.States.Failed
			figures["complete_gpu_time"], figures["cancel_gpu_time"], figures["fail_gpu_time"] = q.GPUSeconds.Completed, q.GPUSeconds.Cancelled, q.GPUSeconds.Failed
		}
		for column, got := range figures {
			want, err := strconv.ParseFloat(row[column], 64)
			if err != nil || got != want {
				t.Errorf("%s: %s is %g, published is %q", c.profile, column, got, row[column])
			}
		}
	}
}

func summaryRow(t *testing.T, path, id string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r []string) bool { return r[0] == id })
	if i < 0 {
		t.Fatalf("%s has no row %s", path, id)
	}
	out := make(map[string]string)
	for k, name := range rows[0] {
		out[name] = rows[i][k]
	}
	return out
}
