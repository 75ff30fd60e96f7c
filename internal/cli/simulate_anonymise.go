package cli

import (
	"crypto/rand"
	"errors"
	"fmt"

	"schedmate/eval/traces"
)

// anonymise writes the trace of --trace so that it can be shared. The key of
// its pseudonyms lives as long as this call.
func (a *app) anonymise(f *simulateFlags) error {
	if len(f.traces) != 1 || traces.Format(f.format) != traces.Sacct {
		return usage(errors.New("--anonymise takes one --trace of --format sacct"))
	}
	path := f.traces[0]
	if path == "-" {
		return usage(errors.New("open trace: standard input is not supported; give the path of a file"))
	}
	in, err := openData(path, "check the path")
	if err != nil {
		return simulateError(err)
	}
	defer in.Close()
	var files outputs
	defer files.abandon()
	var out *outputFile
	if err := errors.Join(files.open(&out, f.anonymise), files.spares(f.traces)); err != nil {
		return asFailure(err)
	}
	anonymiser := traces.Anonymiser{KeepWeek: f.keepWeek}
	rand.Read(anonymiser.Key[:]) // never fails: it ends the program where there is no randomness
	t, err := anonymiser.Write(out.w, in, path)
	if err != nil {
		return simulateError(err)
	}
	if err := out.commit(); err != nil {
		return asFailure(err)
	}
	fmt.Fprintf(a.streams.Err, "note: wrote %s of %s without names to %s; read it before you share it\n",
		plural(len(t.Jobs), "job"), printable(path), printable(f.anonymise))
	return nil
}

// missingCluster says that --cluster is missing, and which one would do where
// the trace tells it.
func missingCluster(f *simulateFlags) error {
	const missing = "a trace needs --trace, --format and --cluster: --cluster missing"
	if traces.Format(f.format) != traces.Sacct {
		return usage(errors.New(missing))
	}
	if err := f.options().Validate(traces.Sacct); err != nil {
		return usage(err)
	}
	path := f.traces[0]
	t, err := traces.OpenWith(path, traces.Sacct, f.options())
	if err != nil {
		return simulateError(err)
	}
	used := t.Accounting.Usage
	return usage(fmt.Errorf("%s; the jobs of %s used %s: --cluster %s is the least that it was", missing, path, used, used.Cluster()))
}

// options are the choices that a format leaves.
func (f *simulateFlags) options() traces.Options {
	return traces.Options{VC: f.vc, Arrival: f.arrival, Workload: f.workload}
}
