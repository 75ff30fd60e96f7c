package tracker

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The tables below are this package's own, not those of package logs: what the
// tracker reads must not decide what it is tested with. Units and days become
// other words like all; the tables keep other words from becoming these.

var timeUnits = set("s sec secs second seconds ms msec msecs millisecond milliseconds us usec ns m min mins minute minutes h hr hrs hour hours d day days " +
	"秒 秒钟 毫秒 微秒 分 分钟 小时 时 天 日 秒間 時間 초 분 시간 сек мин ч")

var sizeUnits = set("b byte bytes kb mb gb tb kib mib gib tib k g t w kw c hz khz mhz ghz flops gflops tflops pflops")

var numberWords = set("nan inf infinity true false null none")

var calendar = set("mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec monday tuesday wednesday thursday friday saturday sunday " +
	"january february march april june july august september october november december am pm utc gmt cet cest est edt pst pdt")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func isUnit(word string) bool { return timeUnits[word] || sizeUnits[word] }

// keptPrefix returns how many bytes of the word line[from:to] stay as they are,
// together with what follows it and belongs to it; 0 if the word is replaced.
func keptPrefix(line []byte, from, to int) int {
	word := strings.ToLower(string(line[from:to]))
	before, _ := utf8.DecodeLastRune(line[:from])
	after, _ := utf8.DecodeRune(line[to:])
	if from == 0 {
		before = '\n'
	}
	if to == len(line) {
		after = '\n'
	}
	whole := !unicode.IsDigit(after) && after != '_'
	switch {
	case numberWords[word] && whole && !unicode.IsDigit(before) && before != '_':
		return to - from
	case insideNumber(line, from, to):
		return to - from
	case multiplies(word) && unicode.IsDigit(before) && whole: // 3.6k, 7B
		return to - from
	}
	return 0
}

// multiplies tells whether a letter right behind a number is a part of it.
func multiplies(word string) bool {
	return word == "k" || word == "m" || word == "b" || word == "g" || word == "t"
}

// insideNumber tells whether a run of letters belongs to a number: 1e-4, 0x1f,
// 2024-05-01T10:00:00Z, I0501 10:00:00.
func insideNumber(line []byte, from, to int) bool {
	digitBefore := from > 0 && isDigit(line[from-1])
	digitAfter := to < len(line) && isDigit(line[to])
	word := string(line[from:to])
	switch word {
	case "T":
		return digitBefore && digitAfter
	case "Z":
		return digitBefore
	case "x", "X":
		if digitBefore && line[from-1] == '0' && to < len(line) && isHex(line[to]) {
			return true
		}
	case "I", "W", "E", "F": // a glog line
		if from == 0 && len(line) >= 5 && digits(line[1:5]) {
			return true
		}
	}
	if word == "e" || word == "E" {
		signed := to+1 < len(line) && (line[to] == '-' || line[to] == '+') && isDigit(line[to+1])
		if digitBefore && (digitAfter || signed) {
			return true
		}
	}
	return hexadecimal(line, from)
}

// hexadecimal tells whether the byte is part of 0x1fa3.
func hexadecimal(line []byte, at int) bool {
	for i := at; i >= 0 && at-i < 20; i-- {
		if line[i]|0x20 == 'x' {
			return i > 0 && line[i-1] == '0' && i < at
		}
		if !isHex(line[i]) {
			return false
		}
	}
	return false
}

// wrapper returns the length of what a container runtime or a launcher wrote
// before the text of a line.
func wrapper(line []byte) int {
	switch {
	case bytes.HasPrefix(line, []byte(`{"log":"`)):
		return len(`{"log":"`)
	case len(line) > 20 && digits(line[:4]) && line[4] == '-':
		for _, stream := range []string{" stdout ", " stderr "} {
			at := bytes.Index(line[:min(len(line), 60)], []byte(stream))
			if tag := at + len(stream); at > 0 && tag < len(line) && (line[tag] == 'F' || line[tag] == 'P') {
				return tag + 1
			}
		}
	case line[0] == '[': // [rank0]: [default3]:
		end := bytes.Index(line[:min(len(line), 40)], []byte("]:"))
		if end > 1 && isDigit(line[end-1]) && letters(strings.TrimRight(string(line[1:end]), "0123456789")) {
			return end
		}
		if to := bytes.Index(line[:min(len(line), 40)], []byte(">:")); to > 0 && bytes.IndexByte(line[:to], ',') > 0 { // [1,0]<stdout>:
			return to
		}
	case line[0] == '(': // (RayTrainWorker pid=123, ip=10.0.0.2)
		end := bytes.IndexByte(line[:min(len(line), 120)], ')')
		if end > 0 && bytes.Contains(line[:end], []byte("pid=")) {
			return end
		}
	}
	return 0
}

// escape returns the length of an escape sequence of a terminal, of an escape
// within a JSON string, or of the end of a Docker line; 0 for anything else.
func escape(p []byte) int {
	switch p[0] {
	case 0x1b:
		return terminalEscape(p)
	case '\\':
		for _, esc := range []string{`\u001b`, `\u001B`, `\x1b`, `\033`} { // written out
			if rest, ok := bytes.CutPrefix(p, []byte(esc)); ok && len(rest) > 0 && rest[0] == '[' {
				return len(esc) - 1 + controlSequence(p[len(esc)-1:])
			}
		}
		if len(p) > 5 && p[1] == 'u' {
			return 6
		}
		return min(len(p), 2)
	case '"':
		const stream, moment = `","stream":"`, `,"time":"`
		if bytes.HasPrefix(p, []byte(stream)) && bytes.Contains(p, []byte(moment)) {
			return len(p)
		}
	}
	return 0
}

// terminalEscape returns the length of an escape sequence at the beginning of p.
func terminalEscape(p []byte) int {
	if len(p) < 2 {
		return len(p)
	}
	switch p[1] {
	case '[':
		return controlSequence(p)
	case ']': // OSC: up to BEL or ESC \
		for i := 2; i < len(p); i++ {
			if p[i] == 0x07 {
				return i + 1
			}
			if p[i] == 0x1b && i+1 < len(p) && p[i+1] == '\\' {
				return i + 2
			}
		}
	default:
		return 2
	}
	return len(p)
}

// controlSequence returns the length of `ESC [`, parameters and one byte from @
// to ~, where ESC is any one byte.
func controlSequence(p []byte) int {
	for i := 2; i < len(p); i++ {
		if p[i] >= '@' && p[i] <= '~' {
			return i + 1
		}
	}
	return len(p)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isHex(b byte) bool   { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }

func digits(p []byte) bool {
	for _, b := range p {
		if !isDigit(b) {
			return false
		}
	}
	return true
}

func letters(word string) bool {
	for _, r := range word {
		if !isLetter(r) {
			return false
		}
	}
	return word != ""
}
