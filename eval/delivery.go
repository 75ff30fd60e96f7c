package eval

import "sync"

// delivery hands the runs on in the order of the report, whoever is over first.
//
// Invariant: runs before next have been handed on; room holds a token for each
// run that was begun and has not been handed on, so that a slow first run does
// not fill the memory with others that wait for it.
type delivery struct {
	suite *Suite
	runs  []Run
	keep  bool
	room  chan struct{}

	mu   sync.Mutex // of what follows
	over []bool
	next int
	err  error // of the first run, in order, that failed
	at   int   // its index
}

// take takes what became of a run.
func (d *delivery) take(i int, run Run, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.fail(i, err)
	}
	d.runs[i], d.over[i] = run, true
	for ; d.next < len(d.runs) && d.over[d.next]; d.next++ {
		if r := &d.runs[d.next]; d.suite.Done != nil {
			if d.err == nil {
				if err := d.suite.Done(r); err != nil {
					d.fail(d.next, err)
				}
			}
			if !d.keep {
				r.Result = nil
			}
		}
		<-d.room
	}
}

func (d *delivery) fail(i int, err error) {
	if d.err == nil || i < d.at {
		d.err, d.at = err, i
	}
}

// failed returns the error of the sweep so far.
func (d *delivery) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}
