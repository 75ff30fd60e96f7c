package failure

import (
	"context"
	"io"

	handler "schedmate/failure"
	"schedmate/logs"
)

// tailLines is how many lines of the end of a log are read by who reads the end.
const tailLines = 500

// tail asks about the last lines of a log only. The lines of the answer are those
// of the whole log.
func tail(ask Ask, lines int) Ask {
	return func(ctx context.Context, log handler.Log) (Prediction, error) {
		starts := newLastStarts(lines)
		if err := eachPart(ctx, log, starts.read); err != nil {
			return Prediction{}, err
		}
		begin, left := starts.first()
		p, err := ask(ctx, handler.Log{Name: log.Name, Open: func() (io.ReadCloser, error) { return openAt(log, begin) }})
		if p.RootLine > 0 {
			p.RootLine += left
		}
		for i := range p.Also {
			p.Also[i].Line += left
		}
		return p, err
	}
}

// lastStarts knows where the last lines of a stream begin. A last line without a
// line feed counts.
type lastStarts struct {
	starts []int64 // of the last lines, in turn
	begun  int64   // lines
	offset int64   // bytes read
	inLine bool
}

func newLastStarts(lines int) *lastStarts { return &lastStarts{starts: make([]int64, lines)} }

func (l *lastStarts) read(part []byte) {
	for _, b := range part {
		if !l.inLine {
			l.starts[l.begun%int64(len(l.starts))] = l.offset
			l.begun++
		}
		l.offset++
		l.inLine = b != '\n'
	}
}

// first is where the first of the last lines begins, and how many lines stand
// before it.
func (l *lastStarts) first() (offset, lines int64) {
	n := int64(len(l.starts))
	if l.begun <= n {
		return 0, 0
	}
	return l.starts[l.begun%n], l.begun - n
}

// openPlain opens a log in UTF-8: a part of it in UTF-16 would not be known for
// what it is.
func openPlain(log handler.Log) (opened, error) {
	in, err := log.Open()
	if err != nil {
		return opened{}, err
	}
	text, err := logs.Narrow(in)
	if err != nil {
		in.Close()
		return opened{}, err
	}
	return opened{text, in}, nil
}

// openAt opens a log from a byte of its text on.
func openAt(log handler.Log, offset int64) (io.ReadCloser, error) {
	in, err := openPlain(log)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, in, offset); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// eachPart hands out the text of a log, part by part.
func eachPart(ctx context.Context, log handler.Log, take func(part []byte)) error {
	in, err := openPlain(log)
	if err != nil {
		return err
	}
	defer in.Close() // it is only read
	buffer := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := in.Read(buffer)
		take(buffer[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
