package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// answer is JSON that is read on a leash.
type answer struct {
	*json.Decoder
	*leash
}

func newAnswer(from io.Reader) *answer {
	l := &leash{from: from, left: mostRecord}
	return &answer{json.NewDecoder(l), l}
}

// eachField reads an object, gives the values of known fields to their readers,
// in the order in which they come, and passes over the rest.
func eachField(from io.Reader, fields map[string]func(*answer) error) error {
	d := newAnswer(from)
	if err := expect(d.Decoder, json.Delim('{')); err != nil {
		return cut(err)
	}
	for d.More() {
		d.letOut()
		token, err := d.Token()
		if err != nil {
			return cut(err)
		}
		name, _ := token.(string)
		if read := fields[name]; read != nil {
			if err := read(d); err != nil {
				return fmt.Errorf("field %s: %w", name, cut(err))
			}
			continue
		}
		var passed json.RawMessage
		if err := d.Decode(&passed); err != nil {
			return fmt.Errorf("field %s: %w", name, cut(err))
		}
	}
	return cut(expect(d.Decoder, json.Delim('}')))
}

// eachElement reads a list, one element at a time; one that is of another form than
// T comes with its error, and the list goes on.
func eachElement[T any](d *answer, take func(*T, error)) error {
	if err := expect(d.Decoder, json.Delim('[')); err != nil {
		return err
	}
	for d.More() {
		d.letOut()
		one := new(T)
		err := d.Decode(one)
		var syntax *json.SyntaxError
		switch {
		case err == io.EOF, err == io.ErrUnexpectedEOF, errors.As(err, &syntax):
			return err
		case d.failed != nil: // reading failed, not the element
			return d.failed
		}
		take(one, err)
	}
	return expect(d.Decoder, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("must be %q, got %.40v", want, token)
	}
	return nil
}

// cut says in words that an answer ended too early.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// leash bounds how much is read at a time: what reads a record lets it out anew, so
// that an answer may be long, but no record endless.
type leash struct {
	from   io.Reader
	left   int
	failed error // of reading, but for the end
}

// mostRecord bounds one record. 24.11 lists each core of each node of a job: 128
// cores of 2,000 nodes are about 20 MB.
const mostRecord = 64 << 20

var errEndless = fmt.Errorf("a record is longer than %d MiB: this is no answer of Slurm", mostRecord>>20)

func (l *leash) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.failed = errEndless
		return 0, errEndless
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	if err != nil && err != io.EOF {
		l.failed = err
	}
	return n, err
}

func (l *leash) letOut() { l.left = mostRecord }
