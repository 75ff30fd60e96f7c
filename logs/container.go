package logs

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// stream is where a container wrote a line: each stream is cut on its own.
type stream uint8

const (
	noStream stream = iota // no container runtime's line
	stdoutStream
	stderrStream
	streams
)

// docker reads a line of Docker's json-file driver:
// {"log":"text\n","stream":"stdout","time":"2024-05-01T10:00:00.1Z"}, perhaps
// with attrs or spaces; without the line feed the line goes on in the next.
func (l *labeller) docker(line []byte, u *unwrapped) ([]byte, bool) {
	const head = `{"log":`
	if len(line) < len(head) || string(line[:len(head)]) != head || line[len(line)-1] != '}' {
		return nil, false
	}
	quoted := bytes.TrimLeft(line[len(head):], " ")
	if len(quoted) == 0 || quoted[0] != '"' {
		return nil, false
	}
	text, rest, ok := unquoteJSON(l.text[:0], quoted[1:])
	l.text = text[:0]
	moment := lastOf(rest, `"time":`)
	nanos, n, isTime := rfc3339(moment)
	if !ok || rest[0] != ',' || !isTime || n != len(moment) {
		return nil, false
	}
	u.label.StampNanos, u.control, u.stream = nanos, true, stdoutStream
	if string(lastOf(rest, `"stream":`)) == "stderr" {
		u.stream = stderrStream
	}
	text, whole := bytes.CutSuffix(text, []byte{'\n'})
	u.partial = !whole
	return text, true
}

// lastOf is the string that stands behind the last such key of an object.
func lastOf(object []byte, key string) []byte {
	at := bytes.LastIndex(object, []byte(key))
	if at < 0 {
		return nil
	}
	value := bytes.TrimLeft(object[at+len(key):], " ")
	if len(value) == 0 || value[0] != '"' {
		return nil
	}
	value, _, _ = bytes.Cut(value[1:], []byte{'"'})
	return value
}

// unquoteJSON appends what a JSON string says, up to its closing quote, and
// returns what stands behind that. A half of a pair becomes U+FFFD.
func unquoteJSON(dst, p []byte) (text, rest []byte, ok bool) {
	for {
		n := bytes.IndexAny(p, "\"\\")
		if n < 0 || n+1 >= len(p) && p[n] == '\\' {
			return dst, nil, false
		}
		dst = append(dst, p[:n]...)
		if p[n] == '"' {
			return dst, p[n+1:], true
		}
		c := p[n+1]
		p = p[n+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(p)
			if !ok {
				return dst, nil, false
			}
			p = p[4:]
			if utf16.IsSurrogate(r) && len(p) > 2 && p[0] == '\\' && p[1] == 'u' {
				if low, ok := hex4(p[2:]); ok {
					if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
						p = p[6:]
					}
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			return dst, nil, false
		}
	}
}

// hex4 reads four hexadecimal digits.
func hex4(p []byte) (r rune, ok bool) {
	if len(p) < 4 {
		return 0, false
	}
	for _, b := range p[:4] {
		r <<= 4
		switch {
		case isDigit(b):
			r |= rune(b - '0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r |= rune(b|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// cri reads a line of the Kubernetes runtimes, `STAMP stdout F text` (P: the
// line goes on in the next), or of `kubectl logs --timestamps`, `STAMP text`.
func (l *labeller) cri(line []byte, u *unwrapped) ([]byte, bool) {
	nanos, n, ok := rfc3339(line)
	if !ok || n >= len(line) || line[n] != ' ' {
		return nil, false
	}
	u.label.StampNanos = nanos
	rest := line[n+1:]
	const name = len("stdout ")
	if len(rest) <= name || rest[name] != 'F' && rest[name] != 'P' || len(rest) > name+1 && rest[name+1] != ' ' {
		return rest, true
	}
	switch string(rest[:name]) {
	case "stdout ":
		u.stream = stdoutStream
	case "stderr ":
		u.stream = stderrStream
	default:
		return rest, true
	}
	u.partial = rest[name] == 'P'
	return rest[min(len(rest), name+2):], true
}
