package report

import (
	"fmt"

	"schedmate/failure"
)

// well says that a run did not fail, and what it got over.
func (p *page) well(in *failure.Incident) {
	p.Well = true
	p.Title = p.word("The run did not fail", "作业没有失败")
	var over []item
	var s sentence
	for _, g := range in.Groups {
		if g.Role != failure.RoleRecovered {
			continue
		}
		if s != nil {
			s = append(s, p.say("; ", "；")...)
		}
		what := p.say("{0} ({1})", "{0}（{1}）", p.title(g.Kind), p.counted(g.Times, "line", "lines", "行"))
		s = append(s, what...)
		over = append(over, item{Say: what, Place: place(g.Quote.File, g.Quote.Line), Quote: g.Quote.Text})
	}
	p.Lead = p.say("It got over nothing worse than warnings.", "没有出现值得一提的错误。")
	if s != nil {
		p.Lead = p.say("It got over: {0}.", "途中克服了：{0}。", s)
	}
	p.add("over", "Got over", "已克服", over...)
}

// undetermined says what was seen where the logs do not tell, and what to look
// at next.
func (p *page) undetermined(in *failure.Incident) {
	d := &in.Diagnosis
	p.Title = p.word("Not determined: the logs do not tell why the job ended", "未能判定：日志没有说明作业为何结束")
	if in.RanOut {
		p.Title = p.word("No sign of a failure; the logs do not say how the job ended", "没有故障迹象；日志没有说明作业如何结束")
		if last := d.LastStep; last != nil && in.Total != nil {
			p.Title = p.word(fmt.Sprintf("No sign of a failure: the last step told is %s of %s", count(int64(last.Value)), count(int64(in.Total.Value))),
				fmt.Sprintf("没有故障迹象：最后提到的步数为 %s，共 %s", count(int64(last.Value)), count(int64(in.Total.Value))))
		}
	}
	p.Lead = p.say("Nothing is proven: restart nothing and blame no node because of this report.", "没有任何结论得到证实：不要据此重启作业或怪罪节点。")
	var seen []item
	switch {
	case in.Bytes == 0:
		seen = append(seen, item{Say: p.say("nothing: {0}", "什么都没有：{0}", p.word(empty(len(in.Logs)), "日志是空的"))})
	case d.ErrorLines == 0:
		seen = append(seen, item{Say: p.say("no line that speaks of a failure", "没有任何一行提到故障")})
	default:
		seen = append(seen, item{Say: p.say("{0}, none of which tells the cause", "{0}，都没有说明原因", p.counted(d.ErrorLines, "error line", "error lines", "个错误行"))})
	}
	for _, g := range in.Groups {
		s := plain(p.title(g.Kind))
		if g.Role == failure.RoleRecovered {
			s = append(s, p.say(", which the job got over", "，作业已克服")...)
		}
		seen = append(seen, item{Say: s, Place: place(g.Quote.File, g.Quote.Line), Quote: g.Quote.Text})
	}
	seen = append(seen, p.quotes(d.Evidence, mostQuotes)...)
	if last := lastProgress(in); last != nil {
		s := p.say("the last step told is {0}, at line {1}", "最后提到的步数为 {0}，在第 {1} 行", step(last.Step), count(last.LastProgress.Line))
		if t := last.LastProgress.StampNanos; t != 0 {
			s = append(s, p.say(", {0}", "，{0}", clockTime(t))...)
		}
		seen = append(seen, item{Say: s})
	}
	p.add("seen", "Seen", "所见", seen...)
	p.add("alternatives", "Could be", "可能是", p.alternatives(in)...)
	next := p.test(in)
	for _, s := range []sentence{
		p.say("the scheduler's record of the job: its state, exit code and reason", "调度器对该作业的记录：状态、退出码和原因"),
		p.say("the kernel's messages of its nodes around the end (dmesg -T)", "各节点在结束前后的内核日志（dmesg -T）"),
		p.say("the logs of all ranks; {0} read so far", "所有 rank 的日志；目前读了 {0}", p.counted(len(in.Logs), "log was", "logs were", "个")),
		p.say("if it hung: the stacks of each rank (py-spy dump)", "若为挂起：各 rank 的调用栈（py-spy dump）"),
	} {
		next = append(next, item{Say: s})
	}
	p.add("next", "Look at", "下一步", next...)
}

// empty says of logs that there is nothing in them.
func empty(logs int) string {
	if logs == 1 {
		return "the log is empty"
	}
	return "the logs are empty"
}

// lastProgress is the lane whose step counter rose last.
func lastProgress(in *failure.Incident) *failure.Lane {
	var last *failure.Lane
	for i := range in.Lanes {
		if l := &in.Lanes[i]; l.LastProgress != nil && (last == nil || l.LastProgress.Sequence > last.LastProgress.Sequence) {
			last = l
		}
	}
	return last
}
