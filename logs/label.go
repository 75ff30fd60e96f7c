package logs

import (
	"bytes"
	"strconv"
)

// Label is what a container runtime or a launcher put before a line.
type Label struct {
	StampNanos int64  // when the runtime read the line, Unix time; 0 when not said
	Rank       int32  // which process of the job wrote it; NoRank when not said
	Host       string // node, container or pod; empty when not said
}

// NoRank is the rank of a line that does not say who wrote it.
const NoRank = -1

// unwrapped is what a wrapper says beside the text.
type unwrapped struct {
	label   Label
	stream  stream // of the container runtime
	partial bool   // the wrapper cut the line; its next line goes on
	control bool   // the text came out of an escaped string and may hold control characters
}

// noWrapper is said of a line that comes as it was written.
var noWrapper = unwrapped{label: Label{Rank: NoRank}}

// labeller takes labels off lines. Shapes that cannot be anything else (a
// container runtime's line, [rank0]:, (worker pid=7)) are taken off at once;
// shapes that could be text (`3: `, `node07: `) only once nearly every line
// carries them and their numbers come and go as those of ranks do.
type labeller struct {
	lines  int // seen so far
	votes  [vague]vote
	hosts  map[string]string
	peeked bool   // the line in hand is not whole
	text   []byte // scratch: what stood in a container's JSON string
}

// vote is what speaks for a vague shape.
type vote struct {
	lines        int   // that carry it
	lowest, last int32 // numbers in them
	rises, falls int   // of the number from one line to the next that has it
	trusted      bool  // it was believed at the line before
}

const (
	votesNeeded = 4 // lines before a vague label can be believed
	maxHosts    = 4096
)

func (v *vote) add(number int32) {
	switch {
	case v.lines == 0:
		v.lowest = number
	case number > v.last:
		v.rises++
	case number < v.last:
		v.falls++
	}
	v.lines++
	v.last, v.lowest = number, min(v.lowest, number)
}

// believed tells whether nearly all lines carry the shape and its numbers are
// no counter's: a counter rises again and again before it falls, if ever, and
// where there is one process it has rank 0. Who was believed may take turns
// that look like counting for a while.
func (v *vote) believed(lines int, rank bool) bool {
	rises := 3
	if v.trusted {
		rises = 8
	}
	return v.lines >= votesNeeded && v.lines*5 >= lines*4 && v.rises <= max(1, rises*v.falls) && (!rank || v.lowest == 0 || v.falls > 0)
}

// unwrap takes all labels off one line.
func (l *labeller) unwrap(line []byte, end End) ([]byte, unwrapped) {
	u := noWrapper
	line = bytes.TrimPrefix(line, byteOrderMark) // files that were put one behind another
	if rest, ok := l.docker(line, &u); ok {
		line = rest
	} else if rest, ok := l.cri(line, &u); ok {
		line = rest
	} else if rest, ok := l.syslog(line, &u); ok {
		line = rest
	}
	l.peeked = end == EndHalf
	if !l.peeked { // it will come again
		l.lines++
	}
	for range 3 { // labels in labels: a launcher's inside a runtime's
		line = afterColour(line)
		rest, ok := l.strict(line, &u.label)
		if !ok {
			rest, ok = l.vague(line, &u.label)
		}
		if !ok {
			break
		}
		line = rest
	}
	return line, u
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// afterColour leaves out the whole escape sequences at the start that only
// colour the line.
func afterColour(line []byte) []byte {
	for len(line) > 2 && line[0] == 0x1b && line[1] == '[' {
		n, _, _ := escapeSequence(line)
		if line[n-1] != 'm' {
			break
		}
		line = line[n:]
	}
	return line
}

// strict takes off a label that can be nothing else.
func (l *labeller) strict(line []byte, label *Label) ([]byte, bool) {
	if len(line) == 0 {
		return nil, false
	}
	switch line[0] {
	case '[': // torchrun: [default2]:, [rank0]:; Open MPI: [1,0]<stdout>:, [prterun-node1-7@1,0]<stdout>:
		end := bytes.IndexByte(line[:min(len(line), 80)], ']')
		if end < 2 {
			return nil, false
		}
		inside, rest := line[1:end], line[end+1:]
		if job, rank, ok := bytes.Cut(inside, []byte(",")); ok && isDigits(job[bytes.LastIndexByte(job, '@')+1:]) && isDigits(rank) && len(rest) > 0 && rest[0] == '<' {
			if to := bytes.IndexByte(rest[:min(len(rest), 12)], '>'); to > 0 && to+1 < len(rest) && rest[to+1] == ':' {
				label.Rank = number(rank)
				return rest[to+2:], true
			}
		}
		for _, role := range []string{"rank", "default"} {
			if digits := inside[min(len(role), len(inside)):]; isDigits(digits) && len(rest) > 0 && rest[0] == ':' && bytes.HasPrefix(inside, []byte(role)) {
				label.Rank = number(digits)
				return rest[1:], true
			}
		}
	case '(': // Ray: (RayTrainWorker pid=123, ip=10.0.0.2) text
		end := bytes.IndexByte(line[:min(len(line), 120)], ')')
		if end < 0 {
			return nil, false
		}
		inside, rest := line[1:end], afterColour(line[end+1:])
		if len(rest) == 0 || rest[0] != ' ' {
			return nil, false
		}
		at := bytes.Index(inside, []byte("pid="))
		if at < 0 {
			return nil, false
		}
		pid := leadingDigits(inside[at+4:])
		if len(pid) == 0 {
			return nil, false
		}
		label.Rank = number(pid)
		if ip := bytes.Index(inside, []byte("ip=")); ip >= 0 {
			label.Host = l.host(bytes.TrimRight(inside[ip+3:], ", "))
		}
		return rest[1:], true
	}
	return nil, false
}

// vague are the shapes of label that could as well be text.
const (
	vagueRankColon  = iota // srun --label: `3: text`
	vagueRankSquare        // mpiexec -prepend-rank: `[3] text`
	vagueRole              // torchrun with a role: `[trainer3]:text`
	vagueHostColon         // pdsh, parallel: `node07: text`
	vagueHostBar           // docker compose: `trainer-1  | text`
	vague
)

func (l *labeller) vague(line []byte, label *Label) ([]byte, bool) {
	shape, who, rest := vagueLabel(line)
	if rest == nil {
		return nil, false
	}
	rank, last := shape <= vagueRole, number(lastDigits(who))
	v := &l.votes[shape]
	if !l.peeked {
		v.add(last)
	}
	ok := v.believed(l.lines, rank)
	if !l.peeked {
		v.trusted = ok
	}
	if !ok {
		return nil, false
	}
	if rank {
		label.Rank = last
	} else {
		label.Host = l.host(who)
	}
	return rest, true
}

func vagueLabel(line []byte) (shape int, who, rest []byte) {
	trimmed := bytes.TrimLeft(line[:min(len(line), 6)], " ") // srun right-aligns
	lead := len(line[:min(len(line), 6)]) - len(trimmed)
	if digits := leadingDigits(line[lead:]); len(digits) > 0 && len(digits) <= 6 {
		to := lead + len(digits)
		if to+1 < len(line) && line[to] == ':' && line[to+1] == ' ' {
			return vagueRankColon, digits, line[to+2:]
		}
		return 0, nil, nil
	}
	if len(line) > 3 && line[0] == '[' {
		to := bytes.IndexByte(line[:min(len(line), 40)], ']')
		if to < 2 || to+1 >= len(line) {
			return 0, nil, nil
		}
		inside := line[1:to]
		word := bytes.TrimRight(inside, "0123456789")
		digits := inside[len(word):]
		switch {
		case len(digits) == 0 || len(digits) > 6:
		case len(word) == 0 && line[to+1] == ' ':
			return vagueRankSquare, digits, line[to+2:]
		case isWord(word) && line[to+1] == ':':
			return vagueRole, digits, line[to+2:]
		}
		return 0, nil, nil
	}
	n := 0
	digit := false
	for n < len(line) && n < 64 && isHostByte(line[n]) {
		digit = digit || isDigit(line[n])
		n++
	}
	if n < 2 || !digit || n+1 >= len(line) {
		return 0, nil, nil
	}
	if line[n] == ':' && line[n+1] == ' ' {
		return vagueHostColon, line[:n], line[n+2:]
	}
	to := n
	for to < len(line) && line[to] == ' ' {
		to++
	}
	if to > n && to+1 < len(line) && line[to] == '|' && line[to+1] == ' ' {
		return vagueHostBar, line[:n], line[to+2:]
	}
	return 0, nil, nil
}

// host returns the name as a string, one copy a host.
func (l *labeller) host(name []byte) string {
	if s, ok := l.hosts[string(name)]; ok {
		return s
	}
	s := string(name)
	if l.hosts == nil {
		l.hosts = make(map[string]string)
	}
	if len(l.hosts) < maxHosts {
		l.hosts[s] = s
	}
	return s
}

func isDigit(b byte) bool    { return b >= '0' && b <= '9' }
func isLetter(b byte) bool   { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isUpper(b byte) bool    { return b >= 'A' && b <= 'Z' }
func isHostByte(b byte) bool { return isDigit(b) || isLetter(b) || b == '-' || b == '.' || b == '_' }

func isDigits(p []byte) bool { return len(p) > 0 && len(leadingDigits(p)) == len(p) }

func isWord(p []byte) bool {
	for _, b := range p {
		if !isLetter(b) && b != '_' && b != '-' {
			return false
		}
	}
	return len(p) > 0
}

func leadingDigits(p []byte) []byte {
	n := 0
	for n < len(p) && isDigit(p[n]) {
		n++
	}
	return p[:n]
}

// lastDigits is the last run of digits: 07 of node07, 3 of trainer3, 12 of
// gpu12.example.org.
func lastDigits(p []byte) []byte {
	end := len(p)
	for end > 0 && !isDigit(p[end-1]) {
		end--
	}
	from := end
	for from > 0 && isDigit(p[from-1]) {
		from--
	}
	return p[from:end]
}

// number reads a short run of digits; a longer one is no rank.
func number(digits []byte) int32 {
	n, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil {
		return NoRank
	}
	return int32(n)
}
