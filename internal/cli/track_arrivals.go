package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"schedmate/tracker"
)

// The text of a log is cut into pieces at \n, \r and \r\n. A file of arrivals
// has one item for each, a class letter and the milliseconds since the piece
// before. Empty pieces do not count; blank ones count in some recordings and
// not in others, so the number of items must tell.

// mostPieces bounds the memory of arrivals.
const mostPieces = 50_000_000

// mostDelay is the longest delay that is believed, milliseconds: ten years.
const mostDelay = 10 * 366 * 86400e3

// feedArrivals gives a tracker a log piece by piece, each when it arrived, and
// returns how many stored bytes of the log were read.
func feedArrivals(ctx context.Context, s *tracker.State, in source, f *trackFlags) (int64, error) {
	if in.at == nil {
		return 0, errors.New("--arrivals needs a log that can be read twice: name a regular file")
	}
	at, err := readArrivals(f.arrivals, int64(f.unpacked))
	if err != nil {
		return 0, err
	}
	all, filled := pieces{blank: true}, pieces{}
	err = eachRead(ctx, in, f, func(p []byte) {
		all.cut(p, nil)
		filled.cut(p, nil)
	})
	if err != nil {
		return 0, err
	}
	if len(at) != all.n && len(at) != filled.n {
		return 0, fmt.Errorf("arrivals %s: it has %d items, but the log has %d pieces: name the arrivals of this log", f.arrivals, len(at), all.n)
	}
	now, cutter := int64(1), pieces{blank: len(at) == all.n}
	err = eachRead(ctx, in, f, func(p []byte) {
		from := 0
		cutter.cut(p, func(i int) {
			s.Write(p[from:i], now) // ends of lines arrive with what is before them
			from, now = i, at[cutter.n-1]
		})
		s.Write(p[from:], now)
	})
	return in.size, err
}

// eachRead hands out the text of a log, which may be packed.
func eachRead(ctx context.Context, in source, f *trackFlags, take func([]byte)) error {
	text, _, err := unpack(io.NewSectionReader(in.at, 0, in.size), int64(f.unpacked))
	if err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := text.Read(buf)
		take(buf[:n])
		if err != nil {
			return endOfInput(err)
		}
	}
}

// pieces counts the pieces of a text.
type pieces struct {
	blank bool // those that hold nothing but blanks count
	n     int
	in    bool // the last byte belongs to a piece that counts
}

// cut takes the next bytes, and calls begin with the place of each beginning.
func (s *pieces) cut(p []byte, begin func(at int)) {
	for i, c := range p {
		switch {
		case c == '\n' || c == '\r':
			s.in = false
		case !s.in && (s.blank || !isBlank(c)):
			s.in = true
			s.n++
			if begin != nil {
				begin(i)
			}
		}
	}
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c >= 0x1c && c <= 0x1f
}

// readArrivals returns when each piece arrived, in nanoseconds since a moment
// before the first: 0 would mean that nobody knows.
func readArrivals(name string, limit int64) ([]int64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, notFound(fmt.Errorf("arrivals: %w: check the path", err))
	}
	defer file.Close()
	text, _, err := unpack(file, limit)
	if err != nil {
		return nil, fmt.Errorf("arrivals %s: %w", name, err)
	}
	items := bufio.NewScanner(text)
	items.Split(bufio.ScanWords)
	now := int64(1)
	var at []int64
	for items.Scan() {
		item := items.Text()
		ms, err := strconv.ParseFloat(item[1:], 64)
		if err != nil || !(ms >= 0 && ms <= mostDelay) || item[0] < 'A' || item[0] > 'Z' {
			return nil, fmt.Errorf("arrivals %s: item %d is %q: write a class letter and milliseconds, such as P120", name, len(at)+1, item)
		}
		if now += int64(ms * 1e6); now < 0 || len(at) == mostPieces {
			return nil, fmt.Errorf("arrivals %s: item %d is beyond what can be read: name the arrivals of one log", name, len(at)+1)
		}
		at = append(at, now)
	}
	if err := items.Err(); err != nil {
		return nil, fmt.Errorf("arrivals %s: %w", name, err)
	}
	return at, nil
}
