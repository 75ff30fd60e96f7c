package tracker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"schedmate/eval/jsonl"
)

// Values are numbers that a log prints, or that follow from it. Nil is missing.
type Values struct {
	LatestStep *float64 `json:"latest_step"`
	TotalSteps *float64 `json:"total_steps"`
	StepTime   *float64 `json:"step_time_s"` // seconds
	Throughput *float64 `json:"throughput"`
	Loss       *float64 `json:"loss"`
	LR         *float64 `json:"lr"`
	ETA        *float64 `json:"eta_s"` // seconds
}

// Label is the truth about one log.
type Label struct {
	File      string `json:"file"` // in the folder of the cases
	Format    string `json:"format"`
	Family    string `json:"family"` // of formats
	Trackable bool   `json:"trackable"`
	Values
	StepTimeTolerance *float64           `json:"step_time_tol"` // share of the true value; nil: 0.1
	ThroughputSource  string             `json:"throughput_src"`
	Validation        map[string]float64 `json:"val_metrics"`
	Alternatives      []Values           `json:"alt"`      // other right answers
	Ungraded          []string           `json:"ungraded"` // JSON names of fields

	// Of the logs in slowdown.jsonl only.
	SlowAtLine *float64 `json:"slow_at_line"` // from 1
	Ratio      float64  `json:"ratio"`        // step time after / before; 1: a control without a slowdown
	Lines      float64  `json:"lines"`
}

func (l *Label) grades(field string) bool { return !slices.Contains(l.Ungraded, field) }

// right returns the answers that count as right, the label's own first.
func (l *Label) right() []Values { return append([]Values{l.Values}, l.Alternatives...) }

// Prediction is what a tracker says about one log: a line of
// 'schedmate track --jsonl'.
type Prediction struct {
	File string `json:"file"`
	Values
	Validation   map[string]*float64 `json:"val_metrics"`
	SlowAtLine   *float64            `json:"slow_at_line"`
	Ratio        *float64            `json:"ratio"`
	Milliseconds *float64            `json:"ms"` // time taken for this log
	Error        string              `json:"error"`
}

// Cases are the logs of one folder with their labels.
type Cases struct {
	Dir       string
	Labels    []Label // of labels.jsonl
	Slowdowns []Label // of slowdown.jsonl
}

// Load reads the labels of a folder. Either file may be missing or empty, not
// both.
func Load(dir string) (*Cases, error) {
	c := &Cases{Dir: dir}
	for _, list := range []struct {
		name string
		to   *[]Label
	}{{"labels.jsonl", &c.Labels}, {"slowdown.jsonl", &c.Slowdowns}} {
		f, err := os.Open(filepath.Join(dir, list.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read labels: %w", err)
		}
		*list.to, err = readLabels(f.Name(), f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	if len(c.Labels)+len(c.Slowdowns) == 0 {
		return nil, fmt.Errorf("read cases in %s: no label in labels.jsonl or slowdown.jsonl: %w: name the folder that holds them", dir, fs.ErrNotExist)
	}
	return c, nil
}

func readLabels(name string, r io.Reader) ([]Label, error) {
	return jsonl.Read(name, r, func(l *Label) error {
		if !filepath.IsLocal(l.File) {
			return fmt.Errorf("file is %q: name a file in the folder of the cases", l.File)
		}
		return nil
	})
}

// ReadPredictions reads one prediction a line. Of two for the same file the
// last holds.
func ReadPredictions(name string, r io.Reader) (map[string]Prediction, error) {
	list, err := jsonl.Read(name, r, func(*Prediction) error { return nil })
	if err != nil {
		return nil, err
	}
	byFile := make(map[string]Prediction, len(list))
	for _, p := range list {
		byFile[p.File] = p
	}
	return byFile, nil
}
