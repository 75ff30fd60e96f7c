package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of "go test -json", as "go doc test2json" describes it.
type event struct {
	Action      string
	Package     string
	Test        string
	Output      string
	ImportPath  string // of a build
	FailedBuild string // why a package failed without running
}

type counts struct{ passed, failed, skipped int }

// summary gathers what is known until the end of each test.
type summary struct {
	w       io.Writer
	total   counts
	output  map[string]*strings.Builder // by test, or by build
	parents map[string]bool             // tests with sub-tests
	broken  map[string]bool             // tests and packages with a failure inside
	skipped []string
}

// summarise reads the events of one "go test -json" and writes the report.
func summarise(events io.Reader, w io.Writer) (counts, error) {
	s := &summary{w: w, output: make(map[string]*strings.Builder), parents: make(map[string]bool), broken: make(map[string]bool)}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20) // one line of output may be long
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(w, lines.Text()) // not an event: go itself speaks
			continue
		}
		s.add(e)
	}
	if err := lines.Err(); err != nil {
		return s.total, fmt.Errorf("read the events of go test: %w", err)
	}
	for _, line := range s.skipped {
		fmt.Fprintln(w, "skipped:", line)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", s.total.passed, s.total.failed, s.total.skipped)
	return s.total, nil
}

func (s *summary) add(e event) {
	switch {
	case e.ImportPath != "":
		if e.Action == "build-output" {
			s.keep(e.ImportPath, e.Output)
		}
	case e.Test != "":
		s.addTest(e)
	case e.Action == "output":
		// Of what a package says by itself only its result is news.
		if strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "FAIL\t") || strings.HasPrefix(e.Output, "? ") {
			io.WriteString(s.w, e.Output)
		} else {
			s.keep(e.Package, e.Output)
		}
	case e.Action == "fail" && !s.broken[e.Package]:
		// No test of it has failed: it was not built, or ended in between.
		s.total.failed++
		io.WriteString(s.w, s.take(e.FailedBuild)+s.take(e.Package))
	}
}

func (s *summary) addTest(e event) {
	id := e.Package + "." + e.Test
	switch e.Action {
	case "run":
		if i := strings.LastIndex(id, "/"); i > len(e.Package) {
			s.parents[id[:i]] = true
		}
	case "output":
		s.keep(id, e.Output)
	case "pass":
		if !s.parents[id] {
			s.total.passed++
		}
		delete(s.output, id)
	case "skip":
		s.total.skipped++
		s.skipped = append(s.skipped, id+": "+reason(s.take(id)))
	case "fail":
		if !s.broken[id] {
			s.total.failed++
		}
		fmt.Fprintf(s.w, "%s failed:\n%s", id, s.take(id))
		for name := e.Test; ; { // whoever holds it fails with it
			i := strings.LastIndex(name, "/")
			if i < 0 {
				break
			}
			name = name[:i]
			s.broken[e.Package+"."+name] = true
		}
		s.broken[e.Package] = true
	}
}

func (s *summary) keep(id, text string) {
	if strings.HasPrefix(text, "=== ") { // RUN, PAUSE, CONT, NAME
		return
	}
	if s.output[id] == nil {
		s.output[id] = new(strings.Builder)
	}
	s.output[id].WriteString(text)
}

func (s *summary) take(id string) string {
	b := s.output[id]
	if b == nil {
		return ""
	}
	delete(s.output, id)
	return b.String()
}

// reason finds the last line that the test wrote before it was skipped,
// without the place in the code.
func reason(output string) string {
	text := "no reason given"
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--- SKIP") {
			continue
		}
		if place, rest, ok := strings.Cut(line, ".go:"); ok && !strings.Contains(place, " ") {
			if _, after, ok := strings.Cut(rest, ": "); ok {
				line = after
			}
		}
		text = line
	}
	return text
}
