package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
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
	path string // as the user wrote it
	to   string // the regular file that gets the content; "" when it is written directly
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
	if err = errors.Join(err, o.spares(f.traces)); err != nil {
		o.abandon()
		return nil, asFailure(err)
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
	for _, other := range o.all {
		if file.to != "" && other.to == file.to {
			o.all = append(o.all, file)
			return fmt.Errorf("write %s: two outputs go to this file; name another", path)
		}
	}
	*to, o.all = file, append(o.all, file)
	return nil
}

// spares returns an error if an output would replace one of the inputs.
func (o *outputs) spares(inputs []string) error {
	for _, out := range o.all {
		before, err := os.Stat(out.to)
		if err != nil {
			continue // a new file, or a device
		}
		for _, in := range inputs {
			if info, err := os.Stat(in); err == nil && os.SameFile(before, info) {
				return fmt.Errorf("write %s: it is one of the inputs; name another file", out.path)
			}
		}
	}
	return nil
}

// createOutput opens a file for writing. A regular file is written beside its
// place and renamed when complete; a link is followed first. Pipes and devices
// are written directly.
func createOutput(path string) (*outputFile, error) {
	if path == "-" {
		return nil, errors.New("write -: standard output is for the result; name a file")
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, fmt.Errorf("write %s: it is a folder; name a file", path)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", path, err)
		}
		return &outputFile{path: path, tmp: f, w: bufio.NewWriter(f)}, nil
	}
	to, err := destination(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := createBeside(to)
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, fmt.Errorf("write %s: %w: does the folder exist, and may you write there?", path, err)
	}
	return &outputFile{path: path, to: to, tmp: tmp, w: bufio.NewWriter(tmp)}, nil
}

// createBeside creates a hidden file in the folder of path, with permissions as
// the umask leaves them.
func createBeside(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d", filepath.Base(path), os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && n < 100 { // left behind by a process that was killed
			continue
		}
		return f, err
	}
}

// destination follows links, also to a file that does not exist yet.
func destination(path string) (string, error) {
	for range 40 { // as many as Linux follows
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", errors.New("too many links; name the file itself")
}

// commit makes the file complete and gives it its name.
func (o *outputFile) commit() error {
	err := o.w.Flush()
	if e := o.tmp.Close(); err == nil {
		err = e
	}
	if err == nil && o.to != "" {
		err = os.Rename(o.tmp.Name(), o.to)
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
		if f.tmp == nil {
			continue
		}
		f.tmp.Close()
		if f.to != "" {
			os.Remove(f.tmp.Name())
		}
	}
}

func (o *outputs) write(es []*eval.Experiment, rep *eval.Report, command string) error {
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

// streamJobs returns what is told each run and writes its jobs, if a table of
// jobs is asked for.
func (o *outputs) streamJobs(part *eval.ShardOf) (func(*eval.Run) error, error) {
	if o.jobs == nil {
		return func(*eval.Run) error { return nil }, nil
	}
	named := func(err error) error {
		if err != nil {
			err = fmt.Errorf("%s: %w", o.jobs.path, err)
		}
		return err
	}
	table, err := eval.NewJobTable(o.jobs.w, part)
	if err != nil {
		return nil, named(err)
	}
	return func(r *eval.Run) error { return named(errors.Join(table.Add(r), table.Flush())) }, table.Flush()
}
