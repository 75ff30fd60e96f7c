package conf

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"schedmate/advisor/origin"
)

// ParseJSON reads a JSON text. As the readers of training code do, it lets
// comments, trailing commas, NaN and Infinity pass. Of a key that is set twice
// the last value stays.
func ParseJSON(name string, text []byte) (*Node, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("JSON %s: %w (%d bytes); shorten it", name, ErrLimit, len(text))
	}
	r := jsonReader{name: name, text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
	n := r.value("", 1, 0)
	if r.space(); r.err == nil && r.pos < len(r.text) {
		r.fail("text after the end of the value")
	}
	if r.err != nil {
		return nil, fmt.Errorf("JSON %s:%d: %w; check its syntax", name, r.line, r.err)
	}
	return n, nil
}

type jsonReader struct {
	name  string
	text  []byte
	pos   int
	line  int
	nodes int
	err   error
}

func (r *jsonReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s", what)
	}
	r.pos = len(r.text)
}

// space skips white space and comments.
func (r *jsonReader) space() {
	for r.pos < len(r.text) {
		rest := r.text[r.pos:]
		switch {
		case rest[0] == '\n':
			r.line++
			r.pos++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			r.pos++
		case bytes.HasPrefix(rest, []byte("//")):
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				r.pos += end
			} else {
				r.pos = len(r.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				r.fail("a comment without an end")
				return
			}
			r.line += bytes.Count(rest[:end], []byte("\n"))
			r.pos += end + 2
		default:
			return
		}
	}
}

// eat skips space and one byte, if it comes next.
func (r *jsonReader) eat(b byte) bool {
	r.space()
	if r.pos < len(r.text) && r.text[r.pos] == b {
		r.pos++
		return true
	}
	return false
}

func (r *jsonReader) value(key string, line, depth int) *Node {
	r.space()
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		if r.err == nil {
			r.err = ErrLimit
		}
		r.pos = len(r.text)
	}
	at := origin.At(origin.JSON, r.name, line, key)
	if r.pos >= len(r.text) {
		r.fail("the text ends before a value")
		return &Node{Kind: Null, Origin: at}
	}
	switch r.text[r.pos] {
	case '{':
		r.pos++
		return r.object(key, at, depth)
	case '[':
		r.pos++
		list := &Node{Kind: List, Origin: at}
		for !r.eat(']') && r.err == nil {
			list.Items = append(list.Items, r.value(fmt.Sprintf("%s[%d]", key, len(list.Items)), r.line, depth+1))
			if !r.eat(',') && !r.peek(']') {
				r.fail("expected , or ] in a list")
			}
		}
		return list
	case '"':
		return Text(r.quoted(), at)
	}
	return r.word(at)
}

func (r *jsonReader) peek(b byte) bool {
	r.space()
	return r.pos < len(r.text) && r.text[r.pos] == b
}

func (r *jsonReader) object(key string, at *origin.Origin, depth int) *Node {
	m := NewMap(at)
	for !r.eat('}') && r.err == nil {
		if !r.peek('"') {
			r.fail("expected a key in quotes")
			break
		}
		line := r.line
		name := r.quoted()
		if !r.eat(':') {
			r.fail("expected : after a key")
			break
		}
		m.Put(name, r.value(joinPath(key, name), line, depth+1))
		if !r.eat(',') && !r.peek('}') {
			r.fail("expected , or } in an object")
		}
	}
	return m
}

// quoted reads a string; the position is on its opening quote.
func (r *jsonReader) quoted() string {
	r.pos++
	var b strings.Builder
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		r.pos++
		switch c {
		case '"':
			return b.String()
		case '\n':
			r.line++
			b.WriteByte(c)
		case '\\':
			r.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	r.fail("a string without an end")
	return ""
}

func (r *jsonReader) escape(b *strings.Builder) {
	if r.pos >= len(r.text) {
		return
	}
	c := r.text[r.pos]
	r.pos++
	if plain := strings.IndexByte("bfnrt", c); plain >= 0 {
		b.WriteByte("\b\f\n\r\t"[plain])
		return
	}
	if c != 'u' {
		b.WriteByte(c)
		return
	}
	first := r.hex()
	if utf16.IsSurrogate(first) && bytes.HasPrefix(r.text[r.pos:], []byte(`\u`)) {
		r.pos += 2
		first = utf16.DecodeRune(first, r.hex())
	}
	b.WriteRune(first)
}

func (r *jsonReader) hex() rune {
	if r.pos+4 > len(r.text) {
		r.fail("a short \\u escape")
		return utf8.RuneError
	}
	v, err := strconv.ParseUint(string(r.text[r.pos:r.pos+4]), 16, 32)
	if err != nil {
		r.fail("a \\u escape that is not hexadecimal")
		return utf8.RuneError
	}
	r.pos += 4
	return rune(v)
}

// word reads a number or a bare word.
func (r *jsonReader) word(at *origin.Origin) *Node {
	start := r.pos
	for r.pos < len(r.text) && !bytes.ContainsRune([]byte(" \t\r\n,]}:/\"[{"), rune(r.text[r.pos])) {
		r.pos++
	}
	word := string(r.text[start:r.pos])
	switch word {
	case "null":
		return &Node{Kind: Null, Origin: at}
	case "true", "false":
		return &Node{Kind: Bool, Bool: word == "true", Origin: at}
	case "NaN":
		return &Node{Kind: Float, Float: math.NaN(), Origin: at}
	case "Infinity", "-Infinity":
		return &Node{Kind: Float, Float: math.Inf(map[bool]int{true: -1, false: 1}[word[0] == '-']), Origin: at}
	}
	if v, err := strconv.ParseInt(word, 10, 64); err == nil {
		return &Node{Kind: Int, Int: v, Origin: at}
	}
	if v, err := strconv.ParseFloat(word, 64); err == nil && strings.ContainsRune("-0123456789", rune(word[0])) {
		return &Node{Kind: Float, Float: v, Origin: at}
	}
	r.fail("expected a value")
	return &Node{Kind: Null, Origin: at}
}
