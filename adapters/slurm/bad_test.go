package slurm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"schedmate"
)

// valid checks that what was read may stand in an observation.
func checkJobs(t testing.TB, jobs []schedmate.ObservedJob) {
	t.Helper()
	o := schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, System: schedmate.System{Name: "slurm"}, Jobs: jobs}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
}

// Whatever was read of an answer that breaks off was in the whole answer, word for
// word, and the break is told.
func TestAnswersThatBreakOffAnywhere(t *testing.T) {
	jobs := func(read func(io.Reader) (*queue, error)) func(io.Reader) ([]string, error) {
		return func(r io.Reader) ([]string, error) {
			q, err := read(r)
			checkJobs(t, q.jobs)
			return strings.Split(tellJobs(q.jobs), "\n"), err
		}
	}
	for _, c := range []struct {
		file string
		step int // 1 tries every byte
		read func(io.Reader) ([]string, error)
	}{
		{"22.05/squeue.json", 1, jobs(readJobsJSON)}, // its first two jobs
		{"26.05/squeue.json", 1009, jobs(readJobsJSON)},
		{"lab-22.05/columns.txt", 31, jobs(func(r io.Reader) (*queue, error) { return readQueueColumns(r, "~~") })},
		{"lab-22.05/past.txt", 7, jobs(func(r io.Reader) (*queue, error) {
			list, _, err := readPast(r, pastTable)
			slices.SortFunc(list, func(a, b schedmate.ObservedJob) int { return schedmate.CompareJobIDs(a.ID, b.ID) })
			return &queue{jobs: slices.CompactFunc(list, func(a, b schedmate.ObservedJob) bool { return a.ID == b.ID })}, err
		})},
		{"lab-22.05/nodes.txt", 1, tellNodesOf(readNodes)},
		{"24.11/nodes.json", 1, tellNodesOf(readNodesJSON)},
	} {
		whole, err := io.ReadAll(sample(t, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if c.step == 1 && len(whole) > 8<<10 {
			whole = firstJobs(t, whole, 2)
		}
		all, err := c.read(bytes.NewReader(whole))
		if err != nil {
			t.Fatal(c.file, err)
		}
		end := len(bytes.TrimRight(whole, "\n"))
		for n := 0; n < end; n += c.step {
			got, err := c.read(bytes.NewReader(whole[:n]))
			atLine := n == 0 || whole[n-1] == '\n' // text that ends after a record looks whole
			if !errors.Is(err, errCut) && !(atLine && strings.HasSuffix(c.file, ".txt")) {
				t.Fatalf("%s up to byte %d: must be told as cut off, got %v", c.file, n, err)
			}
			for _, line := range got {
				if !slices.Contains(all, line) && !strings.Contains(c.file, "past") {
					t.Fatalf("%s up to byte %d invents %s", c.file, n, line)
				}
			}
		}
	}
}

// firstJobs is an answer with no more than n jobs.
func firstJobs(t testing.TB, answer []byte, n int) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	var jobs []json.RawMessage
	if err := json.Unmarshal(answer, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all["jobs"], &jobs); err != nil {
		t.Fatal(err)
	}
	cut, err := json.Marshal(jobs[:n])
	if err != nil {
		t.Fatal(err)
	}
	all["jobs"] = cut
	if cut, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	return cut
}

func tellNodesOf(read func(io.Reader) ([]schedmate.ObservedNode, []schedmate.Gap, error)) func(io.Reader) ([]string, error) {
	return func(r io.Reader) (told []string, err error) {
		nodes, _, err := read(r)
		for i := range nodes {
			told = append(told, tellNode(&nodes[i]))
		}
		return told, err
	}
}

// one is the answer of squeue --json about jobs that are given as Go values.
func one(t testing.TB, jobs ...map[string]any) io.Reader {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"jobs": jobs})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(raw)
}

func TestArraysOfFiftyThousand(t *testing.T) {
	q, err := readJobsJSON(one(t, map[string]any{"job_id": 9, "array_job_id": 9, "array_task_string": "1-50000%7", "job_state": "PENDING"}))
	if err != nil || len(q.jobs) != 1 || q.jobs[0].ID != "9_[1-50000%7]" || q.jobs[0].Tasks != 50000 {
		t.Fatalf("%v: %+v", err, q.jobs)
	}
	odd := make([]string, 25000) // 1,3,5,...: one record of 25,000 numbers
	for i := range odd {
		odd[i] = fmt.Sprint(2*i + 1)
	}
	q, err = readJobsJSON(one(t, map[string]any{"job_id": 9, "array_job_id": 9, "array_task_string": strings.Join(odd, ","), "job_state": "PENDING"}))
	if err != nil || q.jobs[0].Tasks != 25000 || len(q.gaps) > 0 {
		t.Fatalf("%v: %d tasks, %v", err, q.jobs[0].Tasks, q.gaps)
	}
	tasks := make([]map[string]any, 50000)
	for i := range tasks {
		tasks[i] = map[string]any{"job_id": 10 + i, "array_job_id": 9, "array_task_id": i, "job_state": "RUNNING", "nodes": "n1"}
	}
	q, err = readJobsJSON(one(t, tasks...))
	if err != nil || len(q.jobs) != 50000 || q.jobs[0].ID != "9_0" || q.jobs[49999].ID != "9_49999" {
		t.Fatalf("%v: %d jobs", err, len(q.jobs))
	}
	checkJobs(t, q.jobs)
}

// A list that Slurm has cut short ends in the middle of a number: 120... may have
// been 1205. What is sure is counted, and the rest is told.
func TestListOfTasksThatIsCutShort(t *testing.T) {
	q, err := readJobsJSON(one(t, map[string]any{"job_id": 9, "array_job_id": 9, "array_task_string": "1-5,7,120...", "job_state": "PENDING"}))
	if err != nil || q.jobs[0].Tasks != 6 || len(q.gaps) != 1 || !strings.Contains(q.gaps[0].What, "how many tasks") {
		t.Fatalf("%v: %d tasks, %v", err, q.jobs[0].Tasks, q.gaps)
	}
}

// Names are what users write, and nobody else's record.
func TestNamesThatLookLikeRecords(t *testing.T) {
	const separator = "~5f3a~"
	for _, name := range []string{
		"evil\nJobId=1 JobState=FAILED", "a|b|c", "~0000~", "\x1f\x1f\x1f", "\x00\x07\x1b[31m", "(null)", "N/A", "None assigned", `"},{"job_id":1`, "日本", "\r\n\r\n",
	} {
		q, err := readJobsJSON(one(t, map[string]any{"job_id": 5, "name": name, "comment": name, "job_state": "PENDING", "state_reason": "Priority"}))
		if err != nil || len(q.jobs) != 1 || q.jobs[0].Name != name || q.jobs[0].Comment != name {
			t.Errorf("JSON, name %q: %v, %+v", name, err, q.jobs)
		}
		checkJobs(t, q.jobs)
		q, err = readQueueColumns(strings.NewReader(row(separator, "5", name)+row(separator, "6", "next")), separator)
		if err != nil || len(q.jobs) != 2 || q.jobs[0].Name != name || q.jobs[1].Name != "next" {
			t.Errorf("columns, name %q: %v, %+v", name, err, q.jobs)
		}
	}
	q, err := readQueueColumns(strings.NewReader(row(separator, "5", "\xff\xfeab")), separator)
	if err != nil || q.jobs[0].Name != "\uFFFDab" {
		t.Errorf("invalid UTF-8: %v, %+v", err, q.jobs)
	}
	checkJobs(t, q.jobs)
}

// row is a line of squeue -O about a job that waits.
func row(separator, id, name string) string {
	var b strings.Builder
	for _, column := range queueColumns {
		switch column {
		case "JobID", "JobArrayID":
			b.WriteString(id)
		case "Name":
			b.WriteString(name)
		case "State":
			b.WriteString("PENDING")
		}
		b.WriteString(separator)
	}
	return b.String() + "\n"
}

func TestWordsOfALaterVersionAreKept(t *testing.T) {
	q, err := readJobsJSON(one(t, map[string]any{"job_id": 5, "job_state": []string{"HIBERNATING", "ON_MARS"}, "state_reason": "MoonPhase"}))
	if err != nil {
		t.Fatal(err)
	}
	j := q.jobs[0]
	if j.State != "HIBERNATING" || !slices.Equal(j.Flags, []string{"ON_MARS"}) || j.Reason != "MoonPhase" || j.Waits() || j.Runs() || j.Over() {
		t.Errorf("got %+v", j)
	}
	n := states("HIBERNATING+DRAIN*")
	if !slices.Equal(n, []string{"HIBERNATING", "DRAIN", "NOT_RESPONDING"}) {
		t.Errorf("got %v", n)
	}
}

// One word for what a job does, whichever version tells it.
func TestStatesOfJobs(t *testing.T) {
	for _, c := range []struct {
		told  words
		state string
		flags []string
	}{
		{words{"COMPLETING"}, "COMPLETING", nil},                                // 22.05
		{words{"CANCELLED", "COMPLETING"}, "COMPLETING", []string{"CANCELLED"}}, // 24.11
		{words{"RUNNING", "CONFIGURING"}, "CONFIGURING", []string{"RUNNING"}},   // waits for nodes to boot
		{words{"REQUEUED"}, "PENDING", []string{"REQUEUED"}},                    // 22.05: back in the queue
		{words{"PENDING", "REQUEUED"}, "PENDING", []string{"REQUEUED"}},         // 24.11
		{words{"REQUEUE_HOLD"}, "PENDING", []string{"REQUEUE_HOLD"}},            // and held
		{words{"PENDING", "SPECIAL_EXIT"}, "PENDING", []string{"SPECIAL_EXIT"}}, //
		{words{"running"}, "RUNNING", nil},                                      //
		{words{"PENDING", "PENDING"}, "PENDING", nil},                           //
		{words{"COMPLETED", "COMPLETING", "STAGE_OUT"}, "COMPLETING", []string{"COMPLETED", "STAGE_OUT"}},
	} {
		state, flags := jobState(c.told)
		if state != c.state || !slices.Equal(flags, c.flags) {
			t.Errorf("%v: must be %s %v, got %s %v", c.told, c.state, c.flags, state, flags)
		}
	}
}

// A number that cannot be makes its record a gap, with the field, and no other.
func TestNumbersOutOfRange(t *testing.T) {
	for field, value := range map[string]any{
		"cpus": -1, "node_count": 1 << 40, "tasks": map[string]any{"set": true, "number": 1 << 33}, "submit_time": -5, "start_time": json.Number("99999999999"),
		"time_limit": json.Number("9007199254740991"), "restart_cnt": -2, "priority": -7, "job_id": json.Number("18446744073709551000"), "array_job_id": json.Number("1e400"),
	} {
		bad := map[string]any{"job_id": 5, "job_state": "PENDING"}
		bad[field] = value
		q, err := readJobsJSON(one(t, bad, map[string]any{"job_id": 6, "job_state": "PENDING", "time_limit": 4294967295}))
		if err != nil || len(q.jobs) != 1 || q.jobs[0].ID != "6" || q.jobs[0].TimeLimit != 0 || len(q.gaps) != 1 {
			t.Errorf("%s: %v, %d jobs, gaps %v", field, err, len(q.jobs), q.gaps)
		}
	}
}

func TestEmptyAndOtherAnswers(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "cut off",
		"slurm_load_jobs error: whatever":      "invalid character",
		"[]":                                   `must be "{"`,
		`{"jobs":{}}`:                          `must be "["`,
		`{"jobs":[`:                            "cut off",
		`{"jobs":[],"errors":[{"error":"x"}]}`: "x",
	} {
		q, err := readJobsJSON(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(q.jobs) > 0 {
			t.Errorf("%q: must be %q, got %v", text, want, err)
		}
	}
	if q, err := readJobsJSON(strings.NewReader(`{"jobs":[],"errors":[]}`)); err != nil || len(q.jobs)+len(q.gaps) > 0 {
		t.Errorf("an empty queue: %v %v", err, q)
	}
	if q, err := readJobsJSON(strings.NewReader(`{"jobs":[7,null,"x",{"job_id":3,"job_state":["PENDING"]}]}`)); err != nil || len(q.jobs) != 1 || !strings.Contains(q.gaps[0].What, "3 jobs") {
		t.Errorf("elements that are no jobs: %v %+v", err, q)
	}
}

// A record without end is refused before it fills the memory.
func TestEndlessRecord(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"jobs":[{"name":"`), endlessly('x'))
	if _, err := readJobsJSON(endless); !errors.Is(err, errEndless) {
		t.Errorf("JSON: %v", err)
	}
	if _, err := readQueueColumns(endlessly('x'), "~~"); err == nil {
		t.Error("columns: must be refused")
	}
	if _, _, err := readNodes(endlessly('x')); !errors.Is(err, errEndless) {
		t.Errorf("text: %v", err)
	}
}

type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
