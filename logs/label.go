package logs

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
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
	partial bool // the wrapper cut the line; its next line goes on
	control bool // the text came out of an escaped string and may hold control characters
}

// labeller takes labels off lines. Shapes that cannot be anything else (a
// container runtime's line, [rank0]:, (worker pid=7)) are taken off at once;
// shapes that could be text (`3: `, `node07: `) only once nearly every line
// carries them.
type labeller struct {
	lines  int        // seen so far
	votes  [vague]int // lines that carry a vague label
	hosts  map[string]string
	peeked bool   // the line in hand is not whole
	joint  []byte // parts of a line that the container runtime cut
}

const (
	votesNeeded = 4 // lines before a vague label can be believed
	maxHosts    = 4096
)

// unwrap takes all labels off one line.
func (l *labeller) unwrap(line []byte, end End) ([]byte, unwrapped) {
	u := unwrapped{label: Label{Rank: NoRank}}
	if rest, ok := l.docker(line, &u); ok {
		line = rest
	} else if rest, ok := l.cri(line, &u); ok {
		line = rest
		if u.partial && end == EndNewline {
			l.join(line)
			return nil, u
		}
		u.partial = false
		if len(l.joint) > 0 && end != EndHalf {
			l.join(line)
			line = append([]byte(nil), l.joint...)
			l.joint = l.joint[:0]
		}
	}
	l.peeked = end == EndHalf
	if !l.peeked { // it will come again
		l.lines++
	}
	for range 3 { // labels in labels: a launcher's inside a runtime's
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

func (l *labeller) join(part []byte) {
	l.joint = append(l.joint, part[:min(len(part), MaxSegmentBytes-len(l.joint))]...)
}

// docker reads a line of Docker's json-file driver:
// {"log":"text\n","stream":"stdout","time":"2024-05-01T10:00:00.1Z"}.
func (l *labeller) docker(line []byte, u *unwrapped) ([]byte, bool) {
	if len(line) < 10 || line[0] != '{' || !bytes.HasPrefix(line[1:], []byte(`"log":`)) || line[len(line)-1] != '}' {
		return nil, false
	}
	var record struct {
		Log  *string   `json:"log"`
		Time time.Time `json:"time"`
	}
	if json.Unmarshal(line, &record) != nil || record.Log == nil || record.Time.IsZero() {
		return nil, false
	}
	u.label.StampNanos, u.control = record.Time.UnixNano(), true
	return bytes.TrimRight([]byte(*record.Log), "\n"), true
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
	for _, stream := range []string{"stdout ", "stderr "} {
		if len(rest) > len(stream) && string(rest[:len(stream)]) == stream {
			tag := rest[len(stream)]
			if (tag == 'F' || tag == 'P') && (len(rest) == len(stream)+1 || rest[len(stream)+1] == ' ') {
				u.partial = tag == 'P'
				return rest[min(len(rest), len(stream)+2):], true
			}
		}
	}
	return rest, true
}

// strict takes off a label that can be nothing else.
func (l *labeller) strict(line []byte, label *Label) ([]byte, bool) {
	if len(line) == 0 {
		return nil, false
	}
	switch line[0] {
	case '[': // torchrun: [default2]:, [rank0]:, [trainer3]:; Open MPI: [1,0]<stdout>:
		end := bytes.IndexByte(line[:min(len(line), 40)], ']')
		if end < 2 {
			return nil, false
		}
		inside, rest := line[1:end], line[end+1:]
		if job, rank, ok := bytes.Cut(inside, []byte(",")); ok && isDigits(job) && isDigits(rank) && len(rest) > 0 && rest[0] == '<' {
			if to := bytes.IndexByte(rest[:min(len(rest), 12)], '>'); to > 0 && to+1 < len(rest) && rest[to+1] == ':' {
				label.Rank = number(rank)
				return rest[to+2:], true
			}
		}
		word := bytes.TrimRight(inside, "0123456789")
		if len(word) > 0 && len(word) < len(inside) && isWord(word) && len(rest) > 0 && rest[0] == ':' {
			label.Rank = number(inside[len(word):])
			return rest[1:], true
		}
	case '(': // Ray: (RayTrainWorker pid=123, ip=10.0.0.2) text
		end := bytes.IndexByte(line[:min(len(line), 120)], ')')
		if end < 0 || end+1 >= len(line) || line[end+1] != ' ' {
			return nil, false
		}
		inside := line[1:end]
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
		return line[end+2:], true
	}
	return nil, false
}

// vague are the shapes of label that could as well be text.
const (
	vagueRankColon  = iota // srun --label: `3: text`
	vagueRankSquare        // mpiexec -prepend-rank: `[3] text`
	vagueHostColon         // pdsh, parallel: `node07: text`
	vagueHostBar           // docker compose: `trainer-1  | text`
	vague
)

func (l *labeller) vague(line []byte, label *Label) ([]byte, bool) {
	shape, who, rest := vagueLabel(line)
	if rest == nil {
		return nil, false
	}
	if !l.peeked {
		l.votes[shape]++
	}
	if l.votes[shape] < votesNeeded || l.votes[shape]*5 < l.lines*4 {
		return nil, false
	}
	switch shape {
	case vagueRankColon, vagueRankSquare:
		label.Rank = number(who)
	default:
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
		digits := leadingDigits(line[1:])
		if to := 1 + len(digits); len(digits) > 0 && len(digits) <= 6 && to+1 < len(line) && line[to] == ']' && line[to+1] == ' ' {
			return vagueRankSquare, digits, line[to+2:]
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

// number reads a short run of digits; a longer one is no rank.
func number(digits []byte) int32 {
	n, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil {
		return NoRank
	}
	return int32(n)
}
