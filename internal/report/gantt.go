package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"schedmate"
)

// gantt is the chart of one series: a row a GPU, grouped by node.
type gantt struct {
	*series
	Plot  plot
	Gangs []gang // the sizes that occur, for the legend
	Shown string // how many bars are drawn, and which are not
	Ends  bool   // some bars end in a preemption
	Pairs bool   // some GPUs are shared
}

// gang is a class of gang sizes with one colour.
type gang struct {
	Class int
	Label string
}

var gangs = []gang{{0, "1"}, {1, "2"}, {2, "3–4"}, {3, "5–8"}, {4, "9–16"}, {5, "17 or more"}}

// gangOf returns the class: 1, 2, up to 4, 8, 16, and all above.
func gangOf(gpus int) int {
	class := 0
	for limit := 1; class < len(gangs)-1 && gpus > limit; limit *= 2 {
		class++
	}
	return class
}

// maxBlocks bounds what one chart draws; a screen shows no more, and a page
// stays small enough to mail.
const maxBlocks = 12000

// Heights on the grid of a chart, and the least width of a block there.
const (
	rowHeight   = 10
	rowGap      = 1 // below each block, part of its last row
	nodeGap     = 4 // below each node
	leastWidth  = 8
	blockGap    = 4 // right of a block that is wide enough to spare it
	labelHeight = 14
	maxName     = 13
)

// block is a rectangle: neighbouring GPUs of one node that one job holds over
// the same time. Gangs thus show as what they are, and cost one rectangle.
type block struct {
	Bar
	Rows   int  // from Bar.Row down
	Shared bool // another job was on the GPU first; drawn over its lower half
}

func (b *block) size() float64 { return float64(b.Rows) * float64(b.End-b.Start) }

// layout places the rows of nodes.
type layout struct {
	nodes []Node
	top   []int // of each row on the grid
	node  []int // of each row
	high  int   // of the whole chart
}

func newLayout(nodes []Node) layout {
	l := layout{nodes: nodes}
	for i, n := range nodes {
		for range n.GPUs {
			l.top = append(l.top, l.high)
			l.node = append(l.node, i)
			l.high += rowHeight
		}
		l.high += nodeGap
	}
	return l
}

// pixels is the height of the chart on the screen: rows of 14 pixels on a
// small cluster, of 3 on one of hundreds of GPUs, thinner ones beyond.
func (l layout) pixels() int {
	rows := len(l.top)
	return min(max(3*rows, min(14*rows, 420)), 1200)
}

// ticks names as many nodes as there is room for.
func (l layout) ticks() []tick {
	room := max(1, l.pixels()/labelHeight)
	step := max(1, (len(l.nodes)+room-1)/room)
	var ticks []tick
	row := 0
	for i, n := range l.nodes {
		if n.GPUs > 0 && i%step == 0 {
			middle := float64(l.top[row]+l.top[row+n.GPUs-1]+rowHeight) / 2
			ticks = append(ticks, tick{At: at(middle / float64(l.high)), Label: tail(n.Name, maxName)})
		}
		row += n.GPUs
	}
	return ticks
}

// tracks draws the rows of each node as an empty band.
func (l layout) tracks() string {
	var d []byte
	row := 0
	for _, n := range l.nodes {
		if n.GPUs > 0 {
			d = appendRect(d, 0, l.top[row], gridWidth, n.GPUs*rowHeight-rowGap)
		}
		row += n.GPUs
	}
	return string(d)
}

func appendRect(d []byte, x, y, width, height int) []byte {
	return fmt.Appendf(d, "M%d %dh%dv%dh%dz", x, y, width, height, -width)
}

// blocks joins the bars of a gang that lie below each other in one node.
func blocks(bars []Bar, l layout) []block {
	all := make([]block, len(bars))
	for i, b := range bars {
		all[i] = block{Bar: b, Rows: 1}
	}
	// Who is on a GPU before the other has left shares it.
	slices.SortFunc(all, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Job, b.Job))
	})
	row, busy := -1, -schedmate.Forever
	for i := range all {
		b := &all[i]
		if b.Row != row {
			row, busy = b.Row, -schedmate.Forever
		}
		b.Shared = b.Start < busy
		busy = max(busy, b.End)
	}
	slices.SortFunc(all, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Job, b.Job), cmp.Compare(a.End, b.End), cmp.Compare(a.Row, b.Row))
	})
	joined := all[:0]
	for _, b := range all {
		if n := len(joined); n > 0 && joined[n-1].continues(&b, l) {
			joined[n-1].Rows++
			continue
		}
		joined = append(joined, b)
	}
	return joined
}

// continues reports whether the one-row block next is b one row further down.
func (b *block) continues(next *block, l layout) bool {
	return b.Job == next.Job && b.Start == next.Start && b.End == next.End && b.GPUs == next.GPUs && b.Preempted == next.Preempted &&
		!b.Shared && !next.Shared && b.Row+b.Rows == next.Row && l.node[b.Row] == l.node[next.Row]
}

// largest keeps n blocks, those with the most GPU time, in their order.
func largest(all []block, n int) []block {
	if len(all) <= n {
		return all
	}
	sizes := make([]float64, len(all))
	for i := range all {
		sizes[i] = all[i].size()
	}
	slices.Sort(sizes)
	limit := sizes[len(sizes)-n]
	spare := n // for those of exactly the limit
	for _, s := range sizes[len(sizes)-n:] {
		if s > limit {
			spare--
		}
	}
	kept := all[:0]
	for i := range all {
		switch size := all[i].size(); {
		case size > limit:
			kept = append(kept, all[i])
		case size == limit && spare > 0:
			kept = append(kept, all[i])
			spare--
		}
	}
	return kept
}

// newGantt draws the first seed of a series. Names are numbered in jobs, which
// all charts of the page share.
func newGantt(s *series, w window, jobs *names) gantt {
	r := s.first()
	l := newLayout(r.Nodes)
	g := gantt{series: s, Plot: plot{
		ID: fmt.Sprintf("gantt-%d", s.Slot), Title: "GPUs over time: " + s.Label,
		Height: l.pixels(), Rows: max(1, l.high), X: w.ticks(), Y: l.ticks(),
		Scale: "time", To: w.length(),
	}}
	var inside []Bar
	for _, b := range r.Bars {
		if b.Start < w.To {
			inside = append(inside, b)
		}
	}
	drawn := largest(blocks(inside, l), maxBlocks)
	shown := 0
	for i := range drawn {
		shown += drawn[i].Rows
	}
	g.Shown = shownBars(shown, len(inside), len(r.Bars), r.BarsOmitted)
	g.draw(drawn, l, w, jobs)
	g.Plot.Desc = fmt.Sprintf("%s: each row is one GPU, each bar a job on it, from the start of the run to %s. %s", s.Label, seconds(w.length()), g.Shown)
	return g
}

// draw makes one path for each class of gangs, alone and shared, and one for
// the ends in preemptions.
func (g *gantt) draw(drawn []block, l layout, w window, jobs *names) {
	type layer struct{ path, data []byte }
	layers := make([]layer, 2*len(gangs))
	var ends []byte
	for i := range drawn {
		b := &drawn[i]
		x0, x1 := grid(w.place(b.Start), 0).x, grid(w.place(b.End), 0).x
		y, high := l.top[b.Row], b.Rows*rowHeight-rowGap
		class := gangOf(b.GPUs)
		if b.Shared {
			class += len(gangs)
			y, high = y+rowHeight/2, rowHeight/2-rowGap
			g.Pairs = true
		}
		width := max(leastWidth, x1-x0)
		if width > 10*blockGap {
			width -= blockGap
		}
		x0 = min(x0, gridWidth-width)
		to := &layers[class]
		to.path = appendRect(to.path, x0, y, width, high)
		to.data = b.appendData(to.data, w, jobs)
		if b.Preempted && b.End <= w.To {
			ends = fmt.Appendf(ends, "M%d %dv%d", x0+width, y, high)
		}
	}
	g.Plot.Shapes = append(g.Plot.Shapes, shape{Class: "track", Series: -1, Path: l.tracks()})
	occurs := make([]bool, len(gangs))
	for i, layer := range layers {
		if len(layer.path) == 0 {
			continue
		}
		class := fmt.Sprintf("block g%d", i%len(gangs))
		if i >= len(gangs) {
			class += " shared"
		}
		occurs[i%len(gangs)] = true
		g.Plot.Shapes = append(g.Plot.Shapes, shape{Class: class, Series: -1, Path: string(layer.path), Data: string(layer.data)})
	}
	if g.Ends = len(ends) > 0; g.Ends {
		g.Plot.Shapes = append(g.Plot.Shapes, shape{Class: "ends", Series: -1, Path: string(ends)})
	}
	for i, some := range occurs {
		if some {
			g.Gangs = append(g.Gangs, gangs[i])
		}
	}
}

// appendData adds what the read-out says about a block: the number of the job,
// start, length and gang size, in base 36, and "!" for a preemption.
func (b *block) appendData(d []byte, w window, jobs *names) []byte {
	if len(d) > 0 {
		d = append(d, ' ')
	}
	d = strconv.AppendInt(d, int64(jobs.number(b.Job)), 36)
	for _, v := range []int64{int64(b.Start - w.From), int64(b.End - b.Start), int64(b.GPUs)} {
		d = append(d, ',')
		d = strconv.AppendInt(d, v, 36)
	}
	if b.Preempted {
		d = append(d, '!')
	}
	return d
}

// shownBars counts honestly what the chart leaves out and why.
func shownBars(shown, inside, given, omitted int) string {
	text := fmt.Sprintf("%s of %s bars shown", Count(shown), Count(given+omitted))
	switch small, late := inside-shown, given-inside; {
	case small+late+omitted == 0 && shown == 1:
		text = "The only bar is shown"
	case small+late+omitted == 0:
		text = fmt.Sprintf("All %s bars shown", Count(shown))
	default:
		var why []string
		if small > 0 {
			why = append(why, fmt.Sprintf("%s with the least GPU time are left out", Count(small)))
		}
		if late > 0 {
			why = append(why, fmt.Sprintf("%s start after the axis ends", Count(late)))
		}
		if omitted > 0 {
			why = append(why, fmt.Sprintf("%s were not recorded", Count(omitted)))
		}
		text += ": " + list(why)
	}
	return text + "."
}

// names numbers the jobs of the page in the order in which they come up.
type names struct {
	index map[string]int
	list  []string
}

func (n *names) number(name string) int {
	i, ok := n.index[name]
	if !ok {
		i = len(n.list)
		n.index[name] = i
		n.list = append(n.list, name)
	}
	return i
}
