package slurm

import (
	"path/filepath"
	"strconv"
	"strings"
)

// logNames is what the patterns in the path of a job's output stand for
// (sbatch(1), "filename pattern").
type logNames struct {
	job     int64  // %j, %J
	array   int64  // %A: the array's job id; the job's own where there is none
	task    string // %a
	name    string // %x
	user    string // %u
	node    string // %N: the short name of the first node
	workDir string
}

// Paths to a job's output that Slurm takes when none is given.
const (
	defaultLog      = "slurm-%j.out"
	defaultTaskLog  = "slurm-%A_%a.out"
	nothingIsLogged = "/dev/null"
)

// expand fills in the patterns of a path and makes it absolute. A pattern that is
// of one step or task of a job (%s, %t, %n) stands for its first. It returns ""
// where a value is not known yet, such as the node of a job that waits.
func (l *logNames) expand(pattern string) string {
	if strings.HasPrefix(pattern, `\\`) || strings.Contains(pattern, `\`) {
		pattern = strings.ReplaceAll(pattern, `\`, "") // no pattern in it is one, says the manual
		return l.absolute(pattern)
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c != '%' {
			b.WriteByte(c)
			continue
		}
		width, j := 0, i+1
		for j < len(pattern) && pattern[j] >= '0' && pattern[j] <= '9' && width < 100 {
			width = width*10 + int(pattern[j]-'0')
			j++
		}
		if j >= len(pattern) {
			b.WriteString(pattern[i:])
			break
		}
		value, number, ok := l.value(pattern[j])
		if !ok {
			b.WriteString(pattern[i : j+1])
			i = j
			continue
		}
		if value == "" {
			return ""
		}
		if number && len(value) < min(width, 10) { // the manual: at most ten digits
			value = strings.Repeat("0", min(width, 10)-len(value)) + value
		}
		b.WriteString(value)
		i = j
	}
	return l.absolute(b.String())
}

func (l *logNames) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if l.workDir == "" || path == "" {
		return ""
	}
	return filepath.Join(l.workDir, path)
}

// value returns what a pattern stands for, and whether that is a number.
func (l *logNames) value(pattern byte) (value string, number, known bool) {
	switch pattern {
	case '%':
		return "%", false, true
	case 'j', 'J':
		return strconv.FormatInt(l.job, 10), true, true
	case 'A':
		return strconv.FormatInt(l.array, 10), true, true
	case 'a':
		if l.task == "" {
			return "4294967294", true, true // what Slurm writes for a job that is in no array
		}
		return l.task, true, true
	case 'b': // the task's number modulo 10
		if l.task == "" {
			return "", true, true
		}
		return l.task[len(l.task)-1:], true, true
	case 'x':
		return l.name, false, true
	case 'u':
		return l.user, false, true
	case 'N':
		short, _, _ := strings.Cut(l.node, ".")
		return short, false, true
	case 'n', 't':
		return "0", true, true
	case 's':
		return "batch", false, true
	}
	return "", false, false
}
