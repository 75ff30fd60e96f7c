package report

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"schedmate"
	"schedmate/failure"
)

// page is what a report says, in one language and no format yet.
type page struct {
	Lang     Language
	Failed   bool // a failure was determined
	Well     bool // the run did not fail
	Title    string
	Class    string // empty without a failure
	Lead     sentence
	Sections []section
	Read     string // what was read, for the foot

	reasons    func(string) string // the rules' own translations
	remembered string              // of earlier incidents
}

// section is one thing that a reader wants to know.
type section struct {
	ID, Name string
	Items    []item
}

// item is a sentence, a quoted line of a log, or a line with a remark.
type item struct {
	Say          sentence
	Place, Quote string
}

// mostQuotes is how many lines speak for the root.
const mostQuotes = 3

// mostListed is how many entries a list has where there is room.
const mostListed = 12

// newPage says what a cleaned incident shows.
func newPage(in *failure.Incident, l Language, o Options) *page {
	p := &page{Lang: l, reasons: o.Chinese, remembered: l.in(o.Remembered)}
	d := &in.Diagnosis
	p.Read = p.read(in)
	switch {
	case !d.Determined:
		p.undetermined(in)
	case d.Class == schedmate.NoFailure:
		p.well(in)
	default:
		p.failed(in)
	}
	return p
}

func (p *page) say(english, chinese string, args ...any) sentence {
	return p.Lang.say(english, chinese, args...)
}

func (p *page) word(english, chinese string) string {
	return p.Lang.in(failure.Text{English: english, Chinese: chinese})
}

// translated is a reason in the page's language, English where there is no other.
func (p *page) translated(reason string) string {
	if p.Lang == Chinese && p.reasons != nil {
		if t := p.reasons(reason); t != reason {
			return t
		}
	}
	return p.Lang.translated(reason)
}

// add adds a section unless it is empty.
func (p *page) add(id, english, chinese string, items ...item) {
	if len(items) > 0 {
		p.Sections = append(p.Sections, section{id, p.word(english, chinese), items})
	}
}

// failed says what happened to a job that failed.
func (p *page) failed(in *failure.Incident) {
	d := &in.Diagnosis
	p.Failed = true
	p.Title = d.Subclass
	if in.Kind != nil && p.Lang.in(in.Kind.Title) != "" {
		p.Title = p.Lang.in(in.Kind.Title)
	}
	class, ok := classes[d.Class]
	if !ok {
		class = pair{English: "unknown class", Chinese: "未知类别"}
	}
	who, ok := actors[in.Kind.Actor(d.Class)]
	if !ok {
		who = actor{pair{English: "somebody", Chinese: "相关人员"}, "has"}
	}
	p.Class = p.Lang.in(class)
	english, chinese := "{0} {3} to act ({1}, {2}).", "由{0}处理（{1}类故障，{2}）。"
	if d.Confidence <= unproven {
		english, chinese = "{0} probably {3} to act ({1}, {2}).", "可能由{0}处理（{1}类故障，{2}）。"
		p.Title = p.hedged(in.OnlyEnded)
	}
	if in.CalledWell {
		english, chinese = "By Slurm's word the job did not fail; {0} should look at its result ({1}, {2}).", "按 Slurm 的记录作业没有失败；建议{0}查看其结果（{1}类，{2}）。"
	}
	p.Lead = p.say(english, chinese, p.Lang.in(who.name), p.Class, code(d.Subclass), who.verb)
	p.Lead[0].Text = capitalised(p.Lead[0].Text)
	p.add("where", "Where", "位置", item{Say: p.where(in)})
	p.add("since", "Since", "时间", p.since(in)...)
	p.add("sure", "How sure", "把握", p.sure(d)...)
	if in.Meaning != "" && !strings.Contains(strings.ToLower(d.Root.Text), strings.ToLower(in.Meaning)) {
		p.add("meaning", "Meaning", "含义", item{Say: p.say("by its code: {0}", "按代码：{0}", in.Meaning)})
	}
	p.add("explained", "Explained", "解释", p.explained(in)...)
	p.add("restart", "Restart", "重启", item{Say: p.restart(in)})
	p.add("quarantine", "Quarantine", "隔离", p.quarantine(d)...)
	if p.remembered != "" {
		p.add("history", "History", "历史", item{Say: plain(p.remembered)})
	}
	p.add("also", "Also", "另有", p.also(in)...)
	p.add("alternatives", "Or else", "或者", p.alternatives(in)...)
	p.add("test", "Next test", "下一步", p.test(in)...)
	if in.Kind != nil && p.Lang.in(in.Kind.Advice) != "" {
		p.add("advice", "To do", "建议", item{Say: plain(p.Lang.in(in.Kind.Advice))})
	}
}

// hedged is a title of what is not proven: of what happened, or, where that is what the
// line says, of why.
func (p *page) hedged(onlyEnded bool) string {
	if onlyEnded {
		return p.word("Cause unknown: ", "原因不明：") + p.Title
	}
	return p.word("Perhaps: ", "可能：") + p.Title
}

func (p *page) where(in *failure.Incident) sentence {
	d := &in.Diagnosis
	s := plain(p.Lang.in(components[d.Component]))
	if in.Frame != "" && d.Class != schedmate.InfrastructureFailure {
		s = append(s, p.say(", in {0}", "，位于 {0}", code(in.Frame))...)
	}
	if d.Node != "" {
		s = append(s, p.say(", node {0}", "，节点 {0}", code(d.Node))...)
	}
	if d.Rank != nil {
		s = append(s, p.say(", rank {0}", "，rank {0}", strconv.Itoa(*d.Rank))...)
	}
	switch {
	case d.Node != "" || d.Class != schedmate.InfrastructureFailure:
	case in.RanOn != "":
		s = append(s, p.say("; the job ran on {0}", "；作业运行于 {0}", code(in.RanOn))...)
	case d.Component != schedmate.ComponentScheduler: // whose failures are of no node
		s = append(s, p.say("; the logs name no node", "；日志没有指明节点")...)
	}
	return s
}

// since says when it began, and what was lost since.
func (p *page) since(in *failure.Incident) []item {
	var items []item
	d := &in.Diagnosis
	lane, mark := root(in)
	switch {
	case mark != nil && mark.StampNanos != 0:
		items = append(items, item{Say: p.say("{0} by the log's clock", "{0}（日志时间）", clockTime(mark.StampNanos))})
	case d.Root != nil && d.Root.Line > 0:
		items = append(items, item{Say: p.say("line {0} of {1}; the log prints no time there", "{1} 第 {0} 行；该处日志没有时间", count(d.Root.Line), p.log(d.Root.File))})
	}
	last := d.LastStep
	if last == nil && lane != nil && lane.LastProgress != nil {
		last = &schedmate.Reading{Value: lane.Step}
	}
	switch saved := d.LastCheckpoint; {
	case last != nil && saved != nil && last.Value >= saved.Value:
		items = append(items, item{Say: p.say("last step {0}, last checkpoint at {1}: {2} steps are lost", "最后一步 {0}，最近检查点在第 {1} 步：损失 {2} 步", step(last.Value), step(saved.Value), step(last.Value-saved.Value))})
	case last != nil && saved == nil:
		items = append(items, item{Say: p.say("last step {0}; the logs tell of no checkpoint", "最后一步 {0}；日志没有提到检查点", step(last.Value))})
	case saved != nil:
		items = append(items, item{Say: p.say("last checkpoint at step {0}", "最近检查点在第 {0} 步", step(saved.Value))})
	}
	return items
}

// log names a log in a sentence.
func (p *page) log(file string) any {
	if file == "" {
		return p.word("the log", "日志")
	}
	return code(file)
}

// root is the root's mark and the lane it is on, nil when it is on none.
func root(in *failure.Incident) (*failure.Lane, *failure.Mark) {
	for i := range in.Lanes {
		for k := range in.Lanes[i].Marks {
			if in.Lanes[i].Marks[k].Role == failure.RoleRoot {
				return &in.Lanes[i], &in.Lanes[i].Marks[k]
			}
		}
	}
	return nil, nil
}

// sure says how sure the root is, and on which lines; what speaks for it beside its
// own line comes first.
func (p *page) sure(d *schedmate.Diagnosis) []item {
	how := p.word("a guess", "仅为推测")
	switch {
	case d.Confidence >= 0.9:
		how = p.word("sure", "确定")
	case d.Confidence >= 0.7:
		how = p.word("likely", "很可能")
	}
	s := p.say("{0}, {1}", "{0}，{1}", percent(d.Confidence), how)
	lines := p.quotes(d.Evidence, mostQuotes)
	if len(lines) > 0 && len(lines[0].Say) > 0 {
		s = append(s, p.say(": {0}", "：{0}", lines[0].Say)...)
		lines[0].Say = nil
	}
	return append([]item{{Say: s}}, lines...)
}

// quotes are the first lines of some.
func (p *page) quotes(of []schedmate.Quote, most int) []item {
	var items []item
	for _, q := range of[:min(len(of), most)] {
		items = append(items, p.quoted(q))
	}
	return items
}

func (p *page) quoted(q schedmate.Quote) item {
	i := item{Place: place(q.File, q.Line), Quote: q.Text}
	if q.Why != "" {
		i.Say = plain(p.translated(q.Why))
	}
	return i
}

// place is where a line stands, as editors and compilers write it.
func place(file string, line int64) string {
	if file == "" {
		return strconv.FormatInt(line, 10)
	}
	return file + ":" + strconv.FormatInt(line, 10)
}

// explained says what the root brought about.
func (p *page) explained(in *failure.Incident) []item {
	d := &in.Diagnosis
	if d.ErrorLines == 0 {
		return nil
	}
	total := p.say("{0} of {1} error lines", "{1} 个错误行中的 {0} 个", count(d.ExplainedErrors), count(d.ErrorLines))
	switch {
	case d.ErrorLines == 1 && d.ExplainedErrors == 1:
		total = p.say("the only error line", "唯一的错误行")
	case d.ExplainedErrors == d.ErrorLines:
		total = p.say("all {0}", "全部 {0}", p.counted(d.ErrorLines, "error line", "error lines", "个错误行"))
	}
	items := []item{{Say: total}}
	for _, g := range in.Groups {
		if g.Role != failure.RoleRoot {
			continue
		}
		if g.Times > 1 {
			items = append(items, item{Say: p.say("{0}: the root itself, told more than once", "{0}：根因本身，多次出现", p.counted(g.Times, "line", "lines", "行"))})
		}
		for _, e := range slices.SortedStableFunc(slices.Values(g.Effects), func(a, b failure.Effect) int { return cmp.Compare(b.Lines, a.Lines) }) {
			items = append(items, item{Say: p.effect(e)})
		}
	}
	for _, g := range in.Groups { // of what only tells of an end, which is no other root
		if g.Role == failure.RoleAlso && g.Kind != nil && !slices.ContainsFunc(d.Also, func(f schedmate.Finding) bool { return f.Subclass == g.Kind.Name }) {
			items = append(items, item{Say: p.say("not explained: {0}", "未解释：{0}", p.title(g.Kind)), Place: place(g.Quote.File, g.Quote.Line), Quote: g.Quote.Text})
		}
	}
	if in.Dropped > 0 {
		items = append(items, item{Say: p.say("{0} could not be kept", "另有 {0}未保留", p.counted(in.Dropped, "more finding", "more findings", "个发现"))})
	}
	return items
}

func (p *page) effect(e failure.Effect) sentence {
	who := p.counted(e.Lines, "line", "lines", "行")
	if e.Ranks > 0 {
		who = p.counted(e.Ranks, "rank", "ranks", "个 rank")
		if e.Lines != e.Ranks {
			who += p.word(" ("+counted(e.Lines, "line", "lines")+")", "（"+count(e.Lines)+" 行）")
		}
	}
	s := p.say("{0}: {1}", "{0}：{1}", who, p.title(e.Kind))
	if why := p.translated(e.Why); why != "" && (p.Lang == English || why != e.Why) {
		s = append(s, p.say(" ({0})", "（{0}）", why)...)
	}
	return s
}

// title is what a kind of finding is called.
func (p *page) title(k *failure.Kind) string {
	switch {
	case k == nil:
		return p.word("something that no rule names", "没有规则命名的错误")
	case p.Lang.in(k.Title) != "":
		return p.Lang.in(k.Title)
	}
	return k.Name
}

func (p *page) counted(n int, one, many, chinese string) string {
	return p.word(counted(n, one, many), count(n)+" "+chinese)
}

// unproven is the confidence up to which a verdict is told as likely only.
const unproven = 0.5

func (p *page) restart(in *failure.Incident) sentence {
	d := &in.Diagnosis
	from := p.word("from the last checkpoint", "从最近的检查点")
	switch {
	case in.Unstarted:
		from = p.word("from the start", "从头开始")
	case d.LastCheckpoint == nil:
		from = p.word("from its last checkpoint, if it saved one (the logs tell of none)", "从最近的检查点（如果有；日志没有提到）")
	}
	switch {
	case in.CalledWell:
		return p.say("not because of this: Slurm calls the job completed, and its result may be whole", "无需因此重启：Slurm 记录作业已完成，其结果可能完整")
	case !d.RestartHelps && d.Confidence <= unproven:
		return p.say("probably not: the unchanged job is likely to fail again, though nothing proves it", "可能无效：原样重启很可能再次失败，但尚无证据")
	case !d.RestartHelps:
		return p.say("no: the unchanged job would fail again", "否：原样重启会再次失败")
	case in.Restart == failure.RestartOnce:
		return p.say("once, {0}; a second failure would prove that it comes back", "仅一次，{0}；再次失败则说明问题可复现", from)
	case d.Node != "" && (d.Quarantine || d.HeldBack != "" && !in.Unwitnessed): // the node is suspected
		return p.say("yes, without {0}, {1}", "是，避开 {0}，{1}", code(d.Node), from)
	}
	return p.say("yes, {0}", "是，{0}", from)
}

func (p *page) quarantine(d *schedmate.Diagnosis) []item {
	switch {
	case d.Quarantine:
		s := p.say("yes: take {0} out of service; the witnesses are", "是：将 {0} 移出服务；证据为", code(d.Node))
		return append([]item{{Say: s}}, p.quotes(d.Witnesses, mostListed)...)
	case d.HeldBack != "":
		return []item{{Say: p.say("held back; {0}", "暂缓：{0}", p.translated(d.HeldBack))}}
	}
	return []item{{Say: p.say("no: nothing here speaks against a node", "否：没有针对节点的证据")}}
}

func (p *page) test(in *failure.Incident) []item {
	test := in.Diagnosis.NextTest
	if k := in.Kind; k != nil && (test == "" || test == k.Test.English) {
		test = cmp.Or(p.Lang.in(k.Test), test)
	}
	if test == "" {
		return nil
	}
	return []item{{Say: plain(test)}}
}

// read says what the report rests on.
func (p *page) read(in *failure.Incident) string {
	var names []string
	for _, l := range in.Logs {
		names = append(names, path.Base(l.Name))
	}
	what := p.counted(len(names), "log", "logs", "个日志")
	if n := len(names); n > 0 && n <= 3 {
		what = strings.Join(names, p.word(", ", "、"))
	}
	return p.word("Read: ", "已读：") + what + p.word(", ", "，") + p.word(counted(int(in.Lines), "line", "lines"), count(in.Lines)+" 行") + p.word(", ", "，") + size(in.Bytes)
}

// capitalised is text with its first letter large.
func capitalised(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// facts are the sections with a sentence for an answer, in the order of a
// reader's questions; the rest have lists.
var facts = []string{"where", "since", "meaning", "restart", "quarantine", "history", "advice", "test"}

// section returns one by its id.
func (p *page) section(id string) (section, bool) {
	i := slices.IndexFunc(p.Sections, func(s section) bool { return s.ID == id })
	if i < 0 {
		return section{}, false
	}
	return p.Sections[i], true
}
