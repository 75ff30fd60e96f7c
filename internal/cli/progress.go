package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"schedmate/eval"
)

// progress tells a person, or a tool, how far a sweep is. It writes to
// standard error only.
type progress struct {
	total int          // runs
	over  atomic.Int64 // runs
	bars  *mpb.Progress
	bar   *mpb.Bar

	mu    sync.Mutex         // of what follows; not held while the bar is called, which calls back
	done  map[eval.RunID]int // hundredths of each run
	lines *json.Encoder
}

// barDelay is how long a command may take before it shows a bar: what is over
// at once needs none.
const barDelay = 500 * time.Millisecond

func newProgress(w io.Writer, mode string, total int) (*progress, error) {
	p := &progress{total: total, done: make(map[eval.RunID]int)}
	switch mode {
	case "none":
	case "json":
		p.lines = json.NewEncoder(w)
	case "auto":
		if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			p.bars = mpb.New(mpb.WithOutput(w), mpb.WithRenderDelay(after(barDelay)))
			p.bar = p.bars.AddBar(int64(100*total),
				mpb.PrependDecorators(decor.Name("simulating "), decor.Any(func(decor.Statistics) string {
					return fmt.Sprintf("%d/%d runs", p.over.Load(), total)
				})),
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

// note takes what the suite tells.
func (p *progress) note(n eval.Progress) {
	if n.Over {
		p.over.Add(1)
	}
	step := p.record(n)
	if p.bar != nil && step > 0 {
		p.bar.IncrBy(step)
	}
}

// record returns by how many hundredths the run has advanced.
func (p *progress) record(n eval.Progress) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	hundredths := 100 * n.Jobs / max(1, n.Of)
	step := hundredths - p.done[n.Run]
	p.done[n.Run] = hundredths
	if n.Over && p.lines != nil {
		// A reader that has gone away must not end the simulation.
		_ = p.lines.Encode(struct {
			Over int64      `json:"runs_over"`
			Of   int        `json:"of"`
			Run  eval.RunID `json:"run"`
		}{p.over.Load(), p.total, n.Run})
	}
	return step
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
