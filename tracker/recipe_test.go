package tracker_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// recipe is a training run of which everything is known. A template says how a
// program prints it; the tracker must find the truth again in the text.
type recipe struct {
	records  int     // lines of the counter
	every    int     // steps between two records
	first    int     // step of the first record
	total    int     // steps of the run
	perEpoch int     // steps of an epoch; 0: the run has no epochs
	stepTime float64 // seconds, the median
	jitter   float64 // standard deviation of the logarithm of a stretch's time
	batch    int     // samples a step

	pauseEach int     // records between two pauses (an evaluation, a checkpoint)
	pause     float64 // seconds
	slowAt    int     // record from which steps take slow times as long
	slow      float64
	recoverAt int // record from which they do no more
	resumeAt  int // record at which the job is back at step resumeTo
	resumeTo  int

	start time.Time
	seed  uint64
}

// moment is what there is to print at a record.
type moment struct {
	record   int
	step     int // from 1 in every template; {step0} is from 0
	seconds  float64
	interval float64 // seconds since the last record, pauses included
	work     float64 // the same without pauses
	smooth   float64 // seconds a step as bars smooth them: the newest weighs 0.3
	noise    [3]float64
	change   bool // the first record of an epoch

	epochSeconds float64 // since the record before the epoch's first
}

func (r *recipe) moments() []moment {
	rng := rand.New(rand.NewPCG(r.seed, 20240301))
	var out []moment
	step, now := r.first, 0.0
	smoothCounts, smoothSeconds, epochSeconds := 0.0, 0.0, 0.0
	for i := range r.records {
		m := moment{record: i, step: step}
		speed := r.stepTime
		if r.slowAt > 0 && i >= r.slowAt && !(r.recoverAt > 0 && i >= r.recoverAt) {
			speed *= r.slow
		}
		m.work = float64(r.every) * speed * math.Exp(r.jitter*rng.NormFloat64())
		m.interval = m.work
		if r.pauseEach > 0 && i > 0 && i%r.pauseEach == 0 {
			m.interval += r.pause
		}
		if r.resumeAt > 0 && i == r.resumeAt {
			m.step, m.interval = r.resumeTo, m.interval+240
		}
		now += m.interval
		m.seconds = now
		smoothCounts = 0.3*float64(r.every) + 0.7*smoothCounts
		smoothSeconds = 0.3*m.interval + 0.7*smoothSeconds
		m.smooth = smoothSeconds / smoothCounts
		for k := range m.noise {
			m.noise[k] = rng.NormFloat64()
		}
		epochSeconds += m.interval
		m.change = r.perEpoch > 0 && (i == 0 || (m.step-1)/r.perEpoch != (out[i-1].step-1)/r.perEpoch)
		if m.change {
			epochSeconds = m.interval
		}
		m.epochSeconds = epochSeconds
		out = append(out, m)
		step = m.step + r.every
	}
	return out
}

// presentStepTime is what a step takes at the end of the run.
func (r *recipe) presentStepTime() float64 {
	if r.slowAt > 0 && r.recoverAt == 0 {
		return r.stepTime * r.slow
	}
	return r.stepTime
}

// value is a number of the run by its name in a template.
func (r *recipe) value(name string, m moment) (float64, bool) {
	perEpoch := max(r.perEpoch, 1)
	switch name {
	case "step":
		return float64(m.step), true
	case "step0":
		return float64(m.step - 1), true
	case "of_epoch":
		return float64((m.step-1)%perEpoch + 1), true
	case "of_epoch0":
		return float64((m.step - 1) % perEpoch), true
	case "epoch":
		return float64((m.step-1)/perEpoch + 1), true
	case "epoch0":
		return float64((m.step - 1) / perEpoch), true
	case "partial_epoch":
		return float64(m.step) / float64(perEpoch), true
	case "total":
		return float64(r.total), true
	case "epochs":
		return float64(r.total / perEpoch), true
	case "per_epoch":
		return float64(r.perEpoch), true
	case "samples":
		return float64(m.step * r.batch), true
	case "all_samples":
		return float64(r.total * r.batch), true
	case "percent":
		return 100 * float64(m.step) / float64(r.total), true
	case "elapsed":
		return m.seconds, true
	case "minutes":
		return m.seconds / 60, true
	case "epoch_elapsed":
		return m.epochSeconds, true
	case "kilo":
		return float64(m.step) / 1000, true
	case "record_odd":
		return float64(60 + (m.record*37)%40), true
	case "range_start":
		return float64(m.step - r.every + 1), true
	case "unix":
		return float64(r.start.Unix()) + m.seconds, true
	case "interval":
		return m.interval, true
	case "step_time":
		return m.work / float64(r.every), true
	case "ms":
		return 1000 * m.work / float64(r.every), true
	case "rate":
		return float64(r.every) / m.work, true
	case "sample_rate":
		return float64(r.every*r.batch) / m.work, true
	case "mean_time":
		return m.seconds / float64(m.step-r.first+r.every), true
	case "mean_rate":
		return float64(m.step-r.first+r.every) / m.seconds, true
	case "eta":
		return float64(r.total-m.step) * m.seconds / float64(m.step-r.first+r.every), true
	case "loss":
		return 4 * math.Pow(1+float64(m.step)/float64(10*r.every), -0.4) * math.Exp(0.04*m.noise[0]), true
	case "acc":
		return (1 - 0.9*math.Pow(1+float64(m.step)/float64(10*r.every), -0.5)) * math.Exp(0.02*m.noise[1]), true
	case "val":
		return 4.2 * math.Pow(1+float64(m.step)/float64(10*r.every), -0.35) * math.Exp(0.02*m.noise[2]), true
	case "lr":
		return 3e-4 * 0.5 * (1 + math.Cos(math.Pi*float64(m.step)/float64(max(r.total, 1)))), true
	}
	return 0, false
}

// fill replaces {name} and {name:form}. A form is a verb such as %.3f (for
// whole numbers %3d), hms for 1:02:03, minsec for 4 min 5 s, comma for a decimal comma, a layout for
// {stamp}. {pace} is the smoothed rate of a bar, in it/s or s/it, whichever is
// more than 1.
func (r *recipe) fill(line string, m moment) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "{")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			return "", fmt.Errorf("%q: a { has no }", line)
		}
		name, form, _ := strings.Cut(inside, ":")
		line = after
		switch name {
		case "stamp":
			at := r.start.Add(time.Duration(m.seconds * 1e9))
			if form == "" {
				form = "2006-01-02 15:04:05.000"
			}
			out.WriteString(at.Format(form))
			continue
		case "pace":
			if rate := 1 / m.smooth; rate >= 1 {
				fmt.Fprintf(&out, "%.2fit/s", rate)
			} else {
				fmt.Fprintf(&out, "%.2fs/it", 1/rate)
			}
			continue
		}
		v, ok := r.value(name, m)
		if !ok { // a brace of the log itself, as in JSON
			out.WriteString("{")
			line = rest
			continue
		}
		out.WriteString(spell(v, form))
	}
}

func spell(v float64, form string) string {
	switch {
	case form == "hms":
		s := int(v)
		if s >= 3600 {
			return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
		}
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	case form == "minsec":
		return fmt.Sprintf("%d min %d s", int(v)/60, int(v)%60)
	case form == "comma":
		return strings.Replace(strconv.FormatFloat(v, 'f', 4, 64), ".", ",", 1)
	case strings.HasSuffix(form, "d"):
		return fmt.Sprintf(form, int(v))
	case form != "":
		return fmt.Sprintf(form, v)
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// piece is a part of a log, written at one moment.
type piece struct {
	text    string
	seconds float64
}

// print writes the run by a template, one piece a record. Lines of a template are
//
//	head | text      once, before all else
//	epoch | text     before the first record of an epoch
//	epoch end | text after the last record of an epoch
//	text             for every record
//	bar | text       the same after a carriage return, without a line feed
//	each N | text    after every N-th record
//	end | text       once, at the very end, without a line feed
func (r *recipe) print(template string) ([]piece, error) {
	var out []piece
	moments := r.moments()
	emit := func(m moment, text, after string) error {
		s, err := r.fill(text, m)
		out = append(out, piece{s + after, m.seconds})
		return err
	}
	each := func(phase string, m moment) error {
		for _, line := range strings.Split(template, "\n") {
			when, text, ok := strings.Cut(line, " | ")
			n, isEach := strings.CutPrefix(when, "each ")
			switch {
			case !ok || when != "head" && when != "epoch" && when != "epoch end" && when != "bar" && when != "end" && !isEach:
				when, text = "record", line
			case isEach:
				every, err := strconv.Atoi(n)
				if err != nil {
					return fmt.Errorf("%q: want each NUMBER | text", line)
				}
				if when = "record"; (m.record+1)%every != 0 {
					continue
				}
			case when == "bar":
				if phase == "record" {
					if err := emit(m, "\r"+text, ""); err != nil {
						return err
					}
				}
				continue
			}
			after := "\n"
			if when == "end" {
				after = ""
			}
			if when == phase {
				if err := emit(m, text, after); err != nil {
					return err
				}
			}
		}
		return nil
	}
	phases := func(i int) []string {
		var p []string
		if i == 0 {
			p = append(p, "head")
		}
		if moments[i].change {
			p = append(p, "epoch")
		}
		p = append(p, "record")
		if r.perEpoch > 0 && (i+1 < len(moments) && moments[i+1].change || i+1 == len(moments) && moments[i].step%r.perEpoch == 0) {
			p = append(p, "epoch end")
		}
		if i+1 == len(moments) {
			p = append(p, "end")
		}
		return p
	}
	for i, m := range moments {
		for _, phase := range phases(i) {
			if err := each(phase, m); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func text(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}
