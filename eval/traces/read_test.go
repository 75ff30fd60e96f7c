package traces

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/scheduler/sim"
)

const chronusHeader = "job_id,vc,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type\n"

// mustRead reads a trace that a test wrote down.
func mustRead(t *testing.T, f Format, text string) *Trace {
	t.Helper()
	trace, err := ReadWith(strings.NewReader(text), "trace.csv", f, Options{Beside: besideTests})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Three rows of philly_mix2, one of each kind, worked out by hand.
func TestChronusMinutesBecomeSecondsAndTiersBecomeInstants(t *testing.T) {
	got := mustRead(t, "chronus", chronusHeader+
		"0,vc_ed69ec,1,5601,5530,mobilenet_v2,96,5,159-189-229-289,10-8-5-2,0,soft\n"+
		"1,vc_6214e9,1,7505,760,alexnet,106,6,235,10,0,strict\n"+
		"2,vc_ee9e8c,2,3,3621,alexnet,30,17,14341,10,1,best\n")
	want := []sim.Job{
		{Job: schedmate.Job{
			ID: "2", VC: "vc_ee9e8c", GPUs: 2, Submit: 3 * 60, Iterations: 3621,
			Workload: schedmate.Workload{Model: "alexnet"},
			SLO:      schedmate.SLO{Class: schedmate.BestEffort}, // 14341 is a placeholder
			Outcome:  &schedmate.Outcome{Run: 30 * 60, State: schedmate.Completed},
		}},
		{Job: schedmate.Job{
			ID: "0", VC: "vc_ed69ec", GPUs: 1, Submit: 5601 * 60, Iterations: 5530,
			Workload: schedmate.Workload{Model: "mobilenet_v2"},
			SLO: schedmate.SLO{Class: schedmate.Soft, Tiers: []schedmate.Tier{
				{Deadline: (5601 + 159) * 60, Reward: 100}, {Deadline: (5601 + 189) * 60, Reward: 80},
				{Deadline: (5601 + 229) * 60, Reward: 50}, {Deadline: (5601 + 289) * 60, Reward: 20},
			}},
			Outcome: &schedmate.Outcome{Run: 96 * 60, State: schedmate.Completed},
		}},
		{Job: schedmate.Job{
			ID: "1", VC: "vc_6214e9", GPUs: 1, Submit: 7505 * 60, Iterations: 760,
			Workload: schedmate.Workload{Model: "alexnet"},
			SLO:      schedmate.SLO{Class: schedmate.Strict, Tiers: []schedmate.Tier{{Deadline: (7505 + 235) * 60, Reward: 100}}},
			Outcome:  &schedmate.Outcome{Run: 106 * 60, State: schedmate.Completed},
		}},
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"vc_6214e9", "vc_ed69ec", "vc_ee9e8c"}, got.VCs); diff != "" {
		t.Error(diff)
	}
}

func TestChronusTiersThatCollapseKeepTheBetterReward(t *testing.T) {
	got := mustRead(t, "chronus", chronusHeader+"0,vc,1,10,1,alexnet,20,5,30-30-40-40,10-8-5-2,0,soft\n")
	want := []schedmate.Tier{{Deadline: 40 * 60, Reward: 100}, {Deadline: 50 * 60, Reward: 50}}
	if diff := cmp.Diff(want, got.Jobs[0].SLO.Tiers); diff != "" {
		t.Error(diff)
	}
}

func TestChronusFilesOfTheArtifactCallTheVCUser(t *testing.T) {
	header := strings.Replace(chronusHeader, ",vc,", ",user,", 1)
	got := mustRead(t, "chronus", header+"0,vc_a,1,0,1,alexnet,1.5,5,30,10,0,strict\n")
	if j := got.Jobs[0]; j.VC != "vc_a" || j.User != "" || j.Outcome.Run != 90 {
		t.Errorf("vc %q, user %q, run %d s; want vc_a, none, 90 s", j.VC, j.User, j.Outcome.Run)
	}
}

func TestRowsThatCannotBeSimulatedAreDroppedAndCounted(t *testing.T) {
	got := mustRead(t, "chronus", chronusHeader+
		"0,vc_a,1,0,1,alexnet,30,5,40,10,0,strict\n"+
		"1,vc_b,0,0,1,alexnet,30,5,40,10,0,strict\n"+
		"2,vc_b,1,0,1,alexnet,0,5,40,10,0,strict\n"+
		"3,vc_b,0,0,1,alexnet,0,5,40,10,0,strict\n")
	want := []Drop{{Reason: "asks 0 GPUs", Count: 2, FirstLine: 3}, {Reason: "ran 0 seconds", Count: 1, FirstLine: 4}}
	if diff := cmp.Diff(want, got.Dropped); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"vc_a"}, got.VCs); diff != "" {
		t.Errorf("VCs of dropped jobs must not be listed: %s", diff)
	}
}

// The three rows that the README of the Helios data shows.
func TestHeliosLogCountsFromItsFirstSubmission(t *testing.T) {
	got := mustRead(t, "lucid", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"+
		"1425513,uzqls,vcpDC,1,1,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-17 14:15:21,675233,0\n"+
		"1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0\n"+
		"1425510,uXBbc,vcJkd,0,8,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0\n"+
		"1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0\n")
	job := func(id, user, vc string, gpus int, submit, run schedmate.Seconds, state schedmate.State) sim.Job {
		return sim.Job{Job: schedmate.Job{ID: id, User: user, VC: vc, GPUs: gpus, Submit: submit,
			Outcome: &schedmate.Outcome{Run: run, State: state}}}
	}
	want := []sim.Job{
		job("1425511", "uXBbc", "vcJkd", 1, 0, 36848, schedmate.Completed),
		job("1425512", "uVMrF", "vchbv", 4, 26, 249, schedmate.Failed),
		job("1425513", "uzqls", "vcpDC", 1, 27, 675233, schedmate.Cancelled),
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Drop{{Reason: "asks 0 GPUs", Count: 1, FirstLine: 4}}, got.Dropped); diff != "" {
		t.Error(diff)
	}
}

func TestLucidStates(t *testing.T) {
	for text, want := range map[string]schedmate.Outcome{
		"COMPLETED": {Run: 9, State: schedmate.Completed},
		"CANCELLED": {Run: 9, State: schedmate.Cancelled},
		"FAILED":    {Run: 9, State: schedmate.Failed},
		"TIMEOUT":   {Run: 9, State: schedmate.TimedOut},
		"NODE_FAIL": {Run: 9, State: schedmate.Failed, Failure: schedmate.InfrastructureFailure},
		"Pass":      {Run: 9, State: schedmate.Completed},
		"Killed":    {Run: 9, State: schedmate.Cancelled},
		"Failed":    {Run: 9, State: schedmate.Failed},
	} {
		got := mustRead(t, "lucid", "job_id,gpu_num,submit_s,duration,state\na,1,0,9,"+text+"\n")
		if diff := cmp.Diff(&want, got.Jobs[0].Outcome); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	got := mustRead(t, "lucid", "job_id,gpu_num,submit_s,duration,state\na,1,0,9,Pass\nb,1,0,9,SUSPENDED\n")
	if diff := cmp.Diff([]Drop{{Reason: "state SUSPENDED is not an end", Count: 1, FirstLine: 3}}, got.Dropped); diff != "" {
		t.Error(diff)
	}
}

// The first row of the Lucid input whose six policies we know the results of.
func TestLucidEstimatesAndProfilesBecomeFactsWithEvidence(t *testing.T) {
	got := mustRead(t, "lucid", "job_id,gpu_num,submit_s,duration,estimate_s,model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem\n"+
		"p00001,1,600,74,109,MobileNetV3,ImageNet,32,1,978.255,34.966,7.931,2382.0\n"+
		"p00002,1,700,74,,,,,,,,,\n")
	fact := func(kind schedmate.FactKind, value int64) schedmate.Fact {
		return schedmate.Fact{Kind: kind, Value: value, Low: value, High: value, ConfidenceMilli: 1000, Source: schedmate.FromTrace,
			Evidence: []schedmate.Evidence{{Ref: "trace.csv", Line: 2}}, ObservedAt: 600}
	}
	want := []sim.Job{
		{
			Job: schedmate.Job{ID: "p00001", GPUs: 1, Submit: 600,
				Workload: schedmate.Workload{Model: "MobileNetV3", Dataset: "ImageNet", BatchSize: 32, AMP: true},
				Outcome:  &schedmate.Outcome{Run: 74, State: schedmate.Completed}},
			Facts: []schedmate.Fact{
				fact(schedmate.RunSeconds, 109),
				fact(schedmate.GPUUtilisation, 350), // 34.966 %
				fact(schedmate.GPUMemoryMiB, 2382),
			},
		},
		{Job: schedmate.Job{ID: "p00002", GPUs: 1, Submit: 700, Outcome: &schedmate.Outcome{Run: 74, State: schedmate.Completed}}},
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
}

func TestFactsOfACalendarTraceMoveWithTheirJob(t *testing.T) {
	got := mustRead(t, "lucid", "job_id,gpu_num,submit_time,duration,estimate_s\n"+
		"a,1,2020-04-01 00:01:00,74,109\nb,1,2020-04-01 00:00:00,74,109\n")
	if a := got.Jobs[1]; a.ID != "a" || a.Submit != 60 || a.Facts[0].ObservedAt != 60 {
		t.Errorf("job %s submitted at %d, its fact observed at %d; want a, 60, 60", a.ID, a.Submit, a.Facts[0].ObservedAt)
	}
}

func TestLucidSubmitTimeMayBeSeconds(t *testing.T) {
	got := mustRead(t, "lucid", "job_id,gpu_num,submit_time,duration\na,1,1200.5,10\nb,1,1200.4,10\n")
	if got.Jobs[0].Submit != 1200 || got.Jobs[1].Submit != 1201 {
		t.Errorf("got %d and %d, want 1200 and 1201: an epoch of the file's own stays, halves go up", got.Jobs[0].Submit, got.Jobs[1].Submit)
	}
}

func TestPhillyOfPolluxIsSortedAndNumbered(t *testing.T) {
	got := mustRead(t, "philly", "timestamp,duration,num_gpus,vc\n"+
		"2017-10-09 07:01:55,66.0,1,11cb48\n"+
		"2017-10-09 06:13:03,2951.5,2,6214e9\n"+
		"2017-10-09 07:01:55,67.0,1,11cb48\n")
	var ids []string
	var submits, runs []schedmate.Seconds
	for _, j := range got.Jobs {
		ids, submits, runs = append(ids, j.ID), append(submits, j.Submit), append(runs, j.Outcome.Run)
	}
	if diff := cmp.Diff([]string{"p00000", "p00001", "p00002"}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]schedmate.Seconds{0, 48*60 + 52, 48*60 + 52}, submits); diff != "" { // 06:13:03 -> 07:01:55
		t.Error(diff)
	}
	if diff := cmp.Diff([]schedmate.Seconds{2952, 66, 67}, runs); diff != "" { // ties keep the order of the file
		t.Error(diff)
	}
}

func TestPhillyOfRFoldKeepsIDsAndEpoch(t *testing.T) {
	got := mustRead(t, "philly", "job_id,arrival_s,num_gpus,duration_s\n7,266563,1,3222990\n")
	want := []sim.Job{{Job: schedmate.Job{ID: "7", GPUs: 1, Submit: 266563, Outcome: &schedmate.Outcome{Run: 3222990, State: schedmate.Completed}}}}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
}

// However the same rows are written, the same jobs come out.
func TestSpellingsOfTheSameFile(t *testing.T) {
	const plain = "job_id,arrival_s,num_gpus,duration_s\na,0,1,10\nb,5,2,20\n"
	want := mustRead(t, "philly", plain)
	if sum := sha256.Sum256([]byte(plain)); want.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("hash %s is not that of the bytes", want.SHA256)
	}
	unzipped := string(zipped(t, plain))
	for name, text := range map[string]string{
		"gzip":             unzipped,
		"two gzip members": string(zipped(t, plain[:40])) + string(zipped(t, plain[40:])),
		"CRLF":             strings.ReplaceAll(plain, "\n", "\r\n"),
		"byte order mark":  "\xef\xbb\xbf" + plain,
		"no last line end": strings.TrimSuffix(plain, "\n"),
		"empty last lines": plain + "\n\n",
		"quoted cells":     "\"job_id\",arrival_s,num_gpus,duration_s\n\"a\",0,1,10\n\"b\",\"5\",2,20\n",
		"other order":      "num_gpus,duration_s,job_id,arrival_s\n1,10,a,0\n2,20,b,5\n",
		"decimals":         "job_id,arrival_s,num_gpus,duration_s\na,0.0,1,1e1\nb,4.6,2,20.4\n",
	} {
		got := mustRead(t, "philly", text)
		if diff := cmp.Diff(want.Jobs, got.Jobs); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if sum := sha256.Sum256([]byte(text)); got.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: hash %s is not that of the bytes as read", name, got.SHA256)
		}
	}
}

func TestOpenKeepsTheBaseName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv.gz")
	if err := os.WriteFile(path, zipped(t, "job_id,arrival_s,num_gpus,duration_s\na,0,1,10\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path, "philly")
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "x.csv.gz" || got.Format != "philly" || len(got.Jobs) != 1 {
		t.Errorf("got name %q, format %q, %d jobs", got.Name, got.Format, len(got.Jobs))
	}
}

func TestFormatsAreSortedAndDescribed(t *testing.T) {
	if diff := cmp.Diff([]Format{"chronus", "elasticflow", "lucid", "philly", "sacct", "sia", "swf", "synthetic"}, Formats()); diff != "" {
		t.Error(diff)
	}
	for _, f := range Formats() {
		if s := f.Summary(); s == "" || strings.Contains(s, "\n") {
			t.Errorf("format %s needs a summary of one line, has %q", f, s)
		}
	}
	if s := Format("gwf").Summary(); s != "" {
		t.Errorf("an unknown format has the summary %q", s)
	}
}
