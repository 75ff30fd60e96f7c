package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/advisor"
	"schedmate/advisor/launch"
)

// estimateFlags are the flags of estimate.
type estimateFlags struct {
	repo, request, workdir string
	submissions            string
	jsonl, noCache         bool
	user, jobName          string
	software               string
}

func estimateCommand(a *app) *cobra.Command {
	f := estimateFlags{}
	cmd := &cobra.Command{
		Use:   "estimate [--repo DIR] [--request FILE] -- COMMAND...",
		Short: "Say what a job would train, on what and how long, before it runs",
		Long: `Estimate reads the repository and the launch request of a job and answers what it
will do: model, data set, iterations, batch size, optimiser, precision, GPUs, how
they work together. Each value comes with the place that it was read from and what
it beat. What the code does not tell, or not surely, stays empty with the reason.

Nothing is executed and no model is asked; the repository is read within bounds, and
files whose names say that they hold secrets are not opened.

A command beside --request runs on what the request asks for. If the request is a
batch script that starts the same program itself, the words of the script count, and
a warning says so.

With a history (see 'schedmate history') it goes on to how long the job will run and
how busy its GPUs will be, and names the past jobs that this is taken from.

--submissions FILE --jsonl answers many: a JSON object a line with id, root,
command or argv, env, workdir, launch and, where known, user and software.`,
		Example: `  schedmate estimate -- torchrun --nproc_per_node=8 train.py --lr 3e-4
  schedmate estimate --repo ~/nanoGPT --request job.sbatch
  schedmate estimate --request job.yaml -o json
  schedmate estimate --submissions jobs.jsonl --jsonl`,
		Annotations: map[string]string{commandBehindDashes: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return usage(err)
			}
			collectLess()
			if f.submissions != "" {
				return a.estimateEach(cmd.Context(), &f)
			}
			return a.estimate(cmd.Context(), &f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.repo, "repo", ".", "`folder` of the repository")
	fl.StringVar(&f.request, "request", "", "launch request: `file` with a batch script or a Kubernetes manifest")
	fl.StringVar(&f.workdir, "workdir", ".", "`folder` within the repository where the command runs")
	fl.StringVar(&f.submissions, "submissions", "", "`file` with a submission a line; '-' is standard input")
	fl.BoolVar(&f.jsonl, "jsonl", false, "with --submissions: one JSON object a submission, in their order, each as soon as it is ready")
	fl.BoolVar(&f.noCache, "no-cache", false, "neither use nor keep earlier answers")
	fl.StringVar(&f.user, "user", "", "`name` of who submits: their past jobs of the same name serve when no similar work is known (default: you)")
	fl.StringVar(&f.jobName, "job-name", "", "`name` of the job: past jobs of this name serve, as with --user (default: that of the request)")
	fl.StringVar(&f.software, "software", "", "`name` of the software stack or image, as the history calls it")
	fl.String("parallel", "", "`number` of submissions read at a time (default: one a processor)") // read by configure
	must(cmd.MarkFlagDirname("repo"))
	must(cmd.MarkFlagFilename("request"))
	must(cmd.MarkFlagFilename("submissions", "jsonl"))
	return cmd
}

// check refuses what cannot be meant.
func (f *estimateFlags) check(cmd *cobra.Command, command []string) error {
	one := func(names ...string) string {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return name
			}
		}
		return ""
	}
	switch {
	case f.submissions != "" && len(command) > 0:
		return errors.New("--submissions names the commands itself: leave the command out")
	case f.submissions != "" && one("repo", "request", "workdir", "user", "job-name", "software") != "":
		return fmt.Errorf("--%s is about one submission: leave it or --submissions out", one("repo", "request", "workdir", "user", "job-name", "software"))
	case f.submissions != "" && !f.jsonl:
		return errors.New("--submissions needs --jsonl: its answers are lines for programs")
	case f.jsonl && f.submissions == "":
		return errors.New("--jsonl needs --submissions, the file with a submission a line")
	case f.submissions == "" && len(command) == 0 && f.request == "":
		return errors.New("name the command that trains, as in: schedmate estimate -- python train.py; or a batch script with --request")
	case f.workdir == "":
		return errors.New("--workdir is empty: '.' is the repository's own folder")
	case !filepath.IsLocal(f.workdir):
		return fmt.Errorf("--workdir %s: leaves the repository: name a folder within it, relative to --repo", f.workdir)
	}
	return oneFormat(cmd, f.jsonl)
}

// estimateEach answers a file of submissions.
func (a *app) estimateEach(ctx context.Context, f *estimateFlags) (err error) {
	x := a.analyser(!f.noCache)
	known, closer, err := a.openPast(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	return a.eachDocument(ctx, f.submissions, func(ctx context.Context, line documentLine) (any, error) {
		out := &estimateAnswer{estimateLine: &estimateLine{}}
		done := analysed{err: line.err}
		if line.err == nil {
			done = analyseText(ctx, x, line.text, folderOf(f.submissions))
		}
		out.Job = validText(done.id)
		if done.err != nil {
			return &unanswered{Job: out.Job, File: validText(f.submissions), Line: line.number, Error: shown(done.err.Error())}, done.err
		}
		out.fill(done.analysis)
		var whose struct {
			User     string `json:"user"`
			Software string `json:"software"`
		}
		_ = json.Unmarshal(line.text, &whose) // it was read as a submission: these may be missing
		var err error
		if out.Estimate, err = known.answer(ctx, queryOf(done.analysis, whose.User, whose.Software)); err != nil {
			return &unanswered{Job: out.Job, File: validText(f.submissions), Line: line.number, Error: shown(err.Error())}, err
		}
		return out, nil
	})
}

// estimateAnswer is one line of many answers.
type estimateAnswer struct {
	*estimateLine
	Estimate *estimated `json:"estimate,omitempty"` // missing: there is no history
}

// unanswered is a submission, or a pair of them, that could not be read.
type unanswered struct {
	Job   string `json:"job,omitempty"`
	Pair  string `json:"pair,omitempty"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// estimateDocument is what estimate answers about one submission.
type estimateDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	*estimateLine
	Estimate *estimated `json:"estimate"` // null: there is no history
}

// estimate answers one submission.
func (a *app) estimate(ctx context.Context, f *estimateFlags, command []string) (err error) {
	var request launch.Request
	err = interruptible(ctx, func() (err error) { // it may be a pipe that nobody writes to
		request, err = a.launchRequest(f, command)
		return err
	})
	if err != nil {
		return err
	}
	if info, err := os.Stat(f.repo); err != nil {
		return notFound(fmt.Errorf("--repo %s: %w: check the path", f.repo, errors.Unwrap(err)))
	} else if !info.IsDir() {
		return usage(fmt.Errorf("--repo %s: is a file: name the folder of the repository", f.repo))
	}
	if info, err := os.Stat(filepath.Join(f.repo, f.workdir)); err != nil {
		return notFound(fmt.Errorf("--workdir %s: %w: name a folder of the repository %s", f.workdir, errors.Unwrap(err), f.repo))
	} else if !info.IsDir() {
		return usage(fmt.Errorf("--workdir %s: is a file: name a folder of the repository %s", f.workdir, f.repo))
	}
	x := a.analyser(!f.noCache)
	var analysis *advisor.Analysis
	err = interruptible(ctx, func() error {
		return contained(func() (err error) {
			analysis, err = x.Analyse(ctx, advisor.Submission{Folder: f.repo, Request: request})
			return err
		})
	})
	if err != nil {
		return asFailure(err)
	}
	line := &estimateLine{}
	line.fill(analysis)
	doc := &estimateDocument{APIVersion: schedmate.APIVersion, Kind: "Estimate", estimateLine: line}
	known, closer, err := a.openPast(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	who := f.user
	if who == "" {
		who = whoAmI()
	}
	query := queryOf(analysis, who, f.software)
	query.JobName = cmp.Or(f.jobName, query.JobName)
	if doc.Estimate, err = known.answer(ctx, query); err != nil {
		return err
	}
	if text := limitWarning(analysis.TimeLimit, doc.Estimate); text != "" {
		line.Warnings = append(line.Warnings, text)
	}
	return a.render(doc, func(w io.Writer) error { return a.estimateTable(w, doc) })
}

// launchRequest is what the flags and the words after -- ask for.
func (a *app) launchRequest(f *estimateFlags, command []string) (launch.Request, error) {
	var text []byte
	if f.request != "" {
		in, err := a.openInput(f.request)
		if err != nil {
			return launch.Request{}, err
		}
		defer in.Close() // it is only read
		if text, err = io.ReadAll(io.LimitReader(in, maxDocument+1)); err != nil {
			return launch.Request{}, asFailure(fmt.Errorf("read %s: %w", f.request, err))
		}
		if len(text) > maxDocument {
			return launch.Request{}, usage(fmt.Errorf("read %s: larger than %s: a launch request is a script or a manifest", f.request, sizeText(maxDocument)))
		}
	}
	request := launch.RequestOf(f.request, text, command)
	if f.request != "" {
		if err := request.Check(); err != nil {
			return launch.Request{}, usage(fmt.Errorf("--request %s: %w", f.request, err))
		}
	}
	request.Workdir = filepath.ToSlash(f.workdir)
	return request, nil
}

// missingFile tells whether an error says that a file is not there.
func missingFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }
