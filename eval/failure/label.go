package failure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"schedmate/eval/jsonl"
)

// Classes are the classes of failures as documents write them, none included.
var Classes = []string{"infrastructure", "framework", "user", NoFailure}

// NoFailure is the class of a log that shows no failure, or not why.
const NoFailure = "none"

// Range is a range of lines, both ends included.
type Range [2]int64

func (r Range) holds(line int64) bool { return r[0] <= line && line <= r[1] }

// Label is the truth about one log.
type Label struct {
	File               string     `json:"file"`      // in the folder of the cases
	RootLine           int64      `json:"root_line"` // from 1; 0: no line states the cause
	RootSpan           Range      `json:"root_span"` // the block that the line stands in
	RootAccept         []Range    `json:"root_accept"`
	Class              string     `json:"class"`
	ClassAlternatives  []string   `json:"class_alt"` // that can be defended, too
	Subclass           string     `json:"subclass"`
	Component          string     `json:"component"`
	ComponentsToo      []string   `json:"component_alt"`
	Node               string     `json:"node"` // "": no node is named, or none is to blame
	RestartHelps       bool       `json:"restart_helps"`
	Quarantine         bool       `json:"quarantine"`
	QuarantineOptional bool       `json:"quarantine_optional"` // a careful policy may hold back
	Also               []LineOnly `json:"also"`                // other roots
}

// LineOnly is a root beside the first, as far as it is scored.
type LineOnly struct {
	Line int64 `json:"line"`
}

// Prediction is what a handler says about one log: a line of
// 'schedmate diagnose --jsonl'.
type Prediction struct {
	File         string     `json:"file"`
	Class        string     `json:"class"` // "": it does not say
	Subclass     string     `json:"subclass"`
	Component    string     `json:"component"`
	Node         string     `json:"node"`
	RootLine     int64      `json:"root_line"` // 0: none
	RestartHelps bool       `json:"restart_helps"`
	Quarantine   bool       `json:"quarantine"`
	Also         []LineOnly `json:"also"`
	Determined   bool       `json:"determined"`
	Confidence   float64    `json:"confidence"` // that the root and its class are right; 0 without a root
	Milliseconds *float64   `json:"ms"`         // time taken for this log
	Error        string     `json:"error"`
}

// Cases are the logs of one folder with their labels.
type Cases struct {
	Dir    string
	Labels []Label
}

// Load reads the labels of a folder.
func Load(dir string) (*Cases, error) {
	f, err := os.Open(filepath.Join(dir, "labels.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read cases in %s: no labels.jsonl: %w: name the folder that holds it", dir, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	defer f.Close() // it is only read
	labels, err := readLabels(f.Name(), f)
	if err != nil {
		return nil, err
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("read cases in %s: labels.jsonl has no label: name the folder that holds some", dir)
	}
	return &Cases{dir, labels}, nil
}

func readLabels(name string, r io.Reader) ([]Label, error) {
	return jsonl.Read(name, r, func(l *Label) error {
		switch {
		case !filepath.IsLocal(l.File):
			return fmt.Errorf("file is %q: name a file in the folder of the cases", l.File)
		case !slices.Contains(Classes, l.Class):
			return fmt.Errorf("class is %q: use one of %s", l.Class, strings.Join(Classes, ", "))
		case l.RootLine < 0:
			return fmt.Errorf("root_line is %d: count lines from 1, or write 0 for none", l.RootLine)
		}
		return nil
	})
}

// ReadPredictions reads one prediction a line. Of two for the same log the last
// holds.
func ReadPredictions(name string, r io.Reader) (map[string]Prediction, error) {
	list, err := jsonl.Read(name, r, func(*Prediction) error { return nil })
	if err != nil {
		return nil, err
	}
	byLog := make(map[string]Prediction, len(list))
	for _, p := range list {
		byLog[LogName(p.File)] = p
	}
	return byLog, nil
}

// LogName is what tells the logs of a folder apart: the path below its folder
// logs, wherever that was when the handler was asked.
func LogName(file string) string {
	const folder = "logs/"
	if i := strings.LastIndex(file, folder); i >= 0 {
		return file[i+len(folder):]
	}
	return file
}
