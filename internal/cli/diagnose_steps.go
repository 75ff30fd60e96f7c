package cli

import (
	"io"

	"schedmate"
	"schedmate/failure"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// withSteps has the tracker read a log along with the failure handler: it tells a
// step from other numbers that rise. It keeps the head of the log and the last few
// MiB, and reads those when the log has ended.
func withSteps(log failure.Log) failure.Log {
	open := log.Open
	var along *countedLog
	log.Open = func() (io.ReadCloser, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		along = trackAlong(in)
		return along, nil
	}
	log.Steps = func() failure.Steps { return along.steps }
	return log
}

// countedLog is a log of which the tracker is given each byte that is read.
type countedLog struct {
	io.ReadCloser
	to    *io.PipeWriter
	done  chan struct{}
	steps failure.Steps // once it is done
	gone  bool          // the tracker takes no more
}

func trackAlong(in io.ReadCloser) *countedLog {
	from, to := io.Pipe()
	t := &countedLog{ReadCloser: in, to: to, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		err := contained(func() error {
			state, _, err := tracker.ReadStream(from, series.DefaultLimits)
			if err != nil {
				return err
			}
			progress, _ := state.Progress()
			t.steps = stepsOf(&progress)
			return nil
		})
		from.CloseWithError(err) // without it the handler has its own counting
	}()
	return t
}

func (t *countedLog) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 && !t.gone {
		_, broken := t.to.Write(p[:n])
		t.gone = broken != nil
	}
	return n, err
}

// Close waits for the tracker.
func (t *countedLog) Close() error {
	t.to.Close()
	<-t.done
	return t.ReadCloser.Close()
}

// stepsOf are the steps that the tracker read; counters of epochs or samples are
// none.
func stepsOf(p *schedmate.Progress) failure.Steps {
	if p.Step == nil || p.StepUnit != "step" {
		return failure.Steps{}
	}
	last := *p.Step
	last.Name = "step"
	return failure.Steps{Last: &last, Total: p.TotalSteps}
}
