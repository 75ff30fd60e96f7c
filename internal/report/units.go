package report

import (
	"math"
	"strconv"
	"strings"

	"schedmate"
)

// nbsp joins a number and its unit, which must stay on one line.
const nbsp = "\u00a0"

// none stands for a number that does not exist.
const none = "–"

const (
	minute schedmate.Seconds = 60
	hour                     = 60 * minute
	day                      = 24 * hour
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// show prints a value in its unit for people, and returns the precise value
// as a second text where the first one rounds it to other units.
func show(v float64, unit string) (text, precise string) {
	switch {
	case !finite(v):
		return none, ""
	case unit == UnitSeconds:
		return Duration(v), number(v) + nbsp + "s"
	case unit == UnitShare:
		return percent(v), ""
	case unit == UnitCount:
		return number(v), ""
	}
	return number(v) + nbsp + unit, ""
}

// Duration prints seconds for people, in the two largest units that matter:
// "4.2 s", "12 min 5 s", "2 h 31 min", "3 d 4 h". Numbers and units are joined
// by no-break spaces.
//
// The last unit shown is rounded, half up, and carried over: a fraction below
// 10 s to tenths of a second, below an hour to seconds, below a day to minutes,
// from there on to hours. So it is never "60 s", "60 min" or "24 h". A last
// unit of 0 is left out.
func Duration(s float64) string {
	switch {
	case !finite(s):
		return none
	case s < 0:
		return "−" + Duration(-s)
	case s < 9.95 && s != math.Trunc(s):
		return strconv.FormatFloat(math.Round(10*s)/10, 'f', 1, 64) + nbsp + "s"
	}
	// math.Round rounds halves up, as s is not negative here.
	if whole := math.Round(s); whole < 3600 {
		return twoUnits(whole, "min", 60, "s")
	}
	if minutes := math.Round(s / 60); minutes < 24*60 {
		return twoUnits(minutes, "h", 60, "min")
	}
	return twoUnits(math.Round(s/3600), "d", 24, "h")
}

// twoUnits prints n small units, per of which make a large one.
func twoUnits(n float64, large string, per float64, small string) string {
	whole, rest := math.Floor(n/per), math.Mod(n, per)
	switch {
	case whole == 0:
		return number(rest) + nbsp + small
	case rest == 0:
		return number(whole) + nbsp + large
	}
	return number(whole) + nbsp + large + nbsp + number(rest) + nbsp + small
}

func seconds(s schedmate.Seconds) string { return Duration(float64(s)) }

// percent prints a fraction with one decimal; only an exact 0 or 1 is printed
// without, so that "100 %" means all of them.
func percent(share float64) string {
	switch v := 100 * share; {
	case !finite(v):
		return none
	case share == 0 || share == 1 || math.Abs(v) >= 1e6:
		return number(v) + nbsp + "%"
	default:
		return strings.Replace(strconv.FormatFloat(v, 'f', 1, 64), "-", "−", 1) + nbsp + "%"
	}
}

// number prints with thousands separators and about three significant digits
// after them: "12,345", "345.6", "3.46", "0.0346".
func number(v float64) string {
	if !finite(v) {
		return none
	}
	if math.Abs(v) >= 1e15 {
		return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
	}
	decimals := 0
	if size := math.Abs(v); v != math.Trunc(v) && size < 1e6 {
		switch {
		case size >= 100:
			decimals = 1
		case size >= 1:
			decimals = 2
		default:
			decimals = min(9, 2-int(math.Floor(math.Log10(size))))
		}
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	digits, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		b.WriteString("." + fraction)
	}
	if v < 0 && b.String() != "0" {
		return "−" + b.String()
	}
	return b.String()
}

// Count prints a whole number with its digits in groups: "2,309".
func Count(n int) string { return number(float64(n)) }

// counted prints a number with its noun: "1 job", "2,000 jobs".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1" + nbsp + one
	}
	return Count(n) + nbsp + many
}

// signed prints a relative difference: "+1.2 %", "−0.3 %", "0 %".
func signed(share float64) string {
	if share > 0 && finite(100*share) {
		return "+" + percent(share)
	}
	return percent(share)
}

// at prints a share of a length as a number for a percentage in SVG or CSS.
func at(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/1e2, 'f', -1, 64)
}
