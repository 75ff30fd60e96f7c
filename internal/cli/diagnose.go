package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"schedmate"
	"schedmate/failure"
	"schedmate/failure/memory"
	"schedmate/failure/report"
	"schedmate/internal/redact"
)

// diagnoseFlags are the flags of diagnose.
type diagnoseFlags struct {
	jsonl    bool
	report   []string
	language string
	rules    string
	addRules string
	memory   string
	remember string
	unpacked byteSize
	cluster  clusterFlags
}

func diagnoseCommand(a *app) *cobra.Command {
	f := diagnoseFlags{unpacked: byteSize(readOnce().unpacked), language: "en"}
	cmd := &cobra.Command{
		Use:   "diagnose (FILE... | slurm:JOB | -)",
		Short: "Find out from logs why a job failed",
		Long: `Diagnose finds the first true error among the lines of a failed job, says who has
to act (the operator of the cluster, the owner of the software stack, or who
submitted the job), names the part and the node, and whether the unchanged job
would get past it. Each sentence stands on a quoted line; what the logs do not
show is "not determined".

The files are one incident: logs of ranks, of the kernel, events of a scheduler.
With --jsonl each file is an incident of its own. Logs may be packed with gzip;
'-' is standard input. Nothing is done to any node or job.

A job of Slurm, as in slurm:1234, stands for its logs together with what Slurm has
recorded of its end and of its nodes.`,
		Example: `  schedmate diagnose train.log
  schedmate diagnose rank*.log dmesg.log --report incident.html
  schedmate diagnose slurm:1234
  schedmate diagnose --jsonl logs/*.log
  kubectl logs job/train | schedmate diagnose -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the logs of the job, a job such as slurm:1234, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return usage(err)
			}
			rules, err := f.ruleSet()
			if err != nil {
				return err
			}
			if err := f.cluster.check(cmd); err != nil {
				return err
			}
			inputs, err := a.incidentInputs(cmd.Context(), &f.cluster, args, f.jsonl)
			if err != nil {
				return err
			}
			if f.jsonl {
				return a.diagnoseEach(cmd.Context(), &f, rules, inputs)
			}
			return a.diagnose(cmd.Context(), &f, rules, together(inputs))
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.jsonl, "jsonl", false, "each file is an incident: one JSON object a file, in the order of the files")
	fl.StringArrayVar(&f.report, "report", nil, "write the report to this `file`, out.html or out.md; may be given several times")
	fl.StringVar(&f.language, "language", f.language, "`language` of the report: en or zh")
	fl.StringVar(&f.rules, "rules", "", "`folder` of rules to go by instead of the built-in ones")
	fl.StringVar(&f.addRules, "add-rules", "", "`folder` of rules to go by beside the built-in ones")
	fl.Var(&f.unpacked, "max-unpacked", "the `size` up to which one log may unpack")
	fl.String("parallel", "", "`number` of incidents diagnosed at a time (default: one a processor)") // read by configure
	fl.StringVar(&f.memory, "memory", "", "`file` of past incidents: says whether this one was seen before, and what helped")
	fl.StringVar(&f.remember, "remember", "", "add this incident to the --memory under this `name`")
	f.cluster.registerLive(cmd)
	must(cmd.MarkFlagFilename("memory"))
	must(cmd.MarkFlagDirname("rules"))
	must(cmd.MarkFlagDirname("add-rules"))
	must(cmd.MarkFlagFilename("report", "html", "md"))
	must(cmd.RegisterFlagCompletionFunc("language", completeFrom(func() []string { return []string{"en", "zh"} })))
	return cmd
}

// check refuses what cannot be meant.
func (f *diagnoseFlags) check(cmd *cobra.Command, files []string) error {
	switch {
	case slices.Contains(files, ""):
		return errors.New("a log has an empty name: name the files")
	case count(files, "-") > 1:
		return errors.New("'-' is named twice, but there is one standard input")
	case f.jsonl && len(f.report) > 0:
		return errors.New("--report is about one incident: leave --jsonl out, or diagnose the files one by one")
	case f.jsonl && (f.memory != "" || f.remember != ""):
		return errors.New("--memory is about one incident: leave --jsonl out, or diagnose the files one by one")
	case f.rules != "" && f.addRules != "":
		return errors.New("--add-rules adds to the built-in rules, and --rules goes without them: leave one out, or put all files into one folder")
	case f.remember != "" && f.memory == "":
		return errors.New("--remember needs --memory, the file to add it to")
	case f.language != "en" && f.language != "zh":
		return fmt.Errorf("--language must be en or zh, got %q", f.language)
	}
	for _, path := range f.report {
		if ext := filepath.Ext(path); ext != ".html" && ext != ".md" {
			return fmt.Errorf("--report %q must end in .html or .md", path)
		}
		if f.memory != "" && samePlace(path, f.memory) {
			return fmt.Errorf("--report %s is the --memory, too: name another file for the report", path)
		}
	}
	return oneFormat(cmd, f.jsonl)
}

// ruleSet is what the flags say the lines are judged by.
func (f *diagnoseFlags) ruleSet() (*failure.RuleSet, error) {
	flag, folder, read := "--rules", f.rules, failure.ReadRules
	if f.addRules != "" {
		flag, folder, read = "--add-rules", f.addRules, failure.AddRules
	}
	if folder == "" {
		return failure.Default(), nil
	}
	if info, err := os.Stat(folder); err != nil {
		return nil, notFound(fmt.Errorf("%s %s: %w: check the path", flag, folder, errors.Unwrap(err)))
	} else if !info.IsDir() {
		return nil, usage(fmt.Errorf("%s %s: is a file: name the folder that holds the rules", flag, folder))
	}
	set, err := read(os.DirFS(folder))
	if err != nil {
		return nil, usage(fmt.Errorf("%s %s: %w", flag, folder, err))
	}
	return set, nil
}

// incidentLog is a log as the handler reads it, and the bytes that were read of
// it.
func (a *app) incidentLog(f *diagnoseFlags, path string, read *int64) failure.Log {
	return failure.Log{Name: path, Open: func() (io.ReadCloser, error) {
		in, closer, err := a.openLog(path)
		if err != nil {
			return nil, err
		}
		counted := &countedReader{r: unshrunk(in)}
		unpacked, _, err := unpack(counted, int64(f.unpacked))
		if err != nil {
			closer.Close() // it was only read
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		return &openedLog{Reader: &bounded{unpacked, int64(f.unpacked), counted}, Closer: closer, stored: counted, read: read}, nil
	}}
}

// openedLog tells how much was read when it is closed.
type openedLog struct {
	io.Reader
	io.Closer
	stored *countedReader
	read   *int64
}

func (o *openedLog) Close() error {
	*o.read = max(*o.read, o.stored.n)
	return o.Closer.Close()
}

// diagnosed is an incident and what it took to read it.
type diagnosed struct {
	*failure.Incident
	files        []string
	remembered   failure.Text // what the memory of past incidents says
	bytesRead    int64
	milliseconds float64
}

// incident reads the files as one incident, and checks each quote against them. A
// pipe that nobody writes to is left behind when the context ends.
func (a *app) incident(ctx context.Context, f *diagnoseFlags, rules *failure.RuleSet, in incidentInput) (*diagnosed, error) {
	start := time.Now()
	out := &diagnosed{files: in.names()}
	read := make([]int64, len(in.files))
	logs, again := slices.Clone(in.records), slices.Clone(in.records)
	for i, path := range in.files {
		log := a.incidentLog(f, path, &read[i])
		logs = append(logs, withSteps(log))
		if readsAgain(path) {
			again = append(again, log)
		}
	}
	err := interruptible(ctx, func() error {
		return contained(func() (err error) {
			if out.Incident, err = failure.Diagnose(ctx, rules, logs); err != nil {
				return err
			}
			in.job.restrain(out.Incident)
			if err := out.Diagnosis.Validate("diagnosis"); err != nil {
				return fmt.Errorf("the diagnosis contradicts itself: %w: report this with the log", err)
			}
			return failure.Verify(ctx, again, quotesOf(&out.Diagnosis))
		})
	})
	if err != nil {
		return nil, err
	}
	for _, n := range read {
		out.bytesRead += n
	}
	out.milliseconds = milliseconds(time.Since(start))
	return out, nil
}

// quotesOf are all lines that a diagnosis quotes.
func quotesOf(d *schedmate.Diagnosis) []schedmate.Quote {
	quotes := append(slices.Clone(d.Evidence), d.Witnesses...)
	for _, also := range d.Also {
		quotes = append(quotes, schedmate.Quote{File: also.File, Line: also.Line, Byte: also.Byte, Text: also.Text})
	}
	return quotes
}

// diagnoseEach takes each file as an incident of its own.
func (a *app) diagnoseEach(ctx context.Context, f *diagnoseFlags, rules *failure.RuleSet, inputs []incidentInput) error {
	failed := false
	for line := range inOrder(ctx, a.config.Parallel, inputs, func(ctx context.Context, in incidentInput) *diagnosisLine {
		d, err := a.incident(ctx, f, rules, in)
		if err != nil {
			return &diagnosisLine{File: validText(in.name), Error: validText(err.Error())}
		}
		d.Diagnosis = redact.Redactor{}.Diagnosis(d.Diagnosis)
		return newDiagnosisLine(in.name, d, f.language)
	}) {
		failed = failed || line.Error != ""
		if err := writeLine(a.streams.Out, line); err != nil {
			return asFailure(fmt.Errorf("write standard output: %w", err))
		}
	}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all logs were read", err))
	}
	if failed {
		return &codedError{code: ExitFailure}
	}
	return nil
}

// diagnose takes the files as one incident.
func (a *app) diagnose(ctx context.Context, f *diagnoseFlags, rules *failure.RuleSet, in incidentInput) error {
	reports := &outputs{}
	defer reports.abandon()
	pages := make([]*outputFile, len(f.report))
	for i, path := range f.report {
		if err := reports.open(&pages[i], path); err != nil {
			return asFailure(err)
		}
	}
	if err := reports.spares(in.files); err != nil {
		return asFailure(err)
	}
	past, err := f.recall()
	if err != nil {
		return asFailure(err)
	}
	d, err := a.incident(ctx, f, rules, in)
	if err != nil {
		return asFailure(err)
	}
	now := time.Now()
	hidden := redact.Redactor{}
	d.Diagnosis = hidden.Diagnosis(d.Diagnosis)
	if past != nil {
		seen := past.Recall(f.remember, schedmate.Seconds(now.Unix()), &d.Diagnosis)
		at := schedmate.Seconds(now.Unix())
		d.Diagnosis, d.remembered = seen.Annotate(d.Diagnosis), failure.Text{English: seen.Sentence(at), Chinese: seen.ChineseSentence(at)}
	}
	if f.remember != "" {
		if err := f.append(now, &d.Diagnosis); err != nil {
			return asFailure(err)
		}
	}
	doc := newDiagnosisDocument(d, f.language)
	for i, page := range pages {
		if err := f.writeReport(page.w, rules, d, doc, now, f.report[i]); err != nil {
			return asFailure(fmt.Errorf("%s: %w", f.report[i], err))
		}
		if err := page.commit(); err != nil {
			return asFailure(err)
		}
	}
	return a.render(doc, func(w io.Writer) error {
		o := report.Options{Format: report.Text, Language: report.Language(f.language), Now: now, Redact: hidden.Redact, Chinese: rules.Chinese, Remembered: d.remembered}
		if a.terminal() {
			o.Colour = true
			o.Rows = 24
			if width, height, err := term.GetSize(int(a.streams.Out.(*os.File).Fd())); err == nil && width > 0 && height > 0 {
				o.Width, o.Rows = width, height
			}
		}
		return report.Write(w, d.Incident, o)
	})
}

// writeReport writes the report to one file, in the form that its name says.
func (f *diagnoseFlags) writeReport(w io.Writer, rules *failure.RuleSet, d *diagnosed, doc *diagnosisDocument, now time.Time, path string) error {
	machine, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	o := report.Options{Format: report.Markdown, Language: report.Language(f.language), Now: now, Redact: redact.Redact, Chinese: rules.Chinese, Remembered: d.remembered, JSON: machine}
	if filepath.Ext(path) == ".html" {
		o.Format, o.Both = report.HTML, true
	}
	return report.Write(w, d.Incident, o)
}

// recall reads the memory of past incidents, nil when none is named. A file that
// does not exist yet remembers nothing.
func (f *diagnoseFlags) recall() (*memory.Memory, error) {
	if f.memory == "" {
		return nil, nil
	}
	if err := mustBeFile(f.memory); err != nil {
		return nil, err
	}
	in, err := os.Open(f.memory)
	if errors.Is(err, fs.ErrNotExist) && f.remember != "" {
		return memory.New(nil), nil
	}
	if err != nil {
		return nil, notFound(fmt.Errorf("read %s: %w: check the path, or add --remember to begin it", f.memory, errors.Unwrap(err)))
	}
	defer in.Close() // it is only read
	file, err := memory.Read(f.memory, in)
	if err != nil {
		return nil, err
	}
	if file.Cut || file.Unended {
		return nil, fmt.Errorf("read %s: its last line has no end: a writer was stopped; cut the file to %d bytes", f.memory, file.Whole)
	}
	return memory.New(file.Records), nil
}

// append remembers an incident. Its text has been redacted.
func (f *diagnoseFlags) append(now time.Time, d *schedmate.Diagnosis) error {
	record, ok := memory.NewRecord(f.remember, schedmate.Seconds(now.Unix()), d, "", "")
	if !ok {
		return nil // there is nothing to recognise it by
	}
	out, err := os.OpenFile(f.memory, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w: does the folder exist, and may you write there?", f.memory, errors.Unwrap(err))
	}
	return errors.Join(memory.Append(out, record), out.Close())
}
