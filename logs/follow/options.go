package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrNotRegular is wrapped by the errors about paths that are no regular files:
// folders, FIFOs, sockets, devices.
var ErrNotRegular = errors.New("not a regular file")

// Options says what to follow, and how. The zero value of each field but the
// first two is a good choice.
type Options struct {
	// Paths are names of files; no character has a special meaning. A file that
	// does not exist is waited for.
	Paths []string
	// Globs are patterns of [filepath.Match]. Files that match later are followed
	// as they appear.
	Globs []string
	// Ignore leaves out matches of Globs, such as compressed files.
	Ignore func(path string) bool
	// Records tells where an earlier Follower stopped; see [Follower.Records].
	Records []Record
	// StartAt says where to begin in a file that is there when following begins and
	// has no record. Nil means 0. A file that appears later is read from 0.
	StartAt func(path string, size int64) int64
	// EndRound is called after each batch of chunks, when all of them have been
	// handled: the place to call [Follower.Records]. That may be hundreds of times a
	// second while there is much to catch up on. An error ends Run and Poll.
	EndRound func() error

	// Coalesce is how long a wake-up waits for more events, and the shortest time
	// between two wake-ups. Default 200 ms.
	Coalesce time.Duration
	// PollMin and PollMax bound the time between two looks at a file whose folder
	// is not watched: an eighth of the time since it last grew. A watched one is
	// looked at every PollMax. Defaults 250 ms and 10 s.
	PollMin, PollMax time.Duration
	// Linger is how long a file that lost its name is read on after it grew last;
	// if its successor has data, a fifth of that, and Linger at most. Default 5 s;
	// negative: not at all.
	Linger time.Duration
	// PollOnly sets no watches.
	PollOnly bool

	// MaxOpen is the number of descriptors kept open. Default: a quarter of the
	// process's limit, 4,096 at most.
	MaxOpen int
	// MaxFiles bounds the number of files, and so the memory: about 1 KiB each.
	// Default 20,000.
	MaxFiles int
	// MaxWatches is the number of folders watched. Default 8,192; the kernel's limit
	// is for all programs of a user together.
	MaxWatches int
	// BufferBytes is the size of the one read buffer, so of the longest Data and
	// of what one file gets before the next has its turn. Default 256 KiB.
	BufferBytes int
}

// complete returns the options with defaults filled in.
func (o Options) complete() (Options, error) {
	for _, d := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"coalesce", &o.Coalesce, 200 * time.Millisecond},
		{"poll min", &o.PollMin, 250 * time.Millisecond},
		{"poll max", &o.PollMax, 10 * time.Second},
	} {
		if *d.value < 0 {
			return o, fmt.Errorf("follow: option %s is %v: give a time above zero, or zero for %v", d.name, *d.value, d.usual)
		}
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	o.PollMax = max(o.PollMax, o.PollMin)
	switch {
	case o.Linger == 0:
		o.Linger = 5 * time.Second
	case o.Linger < 0:
		o.Linger = 0
	}
	for _, n := range []struct {
		name         string
		value        *int
		usual, least int
	}{
		{"max open", &o.MaxOpen, defaultMaxOpen(), 1},
		{"max files", &o.MaxFiles, 20_000, 1},
		{"max watches", &o.MaxWatches, 8192, 1},
		{"buffer bytes", &o.BufferBytes, 256 << 10, 2 * headBytes},
	} {
		if *n.value == 0 {
			*n.value = n.usual
		}
		if *n.value < n.least {
			return o, fmt.Errorf("follow: option %s is %d: give at least %d, or zero for %d", n.name, *n.value, n.least, n.usual)
		}
	}
	return o, o.check()
}

// check refuses what can be seen to be wrong before anything is read.
func (o *Options) check() error {
	if len(o.Paths) == 0 && len(o.Globs) == 0 {
		return errors.New("follow: no file to follow: give paths or globs")
	}
	if len(o.Paths) > o.MaxFiles {
		return fmt.Errorf("follow: %d files exceed the limit of %d: raise the limit, or share the files among several processes", len(o.Paths), o.MaxFiles)
	}
	for _, g := range o.Globs {
		if _, err := filepath.Match(g, ""); err != nil {
			return fmt.Errorf("follow: pattern %q: %w: escape a literal bracket with a backslash, or give the file as a path", g, err)
		}
	}
	for _, p := range o.Paths {
		switch p {
		case "":
			return errors.New("follow: empty path: give the name of a file")
		case "-":
			return fmt.Errorf("follow: path -: %w: read standard input as a stream, or write ./- for a file of that name", ErrNotRegular)
		}
		info, err := os.Stat(p)
		if err == nil && !info.Mode().IsRegular() {
			return notRegular(p, info.Mode())
		}
	}
	return nil
}

// notRegular returns the error about a path of the wrong kind.
func notRegular(path string, mode fs.FileMode) error {
	what, next := "special file", "give a regular file"
	switch {
	case mode.IsDir():
		what, next = "folder", "give the files in it, such as "+filepath.Join(path, "*.log")+" as a glob"
	case mode&fs.ModeNamedPipe != 0:
		what, next = "FIFO", "read it once as a stream"
	case mode&fs.ModeSocket != 0:
		what = "socket"
	case mode&fs.ModeDevice != 0:
		what, next = "device", "read it once as a stream"
	}
	return fmt.Errorf("follow %s: %w but a %s: %s", path, ErrNotRegular, what, next)
}
