package fit_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"schedmate"
	"schedmate/scheduler/fit"
)

// Each file in testdata is a story of a cluster, its jobs, and answers that were
// worked out by hand, or seen on a real Slurm where the file says so.
//
//	cluster                     nodes, partitions, reservations, licences; starts anew
//	node n[1-4] cpus=64 mem=512000 gpu=a100:8 shards=32 state=IDLE+DRAIN reason=fan features=a,b
//	partition batch n[1-4] max=1d min-nodes=1 max-nodes=2 tier=10 state=DOWN accounts=a
//	reservation maint n[1-3] from=20m to=80m flags=MAINT users=u
//	licence matlab total=4 used=3
//
//	jobs                        more jobs; start, end and other times count from now
//	run 1 n1 cpus=6 gpus=6 mem=100 shards=2 idx=0,1 end=30m
//	wait 7 gpus-per-node=4 nodes=1-2 limit=10m priority=9 reason=Resources
//	wait 8 came=590 stands-for=5 told=10m told-on=n1
//
//	                            came 590 s after the others, which came ten minutes
//	                            ago; five tasks; the scheduler plans it for then and there
//
//	why 7                       the answer
//	alone 7                     the answer if no other job waited
const now = 1_000_000

func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			st := &story{}
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				out, err := st.tell(d)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

type story struct {
	o schedmate.Observation
}

func (st *story) tell(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "cluster":
		st.o = schedmate.Observation{APIVersion: schedmate.APIVersion, Kind: schedmate.ObservationKind, Now: now, System: schedmate.System{Name: "slurm"}}
		return "", st.read(d.Input)
	case "jobs":
		st.o.Jobs = nil
		return "", st.read(d.Input)
	case "why":
		ends := map[string]schedmate.Seconds{}
		for _, arg := range d.CmdArgs[1:] { // ends from logs: 3=5m
			at, err := seconds(arg.Vals[0])
			if err != nil {
				return "", err
			}
			ends[arg.Key] = now + at
		}
		return st.why(d.CmdArgs[0].Key, ends)
	}
	if d.Cmd == "alone" {
		all := st.o.Jobs
		defer func() { st.o.Jobs = all }()
		st.o.Jobs = slices.DeleteFunc(slices.Clone(all), func(j schedmate.ObservedJob) bool { return j.Waits() && j.ID != d.CmdArgs[0].Key })
		return st.why(d.CmdArgs[0].Key, nil)
	}
	return "", fmt.Errorf("unknown question %q", d.Cmd)
}

func (st *story) read(input string) error {
	for line := range strings.Lines(input) {
		if err := st.line(strings.Fields(line)); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	o := &st.o
	slices.SortFunc(o.Nodes, func(a, b schedmate.ObservedNode) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(o.Partitions, func(a, b schedmate.Partition) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(o.Reservations, func(a, b schedmate.Reservation) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(o.Jobs, func(a, b schedmate.ObservedJob) int { return schedmate.CompareJobIDs(a.ID, b.ID) })
	st.use()
	return o.Validate()
}

// use counts at the nodes what running jobs hold of them.
func (st *story) use() {
	for i := range st.o.Nodes {
		n := &st.o.Nodes[i]
		n.CPUsUsed, n.MemoryUsedMiB, n.ShardsUsed = 0, 0, 0
		for d := range n.GPUs {
			n.GPUs[d].Used = 0
		}
		for _, j := range st.o.Jobs {
			for _, h := range j.Allocation {
				if h.Node != n.Name {
					continue
				}
				n.CPUsUsed += h.CPUs
				n.MemoryUsedMiB += h.MemoryMiB
				n.ShardsUsed += h.Shards
				for d := range n.GPUs {
					if h.GPUType == n.GPUs[d].Type {
						n.GPUs[d].Used += h.GPUs
					}
				}
			}
		}
	}
}

// count does as use for many jobs of whole devices of one type.
func (st *story) count() {
	at := map[string]*schedmate.ObservedNode{}
	for i := range st.o.Nodes {
		at[st.o.Nodes[i].Name] = &st.o.Nodes[i]
	}
	for _, j := range st.o.Jobs {
		for _, h := range j.Allocation {
			n := at[h.Node]
			n.CPUsUsed, n.MemoryUsedMiB, n.GPUs[0].Used = n.CPUsUsed+h.CPUs, n.MemoryUsedMiB+h.MemoryMiB, n.GPUs[0].Used+h.GPUs
		}
	}
}

func (st *story) line(f []string) error {
	if len(f) == 0 {
		return nil
	}
	set := map[string]string{}
	var plain []string
	for _, word := range f[1:] {
		if key, value, ok := strings.Cut(word, "="); ok {
			set[key] = strings.ReplaceAll(value, "~", " ")
		} else {
			plain = append(plain, word)
		}
	}
	v := &values{set: set}
	o := &st.o
	switch f[0] {
	case "node":
		for _, name := range expand(plain[0]) {
			n := schedmate.ObservedNode{Name: name, CPUs: v.int("cpus"), MemoryMiB: int64(v.int("mem")), Shards: v.int("shards"), Reason: set["reason"],
				States: strings.Split(cmp.Or(set["state"], "IDLE"), "+"), Features: v.list("features"), Weight: v.int("weight")}
			for _, g := range v.list("gpu") {
				kind, number, _ := strings.Cut(g, ":")
				count, err := strconv.Atoi(number)
				if err != nil {
					return err
				}
				n.GPUs = append(n.GPUs, schedmate.Device{Type: kind, Count: count})
			}
			o.Nodes = append(o.Nodes, n)
		}
	case "partition":
		o.Partitions = append(o.Partitions, schedmate.Partition{Name: plain[0], Nodes: expand(plain[1]), State: cmp.Or(set["state"], "UP"),
			MaxTime: v.time("max"), MinNodes: v.int("min-nodes"), MaxNodes: v.int("max-nodes"), Tier: v.int("tier"), AllowAccounts: v.list("accounts")})
	case "reservation":
		o.Reservations = append(o.Reservations, schedmate.Reservation{Name: plain[0], Nodes: expand(plain[1]), Start: now + v.time("from"),
			End: now + v.time("to"), Flags: v.list("flags"), Users: v.list("users")})
	case "licence":
		o.Licences = append(o.Licences, schedmate.Licence{Name: plain[0], Total: v.int("total"), Used: v.int("used")})
	case "run":
		j := schedmate.ObservedJob{ID: plain[0], State: "RUNNING", User: set["user"], Submit: now - 100, Start: now - 50, Partitions: []string{"batch"}, Licences: set["licences"],
			Account: set["account"], QOS: set["qos"], Array: set["array"]}
		if end, ok := set["end"]; ok && end != "never" {
			j.End = now + v.time("end")
		}
		for _, name := range expand(plain[1]) {
			h := schedmate.NodeHolding{Node: name, CPUs: v.int("cpus"), MemoryMiB: int64(v.int("mem")), GPUs: v.int("gpus"), Shards: v.int("shards")}
			for k := range o.Nodes {
				if n := &o.Nodes[k]; n.Name == name && len(n.GPUs) > 0 {
					h.GPUType = cmp.Or(set["type"], n.GPUs[0].Type)
				}
			}
			for _, index := range v.list("idx") {
				k, err := strconv.Atoi(index)
				if err != nil {
					return err
				}
				h.GPUIndices = append(h.GPUIndices, k)
			}
			j.Allocation = append(j.Allocation, h)
		}
		o.Jobs = append(o.Jobs, j)
	case "wait", "over":
		j := schedmate.ObservedJob{ID: plain[0], State: "PENDING", User: set["user"], Submit: now - 600 + v.time("came"), Tasks: v.int("stands-for"), Reason: set["reason"], Priority: int64(v.int("priority")),
			TimeLimit: v.time("limit"), Partitions: strings.Split(cmp.Or(set["partition"], "batch"), ","), Dependency: set["dependency"],
			Licences: set["licences"], Reservation: set["reservation"], Account: set["account"], QOS: set["qos"], Array: set["array"], Het: set["het"], PlannedNodes: v.names("told-on")}
		if _, ok := set["told"]; ok {
			j.Start = now + v.time("told")
		}
		if f[0] == "over" {
			j.State = set["state"]
		}
		if _, ok := set["begin"]; ok {
			j.Eligible = now + v.time("begin")
		}
		low, high, _ := strings.Cut(cmp.Or(set["nodes"], "1"), "-")
		v.set["low"], v.set["high"] = low, cmp.Or(high, "0")
		r := &j.Request
		*r = schedmate.NodeRequest{MinNodes: v.int("low"), MaxNodes: v.int("high"), Tasks: v.int("tasks"), CPUsPerTask: v.int("cpus-per-task"),
			TasksPerNode: v.int("tasks-per-node"), GPUs: v.int("gpus"), GPUsPerNode: v.int("gpus-per-node"), GPUsPerTask: v.int("gpus-per-task"),
			ShardsPerNode: v.int("shards"), MinMemoryMiB: int64(v.int("mem")), MemoryPerCPU: int64(v.int("mem-per-cpu")), GPUType: set["type"],
			Features: set["features"], Nodes: v.names("on"), Exclude: v.names("not-on"), Exclusive: set["exclusive"] == "yes"}
		if r.Tasks == 0 {
			r.Tasks = max(1, r.MinNodes) // as Slurm tells it
		}
		o.Jobs = append(o.Jobs, j)
	default:
		return fmt.Errorf("unknown thing %q", f[0])
	}
	return v.err
}

type values struct {
	set map[string]string
	err error
}

func (v *values) int(key string) int {
	if v.set[key] == "" {
		return 0
	}
	n, err := strconv.Atoi(v.set[key])
	v.err = cmp.Or(v.err, err)
	return n
}

func (v *values) time(key string) schedmate.Seconds {
	t, err := seconds(v.set[key])
	v.err = cmp.Or(v.err, err)
	return t
}

func (v *values) list(key string) []string {
	if v.set[key] == "" {
		return nil
	}
	return strings.Split(v.set[key], ",")
}

func (v *values) names(key string) []string {
	if v.set[key] == "" {
		return nil
	}
	return expand(v.set[key])
}

// seconds reads 90, 20m, 2h or 1d.
func seconds(text string) (schedmate.Seconds, error) {
	if text == "" {
		return 0, nil
	}
	unit := map[byte]schedmate.Seconds{'m': 60, 'h': 3600, 'd': 86400}[text[len(text)-1]]
	if unit == 0 {
		unit = 1
	} else {
		text = text[:len(text)-1]
	}
	n, err := strconv.Atoi(text)
	return schedmate.Seconds(n) * unit, err
}

// expand reads n[1-3,5],m1 with numbers of one digit.
func expand(text string) []string {
	var list []string
	for text != "" {
		word := text
		if end := strings.IndexAny(text, ",["); end >= 0 && text[end] == ',' {
			word, text = text[:end], text[end+1:]
		} else if end >= 0 {
			shut := strings.Index(text, "]")
			for _, part := range strings.Split(text[end+1:shut], ",") {
				low, high, ok := strings.Cut(part, "-")
				if !ok {
					high = low
				}
				for c := low[0]; c <= high[0]; c++ {
					list = append(list, text[:end]+string(c))
				}
			}
			text = strings.TrimPrefix(text[shut+1:], ",")
			continue
		} else {
			text = ""
		}
		list = append(list, word)
	}
	return list
}

func (st *story) why(id string, ends map[string]schedmate.Seconds) (string, error) {
	i := slices.IndexFunc(st.o.Jobs, func(j schedmate.ObservedJob) bool { return j.ID == id })
	if i < 0 {
		return "", fmt.Errorf("there is no job %s", id)
	}
	a := fit.Explain(&st.o, &st.o.Jobs[i], ends)
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %s\n", a.Kind, a.Agreement, a.Text)
	if a.Until.At > 0 {
		fmt.Fprintf(&b, "until +%d", a.Until.At-now)
		for _, r := range a.Until.Releases {
			fmt.Fprintf(&b, " %s@%d(%s)", r.Job, r.At-now, r.Basis)
		}
		for _, r := range a.Until.Reservations {
			fmt.Fprintf(&b, " %s@%d", r.Reservation, r.At-now)
		}
		fmt.Fprintln(&b)
	}
	if a.Ahead.Count > 0 {
		fmt.Fprintf(&b, "ahead %d, backfill %t, unplanned %t, planned +%d\n", a.Ahead.Count, a.Ahead.Backfill, a.Ahead.Unplanned, max(0, a.Until.Planned-now))
	}
	for _, ch := range a.Changes {
		fmt.Fprintf(&b, "change, loss %d: %s\n", ch.Loss, ch.Do)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String(), nil
}
