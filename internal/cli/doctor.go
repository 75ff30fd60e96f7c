package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/eval"
	"schedmate/eval/experiments"
	"schedmate/eval/traces"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, missing (optional, costs what Detail says), failed
	Detail string `json:"detail"`
}

const (
	statusOK      = "ok"
	statusMissing = "missing"
	statusFailed  = "failed"
)

func doctorCommand(a *app) *cobra.Command {
	return withoutConfig(&cobra.Command{
		Use:   "doctor [slurm]",
		Short: "Check what is here, what is missing, and what that costs",
		Long: `Doctor looks at the machine and the configuration and changes nothing but a probe
file in the state folder. "missing" is optional and the line says what it costs;
"failed" must be mended, and makes the exit code 1.

'doctor slurm' looks at the Slurm that is reached from here: what can be known of
its jobs, and what each missing piece costs. It only reads.`,
		Example: `  schedmate doctor
  schedmate doctor slurm
  schedmate doctor -o json`,
		Args:      cobra.OnlyValidArgs,
		ValidArgs: []string{"slurm"},
		RunE: func(cmd *cobra.Command, args []string) error {
			var findings []finding
			if len(args) > 0 {
				findings = a.checkSlurm(cmd.Context())
			} else {
				findings = a.checkMachine(cmd.Context())
			}
			doc := struct {
				APIVersion string    `json:"apiVersion"`
				Kind       string    `json:"kind"`
				Findings   []finding `json:"findings"`
			}{schedmate.APIVersion, "Doctor", findings}
			err := a.render(doc, func(w io.Writer) error {
				rows := [][]string{{"CHECK", "STATUS", "DETAIL"}}
				for _, f := range findings {
					rows = append(rows, []string{f.Check, f.Status, f.Detail})
				}
				return columns(w, rows)
			})
			if err != nil {
				return err
			}
			for _, f := range findings {
				if f.Status == statusFailed {
					return &codedError{code: ExitFailure}
				}
			}
			return nil
		},
	})
}

func (a *app) checkMachine(ctx context.Context) []finding {
	findings := []finding{a.checkConfig(), a.checkState(), a.checkSolver(ctx), a.checkExperiments()}
	findings = append(findings, a.checkData()...)
	v := version()
	return append(findings, finding{"program", statusOK, fmt.Sprintf("schedmate %s, %s, %s, %s", v.Version, v.Go, v.Platform, plural(runtime.GOMAXPROCS(0), "processor"))})
}

func (a *app) checkConfig() finding {
	if a.configError != nil {
		return finding{"configuration", statusFailed, a.configError.Error()}
	}
	if a.config.File == "" {
		return finding{"configuration", statusOK, "no file; built-in values, environment and flags"}
	}
	return finding{"configuration", statusOK, a.config.File}
}

// checkState tries whether the state folder can be written.
func (a *app) checkState() finding {
	folder, err := a.config.StateFolder()
	if err != nil {
		return finding{"state folder", statusMissing, err.Error()}
	}
	err = os.MkdirAll(folder, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(folder, ".doctor-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return finding{"state folder", statusFailed, fmt.Sprintf("%v: make it writable, or set SCHEDMATE_STATE to another folder", err)}
	}
	return finding{"state folder", statusOK, folder}
}

// checkSolver starts a worker with HiGHS, as planning would.
func (a *app) checkSolver(ctx context.Context) finding {
	client, err := a.startHiGHS(ctx)
	if err != nil {
		return finding{"solver", statusMissing, fmt.Sprintf("plans are made by the search in Go alone, which leaves some gaps open: %v", err)}
	}
	defer client.Close()
	return finding{"solver", statusOK, client.Name() + ", " + client.Path()}
}

// checkExperiments reads what the program carries.
func (a *app) checkExperiments() finding {
	bundled := 0
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil {
			return finding{"experiments", statusFailed, err.Error()}
		}
		if e.Trace.Bundled == "" {
			continue
		}
		f, err := traces.Bundled(e.Trace.Bundled)
		if err != nil {
			return finding{"experiments", statusFailed, err.Error()}
		}
		_, err = traces.Read(f, e.Trace.Bundled, e.Trace.Format)
		if err = errors.Join(err, f.Close()); err != nil {
			return finding{"experiments", statusFailed, err.Error()}
		}
		bundled++
	}
	return finding{"experiments", statusOK, fmt.Sprintf("%d, of which %d run on bundled traces", len(experiments.Names()), bundled)}
}

// checkData looks for the traces that experiments read from the data folder.
func (a *app) checkData() []finding {
	var findings []finding
	for _, name := range experiments.Names() {
		e, err := eval.Load(name)
		if err != nil || e.Trace.File == "" {
			continue // a broken experiment is reported by checkExperiments
		}
		check := "data for " + name
		if a.config.Data == "" {
			findings = append(findings, finding{check, statusMissing, "this experiment cannot run: set SCHEDMATE_DATA to a folder that holds " + e.Trace.File})
			continue
		}
		path := filepath.Join(a.config.Data, filepath.FromSlash(e.Trace.File))
		if _, err := os.Stat(path); err != nil {
			findings = append(findings, finding{check, statusMissing, fmt.Sprintf("this experiment cannot run: %v", err)})
			continue
		}
		findings = append(findings, finding{check, statusOK, path})
	}
	return findings
}
