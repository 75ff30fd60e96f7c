package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"schedmate/eval"
	"schedmate/internal/report"
)

// outputs are the files a simulation writes. They are opened before the work
// begins, so that a wrong path costs no time, and get their names only when
// they are complete.
type outputs struct {
	jobs, events *outputFile
	pages        []*outputFile // one an experiment
	all          []*outputFile
}

type outputFile struct {
	path string
	tmp  *os.File
	w    *bufio.Writer
}

func openOutputs(f *simulateFlags, es []*eval.Experiment) (*outputs, error) {
	o := &outputs{pages: make([]*outputFile, len(es))}
	err := errors.Join(o.open(&o.jobs, f.jobsOut), o.open(&o.events, f.eventsOut))
	for i, e := range es {
		path := f.report
		if path != "" && len(es) > 1 {
			ext := filepath.Ext(path)
			path = strings.TrimSuffix(path, ext) + "-" + e.Name + ext
		}
		err = errors.Join(err, o.open(&o.pages[i], path))
	}
	if err != nil {
		o.abandon()
		return nil, failure(err)
	}
	return o, nil
}

func (o *outputs) open(to **outputFile, path string) error {
	if path == "" {
		return nil
	}
	file, err := createOutput(path)
	if err != nil {
		return err
	}
	*to, o.all = file, append(o.all, file)
	return nil
}

func createOutput(path string) (*outputFile, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &outputFile{path: path, tmp: tmp, w: bufio.NewWriter(tmp)}, nil
}

// commit makes the file complete and gives it its name.
func (o *outputFile) commit() error {
	err := o.w.Flush()
	if e := o.tmp.Chmod(0o644); err == nil {
		err = e
	}
	if e := o.tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(o.tmp.Name(), o.path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", o.path, err)
	}
	o.tmp = nil
	return nil
}

// abandon removes what was not committed.
func (o *outputs) abandon() {
	for _, f := range o.all {
		if f.tmp != nil {
			f.tmp.Close()
			os.Remove(f.tmp.Name())
		}
	}
}

func (o *outputs) write(es []*eval.Experiment, rep *eval.Report, command string) error {
	if o.jobs != nil {
		if err := eval.WriteJobs(o.jobs.w, rep.Runs); err != nil {
			return fmt.Errorf("%s: %w", o.jobs.path, err)
		}
	}
	for i, page := range o.pages {
		if page == nil {
			continue
		}
		if err := report.Write(page.w, simulationPage(es[i], rep.Of(&rep.Inputs[i]), command)); err != nil {
			return fmt.Errorf("%s: %w", page.path, err)
		}
	}
	for _, f := range o.all {
		if err := f.commit(); err != nil {
			return err
		}
	}
	return nil
}
