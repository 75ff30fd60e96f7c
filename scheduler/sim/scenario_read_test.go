package sim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/datadriven"

	"schedmate"
	"schedmate/scheduler"
	"schedmate/scheduler/policy"
	"schedmate/scheduler/sim"
)

// fields splits "a b=1 c=x" into what stands free and what has a name.
func fields(line string) (free []string, named map[string]string, err error) {
	named = map[string]string{}
	for _, word := range strings.Fields(line) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			free = append(free, word)
			continue
		}
		if _, twice := named[name]; twice {
			return nil, nil, fmt.Errorf("%q: %s is given twice", line, name)
		}
		named[name] = value
	}
	return free, named, nil
}

// reader takes named values out of a line, so that what is left over is an error.
type reader struct {
	line  string
	named map[string]string
	err   error
}

func (r *reader) text(name string) string {
	v := r.named[name]
	delete(r.named, name)
	return v
}

func (r *reader) number(name string) int {
	v, ok := r.named[name]
	if !ok {
		return 0
	}
	delete(r.named, name)
	n, err := strconv.Atoi(v)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%q: %s must be a whole number, got %q", r.line, name, v)
	}
	return n
}

func (r *reader) done() error {
	for name := range r.named {
		return fmt.Errorf("%q: unknown word %s", r.line, name)
	}
	return r.err
}

func lines(input string) []string {
	var out []string
	for _, line := range strings.Split(input, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func (st *story) readCluster(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		if len(free) != 2 {
			return "", fmt.Errorf("%q: want 'node ID gpus=N' or 'vc NAME'", line)
		}
		r := &reader{line: line, named: named}
		switch free[0] {
		case "node":
			ids, err := span(free[1])
			if err != nil {
				return "", err
			}
			n := schedmate.Node{
				GPUs: r.number("gpus"), GPUType: r.text("type"), VC: r.text("vc"),
				Switch: r.text("switch"), Health: schedmate.Health(r.text("health")),
			}
			for _, id := range ids {
				n.ID = id
				st.cluster.Nodes = append(st.cluster.Nodes, n)
			}
		case "vc":
			st.cluster.VCs = append(st.cluster.VCs, schedmate.VC{Name: free[1], QuotaGPUs: r.number("quota")})
		default:
			return "", fmt.Errorf("%q: want node or vc, got %s", line, free[0])
		}
		if err := r.done(); err != nil {
			return "", err
		}
	}
	if err := st.cluster.Validate("cluster"); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d nodes, %d GPUs, %d VCs", len(st.cluster.Nodes), st.cluster.GPUs(), len(st.cluster.VCs)), nil
}

// span writes out "n1..n4".
func span(word string) ([]string, error) {
	from, to, ok := strings.Cut(word, "..")
	if !ok {
		return []string{word}, nil
	}
	stem := strings.TrimRight(from, "0123456789")
	lo, err1 := strconv.Atoi(from[len(stem):])
	hi, err2 := strconv.Atoi(strings.TrimPrefix(to, stem))
	if err1 != nil || err2 != nil || lo > hi {
		return nil, fmt.Errorf("%q is no range of nodes, write n1..n4", word)
	}
	var ids []string
	for i := lo; i <= hi; i++ {
		ids = append(ids, fmt.Sprintf("%s%d", stem, i))
	}
	return ids, nil
}

func (st *story) readJobs(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		if len(free) != 1 {
			return "", fmt.Errorf("%q: want 'ID gpus=N at=T run=T'", line)
		}
		r := &reader{line: line, named: named}
		j := sim.Job{Job: schedmate.Job{
			ID: free[0], GPUs: r.number("gpus"), VC: r.text("vc"), GPUType: r.text("type"),
			Submit: schedmate.Seconds(r.number("at")), TimeLimit: schedmate.Seconds(r.number("limit")),
			Workload: schedmate.Workload{Model: r.text("model")},
			Outcome:  &schedmate.Outcome{Run: schedmate.Seconds(r.number("run")), State: schedmate.Completed},
		}}
		if end := r.text("end"); end != "" {
			j.Outcome.State = schedmate.State(end)
		}
		for _, f := range []struct {
			name string
			kind schedmate.FactKind
		}{{"estimate", schedmate.RunSeconds}, {"score", schedmate.ShareScore}} {
			if _, known := named[f.name]; known {
				value := int64(r.number(f.name))
				j.Facts = append(j.Facts, schedmate.Fact{
					Kind: f.kind, Value: value, Low: value, High: value,
					ConfidenceMilli: 500, Source: schedmate.FromTrace, ObservedAt: j.Submit,
				})
			}
		}
		if j.Advised, err = readAdvice(r.text("advised"), j.Submit); err != nil {
			return "", err
		}
		if j.Stops, err = readStops(r.text("stops")); err != nil {
			return "", err
		}
		if j.SLO, err = readSLO(r.text("slo")); err != nil {
			return "", err
		}
		if j.Speeds, err = readSpeeds(r.text("speeds")); err != nil {
			return "", err
		}
		if err := r.done(); err != nil {
			return "", err
		}
		st.load.Jobs = append(st.load.Jobs, j)
	}
	if err := st.load.Validate(&st.cluster); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d jobs", len(st.load.Jobs)), nil
}

// readPairs reads "b 0.8 beside a 0.5": b came later and works at 0.8 of its speed
// alone, a at half of it.
func (st *story) readPairs(input string) (string, error) {
	st.load.Pairs = make(sim.Pairs)
	for _, line := range lines(input) {
		words := strings.Fields(line)
		if len(words) != 5 || words[2] != "beside" {
			return "", fmt.Errorf("%q: want 'MODEL SPEED beside MODEL SPEED'", line)
		}
		guest, err1 := strconv.ParseFloat(words[1], 64)
		host, err2 := strconv.ParseFloat(words[4], 64)
		if err1 != nil || err2 != nil {
			return "", fmt.Errorf("%q: speeds are shares of the speed alone, such as 0.8", line)
		}
		pair := sim.Pair{First: schedmate.Workload{Model: words[0]}, Second: schedmate.Workload{Model: words[3]}}
		st.load.Pairs[pair] = sim.PairSpeeds{First: int(math.Round(1000 * guest)), Second: int(math.Round(1000 * host))}
	}
	return fmt.Sprintf("%d pairs", len(st.load.Pairs)), nil
}

// exact is a tracker that reads every step as it was.
type exact schedmate.Seconds

func (e exact) Every(*sim.Job) schedmate.Seconds         { return schedmate.Seconds(e) }
func (exact) Read(_ *sim.Job, _, us int64) (int64, bool) { return us, true }

// tracked takes the line "steps every=10" out of a command's input: jobs log a step in
// so many seconds alone, and all are read.
func tracked(d *datadriven.TestData) (sim.Tracker, error) {
	var kept []string
	var tracker sim.Tracker
	for _, line := range lines(d.Input) {
		every, is := strings.CutPrefix(line, "steps every=")
		if !is {
			kept = append(kept, line)
			continue
		}
		n, err := strconv.Atoi(every)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q: want steps every=SECONDS", line)
		}
		tracker = exact(n)
	}
	d.Input = strings.Join(kept, "\n")
	return tracker, nil
}

// readSpeeds reads "600/1:1,2:2,4:3": 600 units of work, on 1 GPU one a second,
// on 2 two, on 4 three.
func readSpeeds(text string) (*sim.Speeds, error) {
	if text == "" {
		return nil, nil
	}
	work, rates, _ := strings.Cut(text, "/")
	units, err := strconv.ParseInt(work, 10, 64)
	s := &sim.Speeds{Work: units}
	for _, rate := range strings.Split(rates, ",") {
		gpus, speed, _ := strings.Cut(rate, ":")
		n, err1 := strconv.Atoi(gpus)
		v, err2 := strconv.ParseInt(speed, 10, 64)
		if err != nil || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("speeds %q: write WORK/GPUS:SPEED,GPUS:SPEED", text)
		}
		s.Rates = append(s.Rates, sim.Rate{GPUs: n, PerSecond: v})
	}
	return s, nil
}

// readAdvice reads "200@30": 30 s after the submission an advisor says 200 s.
func readAdvice(text string, submit schedmate.Seconds) ([]schedmate.Fact, error) {
	if text == "" {
		return nil, nil
	}
	value, after, _ := strings.Cut(text, "@")
	run, err1 := strconv.ParseInt(value, 10, 64)
	wait, err2 := strconv.Atoi(cmp.Or(after, "0"))
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("advised %q: write RUN@SECONDS-AFTER-SUBMISSION", text)
	}
	return []schedmate.Fact{{
		Kind: schedmate.RunSeconds, Value: run, Low: run, High: run,
		ConfidenceMilli: 900, Source: schedmate.FromNeighbours, ObservedAt: submit + schedmate.Seconds(wait),
	}}, nil
}

// readStops reads "40/10/300/5": when 40 s of work are done, 10 are lost, and
// the job is back after 300 s, with a failure handler after 5; "-" is never.
func readStops(text string) (stops []sim.Stop, err error) {
	if text == "" {
		return nil, nil
	}
	for _, one := range strings.Split(text, ",") {
		var at [4]schedmate.Seconds
		words := strings.Split(one, "/")
		for i, word := range words {
			n, err := strconv.Atoi(word)
			if word == "-" {
				n, err = int(sim.NoTime), nil
			}
			if err != nil || len(words) != len(at) {
				return nil, fmt.Errorf("stops %q: write AT/REDO/UNATTENDED/HANDLED", text)
			}
			at[i] = schedmate.Seconds(n)
		}
		stops = append(stops, sim.Stop{At: at[0], Redo: at[1], Unattended: at[2], Handled: at[3]})
	}
	return stops, nil
}

// readSLO reads "strict:600" or "soft:600/100,900/50".
func readSLO(text string) (schedmate.SLO, error) {
	var slo schedmate.SLO
	if text == "" {
		return slo, nil
	}
	class, tiers, _ := strings.Cut(text, ":")
	slo.Class = schedmate.SLOClass(class)
	for _, tier := range strings.Split(tiers, ",") {
		deadline, reward, ok := strings.Cut(tier, "/")
		if !ok {
			reward = strconv.Itoa(schedmate.FullReward)
		}
		at, err1 := strconv.Atoi(deadline)
		worth, err2 := strconv.Atoi(reward)
		if err1 != nil || err2 != nil {
			return slo, fmt.Errorf("slo %q: write strict:600 or soft:600/100,900/50", text)
		}
		slo.Tiers = append(slo.Tiers, schedmate.Tier{Deadline: schedmate.Seconds(at), Reward: worth})
	}
	return slo, nil
}

func (st *story) readNodes(input string) (string, error) {
	for _, line := range lines(input) {
		free, named, err := fields(line)
		if err != nil {
			return "", err
		}
		r := &reader{line: line, named: named}
		at := r.number("at")
		if err := r.done(); err != nil {
			return "", err
		}
		if len(free) != 2 {
			return "", fmt.Errorf("%q: want 'at=T NODE HEALTH'", line)
		}
		st.load.Nodes = append(st.load.Nodes, sim.NodeEvent{At: schedmate.Seconds(at), Node: free[0], Health: schedmate.Health(free[1])})
	}
	if err := st.load.Validate(&st.cluster); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d node events", len(st.load.Nodes)), nil
}

// chosen builds the policy that a command names, with the options and the world
// of its input laid over those of the preset.
func chosen(d *datadriven.TestData) (scheduler.Policy, scheduler.World, error) {
	name, preset := "", scheduler.DefaultPreset
	for _, arg := range d.CmdArgs {
		switch {
		case arg.Key == "preset" && len(arg.Vals) == 1:
			preset = arg.Vals[0]
		case len(arg.Vals) == 0 && name == "":
			name = arg.Key
		default:
			return nil, scheduler.World{}, fmt.Errorf("%s: unknown word %s", d.Cmd, arg.Key)
		}
	}
	descriptor, err := policy.All().Find(name)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	p, err := descriptor.Preset(preset)
	if err != nil {
		return nil, scheduler.World{}, err
	}
	options, world := p.Options, p.World
	for _, line := range lines(d.Input) {
		what, doc, _ := strings.Cut(line, " ")
		switch what {
		case "options":
			if options, err = descriptor.Decode(options, []byte(doc)); err != nil {
				return nil, world, err
			}
		case "world":
			dec := json.NewDecoder(strings.NewReader(doc))
			dec.DisallowUnknownFields()
			world.RestartCost = slices.Clone(world.RestartCost)
			if err := dec.Decode(&world); err != nil {
				return nil, world, err
			}
		default:
			return nil, world, fmt.Errorf("%q: want options or world", line)
		}
	}
	made, err := descriptor.New(options)
	return made, world, err
}
