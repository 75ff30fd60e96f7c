package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"schedmate"
	score "schedmate/eval/failure"
	"schedmate/failure"
)

// failureEvaluation is what 'eval failure' answers.
type failureEvaluation struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Whole      *score.Score     `json:"whole"`
	Ablations  []failureLacking `json:"ablations,omitempty"`
}

// failureLacking is how well a handler does that lacks a part.
type failureLacking struct {
	Name     string       `json:"name"`
	Lacks    string       `json:"lacks"`
	RootOnly bool         `json:"root_only,omitempty"` // it finds a line and says nothing else
	Score    *score.Score `json:"score"`

	title string
}

func evalFailureCommand(a *app) *cobra.Command {
	var cases string
	var ablate bool
	cmd := &cobra.Command{
		Use:   "failure --cases FOLDER",
		Short: "Score the failure handler on logs whose root cause is known",
		Long: `Failure reads the labels of a folder (labels.jsonl), diagnoses each log that they
name as an incident of its own, and counts what is right: the line of the root, who
has to act, the part, the node, and the nodes and restarts that were asked for.

With --ablate handlers that lack a part are scored beside it: one that takes the last
finding for the root, one that reads the end of a log only, one that takes the first
line with a word for errors, one that takes the first finding.`,
		Example: `  schedmate eval failure --cases eval/failure/provoked
  schedmate eval failure --cases eval/failure/provoked --ablate -o json`,
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
			doc := &failureEvaluation{APIVersion: schedmate.APIVersion, Kind: "FailureEvaluation"}
			rules := failure.Default()
			if doc.Whole, err = a.scoreFailure(cmd.Context(), labelled, score.Whole(rules), ""); err != nil {
				return err
			}
			if ablate {
				for _, x := range score.Ablations(rules) {
					s, err := a.scoreFailure(cmd.Context(), labelled, x.Ask, " with "+x.Name)
					if err != nil {
						return err
					}
					doc.Ablations = append(doc.Ablations, failureLacking{x.Name, x.Lacks, x.RootOnly, s, x.Title})
				}
			}
			return a.render(doc, func(w io.Writer) error { return failureEvaluationTable(w, doc) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&cases, "cases", "", "`folder` with labels.jsonl and the logs that it names")
	fl.BoolVar(&ablate, "ablate", false, "score also handlers that lack a part")
	must(cmd.MarkFlagDirname("cases"))
	return cmd
}

// scoreFailure runs a handler over the cases and scores it.
func (a *app) scoreFailure(ctx context.Context, cases *score.Cases, ask score.Ask, how string) (*score.Score, error) {
	predictions, err := a.diagnoseCases(ctx, cases, ask, how)
	if err != nil {
		return nil, err
	}
	return cases.Score(predictions), nil
}

// diagnoseCases runs a handler over the cases. Logs that cannot be read are told
// on standard error and answered by silence.
func (a *app) diagnoseCases(ctx context.Context, cases *score.Cases, ask score.Ask, how string) (map[string]score.Prediction, error) {
	predictions, err := cases.Run(ctx, func(ctx context.Context, log failure.Log) (p score.Prediction, err error) {
		return p, contained(func() error {
			p, err = ask(ctx, log)
			return err
		})
	})
	if err != nil {
		return nil, asFailure(err)
	}
	for _, name := range slices.Sorted(maps.Keys(predictions)) {
		if p := predictions[name]; p.Error != "" {
			fmt.Fprintf(a.streams.Err, "note: %s%s: %s\n", printable(p.File), how, printable(p.Error))
		}
	}
	return predictions, nil
}

func failureEvaluationTable(w io.Writer, d *failureEvaluation) error {
	s := d.Whole
	rows := [][]string{
		{"FIGURE", "SCORE"},
		{"root line", rightOf(s.Root)},
		{"class", rightOf(s.Class)},
		{"class, lenient", rightOf(s.ClassLenient)},
		{"macro-F1 of the classes", thousandths(s.MacroF1)},
		{"infrastructure, F1", thousandths(s.Infrastructure.F1)},
		{"infrastructure, precision", thousandths(s.Infrastructure.Precision)},
		{"infrastructure, recall", thousandths(s.Infrastructure.Recall)},
		{"component", rightOf(s.Component)},
		{"component, lenient", rightOf(s.ComponentLenient)},
		{"node", rightOf(s.Node)},
		{"quarantines asked for, of the right ones", rightOf(s.Quarantine)},
		{"wrong quarantines", strconv.Itoa(len(s.WrongQuarantines))},
	}
	for _, class := range score.Classes {
		if n := s.WrongByClass[class]; n > 0 {
			rows = append(rows, []string{"  of class " + class, strconv.Itoa(n)})
		}
	}
	rows = append(rows,
		[]string{"wasted restarts", strconv.Itoa(s.WastedRestarts)},
		[]string{"missed restarts", strconv.Itoa(s.MissedRestarts)},
		[]string{"second roots", rightOf(s.SecondRoots)},
		[]string{"logs without an answer", strconv.Itoa(s.Absent)},
		[]string{"time of a log, median", timeOfLog(s.MedianMilliseconds)},
		[]string{"time of a log, p99", timeOfLog(s.P99Milliseconds)},
	)
	for _, bin := range s.Reliability {
		if bin.Class.Of > 0 {
			rows = append(rows, []string{fmt.Sprintf("class, where %.0f %% sure on average", 100*bin.Claimed), rightOf(bin.Class)})
		}
	}
	if err := columns(w, rows); err != nil || d.Ablations == nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return ablationTable(w, d)
}

// ablationTable has a row for each handler, the whole one first.
func ablationTable(w io.Writer, d *failureEvaluation) error {
	rows := [][]string{{"HANDLER", "ROOT", "CLASS", "MACRO-F1", "INFRA F1", "COMPONENT", "NODE", "QUARANTINE", "WRONG", "WASTED", "MISSED", "2ND ROOTS", "MEDIAN", "P99"}}
	for _, h := range append([]failureLacking{{title: "the whole", Score: d.Whole}}, d.Ablations...) {
		s := h.Score
		row := []string{h.title, rightOf(s.Root)}
		if h.RootOnly {
			row = append(row, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-")
		} else {
			row = append(row,
				rightOf(s.Class), thousandths(s.MacroF1), thousandths(s.Infrastructure.F1), rightOf(s.Component), rightOf(s.Node), rightOf(s.Quarantine),
				strconv.Itoa(len(s.WrongQuarantines)), strconv.Itoa(s.WastedRestarts), strconv.Itoa(s.MissedRestarts), rightOf(s.SecondRoots))
		}
		rows = append(rows, append(row, timeOfLog(s.MedianMilliseconds), timeOfLog(s.P99Milliseconds)))
	}
	return columns(w, rows)
}

func rightOf(t score.Tally) string {
	if t.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %s", t.Right, t.Of, percent(t.Share))
}

func thousandths(share float64) string { return strconv.FormatFloat(share, 'f', 3, 64) }

func timeOfLog(milliseconds *float64) string {
	if milliseconds == nil {
		return "-"
	}
	return strconv.FormatFloat(*milliseconds, 'f', 1, 64) + " ms"
}
