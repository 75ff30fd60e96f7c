package report

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"schedmate/failure"
)

// maxLanes is how many processes are drawn one by one, such as 64 ranks and the
// kernels of their eight nodes; more are put together by what they show.
const maxLanes = 72

// columnsOfMarks is how many places a mark can have on a lane: what falls
// together is one mark.
const columnsOfMarks = 240

// timeline is the drawing of an incident: a lane for each process over time.
type timeline struct {
	Title, Desc, Caption string
	XName                string
	Height, Row          int
	Dense                bool
	Ticks                []timeTick
	Lanes                []lane
	Legend               []legendEntry
}

// lane is one row of the drawing.
type lane struct {
	Label, Full string
	Y, Middle   int
	From, Width string // of the stretch in which it wrote, in per cent
	Marks       []drawn
}

// drawn is one mark.
type drawn struct {
	At    string
	Class string
	Path  string
	Title string
}

type legendEntry struct{ Class, Path, Name string }

// lastStep is the role of the last progress on a lane, beside those of findings.
const lastStep failure.Role = "progress"

// roles are drawn in this order, the root above all; each has a shape of its own,
// so that colour is not needed to tell them apart.
var roles = []struct {
	role failure.Role
	path string // around 0, 0
	name pair
}{
	{lastStep, "M-3.5 -4.5L3.5 0-3.5 4.5z", pair{English: "last progress", Chinese: "最后进展"}},
	{failure.RoleRecovered, "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", pair{English: "the job got over it", Chinese: "已克服"}},
	{failure.RoleFallout, "M-1.5 -5h3v10h-3z", pair{English: "fallout", Chinese: "后果"}},
	{failure.RoleAlso, "M-5 -5h10v10h-10z", pair{English: "another root", Chinese: "另一根因"}},
	{failure.RoleRoot, "M0 -7.5L7.5 0 0 7.5-7.5 0z", pair{English: "root", Chinese: "根因"}},
}

// newTimeline draws an incident, nil when there is nothing to see.
func newTimeline(in *failure.Incident, p *page) *timeline {
	marks := 0
	for i := range in.Lanes {
		marks += len(in.Lanes[i].Marks)
	}
	if len(in.Lanes) == 0 || marks == 0 && len(in.Lanes) == 1 {
		return nil
	}
	t := &timeline{Row: 20}
	a := newAxis(in)
	bundles := bundled(in, p)
	switch n := len(bundles); { // a drawing must not be higher than a printed page
	case n > 48:
		t.Row, t.Dense = 12, true
	case n > 20:
		t.Row, t.Dense = 14, true
	}
	used := map[failure.Role]bool{}
	for i, b := range bundles {
		l := b.draw(in, p, a, used)
		l.Y, l.Middle = i*t.Row, i*t.Row+t.Row/2
		t.Lanes = append(t.Lanes, l)
	}
	t.Height = len(bundles) * t.Row
	t.Ticks = a.ticks()
	for _, r := range slices.Backward(roles) {
		if used[r.role] {
			t.Legend = append(t.Legend, legendEntry{string(r.role), r.path, p.Lang.in(r.name)})
		}
	}
	t.words(in, p, a, len(bundles))
	return t
}

// words names the drawing.
func (t *timeline) words(in *failure.Incident, p *page, a *axis, shown int) {
	t.Title = p.word("What each process wrote", "各进程的日志")
	processes := p.counted(len(in.Lanes), "process", "processes", "个进程")
	over := p.word("by line of the log", "按日志行号")
	switch {
	case a.clock:
		over = p.word("by the log's clock", "按日志时间")
		t.XName = p.word("the log's clock, ", "日志时间，") + strings.Fields(clockTime(a.from))[0]
	case a.parts:
		over = p.word("each from the first to the last line of its log; they have no common clock", "各自从日志首行到末行；没有共同的时钟")
		t.XName = p.word("share of each log", "各日志中的位置")
	default:
		t.XName = p.word("line", "行号")
	}
	t.Caption = p.word(". One row a process, ", "。每行一个进程，") + over + p.word(".", "。")
	if shown < len(in.Lanes) {
		t.Caption = p.word(". ", "。") + processes + p.word(", those that show the same in one row, ", "，表现相同的合为一行，") + over + p.word(".", "。")
	}
	t.Desc = processes + p.word(" over time, ", "，") + over
	if l, m := root(in); m != nil {
		t.Desc += p.word("; the root is on ", "；根因在 ") + laneName(in, l)
	}
}

// bundle is one process, or several that show the same.
type bundle struct {
	lanes []*failure.Lane
	shows string // what the several show
}

// bundled puts the lanes in order: those without a rank as they began, then by
// rank. More than maxLanes are put together by what they show; those with a root
// stay alone.
func bundled(in *failure.Incident, p *page) []bundle {
	var ordered []*failure.Lane
	for i := range in.Lanes {
		ordered = append(ordered, &in.Lanes[i])
	}
	rank := func(l *failure.Lane) int {
		if l.Rank == nil {
			return math.MinInt
		}
		return *l.Rank
	}
	slices.SortStableFunc(ordered, func(a, b *failure.Lane) int { return cmp.Compare(rank(a), rank(b)) })
	var out []bundle
	if len(ordered) <= maxLanes {
		for _, l := range ordered {
			out = append(out, bundle{lanes: []*failure.Lane{l}})
		}
		return out
	}
	at := map[string]int{}
	for n, l := range ordered {
		key, shows, rooted := signature(l, p)
		if rooted {
			key = strconv.Itoa(n)
		}
		i, ok := at[key]
		if !ok && len(out) >= maxLanes {
			key, shows = "rest", p.word("various", "其他")
			i, ok = at[key]
		}
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, bundle{shows: shows})
		}
		out[i].lanes = append(out[i].lanes, l)
	}
	return out
}

// signature is what a lane shows, as a key and in a few words.
func signature(l *failure.Lane, p *page) (key, shows string, rooted bool) {
	var kinds, keys []string
	for _, m := range l.Marks {
		if m.Role == failure.RoleRoot || m.Role == failure.RoleAlso {
			rooted = true
		}
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
		if k := string(m.Role) + " " + m.Kind; !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	key = strings.Join(keys, ",")
	shows = strings.Join(kinds, ", ")
	if shows == "" {
		shows = p.word("no finding", "无发现")
	}
	return key, shows, rooted
}

// labelLength is how many characters the name of a lane has at most.
const labelLength = 20

// draw makes a row of a bundle.
func (b bundle) draw(in *failure.Incident, p *page, a *axis, used map[failure.Role]bool) lane {
	first := b.lanes[0]
	l := lane{Full: laneName(in, first)}
	l.Label = shortName(in, first)
	if n := len(b.lanes); n > 1 {
		l.Full = count(n) + " × " + b.shows + ": " + ranks(b.lanes)
		l.Label = cut(count(n)+" × "+b.shows, labelLength)
	}
	from, to, wrote := 1.0, 0.0, false
	found := map[failure.Role]map[int]*mark{}
	add := func(role failure.Role, lane *failure.Lane, m failure.Moment, what string) {
		share, before, after, ok := a.share(lane.Log, m)
		if !ok || before || after {
			return
		}
		if found[role] == nil {
			found[role] = map[int]*mark{}
		}
		column := int(share * columnsOfMarks)
		if k := found[role][column]; k != nil {
			k.times++
			return
		}
		found[role][column] = &mark{share: share, what: what, where: a.moment(in, p, lane, m), times: 1}
	}
	for _, lane := range b.lanes {
		begin, _, late, ok := a.share(lane.Log, lane.First)
		end, early, _, _ := a.share(lane.Log, lane.Last)
		if ok && !late && !early {
			from, to, wrote = min(from, begin), max(to, end), true
		}
		for _, m := range lane.Marks {
			role := m.Role
			if role != failure.RoleRoot && role != failure.RoleAlso && role != failure.RoleRecovered {
				role = failure.RoleFallout
			}
			add(role, lane, m.Moment, m.Kind)
		}
		if lane.LastProgress != nil {
			add(lastStep, lane, *lane.LastProgress, p.word("step ", "第 ")+step(lane.Step)+p.word("", " 步"))
		}
	}
	if wrote {
		l.From, l.Width = percentage(from), percentage(max(to-from, 0.002))
	}
	for _, r := range roles {
		columns := make([]int, 0, len(found[r.role]))
		for c := range found[r.role] {
			columns = append(columns, c)
		}
		slices.Sort(columns)
		for _, c := range columns {
			used[r.role] = true
			m := found[r.role][c]
			title := fmt.Sprintf("%s: %s, %s", p.Lang.in(r.name), m.what, m.where)
			if m.times > 1 {
				title += p.word(" and ", " 等 ") + count(m.times-1) + p.word(" more", " 个")
			}
			l.Marks = append(l.Marks, drawn{At: percentage(m.share), Class: string(r.role), Path: r.path, Title: title})
		}
	}
	return l
}

// mark is one mark of a lane, or several that fall together.
type mark struct {
	share       float64
	what, where string
	times       int
}

// moment says where and when a finding was.
func (a *axis) moment(in *failure.Incident, p *page, l *failure.Lane, m failure.Moment) string {
	file := ""
	if l.Log < len(in.Logs) {
		file = in.Logs[l.Log].Name
	}
	at := laneName(in, l) + ", " + place(file, m.Line)
	if m.StampNanos != 0 {
		return clockTime(m.StampNanos) + ", " + at
	}
	return at
}

// laneName tells one process from the others: rank, host or log.
func laneName(in *failure.Incident, l *failure.Lane) string {
	log := "log " + strconv.Itoa(l.Log+1)
	if l.Log < len(in.Logs) && in.Logs[l.Log].Name != "" {
		log = in.Logs[l.Log].Name
	}
	switch {
	case l.Rank != nil && l.Host != "":
		return l.Host + " rank " + strconv.Itoa(*l.Rank)
	case l.Rank != nil:
		return "rank " + strconv.Itoa(*l.Rank)
	case l.Host != "":
		return l.Host
	}
	return log
}

// shortName is the name as far as there is room for it.
func shortName(in *failure.Incident, l *failure.Lane) string {
	name := laneName(in, l)
	if l.Rank == nil && l.Host == "" {
		name = path.Base(name)
	}
	return tail(name, labelLength)
}

// ranks lists the ranks of lanes as ranges: 1-7, 9.
func ranks(lanes []*failure.Lane) string {
	var all []int
	for _, l := range lanes {
		if l.Rank != nil {
			all = append(all, *l.Rank)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var out []string
	for i := 0; i < len(all); {
		k := i
		for k+1 < len(all) && all[k+1] == all[k]+1 {
			k++
		}
		out = append(out, strconv.Itoa(all[i]))
		if k > i {
			out[len(out)-1] += "-" + strconv.Itoa(all[k])
		}
		i = k + 1
	}
	if len(out) == 0 {
		return "-"
	}
	if len(out) > 24 {
		out = append(out[:24], "…")
	}
	return "rank " + strings.Join(out, ", ")
}
