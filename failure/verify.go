package failure

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"schedmate"
	"schedmate/logs"
)

// maxQuoteBytes is how much of a log is read to find a quote again: a line may
// have been drawn over many times before its text.
const maxQuoteBytes = 1 << 20

// Verify reads the logs again and checks that each quote stands where it says.
// The first that does not is an error: nothing is told that cannot be shown.
func Verify(ctx context.Context, incident []Log, quotes []schedmate.Quote) error {
	for _, log := range incident {
		var of []schedmate.Quote
		for _, q := range quotes {
			if q.File == log.Name {
				of = append(of, q)
			}
		}
		slices.SortFunc(of, func(a, b schedmate.Quote) int { return cmp.Compare(a.Byte, b.Byte) })
		if err := verifyLog(ctx, log, of); err != nil {
			return fmt.Errorf("check the quotes of %s: %w", log.Name, err)
		}
	}
	return nil
}

func verifyLog(ctx context.Context, log Log, quotes []schedmate.Quote) error {
	if len(quotes) == 0 {
		return nil
	}
	in, err := log.Open()
	if err != nil {
		return err
	}
	defer in.Close() // it is only read
	r := &window{r: contextReader{ctx, in}}
	head, err := r.at(0, 2)
	if err != nil {
		return err
	}
	mark := byteOrder(head)
	for i, q := range quotes {
		if i > 0 && q.Byte == quotes[i-1].Byte && q.Text == quotes[i-1].Text {
			continue
		}
		raw, err := r.at(q.Byte, maxQuoteBytes)
		if err != nil {
			return err
		}
		if !stands(raw, mark, q.Text) {
			return fmt.Errorf("line %d does not say %q any more: the log has changed, diagnose it again", q.Line, clipped([]byte(q.Text), 80))
		}
	}
	return nil
}

// byteOrder is the mark of a UTF-16 log, nil for others.
func byteOrder(head []byte) []byte {
	if bytes.Equal(head, []byte{0xff, 0xfe}) || bytes.Equal(head, []byte{0xfe, 0xff}) {
		return bytes.Clone(head)
	}
	return nil
}

// stands tells whether a line that begins at the start of raw says the text.
func stands(raw, mark []byte, text string) bool {
	found, over := false, false
	d := logs.NewDecoder(func(seg *logs.Segment) {
		if !over && seg.Line == 1 {
			found = found || strings.Contains(string(seg.Text), strings.TrimSpace(text))
			over = seg.End == logs.EndNewline
		}
	})
	d.Write(mark, 0)
	for chunk := range slices.Chunk(raw, 4<<10) {
		if d.Write(chunk, 0); over || found {
			break
		}
	}
	d.Peek()
	return found
}

// window reads a stream forward, and gives parts of it in the order of their
// offsets; parts may overlap.
type window struct {
	r     io.Reader
	start int64 // offset of held
	held  []byte
}

// at returns up to n bytes from an offset that is not before the last one's.
func (w *window) at(offset int64, n int) ([]byte, error) {
	if skip := offset - w.start; skip <= int64(len(w.held)) {
		w.held = w.held[skip:]
	} else {
		if _, err := io.CopyN(io.Discard, w.r, skip-int64(len(w.held))); err != nil && err != io.EOF {
			return nil, err
		}
		w.held = nil
	}
	w.start = offset
	if missing := n - len(w.held); missing > 0 {
		more := make([]byte, missing)
		got, err := io.ReadFull(w.r, more)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, err
		}
		w.held = append(slices.Clone(w.held), more[:got]...)
	}
	return w.held[:min(n, len(w.held))], nil
}
