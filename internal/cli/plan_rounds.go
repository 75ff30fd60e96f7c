package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/adapters/solver/worker"
	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

// roundsFlags are those of plan --rounds.
type roundsFlags struct {
	file   string
	jsonl  bool
	seed   uint64
	solver solverFlags
}

func (f *roundsFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "rounds", "", "`file` of abstract lease rounds instead of a snapshot; further files may follow; '-' is standard input")
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "with --rounds: one JSON object a case, in their order, each as soon as it is ready; without it a table")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "with --rounds: seed of the search")
	f.solver.register(cmd)
	must(cmd.MarkFlagFilename("rounds", "json"))
}

// validate refuses flags that belong to the other form of plan.
func (f *roundsFlags) validate(cmd *cobra.Command, args []string, budget int64) error {
	if f.file == "" {
		switch {
		case f.jsonl:
			return errors.New("--jsonl needs --rounds, the file with the rounds")
		case cmd.Flags().Changed("seed"):
			return errors.New("--seed needs --rounds: policies draw no random numbers")
		case cmd.Flags().Changed("solver"), cmd.Flags().Changed("solver-gap"), cmd.Flags().Changed("solver-limit"):
			return errors.New("--solver needs --rounds: no policy asks a solver yet")
		case len(args) > 0:
			return fmt.Errorf("unexpected argument %s: name a snapshot with -f", args[0])
		}
		return nil
	}
	for _, flag := range []string{"filename", "policy", "preset", "no-reasons", "detailed-exitcode"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--rounds and --%s do not go together: a round has no snapshot and no policy", flag)
		}
	}
	if budget < 0 {
		return fmt.Errorf("--budget must not be negative, got %d", budget)
	}
	if count(append([]string{f.file}, args...), "-") > 1 {
		return errors.New("'-' is named twice, but there is one standard input")
	}
	if err := f.solver.validate(); err != nil {
		return err
	}
	return oneFormat(cmd, f.jsonl)
}

// unansweredRound stands for a file, or a case of it, that could not be answered.
type unansweredRound struct {
	Name  string `json:"name,omitempty"`
	File  string `json:"file"`
	Error string `json:"error"`
}

// planRounds answers every case of every file.
func (a *app) planRounds(ctx context.Context, f *roundsFlags, more []string, budget int64) error {
	failed := false
	doc := &roundsDocument{APIVersion: schedmate.APIVersion, Kind: "RoundAnswers", Answers: []any{}}
	answer := func(object any) error {
		if !f.jsonl {
			doc.Answers = append(doc.Answers, object)
			return nil
		}
		if err := writeLine(a.streams.Out, object); err != nil {
			return asFailure(fmt.Errorf("write standard output: %w", err))
		}
		return nil
	}
	options := roundfile.Options{
		Options: milp.Options{Seed: f.seed, Budget: milp.Budget{Steps: budget, Interrupt: func() bool { return ctx.Err() != nil }}},
		Limits:  milp.Limits{RelativeGap: f.solver.gap},
	}
	solver, err := a.startSolver(ctx, &f.solver)
	if err != nil {
		return err
	}
	if solver != nil {
		defer solver.Close()
	}
	for _, file := range append([]string{f.file}, more...) {
		cases, err := a.readRounds(file)
		if err != nil {
			failed = true
			if err := answer(&unansweredRound{File: validText(file), Error: shown(err.Error())}); err != nil {
				return err
			}
			continue
		}
		for _, text := range cases {
			if solver != nil {
				options.Solver = solver.Round(f.solver.limit)
			}
			out, err := planRound(text, options, solver)
			if ctx.Err() != nil {
				return asFailure(fmt.Errorf("%w: not all rounds were planned", ctx.Err()))
			}
			var object any = out
			if err != nil {
				failed = true
				object = &unansweredRound{Name: validText(out.Name), File: validText(file), Error: shown(err.Error())}
			}
			if err := answer(object); err != nil {
				return err
			}
		}
	}
	if !f.jsonl {
		if err := a.render(doc, func(w io.Writer) error { return roundsTable(w, doc) }); err != nil {
			return err
		}
	}
	if failed {
		return &codedError{code: ExitFailure}
	}
	return nil
}

func (a *app) readRounds(file string) ([]json.RawMessage, error) {
	in, err := a.openInput(file)
	if err != nil {
		return nil, err
	}
	defer in.Close() // it is only read
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return roundfile.Read(text)
}

// planRound answers one case and says what a plan has cost, here and in the worker
// of a solver.
func planRound(text json.RawMessage, options roundfile.Options, solver *worker.Client) (*roundfile.Answer, error) {
	var stop func() float64
	if start, _ := meter(1); start != nil {
		cost, before := start(), solver.CPU()
		stop = func() float64 { return math.Round(1e9*(cost().CPUSeconds+(solver.CPU()-before).Seconds())) / 1e9 }
	}
	out, err := roundfile.Solve(text, options)
	if stop != nil {
		if cpu := stop(); out.Engine != "" {
			out.CPU = &cpu
		}
	}
	return out, err
}
