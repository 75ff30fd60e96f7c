package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"schedmate"
)

// A brief form is a record in few bytes that are read in a microsecond: an
// estimate looks at hundreds of runs. It has all but the print, which the work
// knows, and the series of the utilisation, which no estimate reads.

const briefVersion = 1

var briefStates = []State{Completed, Cancelled, UserFailure, InfraFailure, TimedOut}

const (
	hasUtilisation = 1 << iota
	hasEstimated
	wasSlowed
)

func brief(r *Record) []byte {
	var flags byte
	if r.Utilisation != nil {
		flags |= hasUtilisation
	}
	if r.Estimated != nil {
		flags |= hasEstimated
	}
	if r.Slowed {
		flags |= wasSlowed
	}
	b := []byte{briefVersion, flags, byte(slices.Index(briefStates, r.State))}
	text := func(list ...string) {
		for _, t := range list {
			b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
		}
	}
	number := func(list ...float64) {
		for _, x := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	text(r.ID, r.User, r.JobName, r.GPUType, r.Software, r.Hardware, r.ThroughputUnit)
	for _, n := range []int64{int64(r.GPUs), int64(r.Nodes), int64(r.SubmitS), int64(r.StartS), int64(r.EndS)} {
		b = binary.AppendVarint(b, n)
	}
	number(r.Progress, r.Throughput)
	if u := r.Utilisation; u != nil {
		number(u.Mean, u.Steady)
	}
	if e := r.Estimated; e != nil {
		number(e.Seconds, e.Low, e.High)
		text(e.Rung)
		b = binary.AppendVarint(b, int64(e.Evidence))
	}
	b = binary.AppendUvarint(b, uint64(len(r.Perf)))
	for _, gpuType := range slices.Sorted(maps.Keys(r.Perf)) {
		rates := r.Perf[gpuType]
		text(gpuType)
		b = binary.AppendUvarint(b, uint64(len(rates)))
		for _, gpus := range slices.Sorted(maps.Keys(rates)) {
			text(gpus)
			number(rates[gpus])
		}
	}
	return b
}

// briefs reads brief forms. Texts that runs share are kept once.
type briefs struct {
	texts map[string]string
	b     []byte
	bad   bool
}

var errBrief = errors.New("the index is damaged: 'schedmate history index' makes it anew")

func (d *briefs) read(b []byte) (*Record, error) {
	if len(b) < 3 || b[0] != briefVersion || int(b[2]) >= len(briefStates) {
		return nil, fmt.Errorf("brief record of %d bytes: %w", len(b), errBrief)
	}
	flags := b[1]
	r := &Record{State: briefStates[b[2]], Slowed: flags&wasSlowed != 0}
	d.b, d.bad = b[3:], false
	r.ID = string(d.bytes())
	for _, t := range []*string{&r.User, &r.JobName, &r.GPUType, &r.Software, &r.Hardware, &r.ThroughputUnit} {
		*t = d.text()
	}
	r.GPUs, r.Nodes = int(d.whole()), int(d.whole())
	r.SubmitS, r.StartS, r.EndS = schedmate.Seconds(d.whole()), schedmate.Seconds(d.whole()), schedmate.Seconds(d.whole())
	r.Progress, r.Throughput = d.number(), d.number()
	if flags&hasUtilisation != 0 {
		r.Utilisation = &Utilisation{Mean: d.number(), Steady: d.number()}
	}
	if flags&hasEstimated != 0 {
		r.Estimated = &Estimated{Seconds: d.number(), Low: d.number(), High: d.number(), Rung: d.text(), Evidence: int(d.whole())}
	}
	for types := d.count(); types > 0 && !d.bad; types-- {
		gpuType, rates := d.text(), make(map[string]float64)
		for n := d.count(); n > 0 && !d.bad; n-- {
			gpus := d.text()
			rates[gpus] = d.number()
		}
		if r.Perf == nil {
			r.Perf = make(map[string]map[string]float64)
		}
		r.Perf[gpuType] = rates
	}
	if d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("brief record of %d bytes: %w", len(b), errBrief)
	}
	return r, nil
}

func (d *briefs) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *briefs) count() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, x = true, 0
	}
	d.take(max(n, 0))
	return x
}

func (d *briefs) whole() int64 {
	x, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, x = true, 0
	}
	d.take(max(n, 0))
	return x
}

func (d *briefs) number() float64 {
	if b := d.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (d *briefs) bytes() []byte { return d.take(int(min(d.count(), math.MaxInt32))) }

func (d *briefs) text() string {
	b := d.bytes()
	if len(b) == 0 {
		return ""
	}
	if t, known := d.texts[string(b)]; known {
		return t
	}
	t := string(b)
	if d.texts == nil {
		d.texts = make(map[string]string)
	}
	d.texts[t] = t
	return t
}
