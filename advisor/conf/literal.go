package conf

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"schedmate/advisor/origin"
)

// Literal reads a Python literal as ast.literal_eval does: numbers, strings,
// True, False, None, tuples and lists (both a List), dicts, sets. It reports
// false for any other text.
func Literal(text string, at *origin.Origin) (*Node, bool) {
	if len(text) > maxBytes {
		return nil, false
	}
	r := literalReader{text: text, line: 1, at: func(int) *origin.Origin { return at }}
	r.space(true)
	n := r.value(0)
	r.space(true)
	if r.comma(text) { // a tuple without parentheses: "800, 1333"
		list := &Node{Kind: List, Items: []*Node{n}, Origin: at}
		for !r.failed && r.eat(',') {
			if r.space(true); r.pos == len(text) {
				break
			}
			list.Items = append(list.Items, r.value(1))
			r.space(true)
		}
		n = list
	}
	if r.failed || r.pos < len(text) {
		return nil, false
	}
	return n, true
}

func (r *literalReader) comma(text string) bool {
	return !r.failed && r.pos < len(text) && text[r.pos] == ','
}

// literalReader reads Python literals and, when gin is set, gin's references
// "@name()" and "%name".
type literalReader struct {
	text   string
	pos    int
	line   int
	nodes  int
	gin    bool
	failed bool
	at     func(line int) *origin.Origin
}

func (r *literalReader) fail() *Node {
	r.failed = true
	return &Node{Kind: Null}
}

// space skips blanks and comments, and ends of lines if they have no meaning.
func (r *literalReader) space(lines bool) {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		case c == '\n' && lines:
			r.line++
		case c == '\\' && strings.HasPrefix(r.text[r.pos+1:], "\n"):
			r.line++
			r.pos++
		case c == '#':
			for r.pos+1 < len(r.text) && r.text[r.pos+1] != '\n' {
				r.pos++
			}
		default:
			return
		}
		r.pos++
	}
}

func (r *literalReader) eat(c byte) bool {
	r.space(true)
	if r.pos < len(r.text) && r.text[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

var (
	pythonNumber = regexp.MustCompile(`^(0[xXoObB][0-9A-Fa-f_]+|[0-9.][0-9_.]*([eE][-+]?[0-9_]+)?)[A-Za-z]*`)
	pythonWord   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	stringStart  = regexp.MustCompile(`^([rRuUbB]|[rR][bB]|[bB][rR])?("""|'''|"|')`)
	ginName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./]*`)
)

// value reads one value; depth counts the brackets around it.
func (r *literalReader) value(depth int) *Node {
	r.space(depth > 0)
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes || r.failed || r.pos >= len(r.text) {
		return r.fail()
	}
	at := r.at(r.line)
	rest := r.text[r.pos:]
	switch c := rest[0]; {
	case stringStart.MatchString(rest[:min(len(rest), 8)]):
		return r.strings(depth, at)
	case c == '[' || c == '(' || c == '{':
		r.pos++
		return r.container(c, depth+1, at)
	case c == '-' || c == '+':
		r.pos++
		n := r.value(depth + 1)
		if n.Kind != Int && n.Kind != Float {
			return r.fail()
		}
		if c == '-' {
			n.Int, n.Float = -n.Int, -n.Float
		}
		return n
	case c >= '0' && c <= '9' || c == '.':
		return r.number(at)
	case r.gin && (c == '@' || c == '%'):
		return r.reference(at)
	}
	word := pythonWord.FindString(rest[:min(len(rest), maxName)])
	r.pos += len(word)
	switch word {
	case "None":
		return &Node{Kind: Null, Origin: at}
	case "True", "False":
		return &Node{Kind: Bool, Bool: word == "True", Origin: at}
	}
	return r.fail()
}

// number reads an integer of any base, or a float.
func (r *literalReader) number(at *origin.Origin) *Node {
	text := pythonNumber.FindString(r.text[r.pos:min(len(r.text), r.pos+maxName)])
	r.pos += len(text)
	if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return r.fail()
	}
	if len(text) > 1 && text[0] == '0' && strings.Trim(text, "0123456789_") == "" && strings.Trim(text, "0_") != "" {
		return r.fail() // Python refuses 0123
	}
	if i, ok := new(big.Int).SetString(text, 0); ok || strings.Trim(text, "0_") == "" {
		if text == "" {
			return r.fail()
		}
		if i == nil {
			i = new(big.Int)
		}
		if i.IsInt64() {
			return &Node{Kind: Int, Int: i.Int64(), Origin: at}
		}
		f, _ := new(big.Float).SetInt(i).Float64()
		return &Node{Kind: Float, Float: f, Origin: at}
	}
	f, ok := pythonParse(strings.ReplaceAll(text, "_", ""))
	if !ok || strings.ContainsAny(text, "xXpPiInN") {
		return r.fail()
	}
	return &Node{Kind: Float, Float: f, Origin: at}
}

// strings reads one string literal and those that follow it directly.
func (r *literalReader) strings(depth int, at *origin.Origin) *Node {
	var b strings.Builder
	for {
		rest := r.text[r.pos:]
		start := stringStart.FindStringSubmatch(rest[:min(len(rest), 8)])
		if start == nil {
			return Text(b.String(), at)
		}
		r.pos += len(start[0])
		if !r.body(&b, start[2], strings.ContainsAny(start[1], "rR")) {
			return r.fail()
		}
		r.space(depth > 0)
	}
}

// body reads a string up to its closing quote.
func (r *literalReader) body(b *strings.Builder, quote string, raw bool) bool {
	for r.pos < len(r.text) {
		rest := r.text[r.pos:]
		switch {
		case strings.HasPrefix(rest, quote):
			r.pos += len(quote)
			return true
		case rest[0] == '\\' && len(rest) > 1:
			if rest[1] == '\n' {
				r.line++
			}
			if raw {
				b.WriteString(rest[:2])
				r.pos += 2
				continue
			}
			r.escape(b, rest)
		case rest[0] == '\n' && len(quote) == 1:
			return false
		default:
			if rest[0] == '\n' {
				r.line++
			}
			b.WriteByte(rest[0])
			r.pos++
		}
	}
	return false
}

// escape reads one escape; one that Python does not know stays as it is.
func (r *literalReader) escape(b *strings.Builder, rest string) {
	r.pos += 2
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[1]]
	if digits > 0 && len(rest) >= 2+digits {
		if v, err := strconv.ParseUint(rest[2:2+digits], 16, 32); err == nil && v <= utf8.MaxRune {
			b.WriteRune(rune(v))
			r.pos += digits
			return
		}
	}
	switch i := strings.IndexByte("\\'\"abfnrtv0\n", rest[1]); {
	case i < 0:
		b.WriteString(rest[:2])
	case rest[1] != '\n':
		b.WriteByte("\\'\"\a\b\f\n\r\t\v\x00"[i])
	}
}

// container reads a list, tuple, parenthesised value, dict or set; its opening
// bracket is read already.
func (r *literalReader) container(open byte, depth int, at *origin.Origin) *Node {
	closing := map[byte]byte{'[': ']', '(': ')', '{': '}'}[open]
	list := &Node{Kind: List, Origin: at}
	m := NewMap(at)
	comma := false
	for !r.eat(closing) {
		if r.failed {
			return list
		}
		item := r.value(depth)
		if open == '{' && r.eat(':') {
			key, _ := item.Python()
			m.Put(key, r.value(depth))
		} else {
			list.Items = append(list.Items, item)
		}
		comma = r.eat(',')
		if r.space(true); !comma && (r.pos >= len(r.text) || r.text[r.pos] != closing) {
			return r.fail()
		}
	}
	switch {
	case open == '{' && len(m.Keys) > 0 && len(list.Items) > 0:
		return r.fail()
	case open == '{' && len(list.Items) == 0:
		return m
	case open == '(' && len(list.Items) == 1 && !comma:
		return list.Items[0]
	}
	return list
}

// reference reads gin's "@scope/name", "@name()" or "%macro". The node is a
// String of the name whose Tag is "@", "@()" or "%".
func (r *literalReader) reference(at *origin.Origin) *Node {
	tag := r.text[r.pos : r.pos+1]
	r.pos++
	name := ginName.FindString(r.text[r.pos:min(len(r.text), r.pos+maxName)])
	r.pos += len(name)
	if name == "" {
		return r.fail()
	}
	if tag == "@" && strings.HasPrefix(r.text[r.pos:], "()") {
		r.pos += 2
		tag = "@()"
	}
	return &Node{Kind: String, Text: name, Tag: tag, Origin: at}
}
