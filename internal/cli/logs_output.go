package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"schedmate"
	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// lineSink takes the classes of lines, in their order.
type lineSink interface {
	line(l *classifiedLine) error
	// bad takes a file that cannot be read, or a line (from 1) that is no JSON
	// object like those before it.
	bad(file string, line int64, err error) error
	// idle is called before the next read, which may take long.
	idle() error
}

type classifiedLine struct {
	file       string
	number     int64 // from 1
	text       []byte
	class      lineclass.Class
	confidence lineclass.Confidence
}

// sinkError is about the output, and ends the command.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return fmt.Sprintf("write standard output: %v", e.err) }
func (e *sinkError) Unwrap() error { return e.err }

// classLines writes one JSON object a line.
type classLines struct {
	out    *bufio.Writer
	buf    []byte
	failed bool
}

func (s *classLines) line(l *classifiedLine) error {
	s.buf = append(s.buf[:0], `{"class":"`...)
	s.buf = append(s.buf, l.class.String()...)
	s.buf = append(s.buf, `","confidence":`...)
	s.buf = strconv.AppendFloat(s.buf, float64(l.confidence), 'g', -1, 32)
	s.buf = append(s.buf, "}\n"...)
	if _, err := s.out.Write(s.buf); err != nil {
		return &sinkError{err}
	}
	return nil
}

func (s *classLines) bad(file string, line int64, err error) error {
	s.failed = true
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&unreadable{validText(file), line, validText(err.Error()), nil}); err != nil {
		return &sinkError{err}
	}
	return nil
}

func (s *classLines) idle() error {
	if err := s.out.Flush(); err != nil {
		return &sinkError{err}
	}
	return nil
}

// unreadable is a file, or a line of one, that could not be read.
type unreadable struct {
	File  string `json:"file"`
	Line  int64  `json:"line,omitempty"`
	Error string `json:"error"`

	err error
}

// classReport is what logs classify answers people.
type classReport struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Lines      int64          `json:"lines"`
	Classes    []*classOfFile `json:"classes"`
	Unreadable []unreadable   `json:"unreadable,omitempty"`

	most int
}

type classOfFile struct {
	Class lineclass.Class `json:"class"`
	Lines int64           `json:"lines"`
	Share float64         `json:"share"`
	First []shownLine     `json:"first"`

	shown map[uint64]bool // templates
}

type shownLine struct {
	File       string               `json:"file"`
	Line       int64                `json:"line"`
	Confidence lineclass.Confidence `json:"confidence"`
	Text       string               `json:"text"`
}

func newClassReport(most int) *classReport {
	d := &classReport{APIVersion: schedmate.APIVersion, Kind: "LineClasses", most: most}
	for _, class := range lineclass.Classes() {
		d.Classes = append(d.Classes, &classOfFile{Class: class, First: []shownLine{}, shown: make(map[uint64]bool)})
	}
	return d
}

func (d *classReport) line(l *classifiedLine) error {
	d.Lines++
	c := d.Classes[l.class-1]
	c.Lines++
	if len(c.First) < d.most && !isBlankText(l.text) {
		if template := logs.Template(l.text); !c.shown[template] {
			c.shown[template] = true
			c.First = append(c.First, shownLine{validText(l.file), l.number, l.confidence, shownText(l.text)})
		}
	}
	return nil
}

func (d *classReport) bad(file string, line int64, err error) error {
	d.Unreadable = append(d.Unreadable, unreadable{validText(file), line, validText(err.Error()), err})
	return nil
}

func (d *classReport) idle() error {
	for _, c := range d.Classes {
		if d.Lines > 0 {
			c.Share = float64(c.Lines) / float64(d.Lines)
		}
	}
	return nil
}

// exit returns the error that carries the exit code.
func (d *classReport) exit() error {
	code := ExitOK
	for _, u := range d.Unreadable {
		switch {
		case exitCodeOf(u.err) != ExitNotFound:
			return &codedError{code: ExitFailure}
		default:
			code = ExitNotFound
		}
	}
	if code == ExitOK {
		return nil
	}
	return &codedError{code: code}
}

// maxShownRunes is how much of a line is shown to people.
const maxShownRunes = 120

func shownText(text []byte) string {
	runes := []rune(validText(string(text[:min(len(text), 8*maxShownRunes)])))
	if len(runes) > maxShownRunes {
		return string(runes[:maxShownRunes-3]) + "..."
	}
	return string(runes)
}

func (d *classReport) table(w io.Writer) error {
	rows := [][]string{{"CLASS", "LINES", "SHARE", "AT", "FIRST OF ITS SHAPE"}}
	for _, c := range d.Classes {
		if c.Lines == 0 {
			continue
		}
		cells := []string{c.Class.String(), strconv.FormatInt(c.Lines, 10), percent(c.Share), "", ""}
		for i, l := range c.First {
			if i > 0 {
				cells = []string{"", "", "", "", ""}
			}
			cells[3], cells[4] = fmt.Sprintf("%s:%d", l.File, l.Line), l.Text
			rows = append(rows, cells)
		}
		if len(c.First) == 0 {
			rows = append(rows, cells)
		}
	}
	if len(rows) == 1 {
		if len(d.Unreadable) > 0 {
			return nil // errors have said it all
		}
		_, err := fmt.Fprintln(w, "no lines")
		return err
	}
	return columns(w, rows)
}
