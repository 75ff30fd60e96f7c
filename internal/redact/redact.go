package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Redactor redacts. The zero value is ready to use.
type Redactor struct {
	Emails bool // e-mail addresses too
}

// Redact replaces the secrets in a text. Line breaks stay where they are.
func Redact(text string) string { return Redactor{}.Redact(text) }

// Redact replaces the secrets in a text. Line breaks stay where they are.
func (r Redactor) Redact(text string) string {
	var b strings.Builder
	var key privateKey
	changed := false
	for rest := text; rest != ""; {
		line := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		rest = rest[len(line):]
		body, end := cutEnd(line)
		clean := r.line(body, &key)
		changed = changed || clean != body
		b.WriteString(clean)
		b.WriteString(end)
	}
	if !changed {
		return text
	}
	return b.String()
}

// cutEnd splits a line from its line break.
func cutEnd(line string) (body, end string) {
	body = strings.TrimRight(line, "\r\n")
	return body, line[len(body):]
}

// line redacts one line. What one pass hides can bring to light what it hid
// behind, so passes follow until nothing changes. Each takes text away for
// good, and the third already finds next to nothing.
func (r Redactor) line(text string, key *privateKey) string {
	before := *key
	if clean, ok := key.body(text); ok {
		return clean
	}
	dirty := text
	for range maxPasses {
		clean := r.pass(text)
		if clean == text {
			break
		}
		text = clean
	}
	if again := before; text != dirty {
		if clean, ok := again.body(text); ok { // now it looks like a line of the key
			*key = again
			return clean
		}
	}
	key.read(text)
	key.open = key.open || before.open && strings.HasSuffix(text, mark(privateKeyKind)) // it will look like a line of the key
	return text
}

const maxPasses = 8

// secret is where a secret stands in a line, and what it is.
type secret struct {
	from, to int
	kind     string
}

// pass replaces what the rules find in a line.
func (r Redactor) pass(text string) string {
	var found []secret
	for i := range shapes {
		found = shapes[i].find(found, text)
	}
	for i := range commands {
		found = commands[i].find(found, text)
	}
	found = findChinese(findNamed(found, text), text)
	if r.Emails {
		found = email.find(found, text)
	}
	if len(found) == 0 {
		return text
	}
	slices.SortStableFunc(found, func(a, b secret) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var b strings.Builder
	at := 0
	for i := 0; i < len(found); {
		s := found[i]
		for i++; i < len(found) && found[i].from < s.to; i++ { // overlapping ones become one
			s.to = max(s.to, found[i].to)
		}
		b.WriteString(text[at:s.from])
		b.WriteString(mark(s.kind))
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// Marks begin and end with quotes that no key, token or URL can hold, so that a
// mark is never taken for a secret.
const (
	markOpen  = "‹"
	markClose = "›"
)

func mark(kind string) string { return markOpen + "redacted:" + kind + markClose }

// shape is a secret that is known by its looks.
type shape struct {
	kind     string
	literals []string // a text with none of them is not searched
	pattern  *regexp.Regexp
	group    int               // what of the match is the secret; 0: all
	free     bool              // it may begin within a word
	is       func(string) bool // the last word on it, when given
	unless   *regexp.Regexp    // words in the match that speak against it, when given
}

// find adds the secrets of this shape in a text.
func (s *shape) find(found []secret, text string) []secret {
	if !slices.ContainsFunc(s.literals, func(l string) bool { return strings.Contains(text, l) }) {
		return found
	}
	for _, m := range s.pattern.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2*s.group], m[2*s.group+1]
		switch {
		case from < 0 || strings.Contains(text[from:to], markOpen):
		case !s.free && (withinWord(text, m[0]) || s.group == 0 && to < len(text) && isWord(text[to])):
		case s.is != nil && !s.is(text[from:to]):
		case s.unless != nil && s.unless.MatchString(text[m[0]:from]):
		default:
			found = append(found, secret{from, to, s.kind})
		}
	}
	return found
}

// withinWord tells whether a word or a mark goes on at an index.
func withinWord(text string, i int) bool {
	return i > 0 && (isWord(text[i-1]) || strings.HasSuffix(text[:i], markClose))
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
