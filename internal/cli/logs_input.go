package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// What a file holds, by its first line that is not blank.
const (
	unknownContent = iota
	textContent
	jsonContent
)

func contentOf(text []byte) int {
	if _, err := lineField(text, false); err != nil {
		return textContent
	}
	return jsonContent
}

// lineField returns the field "line" of a JSON object.
func lineField(text []byte, cut bool) ([]byte, error) {
	if cut {
		return nil, fmt.Errorf("longer than %s: it cannot be taken for a JSON object; cut the field \"line\"", sizeText(maxLineBytes))
	}
	var object struct {
		Line *string `json:"line"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("%w: the lines before are JSON objects with a field \"line\"; mend this one", err)
	}
	if object.Line == nil {
		return nil, errors.New("no field \"line\" in the JSON object: add it, as in the lines before")
	}
	return []byte(*object.Line), nil
}

func isBlankText(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// lastState returns what was drawn last in a line with carriage returns, and
// was not just wiped out.
func lastState(text []byte) []byte {
	for rest := text; ; {
		i := bytes.LastIndexByte(rest, '\r')
		if piece := rest[i+1:]; i < 0 || !isBlankText(piece) {
			return piece
		}
		rest = rest[:i]
	}
}

// maxLineBytes is how much of a line is kept; classes show at its beginning.
const maxLineBytes = 1 << 20

// lineTaker takes a line without its end; cut: the rest of it was dropped.
type lineTaker = func(text []byte, cut bool) error

// eachLine hands out the lines of a stream. It calls idle before reads that may
// have to wait.
func eachLine(ctx context.Context, r io.Reader, idle func() error, take lineTaker) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte // the line so far, if it is longer than what was read at once
	cut := false
	for {
		if in.Buffered() == 0 {
			if err := idle(); err != nil {
				return err
			}
		}
		piece, err := in.ReadSlice('\n')
		if err := ctx.Err(); err != nil {
			return err
		}
		line, whole := bytes.CutSuffix(piece, []byte{'\n'})
		if !whole || len(long) > 0 {
			room := maxLineBytes - len(long)
			cut = cut || len(line) > room
			long = append(long, line[:min(len(line), room)]...)
			line = long
		}
		switch {
		case whole, errors.Is(err, io.EOF) && len(line) > 0:
			if err := take(line, cut); err != nil {
				return err
			}
			long, cut = long[:0], false
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, errTooLong) {
				return fmt.Errorf("it unpacks to more than %s: unpack it first", sizeText(readOnce().unpacked))
			}
			return endOfInput(err)
		}
	}
}
