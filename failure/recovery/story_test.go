package recovery_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"schedmate"
	"schedmate/failure"
	"schedmate/failure/recovery"
)

// TestStories runs testdata/*.txt. A file is one cluster over time:
//
//	cluster    lines of `pool NAME NODES` and `nodes n[1-8] pool=a switch=s rack=r mount=/d image=i`
//	limits     quarantine.rate=1 ...: fields of Limits, over the defaults
//	taken      node= owner= since= until= incident= ended=: a quarantine that stands, or stood
//	carry      node=: what we proposed for the node has been carried out
//	tested     node= at= name= passed|failed
//	worked     node= hours=: from time 0 on
//	probed     service= at= good|bad
//	incident   id= at= job= user= nodes= node= kind= step= ...; below it the quoted lines, the root first
//	again      id= at=: the same incident, later; must change nothing
//	review     at=
//	rate       node= at=
//
// Times count in hours when they end in h, in days when they end in d.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &story{world: recovery.World{Limits: recovery.DefaultLimits()}, tries: map[string][]recovery.Try{}, incidents: map[string]recovery.Incident{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.run(d)
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			return out
		})
	})
}

type story struct {
	world     recovery.World
	tries     map[string][]recovery.Try // of each job
	incidents map[string]recovery.Incident
}

// kinds are those of the rules that the stories use.
var kinds = map[string]struct {
	class     schedmate.FailureClass
	component schedmate.Component
	restart   failure.Restart
	grade     failure.Quarantine
}{
	"gpu_ecc":             {schedmate.InfrastructureFailure, schedmate.ComponentGPU, failure.RestartYes, failure.QuarantineYes},
	"gpu_off_bus":         {schedmate.InfrastructureFailure, schedmate.ComponentGPU, failure.RestartYes, failure.QuarantineYes},
	"gpu_launch_failure":  {schedmate.InfrastructureFailure, schedmate.ComponentGPU, failure.RestartYes, failure.QuarantineSecond},
	"gpu_illegal_address": {schedmate.InfrastructureFailure, schedmate.ComponentGPU, failure.RestartOnce, failure.QuarantineSecond},
	"net_ib":              {schedmate.InfrastructureFailure, schedmate.ComponentNetwork, failure.RestartYes, failure.QuarantineYes},
	"collective_timeout":  {schedmate.InfrastructureFailure, schedmate.ComponentUnknown, failure.RestartYes, failure.QuarantineNo},
	"storage_mount_lost":  {schedmate.InfrastructureFailure, schedmate.ComponentStorage, failure.RestartYes, failure.QuarantineSecond},
	"disk_full":           {schedmate.InfrastructureFailure, schedmate.ComponentStorage, failure.RestartNo, failure.QuarantineNo},
	"preempted":           {schedmate.InfrastructureFailure, schedmate.ComponentScheduler, failure.RestartYes, failure.QuarantineNo},
	"segfault":            {schedmate.FrameworkFailure, schedmate.ComponentDependency, failure.RestartOnce, failure.QuarantineNo},
	"cuda_oom":            {schedmate.UserFailure, schedmate.ComponentUserConfig, failure.RestartNo, failure.QuarantineNo},
}

func (s *story) run(d *datadriven.TestData) (string, error) {
	args := map[string]string{}
	for _, a := range d.CmdArgs {
		args[a.Key] = strings.Join(a.Vals, ",")
	}
	w := &s.world
	if at, ok := args["at"]; ok {
		w.Now = seconds(at)
	}
	switch d.Cmd {
	case "cluster":
		return "", s.cluster(d.Input)
	case "limits":
		for key, value := range args {
			parts := strings.Split(key, ".")
			text := value
			for _, p := range slices.Backward(parts) {
				text = "{" + p + ": " + text + "}"
			}
			if err := yaml.Unmarshal([]byte(text), &w.Limits); err != nil {
				return "", err
			}
		}
	case "taken":
		q := recovery.Quarantine{
			Node: args["node"], Owner: args["owner"], Incident: args["incident"], State: recovery.Standing,
			Since: seconds(args["since"]), Until: seconds(args["until"]), Ended: seconds(args["ended"]),
		}
		if q.Ended != 0 {
			q.State = recovery.Ended
		}
		w.Quarantines = append(w.Quarantines, q)
		slices.SortFunc(w.Quarantines, func(a, b recovery.Quarantine) int {
			return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Since, b.Since))
		})
	case "carry":
		for i := range w.Quarantines {
			if q := &w.Quarantines[i]; q.Node == args["node"] && q.State == recovery.Proposed && w.Now < q.Until {
				q.State = recovery.Standing
				w.Pools[0].Healthy--
				return "it stands\n", nil
			}
		}
		return "nothing was proposed\n", nil
	case "tested":
		_, passed := args["passed"]
		w.Ledger = w.Ledger.With(nil, []recovery.Test{{Node: args["node"], Name: args["name"], At: w.Now, Passed: passed}}, nil)
	case "worked":
		h, err := strconv.Atoi(args["hours"])
		w.Ledger = w.Ledger.With(nil, nil, []recovery.Work{{Node: args["node"], Span: recovery.Span{To: schedmate.Seconds(h) * 3600}}})
		return "", err
	case "probed":
		for i := range w.Gates {
			if w.Gates[i].Service == args["service"] {
				_, good := args["good"]
				w.Gates[i].Probes = append(w.Gates[i].Probes, recovery.Probe{At: w.Now, Good: good})
				return "", nil
			}
		}
		return "no such gate\n", nil
	case "incident":
		in := s.incident(args, d.Input)
		p, err := recovery.Propose(w, &in)
		if err != nil {
			return "", err
		}
		s.incidents[in.ID] = in
		if p.Try != nil {
			s.tries[in.Job] = append(slices.DeleteFunc(s.tries[in.Job], func(t recovery.Try) bool { return t.Incident == in.ID }), *p.Try)
		}
		s.world = w.With(p)
		return text(p), nil
	case "again":
		in := s.incidents[args["id"]]
		in.Tries = s.tries[in.Job]
		p, err := recovery.Propose(w, &in)
		if err != nil {
			return "", err
		}
		if diff := gocmp.Diff(s.world, w.With(p)); diff != "" {
			return "counted twice:\n" + diff, nil
		}
		return fmt.Sprintf("the proposal of %d, counted once\n", p.Now), nil
	case "review":
		p, err := recovery.Review(w)
		if err != nil {
			return "", err
		}
		s.world = w.With(p)
		return text(p), nil
	case "rate":
		r := w.Ledger.Rate(args["node"], w.Now, w.Limits.Prior)
		return fmt.Sprintf("%d hits in %.0f h, suspicion %.3f\n", r.Hits, r.Hours, r.Suspicion), nil
	default:
		return "", fmt.Errorf("unknown command %q", d.Cmd)
	}
	return "", nil
}

func (s *story) incident(args map[string]string, lines string) recovery.Incident {
	in := recovery.Incident{
		ID: args["id"], At: s.world.Now, Job: args["job"], User: args["user"], Nodes: names(args["nodes"]), SameOn: names(args["same_on"]),
		Service: args["service"], Tries: s.tries[args["job"]],
	}
	in.Revision, _ = strconv.Atoi(args["revision"])
	if ago, ok := args["ago"]; ok {
		in.At -= seconds(ago)
	}
	d := &in.Diagnosis
	d.Component = schedmate.ComponentNone
	if v, ok := args["step"]; ok {
		d.LastStep = &schedmate.Reading{Value: number(v)}
	}
	if v, ok := args["checkpoint"]; ok {
		d.LastCheckpoint = &schedmate.Reading{Value: number(v)}
	}
	k, ok := kinds[args["kind"]]
	if !ok {
		_, d.Determined = args["well"]
		return in
	}
	d.Determined, d.Confidence = true, 0.9
	d.Class, d.Subclass, d.Component, d.Node = k.class, args["kind"], k.component, args["node"]
	in.Restart, in.Grade = k.restart, k.grade
	d.RestartHelps = k.restart != failure.RestartNo
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		d.Evidence = append(d.Evidence, schedmate.Quote{File: "job.log", Line: int64(100 + i), Text: line})
	}
	d.Root = &d.Evidence[0]
	if _, ok := args["proof"]; ok {
		d.Quarantine, d.Witnesses = true, d.Evidence
	}
	return in
}

func (s *story) cluster(input string) error {
	w := &s.world
	for line := range strings.Lines(input) {
		f := strings.Fields(line)
		switch f[0] {
		case "pool":
			n, err := strconv.Atoi(f[2])
			if err != nil {
				return err
			}
			w.Pools = append(w.Pools, recovery.Pool{Name: f[1], Nodes: n, Healthy: n})
		case "nodes":
			for _, n := range names(f[1]) {
				p := recovery.Place{Node: n}
				for _, word := range f[2:] {
					key, value, _ := strings.Cut(word, "=")
					switch key {
					case "pool":
						p.Pool = value
					case "switch":
						p.Switch = value
					case "rack":
						p.Rack = value
					case "mount":
						p.Mounts = append(p.Mounts, value)
					case "image":
						p.Image = value
					}
				}
				w.Places = append(w.Places, p)
			}
		}
	}
	slices.SortFunc(w.Places, func(a, b recovery.Place) int { return cmp.Compare(a.Node, b.Node) })
	return w.Validate()
}

// names reads n[1-4],m7 as n1 n2 n3 n4 m7.
func names(list string) []string {
	var out []string
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		before, rest, ok := strings.Cut(item, "[")
		if !ok {
			out = append(out, item)
			continue
		}
		lo, hi, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "-")
		for i := int(number(lo)); i <= int(number(hi)); i++ {
			out = append(out, before+strconv.Itoa(i))
		}
	}
	return out
}

func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

func seconds(text string) schedmate.Seconds {
	if text == "" {
		return 0
	}
	unit := 1.0
	if rest, ok := strings.CutSuffix(text, "h"); ok {
		text, unit = rest, 3600
	} else if rest, ok := strings.CutSuffix(text, "d"); ok {
		text, unit = rest, 86400
	}
	return schedmate.Seconds(number(text) * unit)
}

// text is a proposal as a person reads it.
func text(p *recovery.Proposal) string {
	var b strings.Builder
	if p.Incident != "" {
		fmt.Fprintf(&b, "%s", p.Verdict)
		if p.Pattern != "" {
			fmt.Fprintf(&b, ", %s", p.Pattern)
		}
		b.WriteString("\n")
	}
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "%d. %s", i+1, s.Kind)
		switch s.Kind {
		case recovery.StepDiagnose:
			fmt.Fprintf(&b, " %s: %s", cmp.Or(s.Node, strings.Join(s.Nodes, ",")), s.Test)
		case recovery.StepQuarantine, recovery.StepExtend:
			fmt.Fprintf(&b, " %s until %d", s.Node, s.Until)
		case recovery.StepRestart:
			fmt.Fprintf(&b, " %s from %s checkpoint", s.Job, s.Checkpoint.From)
			if s.Checkpoint.Step != nil {
				fmt.Fprintf(&b, " (step %.0f)", *s.Checkpoint.Step)
			}
			if s.Gate != "" {
				fmt.Fprintf(&b, ", %d s after the gate of %s opens", s.Delay, s.Gate)
			} else {
				fmt.Fprintf(&b, ", not before %d", s.NotBefore)
			}
			for _, e := range s.Exclude {
				hard := "rather not on"
				if e.Hard {
					hard = "never on"
				}
				fmt.Fprintf(&b, "\n     %s %s (%s)", hard, e.Node+e.Part, e.Why)
			}
		case recovery.StepReport:
			fmt.Fprintf(&b, " to %s", s.To)
		case recovery.StepHold, recovery.StepRelease:
			fmt.Fprintf(&b, " %s, gate of %s", s.Job, s.Gate)
			if s.NotBefore > 0 {
				fmt.Fprintf(&b, ", not before %d", s.NotBefore)
			}
		case recovery.StepProbe:
			fmt.Fprintf(&b, " %s not before %d", s.Gate, s.NotBefore)
		default:
			fmt.Fprintf(&b, " %s", s.Node+s.Gate)
		}
		fmt.Fprintf(&b, "\n     %s\n", s.Reason)
		if s.Kind == recovery.StepQuarantine {
			for _, q := range s.Evidence {
				fmt.Fprintf(&b, "     > %s:%d: %s\n", q.File, q.Line, q.Text)
			}
			for _, h := range s.Hits {
				fmt.Fprintf(&b, "     + incident %s of user %s\n", h.Incident, h.User)
			}
		}
	}
	for _, h := range p.Held {
		fmt.Fprintf(&b, "held: %s %s by %s\n     %s\n     to override: %s\n", h.Kind, h.Node+h.Job, h.Guard, h.Why, h.Override)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}
