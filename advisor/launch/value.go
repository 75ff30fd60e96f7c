package launch

import (
	"strings"

	"schedmate/advisor/origin"
)

// frag is a piece of text with its evidence. The text of an unknown piece is
// only a name to show ("$HEAD").
type frag struct {
	text    string
	unknown bool
	solid   bool // unknown, but surely without blanks: the name of a node
	unset   bool // unknown, and nothing in the submission sets it
	from    *origin.Origin
}

// value is what a word or variable holds: pieces in order. A value is never
// changed once made; shared copies are safe.
type value []frag

func literal(text string, from *origin.Origin) value { return value{{text: text, from: from}} }

func unknown(name string, from *origin.Origin) value {
	return value{{text: name, unknown: true, from: from}}
}

func (v value) text() string {
	if len(v) == 1 {
		return v[0].text
	}
	var b strings.Builder
	for _, f := range v {
		b.WriteString(f.text)
	}
	return b.String()
}

func (v value) known() bool {
	for _, f := range v {
		if f.unknown {
			return false
		}
	}
	return true
}

func (v value) size() int {
	n := 0
	for _, f := range v {
		n += len(f.text)
	}
	return n
}

// is reports whether the value is surely this text.
func (v value) is(text string) bool { return v.known() && v.text() == text }

func (v value) word() Word { return Word{Text: v.text(), Known: v.known(), Origin: v.origin()} }

// origin is the evidence of the whole value. Of "--lr=$LR" it is that of the
// part after the equals sign, which is what people look for.
func (v value) origin() *origin.Origin {
	parts := v
	if len(parts) > 1 && strings.HasSuffix(parts[0].text, "=") && !strings.ContainsAny(parts[0].text, " \n") {
		parts = parts[1:]
	}
	var from []*origin.Origin
	seen := map[string]bool{}
	for _, f := range parts {
		if f.from != nil && f.text != "" && !seen[f.from.String()] && len(from) < 16 {
			seen[f.from.String()] = true
			from = append(from, f.from)
		}
	}
	switch len(from) {
	case 0:
		if len(v) > 0 {
			return v[0].from
		}
		return nil
	case 1:
		return from[0]
	}
	return origin.Computed(clip(v.text(), 80), from...)
}

// cutPrefix is the value without its first n bytes.
func (v value) cutPrefix(n int) value {
	for i, f := range v {
		if n < len(f.text) || (n == len(f.text) && i == len(v)-1) {
			f.text = f.text[n:]
			return append(value{f}, v[i+1:]...)
		}
		n -= len(f.text)
	}
	return nil
}

func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}

func join(vs []value, between string) value {
	var all value
	for i, v := range vs {
		if i > 0 {
			all = append(all, frag{text: between})
		}
		all = append(all, v...)
	}
	return all
}

// fields is built up while a shell word expands: text that was quoted stays
// together, text that was not is split at blanks.
type fields struct {
	out     []value
	cur     value
	started bool
}

func (b *fields) add(fs ...frag) {
	b.cur = append(b.cur, fs...)
	b.started = true
}

func (b *fields) end() {
	if b.started {
		b.out = append(b.out, b.cur)
	}
	b.cur, b.started = nil, false
}

// split adds the result of an expansion outside quotes.
func (b *fields) split(v value, blanks string) {
	for _, f := range v {
		if f.unknown {
			b.add(f)
			continue
		}
		rest := f.text
		for rest != "" {
			i := strings.IndexAny(rest, blanks)
			if i < 0 {
				b.add(frag{text: rest, from: f.from})
				break
			}
			if i > 0 {
				b.add(frag{text: rest[:i], from: f.from})
			}
			b.end()
			rest = rest[i+1:]
		}
	}
}

// splitWords splits a value at blanks, as the shell does with $X.
func splitWords(v value) []value {
	var b fields
	b.split(v, " \t\n")
	b.end()
	return b.out
}
