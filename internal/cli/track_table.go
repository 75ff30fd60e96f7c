package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"schedmate"
)

// trackRows has one row a log that could be read, below the header.
func trackRows(logs []*trackedLog, trends bool) [][]string {
	rows := [][]string{trackHeader}
	for _, t := range logs {
		if t.err == nil {
			rows = append(rows, trackRow(t.File, t.Progress, trends))
		}
	}
	return rows
}

var trackHeader = []string{"FILE", "STEP", "EPOCH", "STEP TIME", "SLOWDOWN", "LOSS", "ETA", "PHASE", "THROUGHPUT", "VALIDATION"}

// spareOfTrack are the columns that a narrow terminal goes without, the first first.
var spareOfTrack = []string{"VALIDATION", "THROUGHPUT", "PHASE", "EPOCH", "SLOWDOWN"}

func trackRow(file string, p *schedmate.Progress, terminal bool) []string {
	if !p.Trackable {
		return []string{file, "no training seen", "-", "-", "-", "-", "-", "-", "-", "-"}
	}
	return []string{
		file,
		ofTotal(p.Step, p.TotalSteps) + stepUnit(p),
		ofTotal(p.Epoch, p.TotalEpochs),
		optionalReading(p.StepTime, stepTimeText) + trendText(p.StepTimeTrend, terminal),
		slowdownText(p.Slowdown),
		optionalReading(p.Loss, short) + trendText(p.LossTrend, terminal),
		leftText(p),
		string(p.Phase),
		optionalReading(p.Throughput, short) + unitText(p.Throughput, p.ThroughputUnit),
		validationText(p.Validation, terminal),
	}
}

func optionalReading(r *schedmate.Reading, text func(float64) string) string {
	if r == nil {
		return "-"
	}
	return text(r.Value)
}

// ofTotal writes 1250/10000.
func ofTotal(n, total *schedmate.Reading) string {
	text := optionalReading(n, whole)
	if n != nil && total != nil {
		text += "/" + whole(total.Value)
	}
	return text
}

// stepUnit names what is counted where that is not steps.
func stepUnit(p *schedmate.Progress) string {
	if p.Step == nil || p.StepUnit == "step" || p.StepUnit == "" {
		return ""
	}
	return " " + strings.ReplaceAll(p.StepUnit, "_", " ") + "s"
}

func unitText(r *schedmate.Reading, unit string) string {
	if r == nil || unit == "" {
		return ""
	}
	return " " + clip(unit, 20)
}

// whole writes a count as it was printed, without an exponent.
func whole(v float64) string {
	if math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return short(v)
}

// short writes a number with four digits.
func short(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e7 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// stepTimeText writes a step time with three digits, such as 5.27ms, 412ms,
// 2.01s, or as humanSeconds from a minute on.
func stepTimeText(s float64) string {
	switch {
	case s < 1e-3:
		return strconv.FormatFloat(s*1e6, 'g', 3, 64) + "us"
	case s < 0.9995:
		return strconv.FormatFloat(s*1e3, 'g', 3, 64) + "ms"
	case s < 59.95:
		return strconv.FormatFloat(s, 'g', 3, 64) + "s"
	}
	return humanSeconds(s)
}

func slowdownText(s *schedmate.Slowdown) string {
	if s == nil {
		return "-"
	}
	text := fmt.Sprintf("x%.2f", s.Ratio)
	if s.Line > 0 {
		text += fmt.Sprintf(" since line %d", s.Line)
	}
	return text
}

// validationText writes the newest metric, on a terminal with its history.
func validationText(curves []schedmate.Curve, terminal bool) string {
	if len(curves) == 0 {
		return "-"
	}
	c := &curves[0]
	text := strings.TrimSpace(clip(c.Name, 30) + " " + short(c.Last.Value))
	if terminal && len(c.Points) > 1 {
		text += " " + sparkline(c.Points)
	}
	if len(curves) > 1 {
		text += fmt.Sprintf(" (+%d)", len(curves)-1)
	}
	return text
}

// clip shortens a text from outside.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

const sparkWidth = 16

// roomForTrends is the width of a terminal, in columns, from which trends are
// drawn: on a narrower one they push what matters out of sight.
const roomForTrends = 150

// trendText draws a trend on a terminal.
func trendText(values []float64, terminal bool) string {
	if !terminal || len(values) < 2 {
		return ""
	}
	points := make([][2]float64, len(values))
	for i, v := range values {
		points[i] = [2]float64{float64(i), v}
	}
	return " " + sparkline(points)
}

// sparkline draws the values of a curve, the newest of many.
func sparkline(points [][2]float64) string {
	points = points[max(0, len(points)-sparkWidth):]
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = math.Min(low, p[1]), math.Max(high, p[1])
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, p := range points {
		at := 0
		if high > low {
			at = int(float64(len(bars)-1)*(p[1]-low)/(high-low) + 0.5)
		}
		b.WriteRune(bars[min(max(at, 0), len(bars)-1)])
	}
	return b.String()
}

// explainLogs says for each log where its values were read, and which numbers
// were taken for training or not.
func explainLogs(w io.Writer, logs []*trackedLog) error {
	first := true
	for _, t := range logs {
		if t.err != nil {
			continue
		}
		if !first {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		first = false
		if err := explainLog(w, t); err != nil {
			return err
		}
	}
	return nil
}

func explainLog(w io.Writer, t *trackedLog) error {
	p := t.Progress
	head := t.File + ": no training seen"
	if p.Trackable {
		head = t.File
	}
	if _, err := fmt.Fprintln(w, printable(head)); err != nil {
		return err
	}
	var rows [][]string
	add := func(title, value string, r *schedmate.Reading) {
		rows = append(rows, []string{"  " + title, value, place(r.Line, r.Byte), fmt.Sprintf("%.2f", r.Confidence), how(r)})
	}
	for _, f := range readings(p) {
		if f.reading != nil {
			add(f.title, short(f.reading.Value), f.reading)
		}
	}
	for i := range p.Validation {
		c := &p.Validation[i]
		add("validation", short(c.Last.Value)+fmt.Sprintf(" (%s)", plural(len(c.Points), "point")), &c.Last)
	}
	if s := p.Slowdown; s != nil {
		rows = append(rows, []string{"  slowdown", fmt.Sprintf("x%.2f", s.Ratio), place(s.Line, s.Byte), fmt.Sprintf("%.2f", s.Confidence),
			fmt.Sprintf("step time %s before, %s in %s after", stepTimeText(s.BeforeSeconds), stepTimeText(s.AfterSeconds), plural(s.Records, "record"))})
	}
	if len(rows) > 0 {
		if err := columns(w, append([][]string{{"  WHAT", "VALUE", "WHERE", "CONFIDENCE", "HOW"}}, rows...)); err != nil {
			return err
		}
	}
	for _, n := range t.Notes {
		verdict := "rejected"
		if n.Believed {
			verdict = "believed"
		}
		if _, err := fmt.Fprintf(w, "  %s %s: %s\n", verdict, printable(n.What), printable(n.Why)); err != nil {
			return err
		}
	}
	return nil
}

// place writes where in a log something stands.
func place(line, offset int64) string {
	if line == 0 {
		return fmt.Sprintf("byte %d", offset)
	}
	return fmt.Sprintf("line %d, byte %d", line, offset)
}

func how(r *schedmate.Reading) string {
	if r.Name == "" {
		return r.Method
	}
	return fmt.Sprintf("%s, called %q", r.Method, clip(r.Name, 40))
}
