package tracker

import (
	"bytes"
	"fmt"
	"io"
)

// tailBuffer keeps the head and the tail of a stream, and counts the lines of
// all of it.
//
// Invariant: the blocks hold the last bytes of the stream without a gap; all
// but the last are full; before them lie dropped bytes with droppedLines line
// feeds; head holds the first bytes.
type tailBuffer struct {
	head     []byte
	headSize int

	blocks  []block
	limit   int // blocks
	dropped int64
	lost    int64 // line feeds in dropped bytes
	size    int64
}

type block struct {
	data  []byte
	lines int64
}

const blockBytes = 64 << 10

func newTailBuffer(head, tail int64) *tailBuffer {
	return &tailBuffer{headSize: int(head), limit: int(tail/blockBytes) + 2}
}

// Write takes the next bytes of the stream.
func (b *tailBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if missing := b.headSize - len(b.head); missing > 0 {
		b.head = append(b.head, p[:min(missing, n)]...)
	}
	b.size += int64(n)
	for len(p) > 0 {
		if len(b.blocks) == 0 || len(b.blocks[len(b.blocks)-1].data) == blockBytes {
			b.grow()
		}
		last := &b.blocks[len(b.blocks)-1]
		take := min(len(p), blockBytes-len(last.data))
		last.data = append(last.data, p[:take]...)
		last.lines += int64(bytes.Count(p[:take], []byte{'\n'}))
		p = p[take:]
	}
	return n, nil
}

// grow adds an empty block, the oldest one's memory when there are enough.
func (b *tailBuffer) grow() {
	if len(b.blocks) < b.limit {
		b.blocks = append(b.blocks, block{data: make([]byte, 0, blockBytes)})
		return
	}
	oldest := b.blocks[0]
	b.dropped += int64(len(oldest.data))
	b.lost += oldest.lines
	copy(b.blocks, b.blocks[1:])
	b.blocks[len(b.blocks)-1] = block{data: oldest.data[:0]}
}

// ReadAt reads of the head or of the tail; other bytes are gone.
func (b *tailBuffer) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off >= b.size:
		return 0, io.EOF
	case off >= b.dropped:
		i, at := int((off-b.dropped)/blockBytes), int((off-b.dropped)%blockBytes)
		n := copy(p, b.blocks[i].data[at:])
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	case off < int64(len(b.head)):
		return copy(p, b.head[off:]), nil
	}
	return 0, fmt.Errorf("byte %d of the stream is no longer kept", off)
}

// lines counts the line feeds of the stretch, which ends within the tail.
func (b *tailBuffer) lines(from, length int64) (int64, error) {
	to := from + length
	var count int64
	if from < b.dropped { // a stretch of the tail alone has none of what is lost
		count = b.lost - int64(bytes.Count(b.head[:min(from, int64(len(b.head)), b.dropped)], []byte{'\n'}))
	}
	at := b.dropped
	for i := range b.blocks {
		data := b.blocks[i].data
		lo, hi := max(from-at, 0), min(to-at, int64(len(data)))
		if lo < hi {
			count += int64(bytes.Count(data[lo:hi], []byte{'\n'}))
		}
		at += int64(len(data))
	}
	return count, nil
}
