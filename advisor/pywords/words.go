package pywords

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a word is.
type Kind byte

// The kinds of words.
const (
	Name   Kind = iota // also keywords
	Number             // as it is written
	String             // with its prefix and quotes
	Mark               // an operator, a bracket, a comma
)

// Word is one word of a logical line.
type Word struct {
	Kind Kind
	Text string
}

// is reports whether a word is this mark or keyword.
func (w Word) is(text string) bool { return w.Kind != String && w.Text == text }

// marks of more than one byte, the longer ones first.
var marks = []string{"**=", "//=", ">>=", "<<=", "...", "->", ":=", "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="}

// Words splits a logical line. What continues it on other rows, and comments,
// are left out.
func Words(line string) []Word {
	words := make([]Word, 0, len(line)/5+4)
	for at := 0; at < len(line); {
		switch c := line[at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\\':
			at++
		case c == '#':
			if n := strings.IndexByte(line[at:], '\n'); n >= 0 {
				at += n
			} else {
				at = len(line)
			}
		case c == '\'' || c == '"':
			n := stringLength(line[at:])
			words = append(words, Word{String, line[at : at+n]})
			at += n
		case c >= '0' && c <= '9' || c == '.' && at+1 < len(line) && line[at+1] >= '0' && line[at+1] <= '9':
			n := numberLength(line[at:])
			words = append(words, Word{Number, line[at : at+n]})
			at += n
		default:
			n := nameLength(line[at:])
			switch {
			case n > 0 && at+n < len(line) && (line[at+n] == '\'' || line[at+n] == '"') && isPrefix(line[at:at+n]):
				n += stringLength(line[at+n:])
				words = append(words, Word{String, line[at : at+n]})
			case n > 0:
				words = append(words, Word{Name, line[at : at+n]})
			default:
				n = markLength(line[at:])
				words = append(words, Word{Mark, line[at : at+n]})
			}
			at += n
		}
	}
	return words
}

func nameLength(text string) int {
	for i := 0; i < len(text); i++ { // most names are plain
		c := text[i]
		if c >= utf8.RuneSelf {
			break
		}
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)) {
			return i
		}
	}
	return len(text)
}

func numberLength(text string) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		exponent := (c == '+' || c == '-') && (text[i-1] == 'e' || text[i-1] == 'E') && !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "0X")
		if c != '.' && c != '_' && !exponent && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(text)
}

func markLength(text string) int {
	if len(text) > 1 && strings.IndexByte("*/><.-:=!+%&|^@", text[0]) >= 0 && strings.IndexByte("*/=.<>", text[1]) >= 0 {
		for _, m := range marks {
			if strings.HasPrefix(text, m) {
				return len(m)
			}
		}
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// isPrefix reports whether a word before a quote belongs to the string.
func isPrefix(word string) bool {
	switch strings.ToLower(word) {
	case "r", "b", "u", "f", "t", "rb", "br", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}

// stringLength is the length of the string that a text begins with, up to the
// end of the text if it is not closed.
func stringLength(text string) int {
	mark := text[:1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(text, triple) {
		mark = triple
	}
	for i := len(mark); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], mark):
			return i + len(mark)
		}
	}
	return len(text)
}

// parts are the prefix, in small letters, and the content of a string.
func (w Word) parts() (prefix, content string) {
	i := strings.IndexAny(w.Text, `'"`)
	prefix, content = strings.ToLower(w.Text[:i]), w.Text[i:]
	mark := content[:1]
	if triple := strings.Repeat(mark, 3); len(content) >= 6 && strings.HasPrefix(content, triple) {
		mark = triple
	}
	return prefix, strings.TrimSuffix(content[len(mark):], mark)
}
