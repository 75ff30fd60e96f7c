package redact

import (
	"bytes"
	"fmt"
	"io"
)

// Writer redacts what is written through it, line by line, and passes it on. A
// private key is known over the lines it has. Close writes what follows the last
// line break.
type Writer struct {
	w        io.Writer
	redactor Redactor
	key      privateKey
	rest     []byte
}

// maxLine is how much of a line without an end is kept; then it is cut at the
// last space.
const maxLine = 1 << 20

// NewWriter returns a writer that passes redacted text on to w.
func (r Redactor) NewWriter(w io.Writer) *Writer { return &Writer{w: w, redactor: r} }

// Write takes the next piece of text.
func (w *Writer) Write(p []byte) (int, error) {
	for left := p; len(left) > 0; {
		i := bytes.IndexByte(left, '\n')
		if i < 0 {
			w.rest = append(w.rest, left...)
			if len(w.rest) > maxLine {
				cut := bytes.LastIndexAny(w.rest, " \t") + 1
				if cut == 0 {
					cut = len(w.rest)
				}
				tail := bytes.Clone(w.rest[cut:])
				w.rest = w.rest[:cut]
				if err := w.flush(); err != nil {
					return 0, err
				}
				w.rest = append(w.rest, tail...)
			}
			break
		}
		w.rest = append(w.rest, left[:i+1]...)
		left = left[i+1:]
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close writes the last line.
func (w *Writer) Close() error { return w.flush() }

func (w *Writer) flush() error {
	if len(w.rest) == 0 {
		return nil
	}
	body, end := cutEnd(string(w.rest))
	w.rest = w.rest[:0]
	if _, err := io.WriteString(w.w, w.redactor.line(body, &w.key)+end); err != nil {
		return fmt.Errorf("write redacted text: %w", err)
	}
	return nil
}
