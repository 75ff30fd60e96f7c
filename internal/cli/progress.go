package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"schedmate/eval"
)

// progress tells a person, or a tool, how far a sweep is. It writes to
// standard error only.
type progress struct {
	mu    sync.Mutex
	total int
	ended int
	bars  *mpb.Progress
	bar   *mpb.Bar
	lines *json.Encoder
}

// barDelay is how long a command may take before it shows a bar: what is over
// at once needs none.
const barDelay = 500 * time.Millisecond

func newProgress(w io.Writer, mode string, total int) (*progress, error) {
	p := &progress{total: total}
	switch mode {
	case "none":
	case "json":
		p.lines = json.NewEncoder(w)
	case "auto":
		if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			p.bars = mpb.New(mpb.WithOutput(w), mpb.WithRenderDelay(after(barDelay)))
			p.bar = p.bars.AddBar(int64(total),
				mpb.PrependDecorators(decor.Name("simulating "), decor.CountersNoUnit("%d/%d runs")),
				mpb.AppendDecorators(decor.Percentage(), decor.Name(" "), decor.Elapsed(decor.ET_STYLE_GO)),
				mpb.BarRemoveOnComplete(),
			)
		}
	default:
		return nil, fmt.Errorf("unknown --progress %q: use auto, json or none", mode)
	}
	return p, nil
}

func after(d time.Duration) <-chan any {
	c := make(chan any)
	time.AfterFunc(d, func() { close(c) })
	return c
}

// note counts a run that starts or ends.
func (p *progress) note(id eval.RunID, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !done {
		return
	}
	p.ended++
	if p.bar != nil {
		p.bar.Increment()
	}
	if p.lines != nil {
		// A reader that has gone away must not end the simulation.
		_ = p.lines.Encode(struct {
			Done  int        `json:"done"`
			Total int        `json:"total"`
			Run   eval.RunID `json:"run"`
		}{p.ended, p.total, id})
	}
}

func (p *progress) done() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
