package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"schedmate/scheduler/milp"
	"schedmate/scheduler/milp/roundfile"
)

// roundsFlags are those of plan --rounds.
type roundsFlags struct {
	file  string
	jsonl bool
	seed  uint64
}

func (f *roundsFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "rounds", "", "`file` of abstract lease rounds instead of a snapshot; further files may follow; '-' is standard input")
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "with --rounds: one JSON object a case, in their order, each as soon as it is ready")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "with --rounds: seed of the search")
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
	if !f.jsonl {
		return errors.New("--rounds needs --jsonl: its answers are lines for programs")
	}
	if budget < 0 {
		return fmt.Errorf("--budget must not be negative, got %d", budget)
	}
	if count(append([]string{f.file}, args...), "-") > 1 {
		return errors.New("'-' is named twice, but there is one standard input")
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
	answer := func(object any) error {
		if err := writeLine(a.streams.Out, object); err != nil {
			return asFailure(fmt.Errorf("write standard output: %w", err))
		}
		return nil
	}
	options := milp.Options{Seed: f.seed, Budget: milp.Budget{Steps: budget, Interrupt: func() bool { return ctx.Err() != nil }}}
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
			out, err := planRound(text, options)
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

// planRound answers one case and says what a plan has cost.
func planRound(text json.RawMessage, options milp.Options) (*roundfile.Answer, error) {
	var stop func() float64
	if start := meter(1); start != nil {
		cost := start()
		stop = func() float64 { return cost().CPUSeconds }
	}
	out, err := roundfile.Solve(text, options)
	if stop != nil {
		if cpu := stop(); out.Engine != "" {
			out.CPU = &cpu
		}
	}
	return out, err
}
