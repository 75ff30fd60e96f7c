package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/adapters/slurm"
	"schedmate/eval/experiments"
	"schedmate/internal/docfile"
	"schedmate/internal/observe"
)

// clusterFlags say which cluster is meant, and how it is asked.
type clusterFlags struct {
	file    string
	fresh   bool
	verbose bool
	replay  string
	at      time.Duration
	logs    string

	document *docfile.Document // of file, if it has been read
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	f.registerLive(cmd)
	cmd.Flags().StringVarP(&f.file, "filename", "f", "", "saved observation or snapshot `file` instead of the live cluster; '-' is standard input")
	must(cmd.MarkFlagFilename("filename", "yaml", "yml", "json"))
}

func (f *clusterFlags) registerLive(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.fresh, "fresh", false, "ask the scheduler even if it was asked less than a minute ago")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "say how often the scheduler was asked")
	cmd.Flags().StringVar(&f.replay, "replay", "", "instead of a live cluster, that of this `experiment` while it is simulated")
	cmd.Flags().DurationVar(&f.at, "at", 24*time.Hour, "with --replay: how long after the first submission, a `duration`")
	cmd.Flags().StringVar(&f.logs, "logs", "", "with --replay: `folder` with the jobs' logs, JOB.log")
	must(cmd.MarkFlagDirname("logs"))
	must(cmd.RegisterFlagCompletionFunc("replay", completeFrom(experiments.Names)))
}

// check refuses flags that are about another cluster.
func (f *clusterFlags) check(cmd *cobra.Command) error {
	switch {
	case f.replay != "" && f.file != "":
		return usage(errors.New("--replay and --filename are two clusters: leave one out"))
	case f.replay == "" && (cmd.Flags().Changed("at") || cmd.Flags().Changed("logs")):
		return usage(errors.New("--at and --logs are about a --replay"))
	case f.fresh && (f.replay != "" || f.file != ""):
		return usage(errors.New("--fresh is about a live cluster"))
	}
	return nil
}

// slurmInterval is how often Slurm is asked at most, unless a user insists; and
// slurmStandIn how long its last answer stands in while it does not answer.
const (
	slurmInterval = time.Minute
	slurmStandIn  = 15 * time.Minute
)

// openCluster is a cluster that was opened for one command.
type openCluster struct {
	source observe.Source
	name   string        // for people
	user   string        // who asks
	live   bool          // a scheduler, not a file or a replay
	kept   *observe.Kept // its last answer; nil if none is kept
	calls  func() int64

	counted bool // --verbose has told of this many:
	asked   int
}

// cluster opens the cluster that the flags name.
func (a *app) cluster(ctx context.Context, f *clusterFlags) (*openCluster, error) {
	c := &openCluster{user: asker(), calls: func() int64 { return 0 }}
	if f.replay != "" {
		var err error
		if c.source, err = a.replayed(ctx, f); err != nil {
			return nil, err
		}
		c.name = "the replay of " + f.replay
		return c, nil
	}
	if f.file != "" {
		var err error
		if f.document == nil {
			if f.document, err = a.readDocument(f.file); err != nil {
				return nil, err
			}
		}
		o, err := docfile.ObservationOf(f.document)
		if err != nil {
			return nil, usage(err)
		}
		c.source, c.name = observe.Saved{Observation: o}, inputName(f.file)
		return c, nil
	}
	c.name, c.live = "Slurm", true
	if a.config.SlurmREST != "" {
		rest, err := a.slurmREST()
		if err != nil {
			return nil, usage(err)
		}
		c.user = cmp.Or(a.config.SlurmUser, c.user)
		c.source, c.calls = observe.Joined{Source: rest, History: slurm.New(&slurm.Commands{})}, rest.Calls
	} else {
		commands := &slurm.Commands{}
		c.source, c.calls = slurm.New(commands), commands.Calls
	}
	state, err := a.config.StateFolder()
	if err != nil {
		return c, nil // nothing is kept where there is no place for it
	}
	conf, _ := a.streams.Env("SLURM_CONF")
	id := sha256.Sum256([]byte(conf + "\n" + a.config.SlurmREST + "\n" + a.config.SlurmUser))
	kept := &observe.Kept{Source: c.source, File: filepath.Join(state, "slurm", hex.EncodeToString(id[:8])+".json"), MaxAge: slurmInterval, Stale: slurmStandIn, Clock: time.Now}
	if f.fresh {
		kept.MaxAge = 0
	}
	c.source, c.kept = kept, kept
	return c, nil
}

// readDocument reads a document of any kind.
func (a *app) readDocument(path string) (*docfile.Document, error) {
	in, err := a.openInput(path)
	if err != nil {
		return nil, err
	}
	defer in.Close() // it is only read
	d, err := docfile.Parse(inputName(path), in)
	return d, usage(err)
}

// now is the moment of what is told: logs of a live cluster are read now, though its
// queue may have been read a little before.
func (c *openCluster) now(o *schedmate.Observation) schedmate.Seconds {
	if !c.live {
		return o.Now
	}
	return max(o.Now, schedmate.Seconds(time.Now().Unix()))
}

// slurmREST is the service that the configuration names.
func (a *app) slurmREST() (*slurm.REST, error) {
	rest, err := slurm.NewREST(slurm.Service{Address: a.config.SlurmREST, User: a.config.SlurmUser, TokenFile: a.config.SlurmTokenFile, TokenEnv: slurmTokenEnv(a.config.SlurmTokenFile)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.config.Origin("slurm_rest"), err)
	}
	return rest, nil
}

// slurmTokenEnv is where Slurm's own tools look for a token.
func slurmTokenEnv(file string) string {
	if file != "" {
		return ""
	}
	return "SLURM_JWT"
}

func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// observe reads the cluster, and tells on standard error what could not be read.
func (a *app) observe(ctx context.Context, c *openCluster, f *clusterFlags) (*schedmate.Observation, error) {
	o, err := c.source.Observe(ctx)
	if err != nil {
		return nil, clusterError(err)
	}
	if err := o.Validate(); err != nil {
		return nil, asFailure(fmt.Errorf("what %s says contradicts itself: %w; report this with the output of 'schedmate snapshot -o yaml'", c.name, err))
	}
	a.tellGaps(o.Gaps)
	a.tellCalls(c, f)
	if age := c.now(o) - o.Now; c.kept != nil && age >= worthTelling {
		fmt.Fprintf(a.streams.Err, "schedmate: this is what %s said %s ago; --fresh asks again\n", c.name, human(age))
	}
	return o, nil
}

// worthTelling is how old an answer must be for a person to be told, seconds.
const worthTelling = 5

// tellCalls says how often the scheduler was asked, if that is wanted: the first time,
// and what came after that.
func (a *app) tellCalls(c *openCluster, f *clusterFlags) {
	if !f.verbose {
		return
	}
	now := int(c.calls())
	switch {
	case !c.counted:
		fmt.Fprintf(a.streams.Err, "schedmate: %s was asked %s\n", c.name, plural(now, "time"))
	case now > c.asked:
		fmt.Fprintf(a.streams.Err, "schedmate: %s was asked %s more\n", c.name, plural(now-c.asked, "time"))
	}
	c.counted, c.asked = true, now
}

// observeJobs reads the cluster and finds the jobs that the arguments mean. A job
// that the last answer does not hold may have been submitted since: it is asked for
// anew before it is said not to be there.
func (a *app) observeJobs(ctx context.Context, c *openCluster, f *clusterFlags, args []string) (*schedmate.Observation, []*schedmate.ObservedJob, error) {
	o, err := a.observe(ctx, c, f)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := c.find(o, args)
	if err != nil && c.kept != nil && c.kept.MaxAge > 0 && c.now(o) > o.Now {
		c.kept.MaxAge = 0
		if o, err = a.observe(ctx, c, f); err != nil {
			return nil, nil, err
		}
		jobs, err = c.find(o, args)
	}
	return o, jobs, err
}

// tellGaps says what is missing from an answer.
func (a *app) tellGaps(gaps []schedmate.Gap) {
	for _, g := range gaps {
		text := fmt.Sprintf("missing: %s: %s", g.What, g.Why)
		if g.Next != "" {
			text += ": " + g.Next
		}
		fmt.Fprintf(a.streams.Err, "schedmate: %s\n", printable(text))
	}
}

// clusterError gives an error of a cluster its exit code.
func clusterError(err error) error {
	var unreachable *slurm.UnreachableError
	var missing *observe.NotFoundError
	switch {
	case errors.As(err, &unreachable):
		return code(ExitUnreachable, err)
	case errors.As(err, &missing):
		return notFound(err)
	}
	return asFailure(err)
}

// slurmScheme is before the id of a job of Slurm: slurm:1234.
const slurmScheme = "slurm:"

// jobNumber is what may be meant for a job of Slurm where a file is named.
var jobNumber = regexp.MustCompile(`^[0-9]+(?:[_+][0-9]+)?$`)

// jobName takes the scheme off a job such as slurm:1234 or job/1234.
func jobName(arg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(arg, slurmScheme), "job/")
}

// namesJobs tells whether the arguments of a command that takes files name jobs of
// a cluster: slurm:1234, or all of a replay.
func (f *clusterFlags) namesJobs(args []string) (jobs, files int) {
	for _, arg := range args {
		if f.isJob(arg) {
			jobs++
		} else {
			files++
		}
	}
	return jobs, files
}

// isJob tells whether an argument names a job, not a file.
func (f *clusterFlags) isJob(arg string) bool {
	return f.replay != "" || strings.HasPrefix(arg, slurmScheme)
}

// find returns the jobs that the arguments mean.
func (c *openCluster) find(o *schedmate.Observation, args []string) ([]*schedmate.ObservedJob, error) {
	var jobs []*schedmate.ObservedJob
	for _, arg := range args {
		found := observe.Find(o.Jobs, jobName(arg))
		if len(found) == 0 {
			return nil, clusterError(observe.Missing(o.Jobs, jobName(arg), c.name))
		}
		jobs = append(jobs, found...)
	}
	return jobs, nil
}
