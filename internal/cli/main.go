package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"schedmate/internal/config"
)

// Exit codes, the same for every command.
const (
	ExitOK          = 0   // success, or nothing to do
	ExitFailure     = 1   // run-time failure
	ExitUsage       = 2   // usage or configuration error, bad input document
	ExitNotFound    = 4   // a named object or file does not exist, or may not be read
	ExitUnreachable = 5   // a configured backend cannot be reached
	ExitHasActions  = 10  // plan --detailed-exitcode: the plan contains actions
	ExitNoPromise   = 11  // admit: the deadline is not promised, or a promise broke
	ExitInterrupted = 130 // SIGINT
	ExitTerminated  = 143 // SIGTERM
)

// Streams is what a command may touch of the process around it.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) (string, bool)
}

// Main runs one command line and returns the exit code.
func Main(args []string, s Streams) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	root := newRoot(&s)
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	code := ExitUsage // what cobra itself complains about is the usage
	var coded *codedError
	if errors.As(err, &coded) {
		code = coded.code
	}
	var sig *signalError
	if errors.As(context.Cause(ctx), &sig) && errors.Is(err, context.Canceled) {
		code = ExitInterrupted
		if sig.signal == syscall.SIGTERM {
			code = ExitTerminated
		}
	}
	if coded == nil || coded.err != nil {
		text := err.Error()
		if sig != nil { // what a signal is called is not what people call it
			text = strings.Replace(text, context.Canceled.Error(), "interrupted", 1)
		}
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = printable(lines[i]) // errors quote what documents say
		}
		fmt.Fprintf(s.Err, "schedmate: %s\n", strings.Join(lines, "\n"))
	}
	return code
}

// codedError carries the exit code of an error; a nil err ends the command
// with that code and says nothing.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func asFailure(err error) error { return code(ExitFailure, err) }
func usage(err error) error     { return code(ExitUsage, err) }
func notFound(err error) error  { return code(ExitNotFound, err) }

func code(c int, err error) error {
	if err == nil {
		return nil
	}
	var already *codedError
	if errors.As(err, &already) {
		return err
	}
	return &codedError{c, err}
}

type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return e.signal.String() }

// withSignals cancels the context at the first interrupt or termination, so
// that what is under way can end in order. A second one ends the process.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// interruptible runs work that touches nothing outside the process, and leaves
// it behind when the context ends.
func interruptible(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return asFailure(fmt.Errorf("%w; nothing was written", ctx.Err()))
	}
}

func newRoot(s *Streams) *cobra.Command {
	a := &app{streams: s}
	root := &cobra.Command{
		Use:   "schedmate",
		Short: "A semantic layer for GPU clusters",
		Long: `SchedMate reads from logs how far training jobs are (track, logs) and why they failed
(diagnose), says of a job what it would train and how long before it runs (estimate,
match, history), says of a Slurm what waits for what (queue, why, doctor slurm), and plans
jobs on GPU clusters: offline on traces (simulate) and on saved snapshots (plan), with
promises for deadlines (admit).

Results go to standard output, everything else to standard error.`,
		Example: fmt.Sprintf(`  schedmate track train.log
  schedmate diagnose rank*.log dmesg.log
  schedmate estimate --repo ~/nanoGPT --request job.sbatch
  schedmate history import jobs.txt
  schedmate match before.json after.json
  schedmate queue
  schedmate why slurm:1234
  schedmate simulate --experiment %s --report page.html
  schedmate plan -f snapshot.yaml --policy srtf
  schedmate admit -f snapshot.yaml -f job.yaml
  schedmate why -f snapshot.yaml job-17`, exampleExperiment()),
		Version:           Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) },
	}
	// Flags that are settings are read by configure, under these names.
	root.PersistentFlags().String("config", "", "configuration `file` (default: see 'schedmate config path')")
	root.PersistentFlags().String("state", "", "`folder` for state and caches")
	root.PersistentFlags().StringP("output", "o", "table", "output `format`: table, json or yaml")
	must(root.RegisterFlagCompletionFunc("output", completeFrom(func() []string { return config.Outputs })))
	root.AddCommand(
		simulateCommand(a),
		worthCommand(a),
		mergeCommand(a),
		traceCommand(a),
		planCommand(a),
		admitCommand(a),
		whyCommand(a),
		queueCommand(a),
		snapshotCommand(a),
		trackCommand(a),
		diagnoseCommand(a),
		estimateCommand(a),
		matchCommand(a),
		historyCommand(a),
		logsCommand(a),
		evalCommand(a),
		configCommand(a),
		doctorCommand(a),
		versionCommand(a),
		workerCommandOf(),
	)
	suggesting(root)
	root.SetHelpTemplate(root.HelpTemplate() + exitCodesHelp)
	return root
}

const exitCodesHelp = `
Exit codes: 0 success, 1 failure, 2 usage or bad input, 4 not found or no
permission, 5 a configured backend cannot be reached, 10 plan contains actions (--detailed-exitcode),
11 a deadline is not promised, 130 interrupted, 143 terminated.
`
