package traces

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// madeUpMonth writes what sacct could print about a month of a small cluster:
// daily rhythm, sizes from 1 to 16, requeues, steps, jobs of every state, names
// with delimiters and line ends. The seed decides everything.
func madeUpMonth(seed uint64, jobs int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	var b strings.Builder
	b.WriteString("JobID|JobName|User|Account|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|NNodes|Comment|WorkDir\n")
	now := 1_772_400_000
	for i := range jobs {
		now += 1 + rng.IntN(900)
		gpus := 1 << rng.IntN(5)
		nodes, count := fmt.Sprintf("zulu%02d", rng.IntN(12)), 1
		if gpus == 16 {
			nodes, count = fmt.Sprintf("zulu[%02d-%02d]", 3, 4), 2
		}
		user := pick("alicewong", "bobmarsh", "carolinek", "dmitriyv")
		name := pick("quokka-pretrain", "walrus|eval", "narwhal\nsweep", `"ocelot"`, "penguin_"+user)
		wait, limit := rng.IntN(4000), 60*(1+rng.IntN(48))
		eligible := now + rng.IntN(2)*rng.IntN(3000)
		start := eligible + wait
		row := func(state string, submit, start, end string, elapsed int, alloc string) {
			list := nodes
			if alloc == "" {
				list = "None assigned"
			}
			fmt.Fprintf(&b, "%d|%s|%s|projectxray|partitiongold|qosplatinum|%s|0:0|%s|%d|%s|%s|%d|%d|cpu=8,gres/gpu=%d|%s|%s|%d|secretcomment|/home/%s/secretdir\n",
				4_000_000+i, name, user, state, submit, eligible, start, end, elapsed, limit, gpus, alloc, list, count, user)
		}
		at := func(t int) string { return fmt.Sprint(t) }
		tres := fmt.Sprintf("billing=%d,cpu=8,gres/gpu:kryptonite=%d,gres/gpu=%d,mem=64G", gpus, gpus, gpus)
		switch run := 1 + rng.IntN(60*limit); rng.IntN(12) {
		case 0:
			row("CANCELLED by 31337", at(now), "Unknown", at(start), 0, "")
		case 1:
			row(pick("PREEMPTED", "NODE_FAIL", "REQUEUED"), at(now), at(start), at(start+run), run, tres)
			again := start + run
			row("COMPLETED", at(again), at(again+wait), at(again+wait+run), run, tres)
		case 2:
			row("TIMEOUT", at(now), at(start), at(start+60*limit+20), 60*limit+20, tres)
		case 3:
			row("RUNNING", at(now), at(start), "Unknown", run, tres)
		case 4:
			row("COMPLETED", at(now), at(start), at(start+run), run, "cpu=8,mem=64G")
		case 5:
			row("CANCELLED by 31337", at(now), at(start), at(start+run), run, tres)
		default:
			row(pick("COMPLETED", "COMPLETED", "FAILED", "OUT_OF_MEMORY"), at(now), at(start), at(start+run), run, tres)
			fmt.Fprintf(&b, "%d.batch|batch||projectxray|||COMPLETED|0:0|%d|%d|%d|%d|%d|||cpu=8,gres/gpu=%d|%s|%d||\n", 4_000_000+i, now, now, start, start+run, run, gpus, nodes, count)
		}
	}
	return b.String()
}

func anonymised(t *testing.T, a Anonymiser, text string) string {
	t.Helper()
	var b strings.Builder
	if _, err := a.Write(&b, strings.NewReader(text), "jobs.txt"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No text of the original is left: no name, no part of a path, no number of a
// user or a job, no date.
func TestAnonymousTraceHoldsNoTextOfTheOriginal(t *testing.T) {
	text := madeUpMonth(7, 400)
	out := anonymised(t, Anonymiser{Key: [32]byte{1}}, text)
	header, rows, _ := strings.Cut(out, "\n")
	if want := strings.Join(AnonymousColumns, "|"); header != want {
		t.Errorf("the header is %s, want %s", header, want)
	}
	stays := []string{"gres", "gpu", "Unknown"}
	for state := range sacctEnds {
		stays = append(stays, strings.Split(state, "_")...)
	}
	checked := 0
	for _, original := range regexp.MustCompile(`[A-Za-z]{3,}|31337|[0-9]{7,}`).FindAllString(strings.SplitN(text, "\n", 2)[1], -1) {
		if slices.Contains(stays, original) {
			continue
		}
		checked++
		if strings.Contains(rows, original) {
			t.Fatalf("%q is left", original)
		}
	}
	if checked < 5000 {
		t.Errorf("only %d texts were looked for", checked)
	}
	if again := anonymised(t, Anonymiser{Key: [32]byte{2}}, text); again == out {
		t.Error("another key must give other pseudonyms")
	}
}

// The same user is the same pseudonym, and a user called like a partition is
// another one.
func TestPseudonymsKeepGroups(t *testing.T) {
	out := anonymised(t, Anonymiser{}, "JobID|User|Partition|State|Submit|Start|End|AllocTRES\n"+
		"1|ann|ann|COMPLETED|1000|1100|1200|gres/gpu=1\n2|bob|ann|COMPLETED|1000|1100|1200|gres/gpu=1\n3|ann|bob|COMPLETED|1000|1100|1200|gres/gpu=1\n")
	jobs := mustReadWith(t, Options{VC: VCPartition}, out).Jobs
	if jobs[0].User != jobs[2].User || jobs[0].User == jobs[1].User || jobs[0].VC != jobs[1].VC || jobs[0].VC == jobs[2].VC || jobs[0].User[1:] == jobs[0].VC[1:] {
		t.Errorf("got users %s, %s, %s and partitions %s, %s, %s", jobs[0].User, jobs[1].User, jobs[2].User, jobs[0].VC, jobs[1].VC, jobs[2].VC)
	}
}

// Times count from the first submission, or from the Monday before it: 4 March
// 2026 is a Wednesday, so 09:30 is second 2 x 86,400 + 9.5 x 3,600.
func TestAnonymousTimes(t *testing.T) {
	text := "JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|2026-03-04T09:30:00|2026-03-04T09:31:00|2026-03-04T09:41:00|gres/gpu=1\n"
	for _, c := range []struct {
		keep bool
		want string
	}{{false, "|0|Unknown|60|660|600|"}, {true, "|207000|Unknown|207060|207660|600|"}} {
		if out := anonymised(t, Anonymiser{KeepWeek: c.keep}, text); !strings.Contains(out, c.want) {
			t.Errorf("keep weekday %t: %s lacks %s", c.keep, out, c.want)
		}
	}
}

// Whatever a policy does with the original, it does with the anonymous trace,
// to the second; and what really happened is the same as well.
func TestAnonymousTraceSimulatesAlike(t *testing.T) {
	for seed := range uint64(3) {
		text := madeUpMonth(seed, 300)
		for _, o := range []Options{{}, {Arrival: ArrivalSubmit}} {
			before := mustReadWith(t, o, text)
			after := mustReadWith(t, o, anonymised(t, Anonymiser{Key: [32]byte{byte(seed)}, KeepWeek: seed == 1}, text))
			for i := range before.Jobs {
				x, _ := before.Past(before.Jobs[i].ID)
				y, _ := after.Past(after.Jobs[i].ID)
				if x != y {
					t.Errorf("job %s really took %+v, and %+v without its name", before.Jobs[i].ID, x, y)
				}
			}
			nameless := cmpopts.IgnoreFields(schedmate.Job{}, "ID", "Name", "User", "Group", "GPUType")
			if diff := cmp.Diff(before.Jobs, after.Jobs, nameless); diff != "" {
				t.Fatalf("the jobs differ: %s", diff)
			}
			for _, d := range policy.All() {
				one, other := before.Jobs, after.Jobs
				if slices.Contains([]string{"gandiva", "themis", "unisched", "sia"}, strings.TrimSuffix(d.Name, "+")) { // they plan every minute of the month
					if seed > 0 || o.Arrival != "" {
						continue
					}
					one, other = one[:30], other[:30]
				}
				if diff := cmp.Diff(simulated(t, d, one), simulated(t, d, other)); diff != "" {
					t.Errorf("%s: %s", d.Name, diff)
				}
			}
		}
	}
}

// simulated runs the default preset on 12 nodes of 8 GPUs and returns what
// happened to each job.
func simulated(t *testing.T, d scheduler.Descriptor, jobs []sim.Job) (out []string) {
	t.Helper()
	base, err := d.Preset(scheduler.DefaultPreset)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.New(base.Options)
	if err != nil {
		t.Fatal(err)
	}
	var c schedmate.Cluster
	for i := range 12 {
		c.Nodes = append(c.Nodes, schedmate.Node{ID: fmt.Sprintf("n%02d", i), GPUs: 8})
	}
	jobs = slices.Clone(jobs)
	for i := range jobs {
		jobs[i].GPUType = ""
	}
	res, err := sim.Run(sim.Config{Cluster: c, Policy: p, World: base.World}, sim.Workload{Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Jobs {
		r := &res.Jobs[i]
		out = append(out, fmt.Sprint(r.Start, r.End, r.Queue, r.Preemptions, r.State))
	}
	return out
}
