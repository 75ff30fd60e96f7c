package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"

	"schedmate"
)

// jobProgress is how far a running job is, by its own logs.
type jobProgress struct {
	Job      string              `json:"job"`
	File     string              `json:"file,omitempty"`
	Progress *schedmate.Progress `json:"progress,omitempty"` // nil: nothing could be read
	Missing  string              `json:"missing,omitempty"`  // why

	Silent     *float64 `json:"silent_s,omitempty"`          // since the log was last written to
	Left       *float64 `json:"left_s,omitempty"`            // until the run is complete
	LeftBy     string   `json:"left_by,omitempty"`           // what that rests on: step_time, log, or elapsed
	UntilLimit *float64 `json:"until_limit_s,omitempty"`     // until the scheduler ends it
	AtLimit    *float64 `json:"progress_at_limit,omitempty"` // fraction of the run that is done by then, if it is not all

	job *schedmate.ObservedJob
}

const (
	// logPatience is how long a log may take to be read: a network file system can
	// hang for ever.
	logPatience = 10 * time.Second
	// logsPatience is the same of all logs of one answer.
	logsPatience = 25 * time.Second
	// clockSkew is how much the clocks of a file server and the scheduler may differ.
	clockSkew = 2 * time.Minute
)

// progressOf reads the logs of running jobs, in their order, several at a time.
func (a *app) progressOf(ctx context.Context, jobs []*schedmate.ObservedJob, now schedmate.Seconds) []*jobProgress {
	byID := make(map[string]*schedmate.ObservedJob, len(jobs))
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
		byID[j.ID] = j
	}
	var out []*jobProgress
	ctx, cancel := context.WithTimeout(ctx, logsPatience)
	defer cancel()
	for p := range inOrder(ctx, a.config.Parallel, ids, func(ctx context.Context, id string) *jobProgress {
		return a.jobProgress(ctx, byID[id], now)
	}) {
		out = append(out, p)
	}
	for _, j := range jobs[len(out):] {
		out = append(out, &jobProgress{Job: j.ID, File: validText(j.Stdout), job: j, Missing: fmt.Sprintf("not read within %s, as logs before it", logsPatience)})
	}
	return out
}

// jobProgress reads what a job has logged: its output, and what it writes to
// standard error where that is a file of its own, as progress bars do.
func (a *app) jobProgress(ctx context.Context, j *schedmate.ObservedJob, now schedmate.Seconds) *jobProgress {
	best := &jobProgress{Job: j.ID, job: j, Missing: "it has no log of its own"}
	if j.Stdout == "" && j.Stderr == "" {
		if j.Command != "" && j.WorkDir == "" {
			best.Missing = "where it logs is not told"
		}
		return best
	}
	for _, file := range []string{j.Stdout, j.Stderr} {
		if file == "" || file == os.DevNull {
			continue
		}
		p := a.readJobLog(ctx, j, file)
		if best.Progress == nil || p.Progress != nil && knows(p.Progress) > knows(best.Progress) {
			best = p
		}
	}
	if best.Progress != nil {
		best.estimate(now)
	}
	return best
}

// knows counts what a log tells.
func knows(p *schedmate.Progress) int {
	n := 0
	for _, r := range []*schedmate.Reading{p.Step, p.TotalSteps, p.StepTime, p.Loss, p.Fraction, p.Remaining} {
		if r != nil {
			n++
		}
	}
	return n
}

func (a *app) readJobLog(ctx context.Context, j *schedmate.ObservedJob, file string) *jobProgress {
	p := &jobProgress{Job: j.ID, File: validText(file), job: j}
	type result struct {
		log  *trackedLog
		info fs.FileInfo
	}
	done := make(chan result, 1)
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	go func() { // left behind if the file system does not answer
		info, err := statLog(file)
		if err != nil {
			done <- result{log: &trackedLog{err: err}}
			return
		}
		done <- result{a.readLog(ctx, &trackFlags{unpacked: byteSize(readOnce().unpacked)}, file), info}
	}()
	select {
	case <-ctx.Done():
		p.Missing = fmt.Sprintf("its file system did not answer in %s", logPatience)
	case r := <-done:
		switch {
		case errors.Is(r.log.err, fs.ErrNotExist):
			p.Missing = "the log does not exist here"
		case errors.Is(r.log.err, fs.ErrPermission):
			p.Missing = "you may not read the log"
		case r.log.err != nil:
			p.Missing = validText(r.log.err.Error())
		case j.Start > 0 && r.info.ModTime().Before(time.Unix(int64(j.Start), 0).Add(-clockSkew)):
			p.Missing = "the log is older than this run"
		default:
			p.Progress = r.log.Progress
			silent := max(0, time.Since(r.info.ModTime()).Seconds())
			p.Silent = &silent
			if !p.Progress.Trackable {
				p.Missing = "no training seen"
			}
		}
	}
	return p
}

// leastElapsed is how long a run must have been under way, and leastDone how much of
// it be done, before its mean pace tells something.
const (
	leastElapsed = 60 // seconds
	leastDone    = 0.005
)

// estimate works out when the run is complete, and whether its limit comes first.
func (p *jobProgress) estimate(now schedmate.Seconds) {
	if p.job.End > now && p.job.TimeLimit > 0 && p.job.Runs() {
		left := float64(p.job.End - now)
		p.UntilLimit = &left
	}
	left, by := p.left(now)
	if by == "" || !p.job.Runs() {
		return
	}
	p.Left, p.LeftBy = &left, by
	done := p.fraction()
	if p.UntilLimit != nil && left > *p.UntilLimit && done >= 0 {
		p.atLimit(done + (1-done)**p.UntilLimit/left)
	}
}

// fraction is how much of the run is done, -1 when nobody knows.
func (p *jobProgress) fraction() float64 { return fractionOf(p.Progress) }

// left is the time until the run is complete, seconds, and what says so.
func (p *jobProgress) left(now schedmate.Seconds) (left float64, by string) {
	if left, by = leftOfRun(p.Progress); by != "" {
		return left, by
	}
	done := p.fraction()
	if p.Silent == nil || p.job.Start == 0 || done < leastDone {
		return 0, ""
	}
	if elapsed := float64(now-p.job.Start) - *p.Silent; elapsed >= leastElapsed {
		return elapsed * (1 - done) / done, leftByElapsed
	}
	return 0, ""
}

// leftText writes the time left; ~ is before what rests on the mean pace.
func (p *jobProgress) leftText() string {
	if p.Left == nil {
		return "-"
	}
	text := humanSeconds(math.Round(*p.Left))
	if p.LeftBy == leftByElapsed {
		return "~" + text
	}
	return text
}

func (p *jobProgress) atLimit(fraction float64) {
	fraction = math.Min(1, math.Max(0, fraction))
	p.AtLimit = &fraction
}

// done writes how far the run is.
func (p *jobProgress) done() string {
	x := p.Progress
	if x == nil || !x.Trackable {
		return "-"
	}
	var parts []string
	if x.Epoch != nil && (x.Step == nil || ofEpoch(x)) {
		parts = append(parts, "epoch "+ofTotal(x.Epoch, x.TotalEpochs))
	}
	if x.Step != nil {
		parts = append(parts, ofTotal(x.Step, x.TotalSteps)+stepUnit(x))
	}
	if done := p.fraction(); done >= 0 {
		parts = append(parts, fmt.Sprintf("%.0f%%", math.Floor(100*done)))
	}
	return cmp.Or(strings.Join(parts, " "), "-")
}

// quiet is how many step times a log may be silent before that is worth a word,
// and at least how long.
const (
	quietSteps   = 20
	quietSeconds = 10 * 60
)

// note is what a person should know about the run: the limit comes first, it has
// slowed down, it says nothing any more.
func (p *jobProgress) note() string {
	switch {
	case p.Progress == nil || !p.Progress.Trackable:
		return p.Missing
	case p.AtLimit != nil:
		return fmt.Sprintf("will hit the limit at %.0f %%", math.Floor(100**p.AtLimit))
	case p.Silent != nil && p.Progress.StepTime != nil && *p.Silent > math.Max(quietSeconds, quietSteps*p.Progress.StepTime.Value):
		return "silent for " + humanSeconds(math.Round(*p.Silent))
	case p.Progress.Slowdown != nil:
		return "slower: " + slowdownText(p.Progress.Slowdown)
	}
	return ""
}
