package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	score "schedmate/eval/estimators"
)

// speedEvaluation is what 'eval speed' answers.
type speedEvaluation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	*score.SpeedReport
}

// curveEvaluation is what 'eval curves' answers.
type curveEvaluation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	*score.CurveReport
}

func evalSpeedCommand(a *app) *cobra.Command {
	var groups bool
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Score predicted step times on measured placements",
		Long: `Speed predicts iterations from three measurements (one GPU, two GPUs of a node, two
GPUs on two nodes), for every other placement that was measured of the same model
and batch, on the tables of Sia, Titan and CHRONUS. PAPER is log2 of the GPUs, OURS
is the default of scheduler/estimate.

The exponents of OURS and the width of its interval come from the other applications
than the one that is scored. Tables are read from --data, or $SCHEDMATE_DATA.`,
		Example: `  schedmate eval speed
  schedmate eval speed --groups
  schedmate eval speed -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := score.Speed(a.beside)
			if err != nil {
				return tableFailure(err)
			}
			doc := &speedEvaluation{schedmate.APIVersion, "SpeedEvaluation", r}
			return a.render(doc, func(w io.Writer) error { return speedTable(w, r, groups) })
		},
	}
	cmd.Flags().String("data", "", "`folder` with traces that the product does not carry (default $SCHEDMATE_DATA)")
	cmd.Flags().BoolVar(&groups, "groups", false, "list each application and kind of GPU too")
	must(cmd.MarkFlagDirname("data"))
	return cmd
}

// tableFailure tells a table that is not there from one that is wrong.
func tableFailure(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(err)
	}
	return asFailure(err)
}

func speedTable(w io.Writer, r *score.SpeedReport, groups bool) error {
	rows := [][]string{{"TABLE", "PREDICTED", "NO ANSWER", "PAPER MEAN", "WORST", "OURS MEAN", "MEDIAN", "WORST", "90% HELD", "WIDTH"}}
	for _, t := range r.Tables {
		rows = append(rows, speedRow(t.Table, strconv.Itoa(t.Unanswered), t.Paper, t.Default, t.Interval))
		if !groups {
			continue
		}
		for _, g := range t.Groups {
			rows = append(rows, speedRow("  "+strings.TrimSpace(g.App+" "+g.GPU), "", g.Paper, g.Default, g.Interval))
		}
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nUniSched reports a mean below 5% and a worst of 16.3% on its own cluster.")
	return err
}

func speedRow(title, unanswered string, paper, ours score.Errors, held score.Coverage) []string {
	return []string{title, strconv.Itoa(ours.Of), unanswered, errorText(paper, paper.Mean), errorText(paper, paper.Worst),
		errorText(ours, ours.Mean), errorText(ours, ours.Median), errorText(ours, ours.Worst), heldText(held), widthText(held)}
}

func evalCurvesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "curves",
		Short: "Score predicted ends of training runs on real learning curves",
		Long: `Curves predicts when a run stops that stops once its metric meets a target, from the
validation points that it had shown by then, and compares with when it did, on the
curves of Sia's applications. Targets are the best metric of the run, 99% of it, and
one beyond it that is never met. The user's limit is the end of the run.

How far forecasts are moved and how wide their intervals are comes from the other
applications than the one that is scored. The table is read from --data, or
$SCHEDMATE_DATA.`,
		Example: `  schedmate eval curves
  schedmate eval curves -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := score.Curves(a.beside)
			if err != nil {
				return tableFailure(err)
			}
			doc := &curveEvaluation{schedmate.APIVersion, "CurveEvaluation", r}
			return a.render(doc, func(w io.Writer) error { return curveTable(w, r) })
		},
	}
	cmd.Flags().String("data", "", "`folder` with traces that the product does not carry (default $SCHEDMATE_DATA)")
	must(cmd.MarkFlagDirname("data"))
	return cmd
}

func curveTable(w io.Writer, r *score.CurveReport) error {
	rows := [][]string{{"TARGET", "SEEN", "PREDICTED", "NO ANSWER", "DURATION MEAN", "MEDIAN", "REMAINING MEAN", "LIMIT MEAN", "OUTLOOK RIGHT", "90% HELD", "WIDTH"}}
	for _, c := range r.Cells {
		rows = append(rows, curveRow(c.Target, c))
	}
	rows = append(rows, curveRow("targets that are met", r.MidRun))
	for _, c := range r.ByApp {
		rows = append(rows, curveRow("  "+c.App, c))
	}
	rows = append(rows, curveRow("all", r.Whole))
	if err := columns(w, rows); err != nil {
		return err
	}
	if len(r.Repeated) > 0 {
		if _, err := fmt.Fprintf(w, "\nLeft out, as it repeats another application's points: %s\n", printable(strings.Join(r.Repeated, ", "))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "\nUniSched reports a mean error of the duration below 10% in mid-run, on its own jobs.\nLIMIT is the error of the duration if the user's limit is the prediction.")
	return err
}

func curveRow(title string, c score.Cell) []string {
	seen := "-"
	if c.Seen > 0 {
		seen = fmt.Sprintf("%.0f%%", 100*c.Seen)
	}
	right := "-"
	if c.Of > 0 {
		right = fmt.Sprintf("%d/%d", c.Right, c.Of)
	}
	return []string{title, seen, strconv.Itoa(c.Of), strconv.Itoa(c.Unanswered), errorText(c.Duration, c.Duration.Mean), errorText(c.Duration, c.Duration.Median),
		errorText(c.Remaining, c.Remaining.Mean), errorText(c.Limit, c.Limit.Mean), right, heldText(c.Interval), widthText(c.Interval)}
}

func errorText(e score.Errors, figure float64) string {
	if e.Of == 0 {
		return "-"
	}
	return percent(figure)
}

func heldText(c score.Coverage) string {
	if c.Of == 0 {
		return "-"
	}
	return percent(c.Share)
}

func widthText(c score.Coverage) string {
	if c.Of == 0 {
		return "-"
	}
	return percent(c.Width)
}
