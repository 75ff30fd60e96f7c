package worker

import (
	"encoding/binary"
	"errors"
	"math"
)

// writer appends numbers to a payload.
type writer []byte

func (w *writer) byte(b byte)     { *w = append(*w, b) }
func (w *writer) uint32(n uint32) { *w = binary.LittleEndian.AppendUint32(*w, n) }
func (w *writer) uint64(n uint64) { *w = binary.LittleEndian.AppendUint64(*w, n) }
func (w *writer) float(x float64) { w.uint64(math.Float64bits(x)) }
func (w *writer) text(s string)   { w.uint32(uint32(len(s))); *w = append(*w, s...) }
func (w *writer) flag(yes bool)   { w.byte(map[bool]byte{true: 1}[yes]) }
func (w *writer) floats(x ...float64) {
	for _, v := range x {
		w.float(v)
	}
}

// list writes numbers, or that there are none at all.
func (w *writer) list(x []float64) {
	w.flag(x != nil)
	if x != nil {
		w.uint32(uint32(len(x)))
		w.floats(x...)
	}
}

var (
	errShort = errors.New("the payload ends too early")
	errLong  = errors.New("the payload goes on after its end")
	errFlag  = errors.New("a flag is neither 0 nor 1")
)

// reader takes numbers from a payload. After an error it gives zeros; err is the
// first.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && n > len(r.rest) {
		r.err = errShort
	}
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) float() float64 { return math.Float64frombits(r.uint64()) }
func (r *reader) text() string   { return string(r.take(r.count(1))) }

func (r *reader) flag() bool {
	b := r.take(1)[0]
	if b > 1 && r.err == nil {
		r.err = errFlag
	}
	return b == 1
}

// count reads how many things follow that take at least so many bytes each: no
// more than there is room for.
func (r *reader) count(bytes int) int {
	n := r.uint32()
	if r.err == nil && uint64(n)*uint64(bytes) > uint64(len(r.rest)) {
		r.err = errShort
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *reader) list() []float64 {
	if !r.flag() || r.err != nil {
		return nil
	}
	x := make([]float64, r.count(8))
	for i := range x {
		x[i] = r.float()
	}
	return x
}

// end returns the first error, also that something is left.
func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.err = errLong
	}
	return r.err
}
