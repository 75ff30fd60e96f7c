package failure

import (
	"bytes"
	"regexp"
)

// ending is how the run ended, as far as lines say so.
type ending struct {
	well place // the last line that tells of a good end
	told bool
	sure place // the last such line that no script around the job prints for its own sake

	hinted place // the last line that says in a word or two that something is done
	hints  bool
}

var goodEnd = guard(`(?i)\b(?:training|train|fit|fine-?tuning|evaluation|run|experiment|all)\b[^.:=]{0,40}\b(?:completed?|finished|done|succeeded|successful(?:ly)?|is over)\b|` +
	`\b(?:finished|completed|ended|exit(?:ed|s)?)\b[^.]{0,30}\bsuccess(?:fully)?\b|\bexit(?:ed)?(?:[ _]?(?:with|code|status))*[ :=]+0\b|` +
	`(?:^|\s)state[:= ]+completed\b|\bjob (?:\S+ )?(?:has )?(?:completed|succeeded)\b|训练(?:完成|结束)|任务(?:完成|成功)|^\s*(?:all )?done[.!]?\s*$|\bmax_(?:steps|epochs)\S* reached\b`)

// ofTraining is an end that speaks of the training or of the program's exit code: a
// script that goes on after a crash seldom says so.
var ofTraining = regexp.MustCompile(`(?i)\bcompleted\s+job/|\bexit|\bmax_(?:steps|epochs)|训练|\b(?:training|fit|fine-?tuning|evaluation)\b[^.:=]{0,40}\b(?:completed?|finished|done|successful(?:ly)?)\b`)

// ofPart is an end of one process of several, or of a chore around the job.
var ofPart = regexp.MustCompile(`(?i)\b(?:rank|worker|process|local_rank|epilog|prolog|rsync|upload\w*|sync)\b`)

// littleEnd is a line that says no more than that something is done, which may be
// any part of the job.
var littleEnd = guard(`(?i)^\W*(?:all )?(?:done|finished|completed?|end)[.!]*(?: (?:in|after) [\d.:, a-z]{1,24})?[.!]*\s*$`)

// byScript is a line that a script around the job prints whatever became of it, with
// the date as a shell says it.
var byScript = regexp.MustCompile(`(?i)\b(?:at|on)[: ]+(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]* |\d{4}-\d\d-\d\d)[\w:., +-]*$|:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]* [\w:., +-]*$`)

// sentenceEnd parts the sentences of a line.
var sentenceEnd = regexp.MustCompile(`[.!;。！；]+(?:\s|$)|[。！；]`)

var badEnd = regexp.MustCompile(`(?i)\b(?:exit|return)(?:ed)?[ _]?(?:with )?(?:codes?|status(?:es)?)?\W{1,3}(?:0[ ,]+)*-?[1-9]|\bnot\b|\bfail|\bun(?:successful|finished)|\bincomplete|\berror|\baborted|未`)

// tellsEnd tells whether a line, in lower case, may speak of the end.
func tellsEnd(lower []byte) bool {
	for _, w := range [][]byte{[]byte("complet"), []byte("finish"), []byte("done"), []byte("success"), []byte("succeed"), []byte("exit"), []byte("完成"), []byte("结束"), []byte("成功"), []byte("over"), []byte("reached")} {
		if bytes.Contains(lower, w) {
			return true
		}
	}
	return false
}

// endedWell tells whether the run says that it ended well: an end that progress
// follows was of a part of it.
func (s *Scanner) endedWell() bool { return s.ended.told && !s.ended.well.before(s.lastTick) }

// read takes what a line, given in lower case, too, says of the end. A word that takes it back does so in its
// own sentence only.
func (e *ending) read(text, lower []byte, at place) {
	if littleEnd.matches(text, lower) {
		e.hinted, e.hints = at, true
	}
	if !goodEnd.matches(text, lower) {
		return
	}
	from := 0
	for _, end := range append(sentenceEnd.FindAllIndex(text, -1), []int{len(text), len(text)}) {
		sentence := text[from:end[1]]
		from = end[1]
		if goodEnd.Match(sentence) && !badEnd.Match(sentence) {
			e.well, e.told = at, true
			if ofTraining.Match(sentence) && !ofPart.Match(text) && !byScript.Match(text) {
				e.sure = at
			}
		}
	}
}

// ranOut tells whether the logs, in which nothing failed and nothing says so, end as
// those of a job that has done its work: its last step is that of the whole run, its
// last bar is full, or the last word is that something is done.
func (s *Scanner) ranOut() bool {
	if steps := s.furthest(); steps.Last != nil && steps.Total != nil {
		return steps.Last.Value >= steps.Total.Value
	}
	if s.ended.hints && !s.ended.hinted.before(s.lastTick) {
		return true
	}
	full := false
	for _, st := range s.ordered {
		if st.ticks > 0 && st.lastTick == s.lastTick {
			full = fullBar.Match(st.record)
		}
	}
	return full
}

// fullBar is a bar that is drawn to its end.
var fullBar = regexp.MustCompile(`(?:^|[^\d.])100(?:\.0+)?\s?%`)
