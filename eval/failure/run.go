package failure

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	handler "schedmate/failure"
)

// Ask is a failure handler: it returns what a log says. The log can be opened as
// often as it likes, and is unpacked.
type Ask func(ctx context.Context, log handler.Log) (Prediction, error)

// Run asks a handler about every log, one after the other, and returns its
// answers by log, with the time that each took. An answer that is an error is a
// prediction that says so and nothing else. A log that is not there is an error
// of the cases.
func (c *Cases) Run(ctx context.Context, ask Ask) (map[string]Prediction, error) {
	predictions := make(map[string]Prediction, len(c.Labels))
	for i := range c.Labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file := c.Labels[i].File
		path := filepath.Join(c.Dir, file)
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("read case %s: %w", file, err)
		}
		start := time.Now()
		p, err := ask(ctx, handler.Log{Name: file, Open: func() (io.ReadCloser, error) { return open(path) }})
		if err != nil {
			p = Prediction{Error: err.Error()}
		}
		took := float64(time.Since(start)) / float64(time.Millisecond)
		p.File, p.Milliseconds = file, &took
		predictions[LogName(file)] = p
	}
	return predictions, nil
}

// open opens a log that may be packed with gzip.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(f)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // a file that cannot be read says so when it is
		return opened{in, f}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("unpack %s: %w", path, err)
	}
	return opened{z, f}, nil
}

// opened is what is read of a log, and the file that it comes from.
type opened struct {
	io.Reader
	io.Closer
}
