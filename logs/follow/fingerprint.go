package follow

import (
	"errors"
	"hash/crc32"
	"io"
	"os"
)

const (
	headBytes = 1024 // of the beginning of a file that its fingerprint covers
	tailBytes = 64   // before the offset that each read repeats
)

// Fingerprint is a checksum of a few bytes of a file, by which to know it
// again. It tells files apart that differ by chance, not files made to look
// alike on purpose.
type Fingerprint struct {
	Length int    `json:"length"` // bytes covered
	Sum    uint32 `json:"crc32c"` // CRC-32 of them, with Castagnoli's polynomial
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func fingerprint(b []byte) Fingerprint { return Fingerprint{}.extend(b) }

// extend returns the fingerprint of the bytes covered so far and b.
func (p Fingerprint) extend(b []byte) Fingerprint {
	return Fingerprint{Length: p.Length + len(b), Sum: crc32.Update(p.Sum, castagnoli, b)}
}

// of reports whether b is what the fingerprint was made of. An empty
// fingerprint is that of any bytes.
func (p Fingerprint) of(b []byte) bool {
	return p.Length == 0 || len(b) == p.Length && fingerprint(b) == p
}

// in reports whether the bytes of a file at an offset are what the fingerprint
// was made of.
func (p Fingerprint) in(file *os.File, offset int64) (bool, error) {
	if p.Length == 0 {
		return true, nil
	}
	b := make([]byte, p.Length)
	n, err := file.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return p.of(b[:n]), nil
}
