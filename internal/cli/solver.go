package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"schedmate/adapters/solver/highs"
	"schedmate/adapters/solver/worker"
)

// The solvers that may be asked about what the Go engine leaves open.
const (
	solverGo    = "go"    // none: the same answer on every machine
	solverHiGHS = "highs" // HiGHS, which must be there
	solverAuto  = "auto"  // HiGHS where it is there
)

var solvers = []string{solverGo, solverHiGHS, solverAuto}

// solverFlags choose a solver, when it is asked and how long it may take.
type solverFlags struct {
	name  string
	gap   float64
	limit time.Duration
}

func (f *solverFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "solver", solverGo, "with --rounds: `who` is asked about what the search leaves open: go (nobody), highs, or auto (highs where its library is found)")
	cmd.Flags().Float64Var(&f.gap, "solver-gap", 0.001, "with --solver: `share` of the bound up to which a plan is good enough; 0 asks for proofs")
	cmd.Flags().DurationVar(&f.limit, "solver-limit", 1500*time.Millisecond, "with --solver: `time` after which the solver of a round is killed")
	must(cmd.RegisterFlagCompletionFunc("solver", completeFrom(func() []string { return solvers })))
}

func (f *solverFlags) validate() error {
	if !slices.Contains(solvers, f.name) {
		return fmt.Errorf("--solver: there is no %q: use go, highs or auto", f.name)
	}
	if !(f.gap >= 0 && f.gap < 1) {
		return fmt.Errorf("--solver-gap is a share, from 0 to less than 1, got %v", f.gap)
	}
	if f.limit <= 0 {
		return fmt.Errorf("--solver-limit must be more than nothing, got %s", f.limit)
	}
	return nil
}

// startSolver starts what the flags ask for; nil is nobody. Close it.
func (a *app) startSolver(ctx context.Context, f *solverFlags) (*worker.Client, error) {
	if f.name == solverGo {
		return nil, nil
	}
	client, err := a.startHiGHS(ctx)
	switch {
	case err == nil:
		return client, nil
	case ctx.Err() != nil:
		return nil, asFailure(ctx.Err())
	case f.name == solverAuto:
		fmt.Fprintf(a.streams.Err, "schedmate: planning without a solver: %s\n", printable(err.Error()))
		return nil, nil
	}
	return nil, code(ExitUnreachable, fmt.Errorf("--solver highs: %w", err))
}

// startHiGHS starts this program as a worker that has HiGHS.
func (a *app) startHiGHS(ctx context.Context) (*worker.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which is its own worker: %w", err)
	}
	state, err := a.config.StateFolder()
	if err != nil {
		state = "" // then there is none to look in
	}
	c := worker.Command{Path: self, Args: []string{workerCommand}, Env: workerEnv(a.streams.Env)}
	for _, path := range highs.Candidates(a.streams.Env, state) {
		c.Args = append(c.Args, "--library", path)
	}
	return worker.Start(ctx, c)
}

// workerEnv is what a worker needs to know: where libraries are, and that one
// thread is enough. Tokens and passwords have no business there.
func workerEnv(env func(string) (string, bool)) []string {
	out := []string{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "GOMAXPROCS=2", "GOTRACEBACK=none"}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "HOME", "TMPDIR"} {
		if value, ok := env(name); ok {
			out = append(out, name+"="+value)
		}
	}
	return out
}

const workerCommand = "solver-worker"

func workerCommandOf() *cobra.Command {
	var libraries []string
	cmd := withoutConfig(&cobra.Command{
		Use:    workerCommand,
		Short:  "Serve a solver on standard input and output; other commands start it",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, out, err := worker.Streams()
			if err != nil {
				return asFailure(err)
			}
			return interruptible(cmd.Context(), func() error {
				return asFailure(worker.Serve(in, out, func() (worker.Solver, error) { return highs.Open(libraries) }))
			})
		},
	})
	cmd.Flags().StringArrayVar(&libraries, "library", nil, "`file` that may be the library; the first that is one is taken")
	return cmd
}
