package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/advisor/history"
	"schedmate/advisor/neighbours"
	"schedmate/eval/traces"
)

func historyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Keep what past jobs did, for estimates",
		Long: `The history is a file in the state folder. Estimates are made from it: how long
jobs of the same or related work took, and how busy their GPUs were.`,
		Example: `  schedmate history import jobs.txt
  schedmate history list
  schedmate history show 1234`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(historyImportCommand(a), historyListCommand(a), historyShowCommand(a), historyExportCommand(a), historyIndexCommand(a))
	return cmd
}

// historyFormats are what can be imported.
var historyFormats = []string{"sacct", "csv", "jsonl"}

// imported is what 'history import' answers.
type imported struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Read       int    `json:"read"`
	New        int    `json:"new"`
	Linked     int    `json:"linked,omitempty"` // runs whose work is known from their submissions
	LeftOut    int    `json:"left_out"`         // rows of jobs without GPUs, or that never ran
	Records    int    `json:"records"`          // in the history now
}

func historyImportCommand(a *app) *cobra.Command {
	var format, submissions string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Take in past jobs",
		Long: `Import takes in what sacct prints with --parsable2, a CSV with the columns id, user,
state, submit_s, start_s and end_s (and, where known, job_name, gpus, nodes, gpu_type
and software), or what 'history export' wrote. Jobs that are known already are left
as they are, so that a file may be imported again. All of a file is taken in, or
nothing of it.

Accounting does not know what a job computed. --submissions names what was submitted,
a line each as 'estimate --submissions' reads it, with the job's id as its id: the
repositories are read as they are now, and the runs serve jobs of the same work.`,
		Example: `  sacct --allusers --allocations --parsable2 --starttime now-90days \
    --format=JobID,User,State,Submit,Start,End,ElapsedRaw,AllocTRES,NNodes,JobName > jobs.txt
  schedmate history import jobs.txt
  schedmate history import other-site.csv
  schedmate history import jobs.txt --submissions submissions.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "" && !slices.Contains(historyFormats, format) {
				return usage(fmt.Errorf("--format must be one of %s, got %q", strings.Join(historyFormats, ", "), format))
			}
			if count(append(slices.Clone(args), submissions), "-") > 1 {
				return usage(errors.New("'-' is named twice, but there is one standard input"))
			}
			return a.historyImport(cmd.Context(), format, submissions, args)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "`format` of the files: sacct, csv or jsonl (default: what their first line looks like)")
	cmd.Flags().StringVar(&submissions, "submissions", "", "`file` with the submissions of these jobs, a line each, by their ids; '-' is standard input")
	must(cmd.MarkFlagFilename("submissions", "jsonl"))
	must(cmd.RegisterFlagCompletionFunc("format", completeFrom(func() []string { return historyFormats })))
	return cmd
}

func (a *app) historyImport(ctx context.Context, format, submissions string, paths []string) (err error) {
	doc := &imported{APIVersion: schedmate.APIVersion, Kind: "HistoryImport"}
	var all []*history.Record
	for _, path := range paths {
		in, err := a.openInput(path)
		if err != nil {
			return err
		}
		records, left, err := readHistory(path, in, format)
		in.Close() // it was only read
		if err != nil {
			return usage(err)
		}
		all, doc.LeftOut = append(all, records...), doc.LeftOut+left
	}
	doc.Read = len(all)
	if submissions != "" {
		if doc.Linked, err = a.linkSubmissions(ctx, submissions, all); err != nil {
			return err
		}
	}
	h, closer, err := a.openHistory(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asFailure(closer())) }()
	if doc.New, err = h.Append(ctx, all...); err != nil {
		return asFailure(err)
	}
	if doc.Records, err = h.Len(); err != nil {
		return asFailure(err)
	}
	if err := neighbours.Teach(h, neighbours.Default(), now()); err != nil {
		return asFailure(err)
	}
	left := ""
	if doc.LeftOut > 0 {
		left = fmt.Sprintf(", %d left out (no GPUs, never ran, or not ended)", doc.LeftOut)
	}
	if submissions != "" {
		left += fmt.Sprintf(", the work of %d known by their submissions", doc.Linked)
	}
	return a.render(doc, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "read %s, %d new%s; the history has %s\n", plural(doc.Read, "run"), doc.New, left, plural(doc.Records, "run"))
		return err
	})
}

// linkSubmissions gives runs the prints of their submissions, and returns to how
// many. A submission that cannot be read is told and leaves its run without.
func (a *app) linkSubmissions(ctx context.Context, file string, records []*history.Record) (int, error) {
	texts, err := a.submissionsByID(ctx, file)
	if err != nil {
		return 0, err
	}
	x, linked := a.analyser(true), 0
	for _, r := range records {
		text, ok := texts[r.ID]
		if !ok || r.Print.Form != 0 {
			continue
		}
		done := analyseText(ctx, x, text, folderOf(file))
		if err := ctx.Err(); err != nil {
			return 0, asFailure(fmt.Errorf("%w; nothing was taken in", err))
		}
		if done.err != nil {
			fmt.Fprintf(a.streams.Err, "note: %s: job %s: %s\n", printable(file), printable(r.ID), printable(shown(done.err.Error())))
			continue
		}
		r.Print = done.analysis.Print
		linked++
	}
	return linked, nil
}

// readHistory reads records in one of the formats; the first line tells which
// if none is named.
func readHistory(name string, r io.Reader, format string) (records []*history.Record, left int, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if format == "" {
		head, _ := in.Peek(4096) // a short file is no error yet
		line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
		switch {
		case bytes.HasPrefix(line, []byte("{")):
			format = "jsonl"
		case bytes.Contains(line, []byte("|")):
			format = "sacct"
		case bytes.Contains(line, []byte(",")):
			format = "csv"
		default:
			return nil, 0, fmt.Errorf("%s: its first line is neither a header of sacct or CSV nor a JSON object: name the --format", name)
		}
	}
	switch format {
	case "jsonl":
		records, err = history.ReadJSONL(name, in)
	case "csv":
		records, err = history.ReadCSV(name, in)
	default:
		return readSacct(name, in)
	}
	return records, 0, err
}

func readSacct(name string, in io.Reader) ([]*history.Record, int, error) {
	runs, left, err := traces.SacctRuns(in, name)
	if err != nil {
		return nil, 0, err
	}
	var records []*history.Record
	for _, r := range runs {
		state, _, _ := strings.Cut(r.State, " ") // CANCELLED by 1000
		record, err := history.Row{
			ID: r.ID, User: r.User, JobName: r.JobName, State: state, SubmitS: r.Submit, StartS: r.Start, EndS: r.End,
			Request: history.Request{GPUs: r.GPUs, Nodes: r.Nodes, GPUType: r.GPUType},
		}.Record()
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		records = append(records, record)
	}
	return records, left, nil
}

// historyDocument is what list and show answer.
type historyDocument struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Total      int               `json:"total"`
	Records    []*history.Record `json:"records"`
}

func historyListCommand(a *app) *cobra.Command {
	most := 20
	var who string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the latest runs",
		Example: `  schedmate history list
  schedmate history list --user alice --most 100`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most < 1 {
				return usage(fmt.Errorf("--most must be at least 1, got %d", most))
			}
			return a.withHistory(cmd.Context(), func(h *history.History) error {
				records, total, err := h.Last(who, most)
				if err != nil {
					return asFailure(err)
				}
				doc := &historyDocument{APIVersion: schedmate.APIVersion, Kind: "History", Total: total, Records: append([]*history.Record{}, records...)}
				return a.render(doc, func(w io.Writer) error { return a.historyTable(w, doc) })
			})
		},
	}
	cmd.Flags().IntVar(&most, "most", most, "`number` of runs to list, the latest first")
	cmd.Flags().StringVar(&who, "user", "", "only runs of this `name`")
	return cmd
}

func historyShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show all that is known of one run",
		Example: "  schedmate history show 1234",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(cmd.Context(), func(h *history.History) error {
				r, ok, err := h.Record(args[0])
				if err != nil {
					return asFailure(err)
				}
				if !ok {
					return notFound(fmt.Errorf("the history has no run %q: 'schedmate history list' shows the latest", args[0]))
				}
				doc := &historyDocument{APIVersion: schedmate.APIVersion, Kind: "History", Total: 1, Records: []*history.Record{r}}
				return a.render(doc, func(w io.Writer) error { return recordText(w, r) })
			})
		},
	}
}

func historyExportCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "export",
		Short:   "Write all runs as JSON lines, for 'history import'",
		Example: "  schedmate history export > history.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("output") {
				return usage(errors.New("export writes JSON lines, the only form that import takes back: leave --output out; 'history list' and 'show' have it"))
			}
			return a.withHistory(cmd.Context(), func(h *history.History) error {
				return asFailure(h.WriteJSONL(a.streams.Out))
			})
		},
	}
}

// indexed is what 'history index' answers.
type indexed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Records    int    `json:"records"`
	Works      int    `json:"works"` // distinct ones
}

func historyIndexCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "index",
		Short: "Make the index of the history anew",
		Long: `Index makes anew what lets an estimate read a few runs instead of all. It is made
and kept by 'history import'; only a history of an older program, or one whose index
is damaged, needs this command. The runs themselves are left as they are.`,
		Example: "  schedmate history index",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.historyIndex(cmd.Context())
		},
	}
}

func (a *app) historyIndex(ctx context.Context) (err error) {
	path, err := a.historyFile()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); missingFile(err) { // to ask must not begin a history
		return a.noHistory()
	}
	h, closer, err := a.openHistory(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asFailure(closer())) }()
	doc := &indexed{APIVersion: schedmate.APIVersion, Kind: "HistoryIndex"}
	if !h.IndexedAnew() {
		err = h.Reindex(ctx)
	}
	if err == nil {
		err = neighbours.Teach(h, neighbours.Default(), now())
	}
	if err == nil {
		doc.Records, err = h.Len()
	}
	if err == nil {
		doc.Works, err = h.WorkCount()
	}
	if err != nil {
		return asFailure(err)
	}
	return a.render(doc, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "indexed %s of %s\n", plural(doc.Records, "run"), plural(doc.Works, "distinct work"))
		return err
	})
}

func now() schedmate.Seconds { return schedmate.Seconds(time.Now().Unix()) }

func (a *app) noHistory() error {
	path, _ := a.historyFile() // it was opened
	return notFound(fmt.Errorf("read %s: there is no history yet: 'schedmate history import FILE' begins one", path))
}

// withHistory works on the history that is there.
func (a *app) withHistory(ctx context.Context, work func(*history.History) error) (err error) {
	h, closer, err := a.openHistory(ctx, false)
	if err != nil {
		return err
	}
	if h == nil {
		return a.noHistory()
	}
	defer func() { err = errors.Join(err, asFailure(closer())) }()
	return work(h)
}

func (a *app) historyTable(w io.Writer, d *historyDocument) error {
	rows := [][]string{{"ID", "USER", "NAME", "GPUS", "TYPE", "STATE", "ENDED", "TOOK"}}
	for _, r := range d.Records {
		rows = append(rows, []string{r.ID, r.User, r.JobName, strconv.Itoa(r.GPUs), r.GPUType, string(r.State), instant(r.EndS), human(r.Duration())})
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	if err := a.fittingColumns(w, rows, "TYPE", "ENDED"); err != nil {
		return err
	}
	if d.Total > len(d.Records) {
		_, err := fmt.Fprintf(w, "%d of %d runs\n", len(d.Records), d.Total)
		return err
	}
	return nil
}

func instant(t schedmate.Seconds) string {
	return time.Unix(int64(t), 0).UTC().Format("2006-01-02 15:04:05")
}

func recordText(w io.Writer, r *history.Record) error {
	rows := [][]string{
		{"id", r.ID}, {"user", r.User}, {"name", r.JobName}, {"gpus", strconv.Itoa(r.GPUs)}, {"gpu type", r.GPUType}, {"nodes", strconv.Itoa(r.Nodes)},
		{"state", string(r.State)}, {"submitted", instant(r.SubmitS)}, {"started", instant(r.StartS)}, {"ended", instant(r.EndS)}, {"took", human(r.Duration())},
		{"software", r.Software},
	}
	if u := r.Utilisation; u != nil {
		rows = append(rows, []string{"GPU use", fmt.Sprintf("%.0f%%", u.Mean)})
	}
	if r.Print.Form != 0 {
		rows = append(rows, []string{"work", r.Print.Workload}, []string{"cost", r.Print.Cost})
		for line := range strings.Lines(r.Print.Fields.Text()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			rows = append(rows, []string{"  " + name, value})
		}
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" })
	return columns(w, rows)
}
