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
var tailBytes = []int64{128 << 10, 512 << 10, 4 << 20}

// ReadTail reads what is needed of a log to tell its progress now: the head,
// and of the tail as much as holds enough records. It returns the state and
// the number of bytes read. Lines in a tail are numbered unless more than 64 MiB
// before it were left out.
func ReadTail(r io.ReaderAt, size int64, limits series.Limits) (*State, int64, error) {
	if size <= wholeBytes {
		s := New(limits)
		n, err := feed(s, r, 0, size)
		return s, n, err
	}
	var read int64
	for i, length := range tailBytes {
		length = min(length, size-headBytes)
		last := i == len(tailBytes)-1 || length == size-headBytes
		s := New(limits)
		n, err := feed(s, r, 0, headBytes)
		if err != nil {
			return nil, read + n, err
		}
		read += n
		gap := size - length - headBytes
		lines := int64(-1)
		if gap <= countedBytes {
			if lines, err = countLines(r, headBytes, gap); err != nil {
				return nil, read, err
			}
			read += gap
		}
		if gap > 0 {
			s.Skip(gap, lines)
		}
		n, err = feed(s, r, size-length, length)
		read += n
		if err != nil || last || s.records() >= enoughRecords {
			return s, read, err
		}
	}
	return nil, read, errors.New("no tail length is the last") // the loop always returns
}

// records is the number of records of the primary counter, 0 when there is none.
func (s *State) records() int {
	s.decoder.Peek()
	a := newAnalysis(s.set)
	if !a.choose() {
		return 0
	}
	return a.main.Len()
}

// feed writes length bytes from offset to the state.
func feed(s *State, r io.ReaderAt, offset, length int64) (int64, error) {
	return eachChunk(r, offset, length, func(p []byte) { s.Write(p, 0) })
}

func countLines(r io.ReaderAt, offset, length int64) (int64, error) {
	var lines int64
	_, err := eachChunk(r, offset, length, func(p []byte) { lines += int64(bytes.Count(p, []byte{'\n'})) })
	return lines, err
}

func eachChunk(r io.ReaderAt, offset, length int64, do func([]byte)) (int64, error) {
	buf := make([]byte, min(length, 64<<10))
	var done int64
	for done < length {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), length-done)], offset+done)
		if n > 0 {
			do(buf[:n])
			done += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return done, nil // the log was cut meanwhile: what is there counts
		}
		if err != nil {
			return done, fmt.Errorf("read %d bytes from offset %d: %w", length, offset, err)
		}
	}
	return done, nil
}
