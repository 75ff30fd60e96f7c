package slurm

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"schedmate"
)

func seed(f *testing.F, files ...string) {
	f.Helper()
	for _, name := range files {
		raw, err := io.ReadAll(sample(f, name))
		if err != nil {
			f.Fatal(err)
		}
		// A short input is varied, and made smaller, much faster.
		if strings.HasSuffix(name, "queue.json") {
			raw = firstJobs(f, raw, 1)
		} else if lines := bytes.SplitAfterN(raw, []byte("\n"), 3); strings.HasSuffix(name, ".txt") {
			raw = bytes.Join(lines[:2], nil)
		}
		f.Add(raw)
	}
}

// Whatever is read makes a valid observation, or an error.
func observationOf(t *testing.T, fill func(*schedmate.Observation)) {
	t.Helper()
	o := &schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, System: schedmate.System{Name: "slurm"}}
	fill(o)
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	_ = unowned(o, o.Jobs)
	_ = clocksApart(o)
}

func FuzzJobsJSON(f *testing.F) {
	f.Add([]byte(`{"jobs":[{"job_id":{"set":true,"infinite":false,"number":8},"job_state":"RUNNING","nodes":"n[1-2]","gres_detail":["gpu:a100:2(IDX:0-1)","gpu:1"],"tres_alloc_str":"cpu=2,mem=1G","standard_output":"%x-%j","batch_flag":true,"name":"a","current_working_directory":"/w","exit_code":4352,"time_limit":60,"job_resources":{"nodes":"n[1-2]","allocated_nodes":[{"nodename":"n1","memory_allocated":5}]}}]}`))
	f.Add([]byte(`{"jobs":[{"job_id":7,"array_job_id":5,"array_task_string":"1-9:2%3","job_state":["PENDING"],"tres_req_str":"cpu=1,gres/gpu:a100=2"}],"errors":[{"error":"x"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, _ := readJobsJSON(bytes.NewReader(raw))
		observationOf(t, func(o *schedmate.Observation) { o.Jobs = q.jobs })
	})
}

func FuzzQueueColumns(f *testing.F) {
	seed(f, "lab-22.05/columns.txt")
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, _ := readQueueColumns(bytes.NewReader(raw), "~~")
		observationOf(t, func(o *schedmate.Observation) { o.Jobs = q.jobs })
	})
}

func FuzzPast(f *testing.F) {
	seed(f, "lab-22.05/past.txt")
	f.Fuzz(func(t *testing.T, raw []byte) {
		jobs, _, _ := readPast(bytes.NewReader(raw), pastTable)
		for i := range jobs {
			if err := jobs[i].Validate("job"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzNodes(f *testing.F) {
	seed(f, "lab-22.05/nodes.txt")
	f.Add([]byte(`{"nodes":[{"name":"n1","state":["IDLE","DRAIN"],"gres":"gpu:a100:4,shard:16","gres_used":"gpu:a100:3(IDX:0-2),shard:2(0/4,2/4)","tres":"cpu=8,mem=1G","reason":"x","reason_changed_at":5,"features":["a"]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		observationOf(t, func(o *schedmate.Observation) { o.Nodes, _, _ = readNodes(bytes.NewReader(raw)) })
		observationOf(t, func(o *schedmate.Observation) { o.Nodes, _, _ = readNodesJSON(bytes.NewReader(raw)) })
	})
}

func FuzzSite(f *testing.F) {
	seed(f, "lab-22.05/partitions.txt", "lab-22.05/reservations.txt", "lab-22.05/licenses.txt")
	f.Fuzz(func(t *testing.T, raw []byte) {
		observationOf(t, func(o *schedmate.Observation) {
			o.Partitions, _, _ = readPartitions(bytes.NewReader(raw))
			o.Reservations, _, _ = readReservations(bytes.NewReader(raw))
			o.Licences, _, _ = readLicences(bytes.NewReader(raw))
		})
	})
}

func FuzzHosts(f *testing.F) {
	for _, s := range []string{"n[1-3,7],gpu-a,r[1-2]c[01-10]", "n[1-", "n[99999999999]", "a[1-4][1-4]", "(null)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if hosts, err := Hosts(s); err == nil && len(hosts) > mostHosts {
			t.Fatalf("%d hosts", len(hosts))
		}
	})
}
