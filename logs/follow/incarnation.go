package follow

import (
	"bytes"
	"container/list"
	"errors"
	"io"
	"os"
	"time"
)

// incarnation is one file that a path names or named.
//
// Invariant: bytes [0, offset) have been consumed, but for what came before the
// start that was chosen; head covers bytes [0, head.Length) and tail the bytes
// [offset-tail.Length, offset).
type incarnation struct {
	id         Identity
	generation uint32 // of the inode; 0 if unknown
	real       string // its name after links, when it was last opened by name

	file *os.File      // nil if closed
	open *list.Element // in the descriptors, if file is open

	offset     int64
	head, tail Fingerprint
	modified   time.Time // of the file when all its bytes had been consumed

	checked   bool // the file is known to be the one that offset belongs to
	recorded  bool // it comes from a Record
	rewritten bool // its bytes before offset have changed
	announced bool // the handler knows of it

	lostName time.Time // since when the path has named another file or none; zero if it names this
	grew     time.Time // when bytes were last found
}

// checksOut reports whether an open file begins with the bytes that were read
// from this one and has the same bytes before the offset.
func (inc *incarnation) checksOut(file *os.File) (bool, error) {
	same, err := inc.head.in(file, 0)
	if err != nil || !same {
		return false, err
	}
	return inc.tail.in(file, inc.offset-int64(inc.tail.Length))
}

// startAt makes reading begin at an offset of a file whose earlier bytes were
// not read.
func (inc *incarnation) startAt(file *os.File, offset int64) error {
	head := make([]byte, min(headBytes, offset))
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	inc.offset, inc.head, inc.tail = offset, fingerprint(head[:n]), Fingerprint{}
	return nil
}

// rewind makes reading begin at 0 again.
func (inc *incarnation) rewind() {
	inc.offset, inc.head, inc.tail, inc.rewritten = 0, Fingerprint{}, Fingerprint{}, false
	inc.modified = time.Time{}
}

// withoutHoles returns how many bytes of what was read at the offset come
// before a hole, or moves the offset over the hole if it begins with one and
// something follows. A hole reads as zeros, so only zeros call for a question.
func (inc *incarnation) withoutHoles(data []byte) (skipped bool, length int) {
	filled := len(bytes.TrimRight(data, "\x00"))
	if filled > 0 && data[0] != 0 {
		if filled == len(data) {
			return false, filled
		}
		if hole, ok := nextHole(inc.file, inc.offset+int64(filled)); ok && hole < inc.offset+int64(len(data)) {
			return false, filled
		}
		return false, len(data)
	}
	if len(data) == 0 {
		return false, 0
	}
	hole, ok := nextHole(inc.file, inc.offset)
	if !ok || hole >= inc.offset+int64(len(data)) {
		return false, len(data) // zeros that somebody wrote
	}
	if filled > 0 && hole > inc.offset {
		return false, len(data) // a hole further on, short enough to be read
	}
	next, ok := nextData(inc.file, hole)
	if !ok {
		return false, 0
	}
	inc.offset, inc.tail = next, Fingerprint{}
	return true, 0
}

// consume advances over data. window ends with data and begins with the bytes
// of the tail.
func (inc *incarnation) consume(window, data []byte) {
	if int64(inc.head.Length) == inc.offset {
		inc.head = inc.head.extend(data[:min(len(data), headBytes-inc.head.Length)])
	}
	inc.offset += int64(len(data))
	inc.tail = fingerprint(window[max(0, len(window)-tailBytes):])
}
