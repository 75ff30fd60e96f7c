package traces

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/scheduler/sim"
)

const sacctHeader = "JobID|User|Account|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES|NodeList\n"

func mustReadWith(t *testing.T, o Options, text string) *Trace {
	t.Helper()
	trace, err := ReadWith(strings.NewReader(text), "jobs.txt", "sacct", o)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func mustSacct(t *testing.T, text string) *Trace {
	t.Helper()
	return mustReadWith(t, Options{}, text)
}

// Two jobs by hand: 12 waits 5 minutes and runs an hour on 8 GPUs, 13 is
// stopped at its limit of 30 minutes, four seconds late: that is when its work ends, so its limit is a minute more.
func TestSacctRowsBecomeJobs(t *testing.T) {
	got := mustSacct(t, sacctHeader+
		"12|ann|nlp|gpu|COMPLETED|2026-03-02T09:00:00|2026-03-02T09:05:00|2026-03-02T10:05:00|3600|120|billing=64,cpu=64,gres/gpu:a100=8,gres/gpu=8,mem=500G,node=1|n1\n"+
		"13|bob|vis|gpu|TIMEOUT|2026-03-02T09:01:00|2026-03-02T09:01:00|2026-03-02T09:31:04|1804|30|cpu=8,gres/gpu=2,mem=60G,node=2|n[2-3]\n")
	want := []sim.Job{
		{Job: schedmate.Job{ID: "12", User: "ann", Group: "nlp", GPUs: 8, GPUType: "a100", Submit: 0, TimeLimit: 7200,
			Outcome: &schedmate.Outcome{Run: 3600, State: schedmate.Completed}}},
		{Job: schedmate.Job{ID: "13", User: "bob", Group: "vis", GPUs: 2, Submit: 60, TimeLimit: 1860,
			Outcome: &schedmate.Outcome{Run: 1804, State: schedmate.TimedOut}}},
	}
	if diff := cmp.Diff(want, got.Jobs); diff != "" {
		t.Error(diff)
	}
	if p, _ := got.Past("12"); p != (Past{JCT: 3900, Queue: 300}) {
		t.Errorf("job 12 really took %+v", p)
	}
	if p, _ := got.Past("13"); p != (Past{JCT: 1804}) {
		t.Errorf("job 13 really took %+v", p)
	}
	if u := got.Accounting.Usage; u != (Usage{GPUs: 10, Nodes: 3, GPUsPerNode: 8}) || u.Cluster() != "3x8" {
		t.Errorf("used %v, proposes %s", u, u.Cluster())
	}
}

// What sacct 22.05 really printed in a lab: a name with the delimiter and a
// line end in it, steps, both parts of a heterogeneous job, a job on shares.
func TestSacctOutputOfALab(t *testing.T) {
	got := mustSacct(t, `JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|NNodes
1|1|job1.sh|root|root|batch|normal|RUNNING|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|Unknown|63|30|billing=2,cpu=2,gres/gpu=2,mem=200M,node=1|billing=2,cpu=2,gres/gpu=2,mem=200M,node=1|n1|1
1.batch|1.batch|batch||root|||RUNNING|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|Unknown|63|||cpu=2,gres/gpu=2,mem=200M,node=1|n1|1
2|2|evil|name
JobId=99  x|root|root|batch|normal|COMPLETED|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:50:20|63|30|billing=2,cpu=2,gres/gpu=10,mem=200M,node=2|billing=2,cpu=2,gres/gpu=10,mem=200M,node=2|n[2-3]|2
2.batch|2.batch|batch||root|||COMPLETED|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:50:20|63|||cpu=1,gres/gpu=8,mem=100M,node=1|n2|1
5+0|5|job1.sh|root|root|batch|normal|COMPLETED|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:50:20|63|60|billing=1,cpu=1,gres/gpu=4,mem=100M,node=1|billing=1,cpu=1,gres/gpu=4,mem=100M,node=1|n1|1
5+0.batch|5.batch|batch||root|||COMPLETED|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:50:20|63|||cpu=1,gres/gpu=4,mem=100M,node=1|n1|1
5+1|6|job1.sh|root|root|batch|normal|CANCELLED by 0|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:50:20|63|60|billing=1,cpu=1,gres/gpu=1,mem=100M,node=1|billing=1,cpu=1,gres/gpu=1,mem=100M,node=1|n3|1
3_0|7|job1.sh|root|root|batch|normal|RUNNING|0:0|2026-11-30T07:49:17|2026-11-30T07:49:17|2026-11-30T07:49:17|Unknown|63|60|billing=1,cpu=1,gres/shard=2,mem=100M,node=1|billing=1,cpu=1,gres/shard=2,mem=100M,node=1|n1|1
6_[0-2%1]|8|sweep|root|root|batch|normal|PENDING|0:0|2026-11-30T07:49:17|Unknown|Unknown|Unknown|0|60|billing=1,cpu=1,gres/gpu=1,mem=100M,node=1||None assigned|1
`)
	var jobs []string
	for i := range got.Jobs {
		jobs = append(jobs, got.Jobs[i].ID+" "+got.Jobs[i].Name)
	}
	if diff := cmp.Diff([]string{"2 evil|name JobId=99  x", "5+0 job1.sh", "5+1 job1.sh"}, jobs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Drop{
		{Reason: "asks shares of GPUs and no whole one", Count: 1, FirstLine: 10},
		{Reason: "still running", Count: 1, FirstLine: 2},
		{Reason: "never started", Count: 1, FirstLine: 11},
	}, got.Dropped); diff != "" {
		t.Error(diff)
	}
	a := got.Accounting
	if a.Steps != 3 || a.Usage != (Usage{GPUs: 17, Nodes: 3, GPUsPerNode: 6}) {
		t.Errorf("%d steps, used %v; want 3 and 17 GPUs (1 holds 2, 2 holds 10, 5+0 4, 5+1 1), 6 of them on n1 and on n3", a.Steps, a.Usage)
	}
}

// Three GPUs lie on two nodes as 2 and 1, and which has two is not told. Node n3 has
// 8 GPUs, and holds 7 of others: one more is there, not two.
func TestGPUsThatLieUnevenlyAreNotCountedTwice(t *testing.T) {
	got := mustSacct(t, sacctHeader+
		"1|ann|nlp|gpu|COMPLETED|100|100|700|600|20|gres/gpu=7|n3\n"+
		"2|ann|nlp|gpu|COMPLETED|100|200|700|500|20|gres/gpu=3|n[1,3]\n")
	if u := got.Accounting.Usage; u != (Usage{GPUs: 10, Nodes: 2, GPUsPerNode: 8}) {
		t.Errorf("used %v, want 10 at once, on 2 nodes with up to 8 each", u)
	}
	got = mustSacct(t, sacctHeader+"2|ann|nlp|gpu|COMPLETED|100|200|700|500|20|gres/gpu=3|n[1,3]\n")
	if u := got.Accounting.Usage; u != (Usage{GPUs: 3, Nodes: 2, GPUsPerNode: 2}) {
		t.Errorf("used %v, want 3 at once, on 2 nodes with up to 2 each", u)
	}
}

// Job 7 is requeued by a failed node, preempted, and completes: 600 s and 300 s
// are lost, 1,200 s are the last run. It waited 100, 90 and 210 s.
func TestRunsOfARequeuedJobAreOneJob(t *testing.T) {
	rows := []string{
		"7|ann|nlp|gpu|COMPLETED|10900|11110|12310|1200|20|gres/gpu=4|n1\n",
		"7|ann|nlp|gpu|NODE_FAIL|10000|10100|10700|600|20|gres/gpu=2|n2\n",
		"8|ann|nlp|gpu|COMPLETED|10001|10100|10200|100|20|gres/gpu=4|n1\n",
		"7|ann|nlp|gpu|PREEMPTED|10700|10790|11090|300|20|gres/gpu=4|n3\n",
	}
	got := mustSacct(t, sacctHeader+strings.Join(rows, ""))
	j := got.Jobs[0]
	if j.ID != "7" || j.Submit != 0 || j.GPUs != 4 || j.Outcome.Run != 2100 || j.Outcome.State != schedmate.Completed || j.TimeLimit != 0 {
		t.Errorf("got %+v, outcome %+v", j.Job, j.Outcome)
	}
	if p, _ := got.Past("7"); p != (Past{JCT: 2310, Queue: 210}) {
		t.Errorf("job 7 really took %+v, want 2310 s of which 210 waiting", p)
	}
	if a := got.Accounting; a.Requeued != 1 || a.Runs != 4 {
		t.Errorf("%d requeued jobs, %d runs", a.Requeued, a.Runs)
	}
	rows[3] = strings.Replace(rows[3], "ann", "bob", 1)
	if _, err := Read(strings.NewReader(sacctHeader+strings.Join(rows, "")), "jobs.txt", "sacct"); err == nil || !strings.Contains(err.Error(), "of another user") {
		t.Errorf("an id of two users: %v", err)
	}
}

// Nothing is left out without a reason.
func TestSacctRowsThatCannotBeSimulated(t *testing.T) {
	for reason, row := range map[string]string{
		"asks 0 GPUs":                                   "1|a|b|c|COMPLETED|100|110|120|10|5|cpu=4,mem=1G|n1",
		"asks shares of GPUs and no whole one":          "1|a|b|c|COMPLETED|100|110|120|10|5|cpu=4,gres/shard=2|n1",
		"never started":                                 "1|a|b|c|CANCELLED by 1000|100|Unknown|120|0|5||None assigned",
		"still running":                                 "1|a|b|c|RUNNING|100|110|Unknown|10|5|gres/gpu=1|n1",
		"was requeued and waits":                        "1|a|b|c|REQUEUED|100|110|120|10|5|gres/gpu=1|n1",
		"ends before it starts":                         "1|a|b|c|COMPLETED|100|110|105|10|5|gres/gpu=1|n1",
		"starts before its submission":                  "1|a|b|c|COMPLETED|100|90|105|15|5|gres/gpu=1|n1",
		"has no end":                                    "1|a|b|c|COMPLETED|100|110|Unknown||5|gres/gpu=1|n1",
		"ran 0 seconds":                                 "1|a|b|c|FAILED|100|110|110|0|5|gres/gpu=1|n1",
		"has a state that Slurm's manual does not name": "1|a|b|c|DREAMING|100|110|120|10|5|gres/gpu=1|n1",
	} {
		got := mustSacct(t, sacctHeader+row+"\n2|a|b|c|COMPLETED|100|110|120|10|5|gres/gpu=1|n1\n")
		if diff := cmp.Diff([]Drop{{Reason: reason, Count: 1, FirstLine: 2}}, got.Dropped); diff != "" || len(got.Jobs) != 1 {
			t.Errorf("%s: %s", row, diff)
		}
	}
}

func TestEndStatesOfSacct(t *testing.T) {
	for state, want := range map[string]lucidState{
		"COMPLETED":         {schedmate.Completed, ""},
		"FAILED":            {schedmate.Failed, ""},
		"OUT_OF_MEMORY":     {schedmate.Failed, ""},
		"NODE_FAIL":         {schedmate.Failed, schedmate.InfrastructureFailure},
		"CANCELLED by 1000": {schedmate.Cancelled, ""},
		"CANCELLED+":        {schedmate.Cancelled, ""},
		"PREEMPTED":         {schedmate.Cancelled, ""},
		"TIMEOUT":           {schedmate.TimedOut, ""},
		"DEADLINE":          {schedmate.TimedOut, ""},
	} {
		o := mustSacct(t, sacctHeader+"2|a|b|c|"+state+"|100|110|120|10|5|gres/gpu=1|n1\n").Jobs[0].Outcome
		if o.State != want.state || o.Failure != want.failure {
			t.Errorf("%s became %s %q", state, o.State, o.Failure)
		}
	}
}

// The columns may come in any order and with others, behind any delimiter,
// and durations in either form.
func TestSacctColumnsInAnyOrder(t *testing.T) {
	want := mustSacct(t, "JobID|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES\n12|COMPLETED|100|200|93784|93584|1500|gres/gpu=1\n").Jobs
	for _, text := range []string{
		"JobID|State|Submit|Start|End|Timelimit|AllocTRES\n12|COMPLETED|100|200|93784|1-01:00:00|gres/gpu=1\n",
		"AllocTRES|Comment|Timelimit|Elapsed|Start|Submit|State|JobIDRaw\ngres/gpu=1|hi|25:00:00|1-01:59:44|200|100|COMPLETED|12\n",
		"AllocTRES|Timelimit|Elapsed|Start|Submit|State|JobIDRaw|\ngres/gpu=1|25:00:00|1-01:59:44|200|100|COMPLETED|12|\n",
		"JobID\x1fState\x1fSubmit\x1fStart\x1fEnd\x1fTimelimit\x1fReqTRES\n12\x1fCOMPLETED\x1f100\x1f200\x1f93784\x1f1-01:00:00\x1fgres/gpu=1\n",
		"JobID;;State;;Submit;;Start;;End;;Timelimit;;ReqTRES\r\n12;;COMPLETED;;100;;200;;93784;;1-01:00:00;;gres/gpu=1\r\n\r\n",
		"\xef\xbb\xbfJobID|State|Submit|Start|End|TimelimitRaw|AllocTRES\n12|COMPLETED|1970-01-01T00:01:40|1970-01-01T00:03:20|1970-01-02T02:03:04|1500|gres/gpu=1\n",
	} {
		if diff := cmp.Diff(want, mustSacct(t, text).Jobs); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Where names stand, and whatever they hold, the rows come out the same.
func TestNamesMayHoldDelimitersAndLineEnds(t *testing.T) {
	names := []string{"plain", "a|b", "|", "||||||||||||||||||", "two\nlines", "x|y\n\nz|", `say "hi"`, "5", "12|13", "tab\tand \x1b[31mred", "\xff\xfe", ""}
	for _, header := range []string{"JobID|JobName|State|Submit|Start|End|AllocTRES|NNodes", "JobName|JobID|State|Submit|Start|End|AllocTRES|NNodes", "JobID|State|Submit|Start|End|AllocTRES|NNodes|JobName"} {
		text := header + "\n"
		for i, name := range names {
			cells := strings.NewReplacer("JobID", "10"+string(rune('0'+i%10))+string(rune('0'+i/10)), "State", "COMPLETED", "Submit", "1000", "Start", "1100", "End", "1200",
				"AllocTRES", "gres/gpu=1", "NNodes", "1").Replace(header)
			text += strings.Replace(cells, "JobName", name, 1) + "\n"
		}
		got := mustSacct(t, text)
		var have, want []string
		for i := range got.Jobs {
			have = append(have, got.Jobs[i].Name)
		}
		for _, name := range names {
			clean := readable(name)
			if clean != name {
				clean = strings.TrimSpace(clean)
			}
			want = append(want, clean)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s: %s", header, diff)
		}
	}
}

// A policy may start a job when it is eligible: before, it waits for other
// jobs or for its begin time, and no scheduler could help it.
func TestJobsWaitFromWhenTheyAreEligible(t *testing.T) {
	text := "JobID|State|Submit|Eligible|Start|End|AllocTRES|Partition|Account\n" +
		"1|COMPLETED|1000|1000|1100|1200|gres/gpu=1|fast|nlp\n" +
		"2|COMPLETED|1000|5000|5100|5200|gres/gpu=1||vis\n" +
		"3|COMPLETED|1000|Unknown|5100|5200|gres/gpu=1|slow|vis\n"
	submits := func(tr *Trace) (out []schedmate.Seconds) {
		for i := range tr.Jobs {
			out = append(out, tr.Jobs[i].Submit)
		}
		return out
	}
	got := mustSacct(t, text)
	if diff := cmp.Diff([]schedmate.Seconds{0, 0, 4000}, submits(got)); diff != "" || got.Accounting.Later != 1 {
		t.Errorf("%d later: %s", got.Accounting.Later, diff)
	}
	if p, _ := got.Past("2"); p.Queue != 100 {
		t.Errorf("job 2 waited %d s, want 100", p.Queue)
	}
	got = mustReadWith(t, Options{Arrival: ArrivalSubmit, VC: VCPartition}, text)
	if p, _ := got.Past("2"); p.Queue != 4100 {
		t.Errorf("counted from its submission job 2 waited %d s, want 4100", p.Queue)
	}
	if diff := cmp.Diff([]string{"fast", "slow"}, got.VCs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"nlp", "vis"}, mustReadWith(t, Options{VC: VCAccount}, text).VCs); diff != "" {
		t.Error(diff)
	}
}

// Two months, one file behind the other.
func TestFilesOfSacctMayFollowEachOther(t *testing.T) {
	month := func(id string) string {
		return sacctHeader + id + "|a|b|c|COMPLETED|100|110|120|10|5|gres/gpu=1|n1\n"
	}
	if n := len(mustSacct(t, month("1")+month("2")).Jobs); n != 2 {
		t.Errorf("got %d jobs, want 2", n)
	}
}

func TestGPUsOfTrackableResources(t *testing.T) {
	for list, want := range map[string]string{
		"billing=8,cpu=8,gres/gpu=8,mem=1G,node=1":         "8  false",
		"gres/gpu:a100=8":                                  "8 a100 false",
		"gres/gpu:a100=8,gres/gpu=8":                       "8 a100 false",
		"gres/gpu=8,gres/gpu:a100=4,gres/gpu:v100=4":       "8  false",
		"gres/gpu:a100=4,gres/gpu:v100=4":                  "8  false",
		"cpu=1,gres/shard=2":                               "0  true",
		"cpu=1,gres/gpumem=80G,gres/gpuutil=90,gres/mic=1": "0  false",
		"": "0  false",
	} {
		gpus, gpuType, shared, problem := gpusOf(list)
		if got := strings.Join([]string{itoa(gpus), gpuType, map[bool]string{true: "true", false: "false"}[shared]}, " "); got != want || problem != "" {
			t.Errorf("%s: got %q, want %q (%s)", list, got, want, problem)
		}
	}
}

func TestListsOfNodes(t *testing.T) {
	for list, want := range map[string]string{
		"n1":                    "n1",
		"n[1-3]":                "n1 n2 n3",
		"gpu[08-10,12]-ib,n1":   "gpu08-ib gpu09-ib gpu10-ib gpu12-ib n1",
		"r[1-2]n[1-2]":          "r1n1 r1n2 r2n1 r2n2",
		"":                      "",
		"n[1-":                  "",
		"n[3-1]":                "",
		"n[1-999999999]":        "",
		"a[1-9999]b[1-9999]":    "",
		"n[1-2147483647]x[1-2]": "",
	} {
		if got := strings.Join(nodesOf(list), " "); got != want {
			t.Errorf("%s: got %q, want %q", list, got, want)
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// A name may hold anything, and the rows beside it stay what they are.
func TestNamesNeverTouchOtherRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"|", "\n", "a", "7", "job.sh", " ", "COMPLETED", "gres/gpu=8", "\x1b", `"`, "2026-01-01T00:00:00"})
		names := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "") }), 1, 8).Draw(t, "names")
		text := "JobID|JobName|User|State|Submit|Start|End|AllocTRES|NNodes\n"
		for i, name := range names {
			text += strconv.Itoa(100+i) + "|" + name + "|ann|COMPLETED|1000|1100|" + strconv.Itoa(1200+i) + "|gres/gpu=1|1\n"
		}
		got, err := Read(strings.NewReader(text), "jobs.txt", "sacct")
		if err != nil {
			t.Fatal(err)
		}
		for i := range names {
			if j := got.Jobs[i]; len(got.Jobs) != len(names) || j.ID != strconv.Itoa(100+i) || j.User != "ann" || j.Outcome.Run != schedmate.Seconds(100+i) {
				t.Fatalf("of %d jobs, number %d became %+v", len(names), i, j.Job)
			}
		}
	})
}

func TestBadAccountingIsRefusedWithAPlaceAndANextStep(t *testing.T) {
	const header = "JobID|State|Submit|Start|End|ElapsedRaw|Timelimit|AllocTRES\n"
	const fix = "; correct the cell or remove the row"
	for _, c := range []struct{ text, want string }{
		{"JobID|State|Submit|Start|End\n", `jobs.txt:1: column "AllocTRES": is missing; run: ` + sacctCommand},
		{"12|COMPLETED|1|2|3|gres/gpu=1\n", `jobs.txt:1: column "JobID": is missing; run: ` + sacctCommand},
		{"JobID\n", `jobs.txt:1: column "State": is missing; run: ` + sacctCommand},
		{"JobID|State|State|Submit\n", `jobs.txt:1: column "State": occurs twice; remove or rename one of them`},
		{"JobID   State\n", `jobs.txt:1: is a table for people, which cuts long cells off; run: ` + sacctCommand},
		{header, `jobs.txt: has a header but no jobs; check that the file is complete`},
		{header + "1|COMPLETED|1000\n", `jobs.txt:2: the row has 3 cells, the header has 8, and they cannot be told apart; remove the row, or leave JobName and other texts of users out of --format`},
		{header + "1|COMPLETED|03/04-10:00:00|2|3|1|5|gres/gpu=1\n2|COMPLETED|1|2|3|1||gres/gpu=1\n",
			`jobs.txt:2: column "Submit": must be a time like 2026-01-31T09:00:00 or Unix seconds, got "03/04-10:00:00"; run: ` + sacctCommand},
		{header + "1|COMPLETED|Unknown|2|3|1||gres/gpu=1\n", `jobs.txt:2: column "Submit": is not known` + fix},
		{header + "1|COMPLETED|1|2|3|1||gres/gpu=many\n", `jobs.txt:2: column "AllocTRES": gres/gpu must be a whole number, got "many"` + fix},
		{header + "1|COMPLETED|1|2|3|1|5:99999999:00|gres/gpu=1\n", `jobs.txt:2: column "Timelimit": must be a duration like 1-02:03:04, got "5:99999999:00"` + fix},
		{header + "1|COMPLETED|1|2|3|99999999999||gres/gpu=1\n", `jobs.txt:2: column "ElapsedRaw": must lie in [0, 6324480000], got 99999999999` + fix},
		{header + "1|COMPLETED|1000|1100|1200|100||gres/gpu=1\n2|COMPLETED|2026-01-01T00:00:00|1100|1200|100||gres/gpu=1\n",
			`jobs.txt:3: column "Submit": mixes times of day and seconds: 2026-01-01T00:00:00 here, the other on line 2; write all of them in one way`},
		{header + "1|PENDING|1000|Unknown|Unknown|0||\n", `jobs.txt: has no job left: 1 dropped (never started); check that the columns hold what the format says`},
	} {
		if _, err := Read(strings.NewReader(c.text), "jobs.txt", "sacct"); err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// With --format=ALL the command line repeats the name, so two columns are torn.
func TestTwoColumnsMayBeTorn(t *testing.T) {
	got := mustSacct(t, "Comment|JobID|JobName|Layout|NNodes|Elapsed|ElapsedRaw|AllocTRES|Start|State|Submit|SubmitLine|SystemComment|Timelimit|TimelimitRaw|WorkDir\n"+
		"|2|evil|name\nJobId=99  x||2|00:10:07|607|gres/gpu=10|1100|COMPLETED|1000|sbatch -J evil|name\nJobId=99  x||00:30:00|30|/tmp\n"+
		"|3|plain||1|00:00:10|10|gres/gpu=1|1100|COMPLETED|1000|sbatch||00:30:00|30|/tmp\n")
	if len(got.Jobs) != 2 || got.Jobs[0].Name != "evil|name JobId=99  x" || got.Jobs[0].TimeLimit != 1800 || got.Jobs[0].Outcome.Run != 607 {
		t.Errorf("got %d jobs, the first %+v", len(got.Jobs), got.Jobs[0].Job)
	}
}
