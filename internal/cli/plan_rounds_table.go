package cli

import (
	"fmt"
	"io"
	"strconv"

	"schedmate/scheduler/milp/roundfile"
)

// roundsDocument is what plan --rounds answers without --jsonl: the same objects,
// in one document.
type roundsDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Answers    []any  `json:"answers"` // *roundfile.Answer or *unansweredRound, in the order of the cases
}

// roundsTable shows answers, a row each. What cannot be answered says so in its row.
func roundsTable(w io.Writer, d *roundsDocument) error {
	rows := [][]string{{"CASE", "ANSWER", "OBJECTIVE", "BOUND", "GAP", "ENGINE", "PROMISED", "LATE"}}
	for _, object := range d.Answers {
		switch x := object.(type) {
		case *roundfile.Answer:
			rows = append(rows, []string{
				x.Name, roundText(x), optional(x.Objective, plainNumber), optional(x.Bound, plainNumber), optional(x.Gap, gapText),
				orDash(x.Engine), optional(x.Promised, strconv.Itoa), optional(x.Late, strconv.Itoa),
			})
		case *unansweredRound:
			name := x.Name
			if name == "" {
				name = x.File
			}
			rows = append(rows, []string{name, "error: " + x.Error, "-", "-", "-", "-", "-", "-"})
		}
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(w, "No case is in the file.")
		return err
	}
	return columns(w, rows)
}

// roundText is the answer to the question of a case.
func roundText(x *roundfile.Answer) string {
	switch {
	case x.Objective != nil && *x.Gap == 0:
		return "optimal plan"
	case x.Objective != nil:
		return "plan"
	case x.Admit != nil && *x.Admit:
		return "yes, it can be promised"
	case x.Admit != nil && x.ShortBy > 0:
		return fmt.Sprintf("no: %s short by slot %d", plural(x.ShortBy, "GPU-lease"), x.BindingSlot)
	case x.Admit != nil:
		return "no: no calendar holds whole gangs"
	case x.Fits != nil && *x.Fits:
		return "the cells fit"
	case x.Fits != nil:
		return "the cells do not fit"
	case x.ExpectedRuns != nil:
		return plainNumber(*x.ExpectedRuns) + " runs expected"
	}
	return "-"
}

func optional[T any](x *T, text func(T) string) string {
	if x == nil {
		return "-"
	}
	return text(*x)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// gapText is a gap in per cent; what is not 0 is not written as 0.
func gapText(gap float64) string {
	switch {
	case gap == 0:
		return "0%"
	case gap < 0.00005:
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", 100*gap)
}
