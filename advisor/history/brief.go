package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

// A brief form is a record, or a print, in few bytes that are read in a
// microsecond: an estimate looks at hundreds of runs. That of a record has all but
// the print, which the work knows, and the series of the utilisation, which no
// estimate reads.

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
	b := briefBytes{briefVersion, flags, byte(slices.Index(briefStates, r.State))}
	b.text(r.ID, r.User, r.JobName, r.GPUType, r.Software, r.Hardware, r.ThroughputUnit)
	b.whole(int64(r.GPUs), int64(r.Nodes), int64(r.SubmitS), int64(r.StartS), int64(r.EndS))
	b.number(r.Progress, r.Throughput)
	if u := r.Utilisation; u != nil {
		b.number(u.Mean, u.Steady)
	}
	if e := r.Estimated; e != nil {
		b.number(e.Seconds, e.Low, e.High)
		b.text(e.Rung)
		b.whole(int64(e.Evidence))
	}
	b.count(len(r.Perf))
	for _, gpuType := range slices.Sorted(maps.Keys(r.Perf)) {
		rates := r.Perf[gpuType]
		b.text(gpuType)
		b.count(len(rates))
		for _, gpus := range slices.Sorted(maps.Keys(rates)) {
			b.text(gpus)
			b.number(rates[gpus])
		}
	}
	return b
}

// briefPrint is a print with its hashes, which take as long to make as all else.
func briefPrint(p fingerprint.Print) []byte {
	b := briefBytes{briefVersion, byte(p.Form)}
	b.text(p.Workload, p.Cost, p.Code, p.Recipe, p.Whole)
	b.count(len(p.Settings))
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		b.text(name, p.Settings[name])
	}
	b.count(len(p.Fields))
	for _, f := range slices.Sorted(maps.Keys(p.Fields)) {
		v := p.Fields[f]
		b.text(string(f), v.Text)
		b.count(len(v.Numbers))
		b.number(v.Numbers...)
	}
	return b
}

// briefBytes is a brief form that is being written.
type briefBytes []byte

func (b *briefBytes) count(n int) { *b = binary.AppendUvarint(*b, uint64(n)) }

func (b *briefBytes) text(list ...string) {
	for _, t := range list {
		b.count(len(t))
		*b = append(*b, t...)
	}
}

func (b *briefBytes) whole(list ...int64) {
	for _, n := range list {
		*b = binary.AppendVarint(*b, n)
	}
}

func (b *briefBytes) number(list ...float64) {
	for _, x := range list {
		*b = binary.LittleEndian.AppendUint64(*b, math.Float64bits(x))
	}
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

func (d *briefs) print(b []byte) (p fingerprint.Print, err error) {
	if len(b) < 2 || b[0] != briefVersion || b[1] != fingerprint.Form {
		return p, fmt.Errorf("brief print of %d bytes: %w", len(b), errBrief)
	}
	p.Form = int(b[1])
	d.b, d.bad = b[2:], false
	for _, t := range []*string{&p.Workload, &p.Cost, &p.Code, &p.Recipe, &p.Whole} {
		*t = string(d.bytes())
	}
	if n := d.count(); n > 0 && n <= fingerprint.MostSettings {
		p.Settings = make(fingerprint.Settings, n)
		for ; n > 0 && !d.bad; n-- {
			name := d.text()
			p.Settings[name] = d.text()
		}
	}
	p.Fields = make(fingerprint.Canonical)
	for n := d.count(); n > 0 && !d.bad; n-- {
		f := workload.Field(d.text())
		v := fingerprint.Value{Text: d.text()}
		for m := d.count(); m > 0 && !d.bad; m-- {
			v.Numbers = append(v.Numbers, d.number())
		}
		p.Fields[f] = v
	}
	if d.bad || len(d.b) > 0 {
		return p, fmt.Errorf("brief print of %d bytes: %w", len(b), errBrief)
	}
	return p, nil
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
