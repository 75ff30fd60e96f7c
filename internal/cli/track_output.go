package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"schedmate"
)

// followOutput takes what followed logs say. Its calls do not overlap.
type followOutput interface {
	// report takes a line; progress is nil if the log is gone or cannot be read.
	report(l *trackLine, p *schedmate.Progress) error
	note(text string)
	flush() error // shows what was reported, soon
	end() error   // shows what was reported, now
}

// lineOutput writes JSON lines.
type lineOutput struct {
	out  *bufio.Writer
	errs io.Writer
}

func newLineOutput(out, errs io.Writer) *lineOutput {
	return &lineOutput{bufio.NewWriterSize(out, 64<<10), errs}
}

func (o *lineOutput) report(l *trackLine, _ *schedmate.Progress) error { return writeLine(o.out, l) }
func (o *lineOutput) note(text string)                                 { fmt.Fprintf(o.errs, "note: %s\n", printable(text)) }

func (o *lineOutput) flush() error {
	if err := o.out.Flush(); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

func (o *lineOutput) end() error { return o.flush() }

// liveTable draws a table on a terminal, over the one before.
type liveTable struct {
	out   io.Writer
	size  func() (width, height int)
	rows  map[string]liveRow
	drawn int    // lines on the screen
	notes string // the last note
	next  time.Time
	fresh bool // it shows something that is not drawn
}

type liveRow struct {
	cells   []string
	changed time.Time
}

// drawEvery is the least time between two drawings.
const drawEvery = 500 * time.Millisecond

func newLiveTable(terminal *os.File) *liveTable {
	return &liveTable{
		out: terminal, rows: make(map[string]liveRow),
		size: func() (int, int) {
			width, height, err := term.GetSize(int(terminal.Fd()))
			if err != nil || width < 20 {
				width = 80
			}
			if err != nil || height < 4 {
				height = 24
			}
			return width, height
		},
	}
}

func (t *liveTable) report(l *trackLine, p *schedmate.Progress) error {
	t.fresh = true
	now := time.Now()
	switch {
	case l.Gone:
		delete(t.rows, l.File)
	case p == nil:
		row := trackRow(l.File, &schedmate.Progress{}, true)
		row[1] = "cannot be read"
		t.rows[l.File] = liveRow{row, now}
	default:
		width, _ := t.size()
		t.rows[l.File] = liveRow{trackRow(l.File, p, width >= roomForTrends), now}
	}
	return nil
}

func (t *liveTable) note(text string) { t.notes, t.fresh = text, true }

func (t *liveTable) flush() error {
	if now := time.Now(); t.fresh && !now.Before(t.next) {
		t.next = now.Add(drawEvery)
		return t.draw()
	}
	return nil
}

func (t *liveTable) end() error {
	if !t.fresh {
		return nil
	}
	return t.draw()
}

// draw shows the rows that changed last, as many as the terminal has room for,
// in the order of their names.
func (t *liveTable) draw() error {
	t.fresh = false
	width, height := t.size()
	names := make([]string, 0, len(t.rows))
	for name := range t.rows {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(t.rows[b].changed.Compare(t.rows[a].changed), strings.Compare(a, b))
	})
	room := max(1, height-3)
	more := len(names) - room
	names = names[:min(len(names), room)]
	slices.Sort(names)
	rows := [][]string{trackHeader}
	for _, name := range names {
		rows = append(rows, slices.Clone(t.rows[name].cells))
	}
	rows, without := fitted(rows, width-1, spareOfTrack)
	var text bytes.Buffer
	if err := columns(&text, rows); err != nil {
		return err
	}
	footer := plural(len(t.rows), "log")
	if more > 0 {
		footer += fmt.Sprintf(", %d of them changed earlier and are not shown", more)
	}
	if len(without) > 0 {
		footer += "; no room for " + strings.Join(without, ", ")
	}
	if t.notes != "" {
		footer += "; " + printable(t.notes)
	}
	fmt.Fprintln(&text, footer)

	var screen strings.Builder
	if t.drawn > 0 {
		fmt.Fprintf(&screen, "\x1b[%dA\r", t.drawn)
	}
	t.drawn = 0
	for line := range strings.Lines(text.String()) {
		screen.WriteString(clipWidth(strings.TrimRight(line, "\n"), width-1) + "\x1b[K\n")
		t.drawn++
	}
	screen.WriteString("\x1b[J")
	if _, err := io.WriteString(t.out, screen.String()); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}
