package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

func logsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "logs",
		Short:   "Look at the lines of logs",
		Example: `  schedmate logs classify train.log`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(classifyCommand(a))
	return cmd
}

// classifyFlags are the flags of logs classify.
type classifyFlags struct {
	jsonl     bool
	overrides string
	first     int
}

func classifyCommand(a *app) *cobra.Command {
	f := classifyFlags{first: 3}
	cmd := &cobra.Command{
		Use:   "classify (FILE... | -)",
		Short: "Say of each line what it looks like",
		Long: `Classify puts each line into one of eight classes: init_config, progress_metric,
warning, infra_error, framework_error, user_traceback, benign_info and
shutdown_cascade. A class says what a line looks like, not who must act.

A file holds JSON objects with a field "line", one a line, or plain text in UTF-8,
UTF-16 or GBK, packed with gzip or not. '-' is standard input. Of a line that a progress bar draws over
and over, the last state counts.`,
		Example: `  schedmate logs classify train.log
  schedmate logs classify --jsonl train.log
  kubectl logs job/train | schedmate logs classify -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.first < 0 {
				return usage(fmt.Errorf("--first must not be negative, got %d", f.first))
			}
			if count(args, "-") > 1 {
				return usage(errors.New("'-' is named twice, but there is one standard input"))
			}
			if err := oneFormat(cmd, f.jsonl); err != nil {
				return usage(err)
			}
			return a.classify(cmd.Context(), &f, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.jsonl, "jsonl", false, "one JSON object a line, in the order of the lines, as soon as they are read")
	fl.StringVar(&f.overrides, "overrides", "", "`file` of JSON objects with \"line\" and \"class\": what lines of that shape are here")
	fl.IntVar(&f.first, "first", f.first, "`number` of lines to show of each class, of different shapes")
	must(cmd.MarkFlagFilename("overrides"))
	return cmd
}

func (a *app) classify(ctx context.Context, f *classifyFlags, files []string) error {
	var options lineclass.Options
	if f.overrides != "" {
		in, err := a.openInput(f.overrides)
		if err != nil {
			return err
		}
		defer in.Close()
		if options.Overrides, err = lineclass.ReadOverrides(f.overrides, in); err != nil {
			return usage(err)
		}
	}
	classifier := lineclass.New(options)
	if f.jsonl {
		out := &classLines{out: bufio.NewWriterSize(a.streams.Out, 64<<10)}
		err := leftBehind(ctx, func() error { return a.classifyFiles(ctx, classifier, files, out) })
		if err == nil && out.failed {
			err = &codedError{code: ExitFailure}
		}
		return err
	}
	doc := newClassReport(f.first)
	if err := leftBehind(ctx, func() error { return a.classifyFiles(ctx, classifier, files, doc) }); err != nil {
		return err
	}
	for _, u := range doc.Unreadable {
		fmt.Fprintf(a.streams.Err, "schedmate: %s\n", printable(u.Error))
	}
	if err := a.render(doc, doc.table); err != nil {
		return err
	}
	return doc.exit()
}

// leftBehind runs work, and leaves it when the context ends: a pipe may never
// say anything again.
func leftBehind(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return asFailure(err)
	case <-ctx.Done():
		return asFailure(fmt.Errorf("%w: not all lines were classified", ctx.Err()))
	}
}

func (a *app) classifyFiles(ctx context.Context, c *lineclass.Classifier, files []string, to lineSink) error {
	for _, file := range files {
		err := a.classifyFile(ctx, c, file, to)
		var own *sinkError
		switch {
		case errors.As(err, &own), ctx.Err() != nil:
			return err
		case err != nil:
			if err := to.bad(file, 0, err); err != nil {
				return err
			}
		}
	}
	return to.idle()
}

// classifyFile classifies the lines of one file. An error other than a
// sinkError says why it cannot be read, or not to the end.
func (a *app) classifyFile(ctx context.Context, c *lineclass.Classifier, file string, to lineSink) error {
	in, closer, err := a.openLog(file)
	if err != nil {
		return err
	}
	defer closer.Close() // it is only read
	unpacked, _, err := unpack(in.stream, readOnce().unpacked)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	text, err := logs.Narrow(unpacked)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	err = eachLine(ctx, text, to.idle, func() lineTaker {
		l := classifiedLine{file: file}
		objects := unknownContent
		return func(text []byte, cut bool) error {
			l.number++
			if objects == unknownContent && !isBlankText(text) {
				objects = contentOf(text)
			}
			if l.text = lastState(text); !utf8.Valid(l.text) {
				l.text = logs.Repair(nil, l.text)
			}
			if objects == jsonContent {
				if isBlankText(text) {
					return nil
				}
				line, err := lineField(text, cut)
				if err != nil {
					return to.bad(file, l.number, fmt.Errorf("read %s: line %d: %w", file, l.number, err))
				}
				l.text = line
			}
			l.class, l.confidence = c.Classify(l.text)
			return to.line(&l)
		}
	}())
	var own *sinkError
	if err != nil && !errors.As(err, &own) {
		err = fmt.Errorf("read %s: %w", file, err)
	}
	return err
}
