package failure

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// exception is a block of lines that report an exception: the head, the frames
// of the stack, the exception itself and the rest of its message. The exception
// of a worker that is told within another one's message belongs to the block,
// and the last one told is the one that happened.
type exception struct {
	head   place
	last   place      // the exception's line
	end    place      // of the message
	files  []string   // of the frames, the innermost last; the latest stack only
	outer  []string   // the same of the stack around it, when it was raised in another process
	own    string     // the innermost frame of them that is of nothing installed
	name   string     // torch.OutOfMemoryError
	text   string     // the line of the exception, from its name
	cause  *exception // told before it, when it happened while that was handled
	event  *event
	host   string // named by the line before the head
	lines  int
	others int      // lines of somebody else among the frames
	before lineHead // what stands before the text of the block's lines
	wraps  *event   // of the exception that only tells of this one
	ignore bool     // the interpreter ignores it
	state  blockState
}

type blockState uint8

const (
	inFrames blockState = iota
	inMessage
	closed
)

const (
	maxFrames       = 64
	maxBlockLines   = 2000 // a stack of more lines is no stack
	maxMessageLines = 40
	maxOthers       = 8
)

var (
	tracebackHead = []byte("Traceback (most recent call last)")
	// chainMarks stand between an exception and one that came of it.
	chainMarks = [][]byte{
		[]byte("During handling of the above exception, another exception occurred"),
		[]byte("The above exception was the direct cause of the following exception"),
	}
	frameLine     = regexp.MustCompile(`^\s*(?:[│|]\s*)?File "([^"\n]+)", line \d+`)
	richFrame     = regexp.MustCompile(`^\s*│?\s*((?:/|[A-Za-z]:\\|<)[^\s:]+\.pyx?):\d+(?: in |\s*│\s*$)`)
	exceptionLine = regexp.MustCompile(`^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:\([\w.]+\))?(?::\s|:?$)`)
)

// hasFrame tells whether a file of the stack matches.
func (e *exception) hasFrame(re *regexp.Regexp) bool {
	if e == nil {
		return false
	}
	return slices.ContainsFunc(e.files, re.MatchString) || slices.ContainsFunc(e.outer, re.MatchString)
}

// endsIn tells whether the file of the innermost frame matches.
func (e *exception) endsIn(re *regexp.Regexp) bool {
	return e != nil && len(e.files) > 0 && re.MatchString(e.files[len(e.files)-1])
}

// toldBy is the host that the line before the block names, "" when there is none: a
// logger says where, and then shows the stack.
func (e *exception) toldBy() string {
	if e == nil {
		return ""
	}
	return e.host
}

// interrupted tells whether somebody stopped the program: one who does so while a
// finaliser runs has done so all the same, though the interpreter ignores it there.
func (e *exception) interrupted() bool { return e != nil && e.name == "KeyboardInterrupt" }

// quotesNext tells whether the message of an exception about a value ends with a
// colon: the line below it is that value, whatever it looks like.
func (e *exception) quotesNext(at place) bool {
	return at.line == e.last.line+1 && strings.HasSuffix(e.text, ":") && valueError.MatchString(e.name)
}

// openBlock begins a block at a line with its head, nil when it has none.
func openBlock(text []byte, at place) *exception {
	i := bytes.Index(text, tracebackHead)
	if i < 0 {
		return nil
	}
	return &exception{head: at, last: at, end: at, before: headOf(text, i)}
}

// take adds the next line of the same stream, and tells whether it is part of
// the block. A block is closed when its message ends; lines of others may stand
// between its frames.
func (e *exception) take(text []byte, at place) bool {
	if e.lines++; e.lines > maxBlockLines {
		e.state = closed
	}
	body := e.before.body(text)
	switch {
	case e.state == closed:
		return false
	case frameFile(body) != "":
		if e.state == inMessage { // the stack of a worker within the message
			e.files, e.own, e.state = e.files[:0], "", inFrames
		}
		e.own = cmp.Or(ownFrame(body), e.own)
		if len(e.files) == maxFrames {
			e.files = append(e.files[:1], e.files[2:]...)
		}
		e.files = append(e.files, frameFile(body))
	case bytes.Contains(text, tracebackHead):
		if told := exceptionLine.FindSubmatch(cutAtHead(body)); told != nil && e.state == inFrames { // another process goes on in the line
			e.raised(told[1], cutAtHead(body), at)
			break
		}
		if !bytes.Contains(text, []byte("Original Traceback")) {
			e.state = closed
			return false
		}
		e.outer, e.files, e.own, e.state = e.files, nil, "", inFrames
	case e.state == inMessage:
		if e.lines > maxMessageLines {
			e.state = closed
			return false
		}
	case len(body) == 0 || body[0] == ' ' || body[0] == '\t' || drawn(body) || bytes.HasPrefix(body, []byte("[Previous line repeated")):
	default:
		m := exceptionLine.FindSubmatch(body)
		if m == nil {
			if e.others++; e.others > maxOthers {
				e.state = closed
			}
			return false
		}
		e.raised(m[1], body, at)
	}
	e.end = at
	return true
}

// raised takes the line of the exception itself.
func (e *exception) raised(name, body []byte, at place) {
	if wrapper.MatchString(e.text) {
		e.wraps = e.event
	}
	e.name, e.text = string(name), clipped(body, maxText)
	e.last, e.state, e.lines = at, inMessage, 0
}

// wrapper is the line of an exception that only tells of one that another process or
// task raised, whose stack is in its message.
var wrapper = regexp.MustCompile(`^[\w.]+: Caught [\w.]+ in |^[\w.]+\([\w.]+\): |^(?:[\w.]+\.)?(?:Base)?ExceptionGroup: `)

// cutAtHead is what stands in a line before the head of a stack.
func cutAtHead(text []byte) []byte {
	if i := bytes.Index(text, tracebackHead); i > 0 {
		return text[:i]
	}
	return nil
}

// drawn tells whether a line is part of a box around a stack.
func drawn(body []byte) bool {
	return bytes.HasPrefix(body, []byte("│")) || bytes.HasPrefix(body, []byte("╭")) || bytes.HasPrefix(body, []byte("╰")) || bytes.HasPrefix(body, []byte("❱"))
}

// frameFile is the source file of a frame's line, "" when it is none.
func frameFile(body []byte) string {
	if !bytes.Contains(body, []byte("File \"")) && !bytes.Contains(body, []byte(".py")) {
		return ""
	}
	if m := frameLine.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	if m := richFrame.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	return ""
}

// maxText is how much of a line is kept.
const maxText = 4 << 10

// clipped is the text up to n bytes, cut at a character.
func clipped(text []byte, n int) string {
	if len(text) > n {
		text = text[:n]
		for len(text) > 0 && text[len(text)-1] >= 0x80 && text[len(text)-1] < 0xc0 {
			text = text[:len(text)-1]
		}
		if len(text) > 0 && text[len(text)-1] >= 0xc0 {
			text = text[:len(text)-1]
		}
	}
	return string(text)
}
