package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"schedmate/logs/series"
)

const (
	// wholeBytes is the size up to which a log is read from end to end.
	wholeBytes = 160 << 10
	// headBytes of a larger log are read once: it names totals and columns.
	headBytes = 32 << 10
	// enoughRecords of the primary counter make a tail long enough.
	enoughRecords = 100
	// countedBytes is how much of a log that is left out has its lines counted.
	countedBytes = 64 << 20
)

// tailBytes are the lengths of tail tried, one after the other, until the
// counter has enough records.
var tailBytes = []int64{80 << 10, 512 << 10, 4 << 20}

// ReadTail reads what is needed of a log to tell its progress now: the head,
// and of the tail as much as holds enough records. It returns the state and
// the number of bytes read. Lines in a tail are numbered unless more than 64 MiB
// before it were left out.
func ReadTail(r io.ReaderAt, size int64, limits series.Limits) (*State, int64, error) {
	counted := &countingReader{ReaderAt: r}
	s, err := readTail(counted, size, limits, func(from, length int64) (int64, error) {
		if length > countedBytes {
			return -1, nil
		}
		return countLines(counted, from, length)
	})
	return s, counted.read, err
}

// ReadStream is ReadTail for a log that can be read only once, from its start:
// a pipe, a compressed file. It remembers the head and the last 4 MiB, whatever
// the length, and numbers all lines.
func ReadStream(r io.Reader, limits series.Limits) (*State, int64, error) {
	buf := newTailBuffer(headBytes, tailBytes[len(tailBytes)-1])
	if _, err := io.Copy(buf, r); err != nil {
		return nil, buf.size, fmt.Errorf("read the stream at byte %d: %w", buf.size, err)
	}
	s, err := readTail(buf, buf.size, limits, buf.lines)
	return s, buf.size, err
}

// readTail reads head and tail; lines counts the line feeds of a stretch that is
// left out, and answers -1 when it does not know.
func readTail(r io.ReaderAt, size int64, limits series.Limits, lines func(from, length int64) (int64, error)) (*State, error) {
	if size <= wholeBytes {
		s := New(limits)
		return s, feed(s, r, 0, size)
	}
	left := int64(-1) // line feeds that are left out; unknown
	for i := 0; ; i++ {
		length := min(tailBytes[i]+(size&3), size-headBytes) // at a whole character in every encoding
		s := New(limits)
		if err := feed(s, r, 0, headBytes); err != nil {
			return nil, err
		}
		gap := size - length - headBytes
		if s.decoder.CountsLineFeeds() {
			var err error
			if left, err = fewer(lines, left, i, gap, size); err != nil {
				return nil, err
			}
		}
		if gap > 0 {
			s.Skip(gap, left)
		}
		if err := feed(s, r, size-length, length); err != nil {
			return nil, err
		}
		if i == len(tailBytes)-1 || length == size-headBytes || s.records() >= enoughRecords {
			return s, nil
		}
	}
}

// fewer is the number of line feeds that the i-th try leaves out: what the try
// before left out, less those that it reads now.
func fewer(lines func(from, length int64) (int64, error), before int64, i int, gap, size int64) (int64, error) {
	if i == 0 || before < 0 {
		return lines(headBytes, gap)
	}
	last := size - headBytes - min(tailBytes[i-1]+(size&3), size-headBytes)
	now, err := lines(headBytes+gap, last-gap)
	if err != nil || now < 0 {
		return -1, err
	}
	return before - now, nil
}

// records is the number of records of the primary counter, 0 when there is none.
func (s *State) records() int {
	s.decoder.Peek()
	a := newAnalysis(s.set, s.arrival)
	if !a.choose() {
		return 0
	}
	return a.main.Len()
}

// feed writes length bytes from offset to the state.
func feed(s *State, r io.ReaderAt, offset, length int64) error {
	return eachChunk(r, offset, length, func(p []byte) { s.Write(p, 0) })
}

func countLines(r io.ReaderAt, offset, length int64) (int64, error) {
	var lines int64
	err := eachChunk(r, offset, length, func(p []byte) { lines += int64(bytes.Count(p, []byte{'\n'})) })
	return lines, err
}

func eachChunk(r io.ReaderAt, offset, length int64, do func([]byte)) error {
	buf := make([]byte, min(length, 64<<10))
	var done int64
	for done < length {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), length-done)], offset+done)
		if n > 0 {
			do(buf[:n])
			done += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return nil // the log was cut meanwhile: what is there counts
		}
		if err != nil {
			return fmt.Errorf("read %d bytes from offset %d: %w", length, offset, err)
		}
	}
	return nil
}

// countingReader counts the bytes read.
type countingReader struct {
	io.ReaderAt
	read int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.read += int64(n)
	return n, err
}
