package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/logs/series"
	"schedmate/tracker"
)

// trackFlags are the flags of track.
type trackFlags struct {
	jsonl, explain bool
	arrivals       string
	whole          bool
	unpacked       byteSize

	follow   bool
	globs    []string
	interval time.Duration
	memory   byteSize
	resume   string

	cluster clusterFlags
}

// trackDocument is what track answers with -o json or yaml.
type trackDocument struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Logs       []*trackedLog `json:"logs"`
}

func trackCommand(a *app) *cobra.Command {
	f := trackFlags{unpacked: byteSize(readOnce().unpacked), memory: 1 << 30}
	cmd := &cobra.Command{
		Use:   "track [FILE... | slurm:JOB... | -]",
		Short: "Read the progress of training jobs out of their logs",
		Long: `Track says for each log how far the job is: step, step time, throughput, loss,
validation metrics, slowdowns. It knows no framework: it looks for numbers that
behave as those of training do. What the log does not say, or not surely, is left
out; a log without training gives nothing.

Instead of files, running jobs of Slurm may be named; without any it is all of
yours. For them it says, too, when they are complete and whether their time limit
comes first.

Logs may be packed with gzip. '-' is standard input. Long files are read at both
ends only, so that size costs no time.

With --follow it goes on as the logs grow, for any number of files, through
rotation, truncation and deletion: one JSON line for a file whenever its progress
changes, or a live table on a terminal.`,
		Example: `  schedmate track train.log
  schedmate track slurm:1234
  schedmate track --explain train.log
  schedmate track --jsonl logs/*.log
  schedmate track --follow --glob '/var/log/pods/*/*/*.log' --resume pods
  kubectl logs job/train | schedmate track -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.cluster.check(cmd); err != nil {
				return err
			}
			jobs, named := f.cluster.namesJobs(args)
			if jobs > 0 || named == 0 && len(f.globs) == 0 {
				if err := f.checkJobs(cmd, named); err != nil {
					return usage(err)
				}
				return a.trackJobs(cmd.Context(), &f, args)
			}
			if err := f.check(args); err != nil {
				return usage(err)
			}
			if err := f.checkTogether(cmd); err != nil {
				return usage(err)
			}
			if f.follow {
				return a.trackFollow(cmd.Context(), &f, args)
			}
			return a.track(cmd.Context(), &f, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.jsonl, "jsonl", false, "one JSON object a log, in the order of the files, each as soon as it is ready")
	fl.BoolVar(&f.explain, "explain", false, "say why each value is believed, and what was rejected")
	fl.StringVar(&f.arrivals, "arrivals", "", "gzip `file` that says when each piece of the one log arrived; see docs/track.md")
	fl.BoolVar(&f.whole, "whole", false, "read long files from end to end")
	fl.Var(&f.unpacked, "max-unpacked", "the `size` up to which one log may unpack")
	fl.String("parallel", "", "`number` of logs read at a time (default: one a processor)") // read by configure
	fl.BoolVar(&f.follow, "follow", false, "go on as the logs grow, until interrupted")
	fl.StringArrayVar(&f.globs, "glob", nil, "with --follow: also the files that match this `pattern`, now or later; may be given several times")
	fl.DurationVar(&f.interval, "interval", 30*time.Second, "with --follow: the least `time` between two lines about one file")
	fl.Var(&f.memory, "memory", "with --follow: the `size` of what is remembered of all logs; what goes is read again when needed")
	fl.StringVar(&f.resume, "resume", "", "with --follow: go on where the process of this `name` stopped; kept in the state folder")
	f.cluster.registerLive(cmd)
	must(cmd.MarkFlagFilename("arrivals"))
	return cmd
}

// check refuses what cannot be meant.
func (f *trackFlags) check(files []string) error {
	stdin := slices.Contains(files, "-")
	switch {
	case slices.Contains(files, ""):
		return errors.New("a log has an empty name: name the files")
	case stdin && len(files)+len(f.globs) > 1 && f.follow:
		return errors.New("'-' cannot be followed beside files: run a process for each")
	case count(files, "-") > 1:
		return errors.New("'-' is named twice, but there is one standard input")
	case f.arrivals != "" && len(files) != 1:
		return fmt.Errorf("--arrivals is about one log, not %d: name its log alone", len(files))
	case f.arrivals != "" && f.follow:
		return errors.New("--arrivals is about a log of the past: leave --follow out")
	case !f.follow && (len(f.globs) > 0 || f.resume != ""):
		return errors.New("--glob and --resume need --follow")
	case stdin && f.resume != "":
		return errors.New("--resume is about files: standard input cannot be read again")
	case f.interval < 0:
		return fmt.Errorf("--interval must not be negative, got %v", f.interval)
	case f.resume != "" && !fileName(f.resume):
		return fmt.Errorf("--resume %q is no name: use letters, digits, '-' and '_'", f.resume)
	}
	return nil
}

// checkTogether refuses flags that say nothing, or two things, beside others.
func (f *trackFlags) checkTogether(cmd *cobra.Command) error {
	for _, name := range []string{"interval", "memory"} {
		if !f.follow && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s needs --follow", name)
		}
	}
	return oneFormat(cmd, f.jsonl)
}

// oneFormat refuses --jsonl beside a format of --output.
func oneFormat(cmd *cobra.Command, jsonl bool) error {
	if jsonl && cmd.Flags().Changed("output") {
		return errors.New("--jsonl and --output are two formats: leave one out")
	}
	return nil
}

func count(list []string, what string) int {
	n := 0
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// fileName tells whether a text is safe as the name of a file.
func fileName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// reading says how a log is read once.
func (f *trackFlags) reading() reading {
	r := readOnce()
	r.unpacked, r.whole = int64(f.unpacked), f.whole
	return r
}

// track reads each log once.
func (a *app) track(ctx context.Context, f *trackFlags, files []string) error {
	var logs []*trackedLog
	unreadable, missing := 0, 0
	for t := range a.readLogs(ctx, f, files) {
		if t.err != nil {
			unreadable++
			if exitCodeOf(t.err) == ExitNotFound {
				missing++
			}
		}
		if f.jsonl {
			if err := writeLine(a.streams.Out, t.line(f.explain)); err != nil {
				return asFailure(fmt.Errorf("write standard output: %w", err))
			}
			continue
		}
		logs = append(logs, t)
		if t.err != nil {
			fmt.Fprintf(a.streams.Err, "schedmate: %s\n", printable(t.Error))
		}
	}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all logs were read", err))
	}
	if !f.jsonl {
		if !f.explain {
			for _, t := range logs {
				t.Notes = nil
			}
		}
		doc := &trackDocument{schedmate.APIVersion, "TrackReport", logs}
		err := a.render(doc, func(w io.Writer) error {
			if f.explain {
				return explainLogs(w, logs)
			}
			rows := trackRows(logs, a.hasRoom())
			if len(rows) == 1 {
				return nil // errors have said it all
			}
			return a.fittingColumns(w, rows, spareOfTrack...)
		})
		if err != nil {
			return err
		}
	}
	switch {
	case unreadable == 0:
		return nil
	case unreadable == missing && !f.jsonl:
		return &codedError{code: ExitNotFound}
	}
	return &codedError{code: ExitFailure}
}

// exitCodeOf returns the exit code that an error carries, else that of a failure.
func exitCodeOf(err error) int {
	var coded *codedError
	if errors.As(err, &coded) {
		return coded.code
	}
	return ExitFailure
}

// readLogs yields what is known of each log, in the order of the files. Several
// are read at a time. It ends early when the context does.
func (a *app) readLogs(ctx context.Context, f *trackFlags, files []string) func(yield func(*trackedLog) bool) {
	return inOrder(ctx, a.config.Parallel, files, func(ctx context.Context, file string) *trackedLog { return a.readLog(ctx, f, file) })
}

// readLog reads one log. What goes wrong is told in the result.
func (a *app) readLog(ctx context.Context, f *trackFlags, file string) *trackedLog {
	start := time.Now()
	t := &trackedLog{File: validText(file)}
	in, closer, err := a.openLog(file)
	if err == nil {
		err = contained(func() error { return readOpened(ctx, f, t, in) })
		closer.Close() // it was only read
		if err != nil {
			err = fmt.Errorf("read %s: %w", file, err)
		}
	}
	if err != nil {
		t.err, t.Error = err, validText(err.Error())
	}
	t.Milliseconds = milliseconds(time.Since(start))
	return t
}

// readOpened takes what an open log says.
func readOpened(ctx context.Context, f *trackFlags, t *trackedLog, in source) (err error) {
	var state *tracker.State
	if f.arrivals != "" {
		state = tracker.New(series.DefaultLimits)
		t.BytesRead, err = feedArrivals(ctx, state, in, f)
	} else {
		state, t.BytesRead, err = f.reading().state(ctx, in)
	}
	if err == nil {
		t.Progress, t.Notes, err = readProgress(state)
	}
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// hasRoom tells whether results go to a terminal that is wide enough for trends.
func (a *app) hasRoom() bool {
	return a.width() >= roomForTrends
}

// byteSize is a flag such as 64GiB.
type byteSize int64

func (b *byteSize) String() string { return sizeText(int64(*b)) }
func (b *byteSize) Type() string   { return "size" }

// Set takes a whole number of bytes, or of KiB, MiB, GiB or TiB.
func (b *byteSize) Set(text string) error {
	number, scale := text, int64(1)
	for i, unit := range sizeUnits {
		if rest, ok := strings.CutSuffix(strings.ToLower(text), strings.ToLower(unit)); ok {
			number, scale = rest, int64(1)<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/scale {
		return fmt.Errorf("must be a size such as 500MiB or 64GiB, got %q", text)
	}
	*b = byteSize(n * scale)
	return nil
}

var sizeUnits = []string{"KiB", "MiB", "GiB", "TiB"}

// sizeText writes a number of bytes in the largest unit that divides it, or
// with one decimal.
func sizeText(n int64) string {
	if n < 1<<10 {
		return plural(int(n), "byte")
	}
	i := 0
	for i < len(sizeUnits)-1 && n >= 1<<(10*(i+2)) {
		i++
	}
	value := float64(n) / float64(int64(1)<<(10*(i+1)))
	return strconv.FormatFloat(math.Round(value*10)/10, 'f', -1, 64) + sizeUnits[i]
}
