package logs

import (
	"strings"
	"unicode"
)

// UnitKind is what a unit measures.
type UnitKind uint8

const (
	UnitNone     UnitKind = iota // no unit, or a word that is none
	UnitTime                     // a time: s, ms, minutes
	UnitTimePer                  // a time for each of some items: s/it, ms/step, s/100 iters
	UnitPerTime                  // items in a time: it/s, samples/sec, /s
	UnitSize                     // bytes: MiB, GB
	UnitSizeRate                 // bytes in a time: MB/s
	UnitOther                    // another physical unit: W, °C, MHz, %
)

// Unit is the unit of a number: a suffix (`1.68it/s`) or in the number's name
// (`ms/batch 30.96`, `train_speed(iter/s)`).
type Unit struct {
	Kind  UnitKind
	Scale float64 // UnitTime, UnitTimePer: seconds a unit; UnitPerTime: units of time a second
	Per   float64 // UnitTimePer: for how many items; 1 when not printed
	Item  string  // UnitTimePer, UnitPerTime: what is counted, lower case; empty when not printed
}

// timeScales are the words for units of time, in seconds.
var timeScales = map[string]float64{
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1, "sek": 1, "sekunde": 1, "sekunden": 1,
	"segundo": 1, "segundos": 1, "seconde": 1, "secondes": 1, "сек": 1, "секунд": 1, "초": 1, "с": 1, "cекунд": 1, "segundi": 1, "secondi": 1,
	"ms": 1e-3, "msec": 1e-3, "msecs": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3, "毫秒": 1e-3, "мс": 1e-3,
	"us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6, "微秒": 1e-6,
	"ns": 1e-9, "nanoseconds": 1e-9,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60, "分鐘": 60, "minuten": 60, "minutos": 60, "мин": 60, "분": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "小時": 3600, "时": 3600, "時間": 3600, "stunde": 3600, "stunden": 3600, "heures": 3600, "horas": 3600, "ч": 3600, "시간": 3600,
	"d": 86400, "day": 86400, "days": 86400, "天": 86400, "日": 86400,
}

var sizeWords = map[string]bool{
	"b": true, "byte": true, "bytes": true, "kb": true, "mb": true, "gb": true, "tb": true, "kib": true, "mib": true, "gib": true, "tib": true,
	"kbit": true, "mbit": true, "gbit": true, "kbits": true, "mbits": true, "gbits": true, "kbps": true, "mbps": true, "gbps": true,
}

// perWords stand between a time and what it is of.
var perWords = map[string]bool{"per": true, "je": true, "pro": true, "par": true, "por": true, "на": true}

var perList = []string{" per ", " je ", " pro ", " par ", " por ", " на "}

var durationWords = map[string]bool{"time": true, "duration": true, "latency": true, "dauer": true, "zeit": true, "tiempo": true, "temps": true, "tempo": true, "durée": true, "время": true}

// passing are words behind which min is minutes and not the least.
var passing = map[string]bool{"elapsed": true, "eta": true, "remaining": true, "left": true, "wall": true, "runtime": true, "walltime": true, "uptime": true, "took": true}

var otherUnits = map[string]bool{
	"%": true, "w": true, "kw": true, "wh": true, "kwh": true, "°c": true, "c": true, "°f": true, "mhz": true, "ghz": true, "hz": true, "rpm": true, "v": true, "mv": true, "a": true, "db": true, "px": true, "pt": true, "dpi": true,
}

// ParseUnit reads a unit written after a number.
func ParseUnit(word string) Unit {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" {
		return Unit{}
	}
	if scale, ok := timeScales[word]; ok {
		return Unit{Kind: UnitTime, Scale: scale}
	}
	if sizeWords[word] {
		return Unit{Kind: UnitSize}
	}
	if otherUnits[word] {
		return Unit{Kind: UnitOther}
	}
	left, right, ok := strings.Cut(word, "/")
	if !ok {
		left, right, ok = strings.Cut(word, "／")
	}
	for _, per := range perList {
		if !ok {
			left, right, ok = strings.Cut(word, per)
		}
	}
	if !ok {
		left, right, ok = strings.Cut(word, "每")
	}
	if !ok {
		return Unit{}
	}
	left = strings.TrimSpace(left)
	right = strings.TrimSpace(right)
	first, _, _ := strings.Cut(right, "/") // tok/s/gpu
	first, _, _ = strings.Cut(first, " ")
	if scale, ok := timeScales[first]; ok && first != "m" {
		if sizeWords[left] {
			return Unit{Kind: UnitSizeRate}
		}
		if i := strings.LastIndexByte(left, ' '); i >= 0 {
			left = left[i+1:]
		}
		return Unit{Kind: UnitPerTime, Scale: 1 / scale, Item: left}
	}
	if scale, ok := timeScales[left]; ok {
		per, item := 1.0, right
		if n := len(leadingDigits([]byte(right))); n > 0 && n < 9 {
			per = float64(digits([]byte(right[:n])))
			item = strings.TrimSpace(right[n:])
			if per == 0 {
				return Unit{}
			}
		}
		return Unit{Kind: UnitTimePer, Scale: scale, Per: per, Item: item}
	}
	if sizeWords[left] {
		return Unit{Kind: UnitSize}
	}
	return Unit{}
}

// UnitInName reads the unit that the name of a number carries: in brackets
// (`memory(GiB)`, `elapsed time per iteration (ms)`), as a suffix
// (`step_time_ms`), as a ratio (`ms/batch`, `img/s`) or in words
// (`steps_per_second`, `CurrSamplesPerSec`, `time per step`).
func UnitInName(name string) Unit {
	for _, of := range []string{"min/avg", "min/mean", "min/max", "min/med"} {
		if strings.Contains(name, of) {
			return Unit{} // the least, and no minutes
		}
	}
	if open := strings.LastIndexAny(name, "(["); open >= 0 {
		if u := ParseUnit(strings.Trim(name[open:], "()[]: ")); u.Kind != UnitNone {
			if u.Kind == UnitTime { // elapsed time per iteration (ms)
				if w := UnitInName(name[:open]); w.Kind == UnitTimePer {
					w.Scale = u.Scale
					return w
				}
			}
			return u
		}
	}
	if i := strings.IndexByte(name, '/'); i >= 0 {
		from := strings.LastIndexAny(name[:i], " \t") + 1
		if left := strings.ToLower(name[from:i]); left == "t" && i+1 < len(name) { // t/gen
			return Unit{Kind: UnitTimePer, Scale: 1, Per: 1, Item: strings.ToLower(name[i+1:])}
		}
		if u := ParseUnit(name[from:]); u.Kind == UnitTimePer || u.Kind == UnitPerTime || u.Kind == UnitSizeRate {
			return u
		}
	}
	words := Words(name)
	for i, w := range words {
		if perWords[w] && i+1 < len(words) {
			next := words[i+1]
			if scale, ok := timeScales[next]; ok {
				item := ""
				if i > 0 {
					item = words[i-1]
				}
				return Unit{Kind: UnitPerTime, Scale: 1 / scale, Item: item}
			}
			for _, w := range words[i+2:] { // per step time
				if durationWords[w] {
					return Unit{Kind: UnitTimePer, Scale: 1, Per: 1, Item: next}
				}
			}
			for j := range i {
				if scale, ok := timeScales[words[j]]; ok {
					return Unit{Kind: UnitTimePer, Scale: scale, Per: 1, Item: next}
				}
			}
			for j := range i {
				if durationWords[words[j]] {
					scale := 1.0
					if s, ok := timeScales[words[len(words)-1]]; ok && len(words)-1 > i+1 {
						scale = s
					}
					return Unit{Kind: UnitTimePer, Scale: scale, Per: 1, Item: next}
				}
			}
		}
	}
	if n := len(words); n > 2 && words[n-2] == "in" { // step timing in s
		if scale, ok := timeScales[words[n-1]]; ok {
			return Unit{Kind: UnitTime, Scale: scale}
		}
	}
	if n := len(words); n > 1 {
		last := words[n-1]
		if last == "min" && !durationWords[words[n-2]] && !passing[words[n-2]] {
			return Unit{} // reward_min is the least
		}
		if scale, ok := timeScales[last]; ok && len(last) > 1 || ok && last == "s" && strings.HasSuffix(strings.ToLower(name), "_s") {
			return Unit{Kind: UnitTime, Scale: scale}
		}
		if sizeWords[last] && last != "b" {
			return Unit{Kind: UnitSize}
		}
	} else if n == 1 {
		if scale, ok := timeScales[words[0]]; ok && len(words[0]) > 1 && words[0] != "min" { // which stands beside max
			return Unit{Kind: UnitTime, Scale: scale}
		}
	}
	return Unit{}
}

// Words splits a name at everything that is no letter and before an inner
// capital, lower case: "CurrSamplesPerSec (ms)" is curr samples per sec ms.
// Each Chinese, Japanese or Korean run is one word.
func Words(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	var prev rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			flush()
			word.WriteRune(unicode.ToLower(r))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		prev = r
	}
	flush()
	return words
}
