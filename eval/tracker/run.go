package tracker

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Ask is a tracker: it returns what the log says. The log may be packed with
// gzip, as it is in the folder of the cases.
type Ask func(file string, log []byte) (Prediction, error)

// maxLog bounds a log in memory, bytes.
const maxLog = 1 << 30

// Run asks a tracker about every log, one after the other, and returns its
// answers by file. With words, it sees the logs with these replaced. An answer
// that is an error is a prediction that says so and nothing else.
func (c *Cases) Run(ctx context.Context, ask Ask, words *Words) (map[string]Prediction, error) {
	predictions := make(map[string]Prediction)
	for _, list := range [][]Label{c.Labels, c.Slowdowns} {
		for i := range list {
			file := list[i].File
			if _, done := predictions[file]; done {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			log, err := os.ReadFile(filepath.Join(c.Dir, file))
			if err == nil && words != nil {
				if log, err = unpack(log); err == nil {
					log = words.Replace(log)
				}
			}
			if err != nil {
				return nil, fmt.Errorf("read case %s: %w", file, err)
			}
			p, err := ask(file, log)
			if err != nil {
				p = Prediction{Error: err.Error()}
			}
			p.File = file
			predictions[file] = p
		}
	}
	return predictions, nil
}

// unpack returns the bytes of a log that may be packed with gzip.
func unpack(log []byte) ([]byte, error) {
	if !bytes.HasPrefix(log, []byte{0x1f, 0x8b}) {
		return log, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(log))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxLog+1))
	if err == nil && len(plain) > maxLog {
		err = errors.New("it has more than 1 GiB unpacked: leave it out of the cases")
	}
	return plain, err
}
