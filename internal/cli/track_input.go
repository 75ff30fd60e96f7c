package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"schedmate/logs/series"
	"schedmate/tracker"
)

// reading says how a log is read.
type reading struct {
	whole    bool          // from end to end, and not at both ends
	unpacked int64         // the most that a packed log may unpack to, bytes
	limits   series.Limits // what is remembered of it
}

// readOnce is how a log is read that is read once.
func readOnce() reading {
	return reading{unpacked: 64 << 30, limits: series.DefaultLimits}
}

// source is the bytes of a log as they are stored.
type source struct {
	stream io.Reader
	at     io.ReaderAt // nil for a pipe
	size   int64       // of what at reads
}

// openLog opens a log; "-" is standard input.
func (a *app) openLog(path string) (source, io.Closer, error) {
	if path == "-" {
		return source{stream: a.streams.In}, io.NopCloser(nil), nil
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			next := "check the path"
			if jobNumber.MatchString(path) {
				next = "is it a job? it is named " + slurmScheme + path
			}
			return source{}, nil, notFound(fmt.Errorf("read %s: %w: %s", path, errors.Unwrap(err), next))
		}
		return source{}, nil, fmt.Errorf("read %s: %w: check the path", path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return source{}, nil, fmt.Errorf("read %s: %w: try again", path, err)
	case info.IsDir():
		f.Close()
		return source{}, nil, fmt.Errorf("read %s: it is a folder: name the logs in it", path)
	case info.Mode().IsRegular() && info.Size() > 0: // files in /proc say 0
		return source{stream: io.NewSectionReader(f, 0, info.Size()), at: f, size: info.Size()}, f, nil
	}
	return source{stream: f}, f, nil
}

// errTooLong ends a packed log that unpacks to more than it may.
var errTooLong = errors.New("too long")

// tooLong tells people what errTooLong tells programs.
func tooLong(limit, read int64) error {
	return fmt.Errorf("it unpacks to more than %s, from %s read: raise --max-unpacked if the log is really that long", sizeText(limit), sizeText(read))
}

// state returns a tracker that has read the log, and how many stored bytes were
// read.
func (r reading) state(ctx context.Context, in source) (*tracker.State, int64, error) {
	stored := &countedReader{r: endingReader{ctx, in.stream}}
	unpacked, layers, err := unpack(stored, r.unpacked)
	var state *tracker.State
	switch {
	case err != nil:
	case r.whole:
		state = tracker.New(r.limits)
		err = feedAll(ctx, state, unpacked)
	case layers == 0 && in.at != nil:
		return tracker.ReadTail(endingReaderAt{ctx, in.at}, in.size, r.limits)
	default:
		state, _, err = tracker.ReadStream(unpacked, r.limits)
	}
	if errors.Is(err, errTooLong) {
		err = tooLong(r.unpacked, stored.n)
	}
	return state, stored.n, err
}

// endingReader ends with its context.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (e endingReader) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
}

// endingReaderAt ends with its context.
type endingReaderAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (e endingReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.ReadAt(p, at)
}

// readBuffers are shared, because a tracker may hold on to the one that it was
// given last.
var readBuffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// feedAll writes a stream from end to end.
func feedAll(ctx context.Context, s *tracker.State, r io.Reader) error {
	buffer := readBuffers.Get().(*[256 << 10]byte)
	defer readBuffers.Put(buffer)
	buf := buffer[:]
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		s.Write(buf[:n], 0)
		if err != nil {
			return endOfInput(err)
		}
	}
}

func endOfInput(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// countedReader counts what is read.
type countedReader struct {
	r io.Reader
	n int64 // bytes
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
