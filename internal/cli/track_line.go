package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"schedmate"
	"schedmate/tracker"
)

// trackLine is what 'track --jsonl' says about one log, on one line. Its field
// names never change. A field that is left out is missing.
type trackLine struct {
	File      string `json:"file"`
	Error     string `json:"error,omitempty"`
	At        string `json:"at,omitempty"`   // of --follow: when this was known, RFC 3339
	Gone      bool   `json:"gone,omitempty"` // of --follow: the path names no file any more
	Trackable *bool  `json:"trackable,omitempty"`

	LatestStep     *float64 `json:"latest_step,omitempty"`
	TotalSteps     *float64 `json:"total_steps,omitempty"`
	StepUnit       string   `json:"step_unit,omitempty"`
	Epoch          *float64 `json:"epoch,omitempty"`
	TotalEpochs    *float64 `json:"total_epochs,omitempty"`
	StepTime       *float64 `json:"step_time_s,omitempty"`
	Throughput     *float64 `json:"throughput,omitempty"`
	ThroughputUnit string   `json:"throughput_unit,omitempty"`
	Loss           *float64 `json:"loss,omitempty"`
	LearningRate   *float64 `json:"lr,omitempty"`
	Remaining      *float64 `json:"eta_s,omitempty"`
	Fraction       *float64 `json:"progress,omitempty"`

	Validation map[string]float64      `json:"val_metrics,omitempty"`
	Curves     map[string][][2]float64 `json:"val_curve,omitempty"`
	Phase      schedmate.Phase         `json:"phase,omitempty"`
	SlowAtLine int64                   `json:"slow_at_line,omitempty"`
	Ratio      float64                 `json:"ratio,omitempty"`
	Slowdown   *schedmate.Slowdown     `json:"slowdown,omitempty"`

	Milliseconds *float64 `json:"ms,omitempty"`
	BytesRead    *int64   `json:"bytes_read,omitempty"`

	Evidence map[string]schedmate.Reading `json:"evidence,omitempty"` // of --explain, by field
	Notes    []tracker.Note               `json:"notes,omitempty"`    // of --explain
}

// trackedLog is what is known of one log.
type trackedLog struct {
	File         string              `json:"file"`
	Error        string              `json:"error,omitempty"`
	Progress     *schedmate.Progress `json:"progress,omitempty"` // nil if it could not be read
	Notes        []tracker.Note      `json:"notes,omitempty"`    // with --explain
	Milliseconds float64             `json:"ms"`                 // time it took
	BytesRead    int64               `json:"bytes_read"`         // as stored, so of a packed log before it is unpacked

	err error
}

// readProgress asks a tracker, and checks what it says.
func readProgress(s *tracker.State) (*schedmate.Progress, []tracker.Note, error) {
	p, notes := s.Progress()
	if err := p.Validate("progress"); err != nil {
		return nil, nil, fmt.Errorf("BUG in the tracker: %w; please report it with the log", err)
	}
	p.Validation = finite(p.Validation)
	return &p, notes, nil
}

// finite leaves out what no JSON can hold: a metric that became NaN.
func finite(curves []schedmate.Curve) []schedmate.Curve {
	var out []schedmate.Curve
	for _, c := range curves {
		var points [][2]float64
		for _, p := range c.Points {
			if isFinite(p[0]) && isFinite(p[1]) {
				points = append(points, p)
			}
		}
		if c.Points = points; len(points) > 0 && isFinite(c.Last.Value) {
			out = append(out, c)
		}
	}
	return out
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// line returns the one-line form.
func (t *trackedLog) line(explain bool) *trackLine {
	l := &trackLine{File: t.File, Error: t.Error}
	if t.Progress == nil {
		return l
	}
	l.Milliseconds, l.BytesRead = &t.Milliseconds, &t.BytesRead
	l.fill(t.Progress)
	if explain {
		l.Evidence, l.Notes = evidence(t.Progress), t.Notes
	}
	return l
}

// fill takes over what the log says.
func (l *trackLine) fill(p *schedmate.Progress) {
	l.Trackable = &p.Trackable
	l.StepUnit, l.ThroughputUnit, l.Phase = p.StepUnit, p.ThroughputUnit, p.Phase
	for _, f := range readings(p) {
		if f.reading != nil {
			*f.in(l) = &f.reading.Value
		}
	}
	for _, c := range p.Validation {
		if l.Validation == nil {
			l.Validation, l.Curves = make(map[string]float64), make(map[string][][2]float64)
		}
		l.Validation[c.Name], l.Curves[c.Name] = c.Last.Value, c.Points
	}
	if s := p.Slowdown; s != nil {
		l.SlowAtLine, l.Ratio, l.Slowdown = s.Line, s.Ratio, s
	}
}

// namedReading is one number of a progress.
type namedReading struct {
	field   string // in trackLine, as JSON
	title   string // for people
	reading *schedmate.Reading
	in      func(*trackLine) **float64
}

// readings lists the numbers of a progress, in the order of trackLine; those
// that are missing have no reading.
func readings(p *schedmate.Progress) []namedReading {
	return []namedReading{
		{"latest_step", "step", p.Step, func(l *trackLine) **float64 { return &l.LatestStep }},
		{"total_steps", "total steps", p.TotalSteps, func(l *trackLine) **float64 { return &l.TotalSteps }},
		{"epoch", "epoch", p.Epoch, func(l *trackLine) **float64 { return &l.Epoch }},
		{"total_epochs", "total epochs", p.TotalEpochs, func(l *trackLine) **float64 { return &l.TotalEpochs }},
		{"step_time_s", "step time", p.StepTime, func(l *trackLine) **float64 { return &l.StepTime }},
		{"throughput", "throughput", p.Throughput, func(l *trackLine) **float64 { return &l.Throughput }},
		{"loss", "loss", p.Loss, func(l *trackLine) **float64 { return &l.Loss }},
		{"lr", "learning rate", p.LearningRate, func(l *trackLine) **float64 { return &l.LearningRate }},
		{"eta_s", "ETA", p.Remaining, func(l *trackLine) **float64 { return &l.Remaining }},
		{"progress", "progress", p.Fraction, func(l *trackLine) **float64 { return &l.Fraction }},
	}
}

// evidence says where each field was read.
func evidence(p *schedmate.Progress) map[string]schedmate.Reading {
	found := make(map[string]schedmate.Reading)
	for _, f := range readings(p) {
		if f.reading != nil {
			found[f.field] = *f.reading
		}
	}
	for _, c := range p.Validation {
		found["val_metrics."+c.Name] = c.Last
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// writeLine writes one object on one line.
func writeLine(w io.Writer, l any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return err
	}
	_, err := w.Write(harmless(line.Bytes()))
	return err
}

// harmless writes the characters of JSON text that could steer a terminal or
// turn its direction as escapes. Within JSON they stand in strings only.
func harmless(text []byte) []byte {
	return escaped(text, func(r rune) (escape string) {
		for _, u := range utf16.Encode([]rune{r}) {
			escape += fmt.Sprintf(`\u%04x`, u)
		}
		return escape
	})
}

// escaped writes the characters that could steer a terminal in another way.
func escaped(text []byte, escape func(rune) string) []byte {
	if bytes.IndexFunc(text, steers) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if steers(r) {
			out = append(out, escape(r)...)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

func steers(r rune) bool { return r != '\n' && r != utf8.RuneError && unsafeRune(r) }

// validText returns a text with bytes that are not UTF-8 written as \xff.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
