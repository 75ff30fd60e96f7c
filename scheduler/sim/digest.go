package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"schedmate"
)

// digest hashes a run's events in order, one line each, so that two runs with
// the same digest did the same things at the same times in the same places.
type digest struct {
	hash hash.Hash
	line []byte
}

func newDigest() *digest { return &digest{hash: sha256.New()} }

func (d *digest) add(ev *Event) {
	b := strconv.AppendInt(d.line[:0], int64(ev.At), 10)
	for _, field := range [...]string{string(ev.Kind), ev.Job, string(ev.State), ev.Node, string(ev.Health)} {
		b = append(b, ' ')
		b = strconv.AppendQuote(b, field)
	}
	for _, a := range ev.Allocations {
		b = append(b, ' ')
		b = strconv.AppendQuote(b, a.Node)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(a.GPU), 10)
		if a.Share != schedmate.WholeGPU {
			b = append(b, '/')
			b = strconv.AppendInt(b, int64(a.Share), 10)
		}
	}
	if ev.Lease > 0 {
		b = append(b, " until "...)
		b = strconv.AppendInt(b, int64(ev.Lease), 10)
	}
	d.line = append(b, '\n')
	d.hash.Write(d.line)
	if len(d.line) > 1<<20 {
		d.line = nil
	}
}

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }
