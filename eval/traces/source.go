package traces

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// limits bound what one trace may cost.
type limits struct {
	textBytes int64 // after decompression
	lines     int
	lineBytes int
}

// source turns the bytes of a trace into its lines.
type source struct {
	file  string
	max   limits
	hash  hash.Hash
	text  *bufio.Reader
	count counter
	line  int // number of the last line read
	width int // cells of the header
	blank int // number of an empty line that waits to be the last, or 0

	anyByte bool // lines may hold control characters and other bytes that are no text
}

// strangers are beginnings of files that are often taken for traces.
var strangers = []struct{ magic, what, next string }{
	{"PK\x03\x04", "is a zip archive", "unpack it first"},
	{"BZh", "is compressed with bzip2", "decompress it first, or compress it with gzip"},
	{"\xfd7zXZ\x00", "is compressed with xz", "decompress it first, or compress it with gzip"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it first, or compress it with gzip"},
	{"version https://git-lfs", "is a Git LFS pointer, not the data", "fetch the data with git lfs pull"},
}

const byteOrderMark = "\xef\xbb\xbf"

func newSource(r io.Reader, file string, max limits) (*source, error) {
	s := &source{file: file, max: max, hash: sha256.New()}
	raw := bufio.NewReaderSize(io.TeeReader(r, s.hash), 64<<10)
	head, err := raw.Peek(24)
	if err != nil && err != io.EOF {
		return nil, s.readError(err)
	}
	if len(head) == 0 {
		return nil, &InputError{File: file, Problem: "is empty", Next: "check that the file is complete"}
	}
	for _, x := range strangers {
		if bytes.HasPrefix(head, []byte(x.magic)) {
			return nil, &InputError{File: file, Problem: x.what, Next: x.next}
		}
	}
	s.count = counter{r: raw, max: max.textBytes}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(raw)
		if err != nil {
			return nil, s.readError(err)
		}
		s.count.r = unzipped
	}
	s.text = bufio.NewReaderSize(&s.count, max.lineBytes)
	return s, nil
}

// counter stops a reader that yields more than max bytes.
type counter struct {
	r         io.Reader
	read, max int64
}

var errTooMuchText = errors.New("too much text")

func (c *counter) Read(p []byte) (int, error) {
	if c.read > c.max {
		return 0, errTooMuchText
	}
	n, err := c.r.Read(p)
	if c.read += int64(n); c.read > c.max {
		return n - int(c.read-c.max), errTooMuchText
	}
	return n, err
}

// sum returns the SHA-256 of everything that was read, in hex.
func (s *source) sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// header returns the names of the columns.
func (s *source) header() ([]string, error) {
	text, err := s.next()
	if err == io.EOF {
		return nil, &InputError{File: s.file, Problem: "holds no text", Next: "check that the file is complete"}
	}
	if err != nil {
		return nil, err
	}
	names, err := s.split(nil, strings.TrimPrefix(text, byteOrderMark))
	s.width = len(names)
	return names, err
}

// row returns the next row as cells appended to into, with its line number,
// and io.EOF after the last one.
func (s *source) row(into []string) (line int, cells []string, err error) {
	for {
		text, err := s.next()
		if err != nil {
			return 0, nil, err
		}
		if text == "" {
			if s.blank == 0 {
				s.blank = s.line
			}
			continue // fine at the end of the file, see below
		}
		if s.blank > 0 {
			return 0, nil, &InputError{File: s.file, Line: s.blank, Problem: "is empty, but rows follow", Next: "remove the line"}
		}
		cells, err := s.split(into, text)
		if err == nil && len(cells) != s.width {
			err = &InputError{File: s.file, Line: s.line,
				Problem: fmt.Sprintf("the row has %d cells, the header has %d", len(cells), s.width),
				Next:    "correct the row; a cell that holds a comma needs double quotes"}
		}
		return s.line, cells, err
	}
}

// next returns the next line without its end, and io.EOF after the last one.
func (s *source) next() (string, error) {
	raw, err := s.text.ReadSlice('\n')
	s.line++
	switch {
	case s.line > s.max.lines && len(raw) > 0:
		return "", &InputError{File: s.file, Line: s.line,
			Problem: fmt.Sprintf("has more than %d lines, which is the limit", s.max.lines),
			Next:    "cut the trace into smaller files"}
	case err == bufio.ErrBufferFull:
		return "", &InputError{File: s.file, Line: s.line,
			Problem: fmt.Sprintf("the line is longer than %d bytes, which is the limit", s.max.lineBytes),
			Next:    "check that the file is a trace with one job a line"}
	case err == io.EOF && len(raw) == 0:
		return "", io.EOF
	case err != nil && err != io.EOF:
		return "", s.readError(err)
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	if s.anyByte {
		return string(raw), nil
	}
	if problem := notText(raw); problem != "" {
		return "", &InputError{File: s.file, Line: s.line, Problem: problem,
			Next: "check that the file is plain or gzip-compressed text in UTF-8"}
	}
	return string(raw), nil
}

// notText says why a line is no text, or nothing. Control characters are
// refused because names from a trace end up in terminals and reports.
func notText(line []byte) string {
	ascii := true
	for i, b := range line {
		if b < ' ' && b != '\t' || b == 0x7f {
			return fmt.Sprintf("byte %d is the control character %#02x", i+1, b)
		}
		ascii = ascii && b < utf8.RuneSelf
	}
	if ascii {
		return ""
	}
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("byte %d is not UTF-8", i+1)
		}
		if unicode.IsControl(r) {
			return fmt.Sprintf("byte %d is the control character %U", i+1, r)
		}
		i += size
	}
	return ""
}

// split cuts a line into cells. A quoted cell may hold commas but no line end:
// then one bad quote cannot swallow the rest of the file.
func (s *source) split(into []string, text string) ([]string, error) {
	if strings.IndexByte(text, '"') >= 0 {
		cells, err := csv.NewReader(strings.NewReader(text)).Read()
		if err != nil {
			return nil, &InputError{File: s.file, Line: s.line, Problem: "a double quote is out of place or not closed",
				Next: "put quotes around whole cells only and double those inside", Err: err}
		}
		return append(into, cells...), nil
	}
	for {
		cell, rest, more := strings.Cut(text, ",")
		into = append(into, cell)
		if !more {
			return into, nil
		}
		text = rest
	}
}

// readError explains an error of the reader below.
func (s *source) readError(err error) error {
	e := &InputError{File: s.file, Line: s.line, Err: err}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errTooMuchText):
		e.Problem = fmt.Sprintf("holds more than %d bytes of text, which is the limit", s.max.textBytes)
		e.Next = "cut the trace into smaller files"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Problem, e.Next = "the gzip data ends too early", "the file is cut off: copy or download it again"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		e.Problem, e.Next = fmt.Sprintf("the gzip data is damaged (%v)", err), "copy or download the file again"
	default:
		e.Problem, e.Next = fmt.Sprintf("cannot be read (%v)", err), "check the file and its permissions"
	}
	return e
}
