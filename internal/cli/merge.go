package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"schedmate/eval"
)

func mergeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "merge FILE...",
		Short: "Join the reports, or the tables of jobs, of the shards of a sweep",
		Long: `Merge joins what 'simulate --shard INDEX/OF' wrote: either all JSON reports (-o json)
or all tables of jobs (--jobs-out), in any order, and prints the same kind. The
result equals, byte for byte, what simulate without --shard writes; in reports but
for cpu_s and peak_rss_bytes, which stay as each shard measured them and which
--no-cost leaves out.

A shard that is missing, there twice, damaged or of another sweep is an error.`,
		Example: `  schedmate merge shard-*.json > report.json
  schedmate merge jobs-*.csv > jobs.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error { return a.merge(cmd.Context(), paths) },
	}
}

func (a *app) merge(ctx context.Context, paths []string) error {
	var files []eval.ShardFile
	reports := 0
	for _, path := range paths {
		f, err := openData(path, "check the path")
		if err != nil {
			return simulateError(err)
		}
		defer f.Close()
		text := bufio.NewReader(f)
		head, err := text.Peek(1)
		if err != nil && !errors.Is(err, io.EOF) {
			return asFailure(fmt.Errorf("merge: %w", err))
		}
		if bytes.Equal(head, []byte("{")) {
			reports++
		}
		files = append(files, eval.ShardFile{Name: path, Text: untilDone{ctx, text}})
	}
	if reports == 0 {
		if err := checkTables(ctx, paths); err != nil {
			return mergeError(err)
		}
		out := bufio.NewWriter(a.streams.Out)
		if err := eval.MergeJobs(out, files); err != nil {
			return mergeError(err)
		}
		return asFailure(out.Flush())
	}
	// Anything else among reports is refused by name.
	rep, err := eval.MergeReports(files)
	if err != nil {
		return mergeError(err)
	}
	return asFailure(writeJSON(a.streams.Out, rep))
}

// checkTables joins tables of jobs to nowhere, so that nothing is printed of
// damaged ones. Pipes can be read only once: they are not checked.
func checkTables(ctx context.Context, paths []string) error {
	var files []eval.ShardFile
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		files = append(files, eval.ShardFile{Name: path, Text: untilDone{ctx, bufio.NewReader(f)}})
	}
	return eval.MergeJobs(io.Discard, files)
}

// untilDone ends reading when the context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

func mergeError(err error) error {
	var wrong *eval.MergeError
	if errors.As(err, &wrong) {
		return usage(wrong)
	}
	return asFailure(err)
}
