package follow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// RecordsVersion is the version of the format of [SaveRecords].
const RecordsVersion = 1

const recordsFormat = "schedmate-follow"

// ErrRecords is wrapped by the errors about saved records that are damaged or
// of another program.
var ErrRecords = errors.New("not usable as records of followed files")

// recordsFile is the JSON of saved records. Version comes before what depends on it.
type recordsFile struct {
	Format  string       `json:"format"`
	Version int          `json:"version"`
	Count   int          `json:"count"` // of records: a second witness that none was cut off
	Records []recordJSON `json:"records"`
}

type recordJSON struct {
	Path       string      `json:"path,omitempty"`
	PathBytes  []byte      `json:"path_base64,omitempty"` // instead of path, if that is no UTF-8
	Real       string      `json:"real,omitempty"`        // absent if the same as path
	RealBytes  []byte      `json:"real_base64,omitempty"`
	Device     uint64      `json:"device"`
	Inode      uint64      `json:"inode"`
	Generation uint32      `json:"generation,omitempty"`
	Offset     int64       `json:"offset"`
	Head       Fingerprint `json:"head"`
	Tail       Fingerprint `json:"tail"`
}

// SaveRecords writes records to a file in one step: whoever reads it finds
// the old ones or the new ones, whatever happens meanwhile.
func SaveRecords(path string, records []Record) error {
	text, err := encodeRecords(records)
	if err == nil {
		err = replaceFile(path, text)
	}
	if err != nil {
		return fmt.Errorf("save records to %s: %w: check that its folder exists, may be written to and has space left", path, err)
	}
	return nil
}

func encodeRecords(records []Record) ([]byte, error) {
	file := recordsFile{Format: recordsFormat, Version: RecordsVersion, Count: len(records), Records: make([]recordJSON, len(records))}
	for i, r := range records {
		j := &file.Records[i]
		*j = recordJSON{
			Device: r.File.Device, Inode: r.File.Inode, Generation: r.Generation, Offset: r.Offset,
			Head: r.Head, Tail: r.Tail,
		}
		j.Path, j.PathBytes = pathToJSON(r.Path)
		if r.Real != r.Path {
			j.Real, j.RealBytes = pathToJSON(r.Real)
		}
	}
	text, err := json.MarshalIndent(file, "", " ")
	return append(text, '\n'), err
}

// replaceFile gives a file a new content that is on the disk before its name is.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// LoadRecords reads what [SaveRecords] wrote. A file that does not exist is an
// error that wraps fs.ErrNotExist; one that is cut off, damaged or of another
// program is an error that wraps [ErrRecords], and no record is returned.
func LoadRecords(path string) ([]Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load records: %w", err)
	}
	records, err := decodeRecords(text)
	if err != nil {
		return nil, fmt.Errorf("load records: %s:%w: restore an older copy, or delete the file to read the logs from their beginning", path, err)
	}
	return records, nil
}

// decodeRecords returns errors that begin with line:column.
func decodeRecords(text []byte) ([]Record, error) {
	wrong := func(at int64, format string, args ...any) error {
		before := text[:min(max(at, 0), int64(len(text)))]
		line, column := bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n')
		return fmt.Errorf("%d:%d: %w: %w", line, column, ErrRecords, fmt.Errorf(format, args...))
	}
	var header struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, wrong(syntax.Offset, "it is cut off or no JSON: %w", err)
		}
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, wrong(kind.Offset, "%w", err)
		}
		return nil, wrong(0, "%w", err)
	}
	if header.Format != recordsFormat {
		return nil, wrong(0, "its format is %q, want %q", header.Format, recordsFormat)
	}
	if header.Version != RecordsVersion {
		return nil, wrong(0, "it has version %d, this program reads version %d", header.Version, RecordsVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var file recordsFile
	if err := decoder.Decode(&file); err != nil {
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, wrong(kind.Offset, "%w", err)
		}
		return nil, wrong(decoder.InputOffset(), "%w", err)
	}
	if file.Count != len(file.Records) {
		return nil, wrong(0, "it holds %d records, but its count is %d", len(file.Records), file.Count)
	}
	records := make([]Record, len(file.Records))
	for i := range file.Records {
		r, err := file.Records[i].record()
		if err != nil {
			return nil, wrong(0, "records[%d].%w", i, err)
		}
		records[i] = r
	}
	if err := checkRecords(records); err != nil {
		return nil, wrong(0, "%w", err)
	}
	return records, nil
}

func (j *recordJSON) record() (Record, error) {
	r := Record{File: Identity{j.Device, j.Inode}, Generation: j.Generation, Offset: j.Offset, Head: j.Head, Tail: j.Tail}
	var err error
	if r.Path, err = pathFromJSON(j.Path, j.PathBytes); err != nil {
		return r, fmt.Errorf("path: %w", err)
	}
	if r.Real, err = pathFromJSON(j.Real, j.RealBytes); err != nil {
		return r, fmt.Errorf("real: %w", err)
	}
	if r.Real == "" {
		r.Real = r.Path
	}
	return r, nil
}

// checkRecords refuses records that no Follower makes.
func checkRecords(records []Record) error {
	seen := make(map[Identity]int, len(records))
	for i, r := range records {
		switch other, twice := seen[r.File]; {
		case twice:
			return fmt.Errorf("records[%d] and records[%d] are of one file, inode %d", other, i, r.File.Inode)
		case r.Real == "":
			return fmt.Errorf("records[%d] has no path", i)
		case r.Offset < 0:
			return fmt.Errorf("records[%d].offset is %d", i, r.Offset)
		case r.Head.Length < 0 || int64(r.Head.Length) > min(headBytes, r.Offset):
			return fmt.Errorf("records[%d].head.length is %d, want 0 to %d", i, r.Head.Length, min(headBytes, r.Offset))
		case r.Tail.Length < 0 || int64(r.Tail.Length) > min(tailBytes, r.Offset):
			return fmt.Errorf("records[%d].tail.length is %d, want 0 to %d", i, r.Tail.Length, min(tailBytes, r.Offset))
		}
		seen[r.File] = i
	}
	return nil
}

func pathToJSON(path string) (string, []byte) {
	if utf8.ValidString(path) {
		return path, nil
	}
	return "", []byte(path)
}

func pathFromJSON(text string, raw []byte) (string, error) {
	if text != "" && raw != nil {
		return "", errors.New("given as text and as base64")
	}
	return text + string(raw), nil
}
