package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"go.yaml.in/yaml/v3"

	"schedmate"
	"schedmate/internal/docfile"
)

// render writes v as JSON or YAML, or calls table for people.
func (a *app) render(v any, table func(io.Writer) error) error {
	switch a.config.Output {
	case "json":
		return asFailure(writeJSON(a.streams.Out, v))
	case "yaml":
		return asFailure(writeYAML(a.streams.Out, v))
	}
	return asFailure(table(a.streams.Out))
}

// columnGap is the blanks between two columns.
const columnGap = 3

// columns writes rows of cells as aligned columns, the first row as a header.
func columns(w io.Writer, rows [][]string) error {
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 8, columnGap, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = printable(row[i])
		}
		if _, err := fmt.Fprintln(tw, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// printable makes text from outside harmless on a terminal: control and format
// characters, and what parts lines and paragraphs, become escapes.
func printable(s string) string {
	if !strings.ContainsFunc(s, unsafeRune) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafeRune(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unsafeRune(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r >= unicode.ReplacementChar && r <= '\uffff'
}

// humanSeconds writes a duration as people do: 45s, 12m05s, 2h31m, 3d04h. It is
// rounded to the last unit shown.
func humanSeconds(s float64) string {
	t := int64(math.Round(s))
	switch {
	case s < 0:
		return "-" + humanSeconds(-s)
	case s < 59.95 && s != math.Trunc(s):
		return fmt.Sprintf("%.1fs", s)
	case t < 60:
		return fmt.Sprintf("%ds", t)
	case t < 3600:
		return fmt.Sprintf("%dm%02ds", t/60, t%60)
	}
	if m := int64(math.Round(s / 60)); m < 24*60 {
		return fmt.Sprintf("%dh%02dm", m/60, m%60)
	}
	h := int64(math.Round(s / 3600))
	return fmt.Sprintf("%dd%02dh", h/24, h%24)
}

func human(t schedmate.Seconds) string { return humanSeconds(float64(t)) }

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

func optionalPercent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100**share)
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// some lists names, the first few of many.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// writeJSON writes v as a document that no text in it can steer a terminal with.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := docfile.Write(&text, docfile.JSON, v); err != nil {
		return err
	}
	_, err := w.Write(harmless(text.Bytes()))
	return err
}

// writeYAML writes the JSON form of v as YAML, so that the two always agree.
func writeYAML(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(escaped(raw, yamlEscape), &tree); err != nil { // JSON is YAML, if no control characters stand in it
		return fmt.Errorf("encode %T: %w", v, err)
	}
	blockStyle(&tree)
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&tree), enc.Close()); err != nil {
		return fmt.Errorf("write %T: %w", v, err)
	}
	_, err = w.Write(escaped(text.Bytes(), yamlEscape))
	return err
}

// yamlEscape writes a character as YAML does within double quotes.
func yamlEscape(r rune) string { return fmt.Sprintf(`\U%08x`, r) }

// blockStyle takes the braces and quotes of JSON away where YAML needs none. Words
// that older readers take for true or false keep them, and so does what can only be
// written as an escape.
func blockStyle(n *yaml.Node) {
	quoted := n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0
	n.Style = 0
	if quoted && (slices.Contains([]string{"yes", "no", "on", "off", "y", "n"}, strings.ToLower(n.Value)) || strings.ContainsFunc(n.Value, steers)) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		blockStyle(child)
	}
}
