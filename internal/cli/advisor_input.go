package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
)

// maxDocument bounds one line of a file of submissions.
const maxDocument = 16 << 20

// documentLine is one line of a file of JSON objects, or the error that ends it.
type documentLine struct {
	number int // from 1
	text   []byte
	err    error
}

// documentLines yields the lines of a file that are not empty, as they come. A
// line that is too long is an error and ends it.
func documentLines(ctx context.Context, in io.Reader) iter.Seq[documentLine] {
	return func(yield func(documentLine) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxDocument)
		n := 0
		for ctx.Err() == nil && lines.Scan() {
			n++
			text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
			if len(text) > 0 && !yield(documentLine{number: n, text: bytes.Clone(text)}) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("longer than %s: leave out what is not a command or launch request", sizeText(maxDocument))
			}
			yield(documentLine{number: n + 1, err: err})
		}
	}
}

// folderOf is the folder that relative roots in a file start from.
func folderOf(file string) string {
	if file == "-" {
		return "."
	}
	return filepath.Dir(file)
}

// eachDocument answers the lines of a file, some at a time, in their order, and
// tells whether all could be answered. Answer returns the object to write, and
// an error when it holds one.
func (a *app) eachDocument(ctx context.Context, file string, answer func(ctx context.Context, line documentLine) (object any, err error)) error {
	in, err := a.openInput(file)
	if err != nil {
		return err
	}
	defer in.Close() // it is only read
	type answered struct {
		object any
		err    error
	}
	bad := false
	for x := range inOrderOf(ctx, a.config.Parallel, documentLines(ctx, in), func(ctx context.Context, line documentLine) answered {
		object, err := answer(ctx, line)
		return answered{object, err}
	}) {
		bad = bad || x.err != nil
		if err := writeLine(a.streams.Out, x.object); err != nil {
			return asFailure(fmt.Errorf("write standard output: %w", err))
		}
	}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all lines were answered", err))
	}
	if bad {
		return &codedError{code: ExitFailure}
	}
	return nil
}
