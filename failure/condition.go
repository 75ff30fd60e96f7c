package failure

import (
	"maps"
	"slices"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// Condition is something that the logs around a root may show. The names are a
// closed set: rules choose among them and cannot add any.
type Condition string

// situation is a root among the rest of the logs, while its conditions are looked at.
type situation struct {
	scanner *Scanner
	causes  *causes
	root    *event
	why     string // what a condition tells of these logs
	culprit int32  // the rank that one names, else -1
}

// condition is what a Condition means.
type condition struct {
	means string
	tells bool // it says why in its own words
	holds func(*situation) bool
}

// startRecords is how few records of training a job may have written, and startSteps
// how few steps made, to be still starting.
const (
	startRecords = 2
	startSteps   = 10
)

// firstCollectives is how many collectives set up a job before it trains.
const firstCollectives = 32

var conditions = map[Condition]condition{
	"untrained": {means: "no progress of training was seen", holds: func(at *situation) bool { return at.scanner.trained == 0 }},
	"trained":   {means: "records of training were seen", holds: func(at *situation) bool { return at.scanner.trained > 0 }},
	"starting":  {means: "the job is loading, or at its first step", holds: (*situation).starting},
	"saving": {means: "a checkpoint was being written, and no progress followed", holds: func(at *situation) bool {
		s := at.scanner
		return s.saving.sequence > s.lastTick.sequence && s.saving.before(at.root.place)
	}},
	"alone":           {means: "nothing else in the logs speaks of failure", holds: func(at *situation) bool { return len(at.causes.alive) == 1 }},
	"single_host":     {means: "the logs name one host at most", holds: func(at *situation) bool { return len(at.scanner.hosts.seen) < 2 }},
	"unranked":        {means: "the line has no rank", holds: func(at *situation) bool { return at.root.stream.rank == logs.NoRank }},
	"infrastructure":  {means: "the rule of the line says that it is of the infrastructure", holds: func(at *situation) bool { return at.root.rule.Class == schedmate.InfrastructureFailure }},
	"device_line":     {means: "a kernel or a device's firmware says it (tier 1)", holds: func(at *situation) bool { return at.root.tier() == TierDevice }},
	"process_line":    {means: "a process says what its device did (tier 3)", holds: func(at *situation) bool { return at.root.tier() == TierSurfaced }},
	"no_one_device":   {means: "nothing ties it to one device: the only process says it, or several do", holds: (*situation).ofManyRanks},
	"recorded":        {means: "the scheduler's own record says it", holds: func(at *situation) bool { return at.recorded() }},
	"told_in_log":     {means: "a log says it, not the scheduler's record", holds: func(at *situation) bool { return !at.recorded() }},
	"no_log":          {means: "nothing but the scheduler's record was read", holds: (*situation).noLog},
	"no_output":       {means: "the logs hold nothing but what is found in them, or are empty", holds: (*situation).noOutput},
	"told_by_several": {means: "several processes say the same", holds: (*situation).toldBySeveral},
	"several_nodes":   {means: "several nodes show the same", holds: (*situation).onSeveralNodes},
	"waited":          {means: "the line ends a long wait", holds: func(at *situation) bool { return at.root.rule.Waits }},
	"ranks_disagree": {means: "watchdogs show that ranks called different collectives", tells: true, holds: func(at *situation) bool {
		v := at.scanner.watches.verdict()
		at.why = v.why
		return v.desync
	}},
	"rank_stands_out": {means: "watchdogs show one rank that is behind or silent; it is blamed", tells: true, holds: func(at *situation) bool {
		v := at.scanner.watches.verdict()
		at.why, at.culprit = v.why, int32(v.culprit)
		return !v.desync && v.culprit >= 0
	}},
	"first_collective": {means: "watchdogs wait for the very first collective", holds: func(at *situation) bool {
		n, ok := at.scanner.watches.earliest()
		return ok && n <= 1
	}},
	"early_collective": {means: "watchdogs wait for one of the first collectives, which set up a job", holds: func(at *situation) bool {
		n, ok := at.scanner.watches.earliest()
		return ok && n < firstCollectives && !(at.scanner.watches.severalGroups() && at.scanner.toldTraining())
	}},
}

func conditionNames() []Condition { return slices.Sorted(maps.Keys(conditions)) }

// fulfils tells whether all conditions hold.
func (at *situation) fulfils(all []Condition) bool {
	for _, name := range all {
		if !conditions[name].holds(at) {
			return false
		}
	}
	return true
}

// starting tells whether the job is loading, or just began: one that writes a record
// every hundred steps has done much when it writes the second.
func (at *situation) starting() bool {
	if at.scanner.trained == 0 {
		return true
	}
	step := at.scanner.lastStep()
	return at.scanner.trained < startRecords && (step == nil || step.Value < startSteps)
}

// toldTraining tells whether any line was a record of training: a counter needs two
// to rise.
func (s *Scanner) toldTraining() bool {
	if s.trained > 0 {
		return true
	}
	for _, sh := range s.shapes {
		if sh.trains && sh.class == lineclass.ProgressMetric && sh.sure >= sureEnough {
			return true
		}
	}
	return false
}

func (at *situation) recorded() bool { return at.scanner.sources[at.root.source].record }

func (at *situation) noLog() bool {
	return !slices.ContainsFunc(at.scanner.sources, func(f *source) bool { return !f.record })
}

// noOutput tells whether the job has printed nothing: what the rules found are words of
// others about it.
func (at *situation) noOutput() bool {
	found := map[int]int64{}
	for _, e := range at.scanner.events {
		found[e.source] += int64(e.times)
	}
	for i, f := range at.scanner.sources {
		if !f.record && max(f.lines, f.word.said) > found[i] {
			return false
		}
	}
	return true
}

// ofManyRanks tells whether nothing ties an event to one device: it is the only
// process that speaks, or several say the same.
func (at *situation) ofManyRanks() bool {
	if root := at.root; root.stream.rank == logs.NoRank && root.captures["rank"] == "" {
		return true
	}
	return at.toldBySeveral()
}

// toldBySeveral tells whether other processes say the same as the root.
func (at *situation) toldBySeveral() bool {
	return slices.ContainsFunc(at.scanner.events, func(e *event) bool { return e.rule == at.root.rule && e.stream != at.root.stream })
}

// onSeveralNodes tells whether failures of the root's kind are on several nodes.
func (at *situation) onSeveralNodes() bool {
	nodes := map[string]bool{}
	for _, e := range at.causes.alive {
		if n := at.scanner.nodeOf(e); n != "" && e.rule.Kind == at.root.rule.Kind {
			nodes[n] = true
		}
	}
	return len(nodes) > 1
}
