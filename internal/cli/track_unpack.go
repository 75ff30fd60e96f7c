package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// mostLayers is how often a log may be packed: a file can be made that unpacks
// to itself.
const mostLayers = 4

// unpack takes gzip off a stream, whatever its name is, and returns how often
// it was packed. More than limit bytes of any layer end with errTooLong.
func unpack(r io.Reader, limit int64) (io.Reader, int, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	for layers := 0; ; layers++ {
		magic, err := buffered.Peek(6)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, layers, packedError(err)
		}
		switch {
		case !isGzip(magic):
			return &packedReader{buffered}, layers, otherPacking(magic)
		case layers == mostLayers:
			return nil, layers, fmt.Errorf("it is packed with gzip more than %d times: unpack it first", mostLayers)
		}
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, layers, packedError(err)
		}
		z.Multistream(false)
		buffered = bufio.NewReaderSize(&limitedReader{&members{z, buffered}, limit}, 64<<10)
	}
}

// members reads the members of a packed file one after another. Zeros behind the
// last one fill a block of a tape or a page of a broken write, and are no data.
type members struct {
	z    *gzip.Reader
	from *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		switch {
		case !errors.Is(err, io.EOF):
			return n, err
		case n > 0:
			return n, nil // the end comes again
		}
		if err := skipZeros(m.from); err != nil {
			return 0, err
		}
		if err := m.z.Reset(m.from); err != nil {
			return 0, err
		}
		m.z.Multistream(false)
	}
}

// skipZeros stops before the first byte that is not zero.
func skipZeros(r *bufio.Reader) error {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return r.UnreadByte()
		}
	}
}

// isGzip tells whether a file begins as gzip writes it.
func isGzip(magic []byte) bool { return bytes.HasPrefix(magic, []byte{0x1f, 0x8b, 8}) }

// otherPacking returns an error for packed files that are not read.
func otherPacking(magic []byte) error {
	for _, p := range []struct{ magic, name, command string }{
		{"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"},
		{"\xfd7zXZ\x00", "xz", "xz -dc"},
		{"BZh", "bzip2", "bzip2 -dc"},
		{"\x04\x22\x4d\x18", "lz4", "lz4 -dc"},
		{"PK\x03\x04", "zip", "unzip -p"},
	} {
		if bytes.HasPrefix(magic, []byte(p.magic)) {
			return fmt.Errorf("it is packed with %s: unpack it first, as in '%s FILE > train.log'", p.name, p.command)
		}
	}
	return nil
}

// packedReader gives the errors of gzip a next step.
type packedReader struct{ r io.Reader }

func (p *packedReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil {
		err = packedError(err)
	}
	return n, err
}

func packedError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the packed log is cut off: %w: copy it again, or unpack what there is with 'gzip -dc FILE > train.log'", err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the packed log is damaged: %w: copy it again, or unpack what there is with 'gzip -dc FILE > train.log'", err)
	}
	return err
}

// limitedReader ends with errTooLong instead of giving more than left bytes.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLong
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
