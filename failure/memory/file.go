package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLine and MaxRecords bound what is read, so that a broken file cannot fill
// the memory of the machine.
const (
	MaxLine    = 1 << 16 // bytes
	MaxRecords = 200_000
)

// File is what was read from a file of records.
type File struct {
	Records []Record // in the order of the file; a later one of an incident replaces an earlier
	Whole   int64    // bytes up to the end of the last whole line
	Renewed int      // records whose shape another version of the program had computed

	// Cut: the last line is not whole, as when a writer was stopped. It is left
	// out; cut the file to Whole bytes before the next record is appended.
	Cut bool
	// Unended: the last line is whole, but for its line feed. Append one first.
	Unended bool
}

// Read reads records, one a line. It is strict: a field that is unknown,
// doubled, missing or wrong is an error that names file, line and field. Only a
// last line without line feed may be cut.
func Read(name string, in io.Reader) (*File, error) {
	f := &File{}
	r := bufio.NewReaderSize(in, MaxLine+1)
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("%s:%d: the line is longer than %d bytes: remove it", name, n, MaxLine)
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("read %s: line %d: %w", name, n, err)
		case err == io.EOF && len(line) == 0:
			return f, nil
		}
		ended := err == nil
		text := bytes.TrimRight(line, "\r\n")
		if !ended && !json.Valid(text) {
			f.Cut = true
			return f, nil
		}
		rec, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w: mend or remove the line", name, n, err)
		}
		if len(f.Records) == MaxRecords {
			return nil, fmt.Errorf("%s:%d: more than %d records: compact the file", name, n, MaxRecords)
		}
		if shape := templateOf(rec.Text); shape != rec.Template {
			rec.Template = shape
			f.Renewed++
		}
		f.Records = append(f.Records, rec)
		f.Whole += int64(len(line))
		f.Unended = !ended
	}
}

// Append writes records in one piece, so that of a file opened for appending no
// two writers mix their lines.
func Append(out io.Writer, records ...Record) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range records {
		if err := records[i].Validate(""); err != nil {
			return fmt.Errorf("append incident %q: %w: mend the record", records[i].Incident, err)
		}
		before := b.Len()
		if err := e.Encode(&records[i]); err != nil {
			return fmt.Errorf("append incident %q: %w", records[i].Incident, err)
		}
		if b.Len()-before > MaxLine {
			return fmt.Errorf("append incident %q: the record takes %d bytes, more than %d: shorten its texts", records[i].Incident, b.Len()-before, MaxLine)
		}
	}
	if _, err := out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("append %d incidents: %w: check the disk, then cut the file to its last whole line", len(records), err)
	}
	return nil
}

func decode(line []byte) (Record, error) {
	var r Record
	if !utf8.Valid(line) {
		return r, errors.New("the line is not UTF-8")
	}
	var outcome json.RawMessage
	err := object(line, "", map[string]any{
		"v": &r.Version, "incident": &r.Incident, "at_s": &r.At, "template": &r.Template, "text": &r.Text, "kind": &r.Kind, "class": &r.Class,
		"component": &r.Component, "node": &r.Node, "job": &r.Job, "user": &r.User, "outcome": &outcome,
	})
	if err == nil && outcome != nil {
		o := &Outcome{}
		r.Outcome = o
		err = object(outcome, "outcome", map[string]any{"kind": &o.Kind, "class": &o.Class, "component": &o.Component, "helped": &o.Helped, "by": &o.By, "at_s": &o.At})
	}
	if err == nil {
		err = r.Validate("")
	}
	return r, err
}

// object reads one JSON object into fields by their exact names, each at most
// once and none of them null.
func object(data []byte, path string, fields map[string]any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("%s must be one JSON object", join(path, "record"))
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("broken JSON: %w", err)
		}
		key, ok := t.(string)
		if !ok {
			return fmt.Errorf("broken JSON: %v is no field name", t)
		}
		into, known := fields[key]
		switch {
		case !known:
			return fieldErr(path, key, "is no field of a record")
		case seen[key]:
			return fieldErr(path, key, "is there twice")
		}
		seen[key] = true
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("%s: broken JSON: %w", join(path, key), err)
		}
		if string(raw) == "null" {
			return fieldErr(path, key, "must not be null: leave it out")
		}
		if err := json.Unmarshal(raw, into); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return fieldErr(path, key, "must be a %s, got a %s", typeName(wrong.Type.Kind().String()), wrong.Value)
			}
			return fmt.Errorf("%s: %w", join(path, key), err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("broken JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something behind the record")
	}
	return nil
}

func typeName(kind string) string {
	if kind == "string" {
		return "string"
	}
	return "whole number"
}
