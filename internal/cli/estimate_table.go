package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"schedmate/advisor/workload"
)

// estimateTable shows people what is known of one job.
func (a *app) estimateTable(w io.Writer, d *estimateDocument) error {
	rows := [][]string{{"FIELD", "VALUE", "FROM"}}
	for _, f := range fieldsInOrder() {
		if v, ok := d.Fields[f]; ok {
			rows = append(rows, []string{string(f), valueText(v), d.Layers[f]})
		}
	}
	if !workKnown(d) {
		if _, err := fmt.Fprint(w, "Nothing is known of what this job would do; the reasons are below.\n\n"); err != nil {
			return err
		}
	}
	if d.Runs > 1 {
		rows = append(rows, []string{"runs", strconv.Itoa(d.Runs), "the submission makes as many runs of this work"})
	}
	if len(rows) > 1 {
		if err := a.fittingColumns(w, rows, "FROM"); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", text)
	}
	section := func(title string, lines [][]string) {
		if len(lines) == 0 {
			return
		}
		widest := 0
		for _, line := range lines {
			widest = max(widest, len(line[0]))
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "  %-*s  %s\n", widest+1, line[0]+":", line[1])
		}
	}
	section("Undecided:", undecided(d))
	section("Not known:", notKnown(d))
	fmt.Fprintf(&b, "\n%s", estimateText(d.Estimate))
	fmt.Fprintf(&b, "Read: %s, %s\n", plural(len(d.FilesRead), "file"), sizeText(d.BytesRead))
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, printable(strings.TrimRight(line, " \n"))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func undecided(d *estimateDocument) (lines [][]string) {
	for _, f := range fieldsInOrder() {
		var texts []string
		for _, v := range d.Candidates[f] {
			texts = append(texts, valueText(v))
		}
		if len(texts) > 0 {
			lines = append(lines, []string{string(f), strings.Join(texts, " or ")})
		}
	}
	return lines
}

// workKnown tells whether a field beyond what was asked of the cluster is known.
func workKnown(d *estimateDocument) bool {
	for _, f := range workload.Fields() {
		asked := f == workload.GPUsTotal || f == workload.GPUsPerNode || f == workload.Nodes
		if _, ok := d.Fields[f]; !asked && (ok || len(d.Candidates[f]) > 0) {
			return true
		}
	}
	return false
}

// untold is the reason of a field that has no other.
const untold = "nothing that was read tells it, or it has no meaning for this work"

// notKnown lists the fields without a value; those with one reason together.
func notKnown(d *estimateDocument) (lines [][]string) {
	var reasons []string
	of := map[string][]string{}
	for _, f := range fieldsInOrder() {
		if _, known := d.Fields[f]; known || len(d.Candidates[f]) > 0 {
			continue
		}
		why, ok := d.Unknown[f]
		if !ok {
			why = untold
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		of[why] = append(of[why], string(f))
	}
	for _, why := range reasons {
		name := strings.Join(of[why], ", ")
		if len(of[why]) == len(workload.Fields()) {
			name = "everything"
		} else if len(of[why]) > 4 {
			name = some(of[why], 3)
		}
		lines = append(lines, []string{name, why})
	}
	return lines
}

func valueText(v any) string {
	switch x := v.(type) {
	case float64:
		return numberText(x)
	case []float64:
		var texts []string
		for _, n := range x {
			texts = append(texts, valueText(n))
		}
		return strings.Join(texts, ", ")
	}
	return fmt.Sprint(v)
}

// estimateText is what the history says, for people.
func estimateText(e *estimated) string {
	if e == nil {
		return "Duration: not known, there is no history; 'schedmate history import' takes in past jobs\n"
	}
	var b strings.Builder
	because := "not better: "
	if e.Seconds == nil {
		because = ""
		fmt.Fprintf(&b, "Duration: not known, for none of %s serves\n", plural(e.Records, "past run"))
	} else {
		most := strings.TrimSuffix(percent(e.Coverage), ".0%") + "% of such jobs take"
		if e.Observed < enoughObserved {
			most = "by rule of thumb"
		}
		fmt.Fprintf(&b, "Duration: %s, %s %s to %s (%s)\n", humanSeconds(*e.Seconds), most, humanSeconds(*e.Low), humanSeconds(*e.High), rungText(string(e.Rung)))
	}
	if e.SMUtil != nil {
		fmt.Fprintf(&b, "GPU use: %.0f%% after the start\n", *e.SMUtil)
	}
	var basis [][]string
	for _, n := range e.Basis {
		basis = append(basis, []string{"  " + n.ID, n.State, "says " + humanSeconds(n.Seconds), n.Why})
	}
	_ = columns(&b, basis) // a builder takes all
	for _, why := range e.LeftOut {
		fmt.Fprintf(&b, "  not used: %s\n", why)
	}
	for _, why := range e.Fallbacks {
		fmt.Fprintf(&b, "  %s%s\n", because, why)
	}
	return b.String()
}

func rungText(rung string) string {
	switch rung {
	case "exact":
		return "runs of the same work"
	case "scaled":
		return "runs of the same work in another amount"
	case "neighbours":
		return "runs of related work"
	case "name":
		return "this user's runs of that name"
	}
	return rung
}
