package slurm

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// manyJobs is an answer of squeue --json with n jobs, each as long as in real
// output: the first running job of a sample with other numbers.
func manyJobs(t testing.TB, version string, n int) []byte {
	t.Helper()
	raw, err := io.ReadAll(sample(t, version+"/squeue.json"))
	if err != nil {
		t.Fatal(err)
	}
	short := string(firstJobs(t, raw, 1))
	from := strings.Index(short, `"jobs":[`) + len(`"jobs":[`)
	to := strings.LastIndex(short[:strings.Index(short, `,"meta"`)], "]")
	record := short[from:to]
	if strings.Count(record, `"job_id":1,`) != 1 {
		t.Fatal("the sample's first job is another one")
	}
	var b bytes.Buffer
	b.WriteString(short[:from])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.Replace(record, `"job_id":1,`, fmt.Sprintf(`"job_id":%d,`, i+1), 1))
	}
	b.WriteString(short[to:])
	return b.Bytes()
}

func BenchmarkQueueOf10000(b *testing.B) {
	for _, version := range []string{"22.05", "24.11"} {
		answer := manyJobs(b, version, 10000)
		b.Run(version, func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			b.ReportAllocs()
			for b.Loop() {
				q, err := readJobsJSON(bytes.NewReader(answer))
				if err != nil || len(q.jobs) != 10000 {
					b.Fatal(err, len(q.jobs))
				}
			}
		})
	}
}
