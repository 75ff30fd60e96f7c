package failure

import (
	"cmp"
	"slices"
)

// principle is a reason why one event brings about another, or cannot. Of those
// below the first that speaks of a pair decides on it.
type principle struct {
	name  string
	why   Text              // a brings about b; empty when it never says so, or the rules' links tell it
	about func(p pair) bool // whether it speaks of a and b
	holds func(p pair) bool // whether a brings about b then
}

// pair is an event and one that it may have brought about.
type pair struct {
	causes *causes
	a, b   *event
	first  bool // a was told before b, or nobody knows which was
}

func never(pair) bool       { return false }
func always(pair) bool      { return true }
func sameDeath(p pair) bool { return p.causes.together(p.a, p.b) }
func (p pair) link() (link, bool) {
	l, ok := p.causes.scanner.rules.links[[2]string{p.a.rule.Kind, p.b.rule.Kind}]
	return l, ok
}

// fallout may be told before its cause, but for what was waited for in vain.
func fallout(p pair) bool {
	return p.first || p.causes.together(p.a, p.b) && (p.a.tier() <= TierTransport || !p.b.rule.Waits)
}

// tellsCause tells whether an event says what went wrong, and not only that
// something ended.
func (e *event) tellsCause() bool { return e.tier() <= TierException && !e.rule.Alone }

var toldAgain = Text{"the same, told again", "同一问题再次出现"}

var principles = []principle{
	{
		name:  "a try explains nothing",
		about: func(p pair) bool { return p.a.tentative },
		holds: never,
	},
	{
		name:  "the known explains the unknown",
		why:   Text{"what no rule knows came with it", "规则库未收录的报错与其同时出现"},
		about: func(p pair) bool { return p.b.rule.guessed() && !p.a.rule.guessed() && p.a.tellsCause() },
		holds: sameDeath,
	},
	{
		name:  "a program that leaves with a code says why, in words that no rule may know",
		why:   Text{"a launcher tells of the end", "启动器报告进程结束"},
		about: func(p pair) bool { return p.a.rule.guessed() && p.b.exited() },
		holds: func(p pair) bool { return p.first },
	},
	{
		name:  "a guess explains only what the clock puts after it",
		about: func(p pair) bool { return p.a.rule.guessed() && !p.a.before(p.b.place) },
		holds: never,
	},
	{
		name: "without clocks the one nearest to the hardware is the cause",
		about: func(p pair) bool {
			return p.a.source != p.b.source && !p.a.before(p.b.place) && !p.b.before(p.a.place) && p.a.tier() > p.b.tier() && p.causes.scanner.rules.linked(p.b, p.a)
		},
		holds: never,
	},
	{
		name: "of files that tell the same without clocks the first given counts",
		about: func(p pair) bool {
			unordered := p.a.source != p.b.source && !p.a.before(p.b.place) && !p.b.before(p.a.place)
			return unordered && p.a.rule.Kind == p.b.rule.Kind && cmp.Or(cmp.Compare(p.a.tier(), p.b.tier()), cmp.Compare(p.a.sequence, p.b.sequence)) > 0
		},
		holds: never,
	},
	{
		name: "the kinds are linked",
		about: func(p pair) bool {
			l, ok := p.link()
			return ok && (p.first || l.Anytime && p.causes.together(p.a, p.b) && !p.b.rule.Waits)
		},
		holds: always,
	},
	{
		name: "the lines below an exception say what it was",
		why:  Text{"the lines below the exception say what it was", "异常下方的日志说明了其原因"},
		about: func(p pair) bool {
			below := p.a.sequence - p.b.sequence
			return p.b.exception != nil && p.b.rule.Generic && !p.a.rule.Generic && p.a.tier() <= TierException && p.a.tier() != TierScheduler && p.a.stream == p.b.stream && below > 0 && below <= messageLines
		},
		holds: always,
	},
	{
		name: "raised while another was handled",
		why:  Text{"it was raised while that was handled", "在处理该异常时抛出"},
		about: func(p pair) bool {
			return p.a.exception != nil && p.b.exception != nil && p.b.exception.comesOf(p.a.exception)
		},
		holds: always,
	},
	{
		name: "told again",
		why:  toldAgain,
		about: func(p pair) bool {
			return p.a.rule.Kind == p.b.rule.Kind && p.a.tier() <= TierException && !p.a.otherException(p.b)
		},
		// What only says that something ended is told again by what says why, not the other way round.
		holds: func(p pair) bool {
			if p.a.rule.Alone != p.b.rule.Alone {
				return p.b.rule.Alone && fallout(p)
			}
			return p.first
		},
	},
	{
		name:  "the scheduler ended it",
		why:   Text{"the scheduler ended the job", "调度器结束了作业"},
		about: func(p pair) bool { return p.a.tier() == TierScheduler },
		holds: func(p pair) bool {
			return p.first && !p.causes.endedLater(p.b) && (p.b.tier() >= TierTransport || p.b.tier() == TierScheduler && p.b.rule.Alone)
		},
	},
	{
		name:  "a process that failed was ended by a signal",
		why:   Text{"the process had failed before the signal ended it", "进程在被信号终止前已经出错"},
		about: func(p pair) bool { return p.b.tier() == TierReaper && p.b.rule.fatalSignal() },
		holds: func(p pair) bool { return p.first && (p.a.tier() <= TierException || p.a.rule.tearsDown()) },
	},
	{
		name:  "a launcher tells of the end after the one it saw first",
		why:   Text{"a launcher tells of the end", "启动器报告进程结束"},
		about: func(p pair) bool { return p.a.tier() == TierReaper && p.b.tier() == TierReaper },
		holds: func(p pair) bool { return p.first && !p.a.rule.Alone },
	},
	{
		name:  "a process that was killed is missed by its peers",
		why:   Text{"its peer was gone", "对端进程已退出"},
		about: func(p pair) bool { return p.a.tier() == TierReaper },
		holds: func(p pair) bool {
			return p.b.tier() == TierPeer && p.a.rule.fatalSignal() && p.causes.together(p.a, p.b) && (p.first || !p.b.rule.Waits)
		},
	},
	{
		name: "a launcher tells of the end of what went wrong",
		why:  Text{"a launcher tells of the end", "启动器报告进程结束"},
		about: func(p pair) bool {
			return p.b.tier() == TierReaper && (p.a.tellsCause() || p.b.exited() && p.a.tier() <= TierException)
		},
		holds: fallout,
	},
	{
		name:  "what went wrong explains what only tells of an end",
		why:   Text{"it only tells that something had ended", "只说明有进程已结束"},
		about: func(p pair) bool { return p.b.rule.Alone && p.a.tellsCause() },
		holds: fallout,
	},
	{
		name:  "a process that failed is missed by its peers",
		why:   Text{"its peer was gone", "对端进程已退出"},
		about: func(p pair) bool { return p.b.tier() == TierPeer && p.a.tellsCause() },
		holds: fallout,
	},
	{
		name:  "a lost peer is missed by the others and by the launcher",
		why:   Text{"its peer was gone", "对端进程已退出"},
		about: func(p pair) bool { return p.b.tier() >= TierPeer || p.b.rule.Alone },
		holds: func(p pair) bool { return p.a.tier() == TierPeer && p.b.tier() >= TierPeer && p.first },
	},
	{
		name:  "a device's failure surfaces in processes",
		why:   Text{"the device had failed", "设备已发生故障"},
		about: func(p pair) bool { return p.a.tier() == TierDevice },
		holds: func(p pair) bool { return p.first && (p.b.tier() == TierSurfaced || p.b.tier() == TierTransport) },
	},
	{
		name:  "an error below surfaces as an exception that says little",
		why:   Text{"the exception reports the failure above", "该异常是上述故障的表现"},
		about: func(p pair) bool { return p.a.tier() <= TierTransport && p.b.tier() == TierException },
		holds: func(p pair) bool { return p.first && p.b.rule.Generic && p.a.stream == p.b.stream },
	},
}

// explanation is what explains an event, and why.
type explanation struct {
	by        *event
	principle string
	why       string
}

// explains tells whether a alone brings about b, and by which principle.
func (c *causes) explains(a, b *event) (explanation, bool) {
	p := pair{causes: c, a: a, b: b, first: a.before(b.place) || a.source != b.source && !b.before(a.place)}
	for i := range principles {
		rule := &principles[i]
		if !rule.about(p) {
			continue
		}
		why := rule.why.English
		if l, ok := p.link(); ok {
			why = l.Why.English
		} else if a.rule.Kind == b.rule.Kind {
			why = toldAgain.English
		}
		return explanation{a, rule.name, why}, rule.holds(p)
	}
	return explanation{}, false
}

// endedLater tells whether the log of an exception says that the scheduler ended the
// job after it: a record of that end, which has another clock or none in common, did not
// come before.
func (c *causes) endedLater(b *event) bool {
	return b.tier() == TierException && slices.ContainsFunc(c.alive, func(e *event) bool {
		return e.source == b.source && e.tier() == TierScheduler && b.before(e.place)
	})
}

// otherException tells whether two events are exceptions of different names that
// no rule knows more of.
func (e *event) otherException(o *event) bool {
	return e.rule.Generic && o.rule.Generic && e.exception != nil && o.exception != nil && e.exception.name != o.exception.name
}

// linked tells whether a may bring about b.
func (s *RuleSet) linked(a, b *event) bool {
	_, ok := s.links[[2]string{a.rule.Kind, b.rule.Kind}]
	return ok
}

// messageLines is how far below an exception its own message may go on.
const messageLines = 8

func (r *Rule) fatalSignal() bool { return r.kind != nil && r.kind.FatalSignal }
func (r *Rule) tearsDown() bool   { return r.kind != nil && r.kind.TearsDown }

// comesOf tells whether an exception was raised while another was handled.
func (e *exception) comesOf(other *exception) bool {
	for c := e.cause; c != nil; c = c.cause {
		if c == other {
			return true
		}
	}
	return false
}
