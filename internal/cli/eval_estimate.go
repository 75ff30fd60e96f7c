package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/neighbours"
	score "schedmate/eval/advisor"
)

func evalEstimateCommand(a *app) *cobra.Command {
	var records, submissions string
	var jsonl, paper bool
	cmd := &cobra.Command{
		Use:   "estimate --history FILE --submissions FILE --jsonl",
		Short: "Replay a history of jobs through the estimator",
		Long: `Estimate asks about each run of a history, in the order of submission: only runs
that had ended by then are known. The submission of a run is named by its ref, and is
looked up by id in the file of submissions. What grading knows of a run is not read.`,
		Example: `  schedmate eval estimate --history history.jsonl --submissions jobs.jsonl --jsonl`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case records == "" || submissions == "":
				return usage(errors.New("name the runs with --history FILE and their submissions with --submissions FILE"))
			case !jsonl:
				return usage(errors.New("give --jsonl: the answers are lines for programs"))
			}
			if err := oneFormat(cmd, jsonl); err != nil {
				return usage(err)
			}
			options := neighbours.Default()
			if paper {
				options = neighbours.Paper()
			}
			return a.replayHistory(cmd.Context(), records, submissions, options)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&records, "history", "", "`file` with a run a line")
	fl.StringVar(&submissions, "submissions", "", "`file` with a submission a line")
	fl.BoolVar(&jsonl, "jsonl", false, "one JSON object a run, in the order of submission, each as soon as it is ready")
	fl.BoolVar(&paper, "paper", false, "estimate as the paper does: the mean of the three most similar runs")
	must(cmd.MarkFlagFilename("history", "jsonl"))
	must(cmd.MarkFlagFilename("submissions", "jsonl"))
	return cmd
}

func (a *app) replayHistory(ctx context.Context, records, submissions string, options neighbours.Options) error {
	in, err := a.openInput(records)
	if err != nil {
		return err
	}
	defer in.Close() // it is only read
	runs, err := score.ReadRuns(records, in)
	if err != nil {
		return usage(err)
	}
	texts, err := a.submissionsByID(ctx, submissions)
	if err != nil {
		return err
	}
	x := a.analyser(true)
	failed := false
	prints := map[string]analysed{}
	lookup := func(ctx context.Context, ref score.Ref) (fingerprint.Print, error) {
		done, ok := prints[ref.ID()]
		if !ok {
			if text, there := texts[ref.ID()]; there {
				done = analyseText(ctx, x, text, folderOf(submissions))
			} else {
				done.err = fmt.Errorf("submission %.60q is not in %s", ref.ID(), submissions)
			}
			prints[ref.ID()] = done
		}
		if done.err != nil {
			failed = true
			return fingerprint.Print{}, errors.New(shown(done.err.Error()))
		}
		return done.analysis.Print, nil
	}
	err = score.Replay(ctx, runs, lookup, options, func(answer score.Answer) error { return writeLine(a.streams.Out, answer) })
	if err != nil {
		return asFailure(err)
	}
	if failed {
		return &codedError{code: ExitFailure}
	}
	return nil
}

// submissionsByID reads the texts of submissions.
func (a *app) submissionsByID(ctx context.Context, file string) (map[string][]byte, error) {
	in, err := a.openInput(file)
	if err != nil {
		return nil, err
	}
	defer in.Close() // it is only read
	texts := map[string][]byte{}
	for line := range documentLines(ctx, io.Reader(in)) {
		var named struct {
			ID string `json:"id"`
		}
		err := line.err
		if err == nil {
			err = json.Unmarshal(line.text, &named)
		}
		if err == nil && named.ID == "" {
			err = errors.New("field id is missing: runs name their submission by it")
		}
		if err != nil {
			return nil, usage(fmt.Errorf("%s:%d: %w", file, line.number, err))
		}
		texts[named.ID] = line.text
	}
	return texts, nil
}
