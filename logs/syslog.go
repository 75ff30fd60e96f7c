package logs

import "bytes"

// syslog reads the head of a line as RFC 5424 has it, `<134>1 STAMP HOST APP
// PROCID MSGID `. What a program says may stand in the structured data behind
// it, so this is kept as text; an empty one (`-`) goes with the head.
func (l *labeller) syslog(line []byte, u *unwrapped) ([]byte, bool) {
	if len(line) < 4 || line[0] != '<' {
		return nil, false
	}
	priority := leadingDigits(line[1:min(len(line), 5)])
	rest, ok := bytes.CutPrefix(line[1+len(priority):], []byte(">1 "))
	if len(priority) == 0 || !ok {
		return nil, false
	}
	nanos, n, ok := rfc3339(rest)
	if !ok || n >= len(rest) || rest[n] != ' ' {
		return nil, false
	}
	rest = rest[n+1:]
	var words [4][]byte // host, program, process, kind of message
	for i := range words {
		if words[i], rest, ok = bytes.Cut(rest, []byte{' '}); !ok || len(words[i]) == 0 {
			return nil, false
		}
	}
	u.label.StampNanos = nanos
	if string(words[0]) != "-" {
		u.label.Host = l.host(words[0])
	}
	if len(rest) > 0 && rest[0] == '-' {
		rest = bytes.TrimPrefix(rest[1:], []byte{' '})
	}
	return rest, true
}
