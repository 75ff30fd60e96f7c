package slurm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// pairs is one record of scontrol show -o: keys and values on one line.
type pairs map[string]string

// pairStart is the beginning of a pair. A value may hold blanks and goes on up to
// the next of these.
var pairStart = regexp.MustCompile(`(?:^|\s)([A-Z][A-Za-z0-9/:]*)=`)

// wholeLine is the key of the line itself.
const wholeLine = ""

// freeText are keys whose values people write; they are the last of their lines,
// and nothing behind them is looked at.
var freeText = []string{" Reason=", " Comment=", " Extra="}

// readPairs reads the output of scontrol show -o, one record a line. Each record
// begins with a given key; lines that do not are Slurm's remarks, such as that there
// is nothing to show.
func readPairs(from io.Reader, first string, take func(pairs) error) error {
	l := &leash{from: from}
	lines := bufio.NewReaderSize(l, 64<<10)
	for {
		l.letOut()
		line, err := lines.ReadString('\n')
		if err == io.EOF && strings.TrimSpace(line) != "" {
			return errCut // its numbers may have lost digits
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, first+"=") {
			if err := take(splitPairs(line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// splitPairs splits a line into its pairs. Of a key that occurs twice the first
// counts.
func splitPairs(line string) pairs {
	line = clean(text(line))
	p := pairs{wholeLine: line}
	head := line
	for _, key := range freeText {
		if i := strings.Index(head, key); i >= 0 {
			head = head[:i]
		}
	}
	if tail := strings.TrimSpace(line[len(head):]); tail != "" {
		for i, key := range freeText { // they may follow each other
			key = strings.TrimSpace(key)
			value, ok := strings.CutPrefix(tail, key)
			if !ok {
				continue
			}
			for _, other := range freeText[i+1:] {
				value, _, _ = strings.Cut(value, other)
			}
			p.set(strings.TrimSuffix(key, "="), value)
			break
		}
	}
	starts := pairStart.FindAllStringSubmatchIndex(head, -1)
	for i, at := range starts {
		end := len(head)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		p.set(head[at[2]:at[3]], head[at[1]:end])
	}
	return p
}

func (p pairs) set(key, value string) {
	if _, there := p[key]; !there {
		p[key] = none(strings.TrimSpace(value))
	}
}

// fields gives typed access to the pairs of one record; the first problem is kept.
type fields struct {
	pairs
	what string // the record, for errors
	err  error
}

// name is the value under the key that the record begins with.
func (f *fields) name(key string) string {
	if f.pairs[key] == "" {
		f.fail(key, errors.New("is empty"))
	}
	return f.pairs[key]
}

func (f *fields) fail(key string, err error) {
	if f.err == nil {
		f.err = fmt.Errorf("%s: %s: %w", f.what, key, err)
	}
}

func (f *fields) count(key string) int {
	v := f.pairs[key]
	if v == "" || v == "UNLIMITED" || v == "INFINITE" {
		return 0
	}
	n, err := amount(v)
	if err != nil {
		f.fail(key, err)
	}
	return n
}

// list is a value of several words with commas; ALL is no restriction.
func (f *fields) list(key string) []string {
	v := f.pairs[key]
	if v == "" || v == "ALL" {
		return nil
	}
	return strings.Split(v, ",")
}

func (f *fields) hosts(key string) []string {
	hosts, err := Hosts(f.pairs[key])
	if err != nil {
		f.fail(key, err)
	}
	return hosts
}

// at is an instant. A record is read even where its clock is not: the time is
// missing then.
func (f *fields) at(key string) number {
	s, err := instant(f.pairs[key])
	if err != nil {
		return 0
	}
	return number(s)
}
