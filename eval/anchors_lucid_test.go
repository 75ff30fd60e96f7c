package eval_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"testing"

	"schedmate"
	"schedmate/eval"
	"schedmate/scheduler/sim"
)

// lucidRow is what the Lucid artifact says about a job: besides its times, whether
// it was profiled, how long it waited for that, whether it ended there, when it was
// packed onto another one, and when it last stopped sharing. 0: never.
type lucidRow struct {
	start, end, queue, jct, profiled, profqueue, toskip, colocate, delocate schedmate.Seconds
}

var lucidColumns = []string{"start_time", "end_time", "queue", "jct", "profiled", "profqueue", "toskip", "Tcolocate", "Tdelocate"}

func (r lucidRow) columns() []schedmate.Seconds {
	return []schedmate.Seconds{r.start, r.end, r.queue, r.jct, r.profiled, r.profqueue, r.toskip, r.colocate, r.delocate}
}

// storedLucid reads the stored rows of the artifact's own policy.
func storedLucid(t *testing.T, s *eval.Suite) map[string]lucidRow {
	f, err := s.Data("anchors/lucid_philly594_output.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(plain)
	header, err := in.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	rows := map[string]lucidRow{}
	for {
		cells, err := in.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if cells[at["policy"]] != "lucid" {
			continue
		}
		var v [9]schedmate.Seconds
		for i, name := range lucidColumns {
			x, err := strconv.ParseFloat(cells[at[name]], 64)
			if err != nil || x != math.Trunc(x) {
				t.Fatalf("job %s: %s is %q", cells[at["job_id"]], name, cells[at[name]])
			}
			v[i] = schedmate.Seconds(x)
		}
		rows[cells[at["job_id"]]] = lucidRow{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]}
	}
}

// told is the same of our result. The artifact books the end of sharing for the
// job that came first onto the GPUs: for a host when its guest leaves or when it
// ends itself, and for a guest only if it survives its host, at its own end.
func told(res *sim.Result) map[string]lucidRow {
	rows := map[string]lucidRow{}
	ends := map[string]schedmate.Seconds{}
	for i := range res.Jobs {
		j := &res.Jobs[i]
		r := lucidRow{start: j.Start, end: j.End, queue: j.Queue, jct: j.JCT()}
		if p := j.Profile; p != nil {
			r.profiled, r.profqueue = 1, p.Start-j.Job.Submit
			if p.Finished {
				r.toskip = 1
			}
		}
		rows[j.Job.ID], ends[j.Job.ID] = r, j.End
	}
	for _, p := range res.Packs {
		host, guest := rows[p.Host], rows[p.Guest]
		guest.colocate = p.At
		host.delocate = p.Until
		if ends[p.Host] == p.Until { // the host went first, if only within the second
			guest.delocate = ends[p.Guest]
		}
		rows[p.Host], rows[p.Guest] = host, guest
	}
	return rows
}

// The policy of the artifact itself, in all that its output says about a job.
func TestLucidInEveryColumn(t *testing.T) {
	s := suite(t)
	want := storedLucid(t, s)
	e, err := eval.Load("lucid-philly594")
	if err != nil {
		t.Fatal(err)
	}
	rep, err := s.Run(context.Background(), []*eval.Experiment{e}, eval.Request{Preset: "artifact", Policies: []string{"lucid"}, Parallel: 1, Timeline: true})
	if err != nil {
		t.Fatal(err)
	}
	got := told(rep.Runs[0].Result)
	if len(want) != len(got) || len(want) != 594 {
		t.Fatalf("%d jobs are stored and %d simulated", len(want), len(got))
	}
	equal := make([]int, len(lucidColumns))
	all := 0
	for id, w := range want {
		same := true
		for i, v := range got[id].columns() {
			if v == w.columns()[i] {
				equal[i]++
				continue
			}
			same = false
			t.Errorf("job %s: %s is %d, stored is %d", id, lucidColumns[i], v, w.columns()[i])
		}
		if same {
			all++
		}
	}
	for i, name := range lucidColumns {
		t.Logf("%-10s %d of %d jobs equal", name, equal[i], len(want))
	}
	t.Logf("all columns: %d of %d", all, len(want))

	// What the notes count: 96 packings on 54 hosts, 32 of them at full speed
	// because of their models, and in 29 the host ends first.
	hosts, full, first := map[string]bool{}, 0, 0
	for _, p := range rep.Runs[0].Result.Packs {
		hosts[p.Host] = true
		if !p.Measured {
			full++
		}
		if got[p.Host].end < got[p.Guest].end {
			first++
		}
	}
	if n := len(rep.Runs[0].Result.Packs); n != 96 || len(hosts) != 54 || full != 32 || first != 29 {
		t.Errorf("%d packings on %d hosts, %d at full speed, %d whose host ends first; want 96, 54, 32, 29", n, len(hosts), full, first)
	}
}
