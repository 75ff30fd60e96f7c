package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	score "schedmate/eval/tracker"
)

func evalCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure parts of the product on labelled cases",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(evalTrackerCommand(a), evalFailureCommand(a), evalEstimateCommand(a), evalFactsCommand(a), evalSpeedCommand(a), evalCurvesCommand(a))
	return cmd
}

// trackerEvaluation is what 'eval tracker' answers.
type trackerEvaluation struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	AsSeen     *score.Score `json:"as_seen"`
	Replaced   *score.Score `json:"words_replaced,omitempty"`
	Seed       *uint64      `json:"seed,omitempty"` // of the replacement
}

func evalTrackerCommand(a *app) *cobra.Command {
	var cases string
	var words, explain bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "tracker --cases FOLDER",
		Short: "Score the tracker on logs whose progress is known",
		Long: `Tracker reads the labels of a folder (labels.jsonl, slowdown.jsonl), runs the
tracker on the logs that they name, as 'schedmate track --jsonl' would, and counts
what is right. A log is a success if step and step time are right, or missing where
they must be; a log without training must give nothing.

With --words-replaced each log is read a second time with its words replaced by
random ones of the same length; numbers, units and layout stay. Who reads
behaviour loses little by that, who reads names loses all.`,
		Example: `  schedmate eval tracker --cases eval/runs
  schedmate eval tracker --cases eval/runs --words-replaced -o json
  schedmate eval tracker --cases eval/runs --explain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cases == "" {
				return usage(errors.New("name the folder of the labelled logs with --cases FOLDER"))
			}
			labelled, err := score.Load(cases)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
				return notFound(err)
			case err != nil:
				return usage(err)
			}
			doc := &trackerEvaluation{APIVersion: schedmate.APIVersion, Kind: "TrackerEvaluation"}
			if doc.AsSeen, err = a.scoreTracker(cmd.Context(), labelled, nil, ""); err != nil {
				return err
			}
			if words {
				doc.Seed = &seed
				if doc.Replaced, err = a.scoreTracker(cmd.Context(), labelled, score.NewWords(seed), " with words replaced"); err != nil {
					return err
				}
			}
			return a.render(doc, func(w io.Writer) error { return evaluationTable(w, doc, explain) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&cases, "cases", "", "`folder` with labels.jsonl, slowdown.jsonl and the logs that they name")
	fl.BoolVar(&words, "words-replaced", false, "score also with all words replaced by random ones")
	fl.Uint64Var(&seed, "seed", 1, "`number` that chooses the random words")
	fl.BoolVar(&explain, "explain", false, "list what is wrong, by format")
	must(cmd.MarkFlagDirname("cases"))
	return cmd
}

// scoreTracker runs the tracker over the cases and scores it.
func (a *app) scoreTracker(ctx context.Context, cases *score.Cases, words *score.Words, how string) (*score.Score, error) {
	predictions, err := a.trackCases(ctx, cases, words, how)
	if err != nil {
		return nil, err
	}
	return cases.Score(predictions), nil
}

// trackCases runs the tracker over the cases. Logs that cannot be read are told
// on standard error and answered by silence.
func (a *app) trackCases(ctx context.Context, cases *score.Cases, words *score.Words, how string) (map[string]score.Prediction, error) {
	predictions, err := cases.Run(ctx, func(file string, log []byte) (score.Prediction, error) {
		return predict(ctx, file, log)
	}, words)
	if err != nil {
		return nil, asFailure(err)
	}
	for _, file := range slices.Sorted(maps.Keys(predictions)) {
		if e := predictions[file].Error; e != "" {
			fmt.Fprintf(a.streams.Err, "note: %s%s: %s\n", printable(file), how, printable(e))
		}
	}
	return predictions, nil
}

// predict returns what the line of 'track --jsonl' about a log says.
func predict(ctx context.Context, file string, log []byte) (score.Prediction, error) {
	start := time.Now()
	in := bytes.NewReader(log)
	t := &trackedLog{File: file}
	err := contained(func() error {
		return readOpened(ctx, &trackFlags{unpacked: byteSize(readOnce().unpacked)}, t, source{stream: in, at: in, size: int64(len(log))})
	})
	if err != nil {
		return score.Prediction{}, err
	}
	t.Milliseconds = milliseconds(time.Since(start))
	line, err := json.Marshal(t.line(false))
	if err != nil {
		return score.Prediction{}, fmt.Errorf("encode the line about %s: %w", file, err)
	}
	var p score.Prediction
	err = json.Unmarshal(line, &p)
	return p, err
}

func evaluationTable(w io.Writer, d *trackerEvaluation, explain bool) error {
	scores := []*score.Score{d.AsSeen}
	rows := [][]string{{"FIGURE", "AS SEEN"}}
	if d.Replaced != nil {
		scores = append(scores, d.Replaced)
		rows[0] = append(rows[0], "WORDS REPLACED")
	}
	row := func(title string, cell func(*score.Score) string) {
		r := []string{title}
		for _, s := range scores {
			r = append(r, cell(s))
		}
		rows = append(rows, r)
	}
	for _, f := range score.Figures {
		row(strings.ReplaceAll(string(f), "_", " "), func(s *score.Score) string { return tallyText(s.Tallies[f]) })
	}
	for _, f := range []struct {
		title string
		value func(*score.Score) *float64
		unit  string
	}{
		{"RMSRE of step time, missing = 1", func(s *score.Score) *float64 { return s.RMSREAll }, ""},
		{"RMSRE of step time, answered", func(s *score.Score) *float64 { return s.RMSREAnswered }, ""},
		{"time of a log, median", func(s *score.Score) *float64 { return s.MedianMilliseconds }, " ms"},
		{"time of a log, p99", func(s *score.Score) *float64 { return s.P99Milliseconds }, " ms"},
	} {
		row(f.title, func(s *score.Score) string {
			if f.value(s) == nil {
				return "-"
			}
			return strconv.FormatFloat(*f.value(s), 'f', 3, 64) + f.unit
		})
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	if !explain {
		return nil
	}
	for i, s := range scores {
		if err := failureTable(w, s, rows[0][i+1]); err != nil {
			return err
		}
	}
	return nil
}

func tallyText(t score.Tally) string {
	if t.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %s", t.Right, t.Of, percent(t.Share))
}

// failureTable lists what is wrong, by format.
func failureTable(w io.Writer, s *score.Score, title string) error {
	failed := slices.Clone(s.Failed)
	slices.SortStableFunc(failed, func(a, b score.Check) int {
		return strings.Compare(a.Format+"\x00"+a.File, b.Format+"\x00"+b.File)
	})
	rows := [][]string{{"FORMAT", "LOG", "FIGURE", "GOT", "RIGHT"}}
	for _, f := range failed {
		rows = append(rows, []string{f.Format, f.File, strings.ReplaceAll(string(f.Figure), "_", " "), clip(f.Got, 60), clip(f.Want, 60)})
	}
	if _, err := fmt.Fprintf(w, "\nWrong %s: %s\n", strings.ToLower(title), plural(len(failed), "answer")); err != nil {
		return err
	}
	if len(failed) == 0 {
		return nil
	}
	return columns(w, rows)
}
