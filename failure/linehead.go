package failure

import "bytes"

// lineHead is what stands before the text of a stack's lines: a logger's prefix, which
// the lines after the first may have or not, blanks, the bars of a group.
type lineHead struct {
	text  []byte
	boxed bool // a box is drawn around the stack
	group bool // the lines stand behind a bar
}

var groupMark = []byte("+ Exception Group ")

// headOf is what stands before the head of a stack, which begins at i.
func headOf(text []byte, i int) lineHead {
	h := lineHead{}
	if box := bytes.IndexAny(text[:i], "╭┌─"); box >= 0 {
		i, h.boxed = box, true
	} else if bytes.HasSuffix(text[:i], groupMark) {
		i, h.group = i-len(groupMark), true
	} else if exceptionLine.Match(text[:i]) { // of another process, without an end
		i = 0
	}
	h.text = bytes.Clone(text[:i])
	return h
}

// body is a line without what stands before its text.
func (h *lineHead) body(text []byte) []byte {
	rest, ok := h.cut(text)
	switch {
	case ok:
	case h.boxed && len(text) >= len(h.text) && len(bytes.TrimSpace(text[:len(h.text)])) == 0:
		rest = text[len(h.text):] // below a prefix
	default: // a label may leave its blank
		lead := len(h.text) - len(bytes.TrimLeft(h.text, " "))
		if rest = text; lead > 0 && len(bytes.TrimSpace(text[:min(lead, len(text))])) == 0 {
			rest = text[min(lead, len(text)):]
		}
	}
	if h.group && len(rest) > 0 && rest[0] == '|' {
		rest = bytes.TrimPrefix(rest[1:], []byte(" "))
	}
	return rest
}

// cut takes the head off a line. Its numbers may be others there, and longer: clocks
// run.
func (h *lineHead) cut(text []byte) ([]byte, bool) {
	head, i := h.text, 0
	for j := 0; j < len(head); {
		switch {
		case i == len(text):
			return nil, len(bytes.TrimSpace(head[j:])) == 0
		case digit(head[j]) && digit(text[i]):
			for ; j < len(head) && digit(head[j]); j++ {
			}
			for ; i < len(text) && digit(text[i]); i++ {
			}
		case head[j] != text[i]:
			return nil, false
		default:
			i, j = i+1, j+1
		}
	}
	return text[i:], true
}

func digit(b byte) bool { return '0' <= b && b <= '9' }
