package admit_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedmate"
	"schedmate/scheduler/admit"
)

func eachLine(input string, read func(words []string) error) error {
	for line := range strings.Lines(input) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			if err := read(words); err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
			}
		}
	}
	return nil
}

func span(text string) (schedmate.Seconds, error) {
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	return schedmate.Seconds(d / time.Second), err
}

func (st *story) readNode(words []string) error {
	c := &st.s.Cluster
	if words[0] == "vc" {
		v := schedmate.VC{Name: words[1]}
		for _, w := range words[2:] {
			n, err := strconv.Atoi(strings.TrimPrefix(w, "quota="))
			if err != nil {
				return err
			}
			v.QuotaGPUs = n
		}
		c.VCs = append(c.VCs, v)
		slices.SortFunc(c.VCs, func(a, b schedmate.VC) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	}
	n := schedmate.Node{ID: words[1]}
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "gpus":
			var err error
			if n.GPUs, err = strconv.Atoi(value); err != nil {
				return err
			}
		case "vc":
			n.VC = value
		case "type":
			n.GPUType = value
		case "health":
			n.Health = schedmate.Health(value)
		default:
			return fmt.Errorf("unknown word %s", w)
		}
	}
	c.Nodes = append(c.Nodes, n)
	slices.SortFunc(c.Nodes, func(a, b schedmate.Node) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

func (st *story) readTerms(words []string) error {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		number, err := strconv.Atoi(value)
		switch key {
		case "quota":
			st.o.QuotaMilli = number
		case "reserve":
			st.o.ReserveMilli = number
		case "retries":
			st.o.Retries = number
		case "steps":
			st.o.Steps = int64(number)
		case "lease":
			st.o.Lease, err = span(value)
		case "resume":
			st.o.Resume, err = span(value)
		case "aligned":
			st.o.Aligned, err = true, nil
		case "median":
			st.o.Median, err = true, nil
		case "exact-gangs":
			st.o.RoundUp, err = false, nil
		case "hold":
			st.o.HoldRunning, err = true, nil
		case "paper":
			st.o, err = admit.Paper(), nil
		default:
			return fmt.Errorf("unknown word %s", w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
	}
	return st.o.Validate()
}

func (st *story) readJob(words []string) error {
	j := &schedmate.JobStatus{Seq: int64(len(st.s.Waiting) + len(st.s.Running) + 1)}
	j.Job.ID, j.Job.Submit = words[0], st.s.Now
	for _, w := range words[1:] {
		if err := st.about(j, w); err != nil {
			return err
		}
	}
	if j.Attempt != nil {
		st.s.Running = append(st.s.Running, j)
	} else {
		st.s.Waiting = append(st.s.Waiting, j)
	}
	return nil
}

func (st *story) set(words []string) error {
	if i := slices.IndexFunc(st.s.Cluster.Nodes, func(n schedmate.Node) bool { return n.ID == words[0] }); i >= 0 {
		st.s.Cluster.Nodes = slices.Clone(st.s.Cluster.Nodes)
		st.s.Cluster.Nodes[i].Health = schedmate.Health(strings.TrimPrefix(words[1], "health="))
		return nil
	}
	j := st.s.Find(words[0])
	if j == nil {
		return fmt.Errorf("there is no job %s", words[0])
	}
	for _, w := range words[1:] {
		if err := st.about(j, w); err != nil {
			return err
		}
	}
	return nil
}

// about reads one word about a job.
func (st *story) about(j *schedmate.JobStatus, w string) (err error) {
	key, value, _ := strings.Cut(w, "=")
	switch key {
	case "strict", "soft":
		j.Job.SLO.Class = schedmate.SLOClass(key)
	case "best_effort":
		j.Job.SLO = schedmate.SLO{}
	case "gpus":
		j.Job.GPUs, err = strconv.Atoi(value)
	case "crashes":
		j.Crashes, err = strconv.Atoi(value)
	case "iterations":
		j.Job.Iterations, err = strconv.ParseInt(value, 10, 64)
	case "vc":
		j.Job.VC = value
	case "user":
		j.Job.User = value
	case "type":
		j.Job.GPUType = value
	case "limit":
		j.Job.TimeLimit, err = span(value)
	case "done":
		j.Done, err = span(value)
	case "owed":
		j.Owed, err = span(value)
	case "sizes":
		for _, n := range strings.Split(value, ",") {
			size, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			j.Job.Sizes = append(j.Job.Sizes, size)
		}
	case "run": // the median, or median..upper end
		return st.run(j, value)
	case "by":
		return tiers(j, value)
	case "on":
		return st.start(j, value)
	default:
		return fmt.Errorf("unknown word %s", w)
	}
	return err
}

func (st *story) run(j *schedmate.JobStatus, value string) error {
	j.Facts = nil
	if value == "unknown" {
		return nil
	}
	low, high, found := strings.Cut(value, "..")
	if !found {
		high = low
	}
	median, err := span(low)
	if err != nil {
		return err
	}
	upper, err := span(high)
	j.Facts = []schedmate.Fact{{
		Kind: schedmate.RunSeconds, Low: int64(median), Value: int64(median), High: int64(upper),
		ConfidenceMilli: 900, Source: schedmate.FromNeighbours, ObservedAt: st.s.Now,
	}}
	return err
}

func tiers(j *schedmate.JobStatus, value string) error {
	j.Job.SLO.Tiers = nil
	for _, part := range strings.Split(value, ",") {
		at, worth, found := strings.Cut(part, "/")
		if !found {
			worth = "100"
		}
		deadline, err := span(at)
		if err != nil {
			return err
		}
		points, err := strconv.Atoi(worth)
		if err != nil {
			return err
		}
		j.Job.SLO.Tiers = append(j.Job.SLO.Tiers, schedmate.Tier{Deadline: deadline, Reward: points})
	}
	return nil
}

// start reads node:first-last.
func (st *story) start(j *schedmate.JobStatus, value string) error {
	node, gpus, _ := strings.Cut(value, ":")
	from, to, found := strings.Cut(gpus, "-")
	if !found {
		to = from
	}
	first, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	last, err := strconv.Atoi(to)
	if err != nil {
		return err
	}
	j.Attempt = &schedmate.Attempt{Number: 1, Start: st.s.Now}
	for g := first; g <= last; g++ {
		j.Attempt.Allocations = append(j.Attempt.Allocations, schedmate.Allocation{Node: node, GPU: g, Share: schedmate.WholeGPU})
	}
	return nil
}

// pass lets time go by; the jobs that are named, and wait, do work in it, and those
// that run do so by running.
func (st *story) pass(words []string) error {
	d, err := span(words[0])
	if err != nil {
		return err
	}
	st.s.Now += d
	for _, id := range words[1:] {
		j := st.s.Find(id)
		if j == nil {
			return fmt.Errorf("there is no job %s", id)
		}
		j.Done += d
	}
	return nil
}
