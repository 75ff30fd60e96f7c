package follow

import (
	"fmt"
	"time"
)

// Kind says what a [Chunk] tells.
type Kind uint8

const (
	// Opened: a file was found under the path; its bytes follow from Offset.
	Opened Kind = iota + 1
	// Resumed: the file of a [Record], or one that lost an earlier name; its
	// bytes follow from Offset, where they were left.
	Resumed
	// Data: bytes of the file.
	Data
	// Truncated: the file was emptied or rewritten; it is read from 0 again.
	Truncated
	// Rotated: the path names another file now, which is read from Offset: 0,
	// but for a file whose first bytes were delivered under an earlier name. Err
	// is set if the end of the old one could not be read.
	Rotated
	// Gone: the path names no file. One of Options.Paths is waited for, a match of
	// Options.Globs is forgotten. Err as for Rotated.
	Gone
	// Failed: Err says what could not be done. It is told once, however often it
	// is tried again.
	Failed
)

// String returns the name of the kind.
func (k Kind) String() string {
	names := [...]string{Opened: "opened", Resumed: "resumed", Data: "data", Truncated: "truncated", Rotated: "rotated", Gone: "gone", Failed: "failed"}
	if int(k) < len(names) && k > 0 {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Identity tells a file from all others that exist at the same time.
type Identity struct {
	Device uint64
	Inode  uint64
}

// Chunk is one thing that happened to a file.
type Chunk struct {
	// Path is one of Options.Paths or a match of Options.Globs. For Failed it may
	// be a folder or a pattern, or empty if it concerns watching as a whole.
	Path string
	// File is the file that Path names, or named when it was read. It is zero for
	// Gone and Failed.
	File Identity
	Kind Kind
	// Offset is the place of the first byte of Data in the file, or where reading
	// begins.
	Offset int64
	// Data is valid until the handler returns.
	Data []byte
	// At is when the chunk was read, by our clock. If the folder is watched, that is
	// about Options.Coalesce after the first of the bytes could be seen.
	At time.Time
	// Modified is when the file was written to last before Data was read, by the
	// clock of its file system: all of Data was there by then.
	Modified time.Time
	Err      error
}
