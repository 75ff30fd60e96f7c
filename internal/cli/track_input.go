package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"schedmate/tracker"
)

// readLimits says how much of a log is read.
type readLimits struct {
	whole      int64 // longer logs are read at both ends, bytes; pipes are read from end to end
	head, tail int64 // what is read of these, bytes
	counted    int64 // plain files longer than this have no line numbers after the head, bytes
	unpacked   int64 // the most that a packed log may unpack to, bytes
}

// readOnce are the limits of a log that is read once.
func readOnce() readLimits {
	return readLimits{whole: 8 << 20, head: 256 << 10, tail: 2 << 20, counted: 256 << 20, unpacked: 64 << 30}
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
			return source{}, nil, notFound(fmt.Errorf("read %s: %w: check the path", path, errors.Unwrap(err)))
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

// feed gives a tracker the log, and returns how many stored bytes were read.
func (l *readLimits) feed(ctx context.Context, s *tracker.State, in source) (int64, error) {
	stored := &countedReader{r: in.stream}
	unpacked, layers, err := unpack(stored, l.unpacked)
	switch {
	case err != nil:
	case layers > 0:
		err = l.feedPacked(ctx, s, unpacked)
	case in.at != nil && in.size > l.whole:
		stored.n = 0 // what was looked at is read again
		return l.feedEnds(ctx, s, in.at, in.size)
	default:
		err = feedAll(ctx, s, unpacked)
	}
	if errors.Is(err, errTooLong) {
		err = fmt.Errorf("it unpacks to more than %s, from %s read: raise --max-unpacked if the log is really that long", sizeText(l.unpacked), sizeText(stored.n))
	}
	return stored.n, err
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

// feedEnds writes the beginning and the end of a long file. The lines between
// them are counted if that costs little.
func (l *readLimits) feedEnds(ctx context.Context, s *tracker.State, at io.ReaderAt, size int64) (int64, error) {
	stored := &countedReader{}
	section := func(from, to int64) io.Reader {
		stored.r = io.NewSectionReader(at, from, to-from)
		return stored
	}
	from := l.tailFrom(size)
	head := make([]byte, l.head)
	n, err := io.ReadFull(section(0, l.head), head)
	s.Write(head[:n], 0)
	if err != nil {
		return stored.n, endOfFile(err)
	}
	lines := int64(-1)
	if size <= l.counted && countable(head) {
		if lines, err = countLines(ctx, section(l.head, from)); err != nil {
			return stored.n, endOfFile(err)
		}
	}
	s.Skip(from-l.head, lines)
	return stored.n, feedAll(ctx, s, section(from, size))
}

// endOfFile makes it no error that a file has become shorter.
func endOfFile(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return endOfInput(err)
}

// tailFrom is where the end of a long log begins: at a whole character in every
// encoding.
func (l *readLimits) tailFrom(size int64) int64 { return (size - l.tail) &^ 3 }

// countable tells whether line feeds can be counted byte by byte: not in
// UTF-16, where the byte is part of other characters.
func countable(head []byte) bool { return bytes.IndexByte(head, 0) < 0 }

func countLines(ctx context.Context, r io.Reader) (int64, error) {
	buf := make([]byte, 1<<20)
	var lines int64
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err != nil {
			return lines, endOfInput(err)
		}
	}
}

// feedPacked writes a stream of unknown length: all of a short one, beginning
// and end of a long one, as feedEnds would. It keeps whole bytes of it at most.
func (l *readLimits) feedPacked(ctx context.Context, s *tracker.State, r io.Reader) error {
	var kept []byte   // what is not written yet
	var total int64   // bytes read
	var dropped int64 // bytes between head and kept
	var lines int64   // in these
	long, counting := false, true
	drop := func(n int64) {
		lines += int64(bytes.Count(kept[:n], []byte{'\n'}))
		kept = kept[:copy(kept, kept[n:])]
		dropped += n
	}
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		kept = append(kept, buf[:n]...)
		total += int64(n)
		if !long && total > l.whole {
			long = true
			s.Write(kept[:l.head], 0)
			counting = countable(kept[:l.head])
			kept = kept[:copy(kept, kept[l.head:])]
		}
		if long && int64(len(kept)) > max(2*l.tail, l.whole) {
			drop(int64(len(kept)) - l.tail - 4)
		}
		if err == nil {
			continue
		}
		if err := endOfInput(err); err != nil {
			return err
		}
		break
	}
	if long {
		if n := l.tailFrom(total) - l.head - dropped; n > 0 {
			drop(n)
		}
		if !counting {
			lines = -1
		}
		s.Skip(dropped, lines)
	}
	s.Write(kept, 0)
	return nil
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
