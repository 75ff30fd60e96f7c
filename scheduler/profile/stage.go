package profile

import (
	"cmp"
	"slices"

	"schedmate"
)

// Request is a job that is to be measured.
type Request struct {
	User   string
	GPUs   int
	Submit schedmate.Seconds
	Run    schedmate.Seconds // what it would run, on its gang
}

// Measured is what came of a request.
//
// Invariant: Submit <= Queued <= Start <= End.
type Measured struct {
	Queued schedmate.Seconds // when it was let into the queue
	Start  schedmate.Seconds // of its first run
	End    schedmate.Seconds // of its last run, or of the job where it Ended
	Ended  bool              // its work was done within the first window
	GPUs   int64             // GPU seconds that its runs held
}

// Size says how many nodes are the profiler's from an instant on.
type Size struct {
	At    schedmate.Seconds
	Nodes int
}

// Run reckons the stage for requests sorted by Submit, on nodes of so many GPUs.
// Sizes begin with that of the first submission, and change at most once an instant.
// A user's only request is never turned away, however large it is.
func (o *Options) Run(nodeGPUs int, requests []Request) ([]Measured, []Size) {
	if len(requests) == 0 {
		return nil, nil
	}
	s := &stage{o: o, node: nodeGPUs, requests: requests, out: make([]Measured, len(requests)), used: make(map[string]int)}
	for range o.Nodes {
		s.nodes = append(s.nodes, host{free: nodeGPUs, idle: requests[0].Submit})
	}
	s.sizes = []Size{{requests[0].Submit, o.Nodes}}
	for s.next < len(requests) || len(s.away)+len(s.queue)+len(s.runs) > 0 || len(s.nodes) > o.Nodes {
		s.now = s.instant()
		s.finish()
		s.enter()
		s.start()
		s.grow()
		s.shrink()
	}
	return s.out, s.sizes
}

// stage is the profiler at one instant.
type stage struct {
	o        *Options
	node     int
	now      schedmate.Seconds
	requests []Request
	out      []Measured
	next     int // of requests
	away     []visit
	queue    []visit
	runs     []run
	nodes    []host
	sizes    []Size
	used     map[string]int // GPUs of users, in the queue and under way
}

// visit is a request that comes, or comes again.
type visit struct {
	request int
	at      schedmate.Seconds // away: when it comes again; in the queue: since when
	second  bool              // for its run on two nodes
}

// run is a measurement under way.
type run struct {
	visit
	until schedmate.Seconds
	on    []share
}

// share is GPUs of one of the nodes.
type share struct{ node, gpus int }

type host struct {
	free int
	idle schedmate.Seconds // since when nothing has run there
}

// gpus is what a request takes in its first or second run.
func (s *stage) gpus(v visit) int {
	g := s.requests[v.request].GPUs
	if v.second {
		return min(g, 2*s.node)
	}
	return min(g, s.node)
}

// most is the most GPUs that measuring a request takes at once: what it counts
// with among those of its user.
func (s *stage) most(request int) int { return min(s.requests[request].GPUs, 2*s.node) }

// instant is when something happens next.
func (s *stage) instant() schedmate.Seconds {
	at := schedmate.Forever
	if s.next < len(s.requests) {
		at = s.requests[s.next].Submit
	}
	for _, v := range s.away {
		at = min(at, v.at)
	}
	for i := range s.runs {
		at = min(at, s.runs[i].until)
	}
	if len(s.queue) > 0 && len(s.nodes) < s.o.MostNodes {
		at = min(at, max(s.now+1, s.due()))
	}
	if n := len(s.nodes); n > s.o.Nodes && s.nodes[n-1].free == s.node {
		at = min(at, max(s.now, s.nodes[n-1].idle+s.o.ShrinkAfter))
	}
	return at
}

// due is when another node is taken for the first of the queue: after it has waited,
// and so long after the last change.
func (s *stage) due() schedmate.Seconds {
	since := s.queue[0].at
	if n := len(s.sizes); n > 1 {
		since = max(since, s.sizes[n-1].At)
	}
	return since + s.o.GrowAfter
}

// finish takes the runs off that are over. What is to be measured on two nodes comes
// before all who have not been measured at all.
func (s *stage) finish() {
	var again []visit
	s.runs = slices.DeleteFunc(s.runs, func(r run) bool {
		if r.until > s.now {
			return false
		}
		for _, x := range r.on {
			if s.nodes[x.node].free += x.gpus; s.nodes[x.node].free == s.node {
				s.nodes[x.node].idle = s.now
			}
		}
		q := &s.requests[r.request]
		if m := &s.out[r.request]; !r.second && !m.Ended && q.GPUs > s.node {
			again = append(again, visit{r.request, s.now, true})
		} else {
			s.used[q.User] -= s.most(r.request)
		}
		return true
	})
	slices.SortStableFunc(again, func(x, y visit) int { return cmp.Compare(x.request, y.request) })
	s.queue = append(again, s.queue...)
}

// enter lets those in who come, or turns them away. Whoever was turned away before
// comes first.
func (s *stage) enter() {
	var come []visit
	s.away = slices.DeleteFunc(s.away, func(v visit) bool {
		if v.at <= s.now {
			come = append(come, v)
		}
		return v.at <= s.now
	})
	slices.SortStableFunc(come, func(x, y visit) int { return cmp.Compare(x.request, y.request) })
	for s.next < len(s.requests) && s.requests[s.next].Submit <= s.now {
		come = append(come, visit{request: s.next})
		s.next++
	}
	for _, v := range come {
		q := &s.requests[v.request]
		if has := s.used[q.User]; s.o.UserGPUs > 0 && has > 0 && has+s.most(v.request) > s.o.UserGPUs {
			s.away = append(s.away, visit{request: v.request, at: s.now + s.o.BackOff})
			continue
		}
		s.used[q.User] += s.most(v.request)
		v.at = s.now
		s.out[v.request].Queued = s.now
		s.queue = append(s.queue, v)
	}
}

// start starts the first of the queue, as long as there is room for it.
func (s *stage) start() {
	for len(s.queue) > 0 {
		v := s.queue[0]
		on := s.place(s.gpus(v))
		if on == nil {
			return
		}
		s.queue = s.queue[1:]
		q, m := &s.requests[v.request], &s.out[v.request]
		lasts := s.o.Window
		if !v.second {
			m.Start = s.now
			if q.Run <= lasts {
				m.Ended, lasts = true, q.Run
			}
		}
		m.End = s.now + lasts
		m.GPUs += int64(s.gpus(v)) * int64(lasts)
		for _, x := range on {
			s.nodes[x.node].free -= x.gpus
		}
		s.runs = append(s.runs, run{v, m.End, on})
	}
}

// place finds GPUs: on the fullest node with room, the first of equals, so that the
// last nodes empty; more than a node's on two, one of them whole.
func (s *stage) place(gpus int) []share {
	best := -1
	for i, n := range s.nodes {
		if want := min(gpus, s.node); n.free >= want && (best < 0 || n.free < s.nodes[best].free) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	on := []share{{best, min(gpus, s.node)}}
	if gpus <= s.node {
		return on
	}
	s.nodes[best].free -= s.node
	rest := s.place(gpus - s.node)
	s.nodes[best].free += s.node
	if rest == nil {
		return nil
	}
	return append(on, rest...)
}

// grow takes a node for the first of the queue when it has waited long enough.
func (s *stage) grow() {
	if len(s.queue) == 0 || len(s.nodes) >= s.o.MostNodes || s.now < s.due() {
		return
	}
	s.nodes = append(s.nodes, host{free: s.node, idle: s.now})
	s.resize()
	s.start()
}

// shrink gives the last nodes back that have been idle for long enough.
func (s *stage) shrink() {
	n := len(s.nodes)
	for len(s.nodes) > s.o.Nodes {
		if last := s.nodes[len(s.nodes)-1]; last.free < s.node || s.now < last.idle+s.o.ShrinkAfter {
			break
		}
		s.nodes = s.nodes[:len(s.nodes)-1]
	}
	if len(s.nodes) != n {
		s.resize()
	}
}

// resize notes how many nodes there are now.
func (s *stage) resize() {
	if last := &s.sizes[len(s.sizes)-1]; last.At == s.now {
		last.Nodes = len(s.nodes)
		return
	}
	s.sizes = append(s.sizes, Size{s.now, len(s.nodes)})
}
