package follow

import "time"

// followed is one path.
type followed struct {
	path     string
	explicit bool // one of Options.Paths, not a match of a pattern

	// queue holds the file that is being read and those that took its name since,
	// in that order. Only the last can have the name now.
	queue []*incarnation

	next      Kind  // how the next incarnation is announced: Opened or Rotated
	nextErr   error // what could not be read before it
	missing   bool  // the handler knows that there is no file
	mentioned bool  // the handler knows the path
	aliased   bool  // the path names a file that is delivered under another
	forgotten bool  // a match of a pattern that is gone

	failure string        // what was last told to have failed; empty if nothing
	backoff time.Duration // until it is tried again

	dirty    bool // an event said that something happened
	more     bool // there was more than one buffer to read
	due      time.Time
	grew     time.Time // when it last grew, or was found
	ourCheck bool      // the look under way was not called for by an event

	places      []place // in which folders events may concern it
	joined      string  // the real path for which these are
	unannounced bool    // a look found growth that no event had told of, and none has since
	silent      bool    // that happened twice: events do not tell of this file
}

func (p *followed) last() *incarnation {
	if len(p.queue) == 0 {
		return nil
	}
	return p.queue[len(p.queue)-1]
}

// watched reports whether events tell of the file.
func (p *followed) watched() bool {
	if p.silent || len(p.places) == 0 {
		return false
	}
	for _, at := range p.places {
		if !at.folder.watched || at.folder.network {
			return false
		}
	}
	return true
}
