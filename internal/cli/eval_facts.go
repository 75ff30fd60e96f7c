package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"schedmate/eval/advisor"
	"schedmate/eval/facts"
	failurescore "schedmate/eval/failure"
	"schedmate/eval/jsonl"
	trackerscore "schedmate/eval/tracker"
	"schedmate/failure"
	"schedmate/internal/docfile"
)

// factsFlags are the inputs of 'eval facts'.
type factsFlags struct {
	name, history, answers, estimates string
	tracker, failure                  []string
}

func evalFactsCommand(a *app) *cobra.Command {
	var f factsFlags
	cmd := &cobra.Command{
		Use:   "facts --history FILE --answers FILE --estimates FILE --tracker FOLDER --failure FOLDER",
		Short: "Measure how good facts are, for simulations",
		Long: `Facts runs the tracker and the failure handler on labelled logs, reads what the
advisor answered about a history ('eval estimate --jsonl') and how long its answers
took ('estimate --jsonl'), and writes the document that experiments draw their facts
from: how often there is an answer, and how far off answers are. Folders of logs can
be given several times.`,
		Example: `  schedmate eval facts --history history.jsonl --answers answers.jsonl --estimates estimates.jsonl \
    --tracker eval/runs --failure eval/failure/provoked > measured.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.history == "" || f.answers == "" || f.estimates == "" || len(f.tracker) == 0 || len(f.failure) == 0 {
				return usage(errors.New("name all inputs: --history, --answers, --estimates, --tracker and --failure"))
			}
			return a.measureFacts(cmd.Context(), &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.name, "name", "measured", "`name` of the model")
	fl.StringVar(&f.history, "history", "", "`file` with a run a line")
	fl.StringVar(&f.answers, "answers", "", "`file` with what 'eval estimate --jsonl' answered about them")
	fl.StringVar(&f.estimates, "estimates", "", "`file` with answers of 'estimate --jsonl', for the time that they took")
	fl.StringArrayVar(&f.tracker, "tracker", nil, "`folder` of labelled logs of jobs that train")
	fl.StringArrayVar(&f.failure, "failure", nil, "`folder` of labelled logs of jobs that failed")
	must(cmd.MarkFlagFilename("history", "jsonl"))
	must(cmd.MarkFlagFilename("answers", "jsonl"))
	must(cmd.MarkFlagFilename("estimates", "jsonl"))
	must(cmd.MarkFlagDirname("tracker"))
	must(cmd.MarkFlagDirname("failure"))
	return cmd
}

func (a *app) measureFacts(ctx context.Context, f *factsFlags) error {
	var m facts.Measured
	var sources []facts.Source
	read := func(file, what string, parse func(text []byte) error) error {
		in, err := a.openInput(file)
		if err != nil {
			return err
		}
		defer in.Close() // it is only read
		text, err := io.ReadAll(in)
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		sources = append(sources, facts.Source{File: filepath.Base(file), SHA256: hashOf(text), What: what})
		if err := parse(text); err != nil {
			return usage(err)
		}
		return nil
	}
	if err := errors.Join(
		read(f.history, "runs and their truth", func(text []byte) (err error) {
			if m.Runs, err = advisor.ReadRuns(f.history, bytes.NewReader(text)); err != nil {
				return err
			}
			m.Truths, err = advisor.ReadTruths(f.history, bytes.NewReader(text))
			return err
		}),
		read(f.answers, "answers at submission", func(text []byte) (err error) {
			m.Answers, err = jsonl.Read(f.answers, bytes.NewReader(text), func(*advisor.Answer) error { return nil })
			return err
		}),
		read(f.estimates, "time of an answer", func(text []byte) error {
			type timed struct {
				Seconds float64 `json:"seconds"`
			}
			list, err := jsonl.Read(f.estimates, bytes.NewReader(text), func(t *timed) error {
				if !(t.Seconds > 0) {
					return errors.New("field seconds is missing: give the lines of 'estimate --jsonl'")
				}
				return nil
			})
			for _, t := range list {
				m.Seconds = append(m.Seconds, t.Seconds)
			}
			return err
		}),
	); err != nil {
		return err
	}
	for _, dir := range f.tracker {
		cases, err := trackerscore.Load(dir)
		if err != nil {
			return casesError(err)
		}
		predictions, err := a.trackCases(ctx, cases, nil, "")
		if err != nil {
			return err
		}
		m.Tracked = append(m.Tracked, facts.Tracked{Cases: cases, Predictions: predictions})
		source, err := labels(dir, "labels of jobs that train")
		if err != nil {
			return err
		}
		sources = append(sources, source)
	}
	for _, dir := range f.failure {
		cases, err := failurescore.Load(dir)
		if err != nil {
			return casesError(err)
		}
		predictions, err := a.diagnoseCases(ctx, cases, failurescore.Whole(failure.Default()), "")
		if err != nil {
			return err
		}
		m.Diagnosed = append(m.Diagnosed, facts.Diagnosed{Cases: cases, Predictions: predictions})
		source, err := labels(dir, "labels of jobs that failed")
		if err != nil {
			return err
		}
		sources = append(sources, source)
	}
	model := facts.Measure(&m)
	model.Name, model.Sources = f.name, sources
	model.About = "Measured on labelled cases, no language model configured."
	if err := model.Validate(); err != nil {
		return usage(fmt.Errorf("the inputs do not make a model: %w; give histories and logs with answers of every kind", err))
	}
	return docfile.Write(a.streams.Out, docfile.YAML, model)
}

func casesError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return notFound(err)
	}
	return usage(err)
}

// labels names the labels of a folder by its last two parts.
func labels(dir, what string) (facts.Source, error) {
	text, err := os.ReadFile(filepath.Join(dir, "labels.jsonl"))
	if err != nil {
		return facts.Source{}, notFound(fmt.Errorf("read the labels of %s: %w; name a folder with labels.jsonl", dir, err))
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(dir)), "/")
	return facts.Source{File: strings.Join(append(parts[max(0, len(parts)-2):], "labels.jsonl"), "/"), SHA256: hashOf(text), What: what}, nil
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
