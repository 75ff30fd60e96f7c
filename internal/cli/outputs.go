package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"schedmate/eval"
	"schedmate/internal/report"
)

// outputs are the files a simulation writes. They are opened before the work
// begins, so that a wrong path costs no time, and get their names only when
// they are complete.
type outputs struct {
	jobs, events, report *outputFile
}

type outputFile struct {
	path string
	tmp  *os.File
	w    *bufio.Writer
}

func openOutputs(f *simulateFlags) (*outputs, error) {
	var o outputs
	for _, x := range []struct {
		to   **outputFile
		path string
	}{{&o.jobs, f.jobsOut}, {&o.events, f.eventsOut}, {&o.report, f.report}} {
		if x.path == "" {
			continue
		}
		file, err := createOutput(x.path)
		if err != nil {
			o.abandon()
			return nil, failure(err)
		}
		*x.to = file
	}
	return &o, nil
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
	for _, f := range []*outputFile{o.jobs, o.events, o.report} {
		if f != nil && f.tmp != nil {
			f.tmp.Close()
			os.Remove(f.tmp.Name())
		}
	}
}

func (o *outputs) write(f *simulateFlags, e *eval.Experiment, rep *eval.Report, command string) error {
	if o.jobs != nil {
		if err := eval.WriteJobs(o.jobs.w, rep.Runs); err != nil {
			return fmt.Errorf("%s: %w", f.jobsOut, err)
		}
		if err := o.jobs.commit(); err != nil {
			return err
		}
	}
	if o.events != nil {
		if err := o.events.commit(); err != nil {
			return err
		}
	}
	if o.report != nil {
		if err := report.Write(o.report.w, simulationPage(e, rep, command)); err != nil {
			return fmt.Errorf("%s: %w", f.report, err)
		}
		return o.report.commit()
	}
	return nil
}
