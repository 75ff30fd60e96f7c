package conf

import "bytes"

const (
	mostParts = 64      // of one dotted key or header
	mostDots  = 100_000 // in all keys of a text
)

// tooDotted tells whether a text has a key or header of more parts than anyone
// writes. The library's time and memory grow with the square of that number.
// Strings and comments hold no keys; numbers have one dot at most.
func tooDotted(text []byte) bool {
	run, all := 0, 0
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			i = lineEnd(text, i)
			continue
		case '"', '\'':
			i = stringEnd(text, i)
			continue
		case '.':
			run++
			all++
			if run >= mostParts || all > mostDots {
				return true
			}
		case '\n', '=', ',', '{', '[':
			run = 0
		}
		i++
	}
	return false
}

func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// stringEnd returns the place after the string that begins at i. One that is
// not closed ends with its line, or with the text if it may have several lines.
func stringEnd(text []byte, i int) int {
	quote := text[i]
	triple := bytes.Repeat([]byte{quote}, 3)
	long := bytes.HasPrefix(text[i:], triple)
	i++
	if long {
		i += 2
	}
	for i < len(text) {
		switch c := text[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == '\n' && !long:
			return i
		case c == quote && !long:
			return i + 1
		case long && bytes.HasPrefix(text[i:], triple):
			for i += 3; i < len(text) && text[i] == quote; i++ { // a long string may end with quotes of its own
			}
			return i
		}
		i++
	}
	return len(text)
}
