package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
)

// queueFlags are the flags of queue.
type queueFlags struct {
	clusterFlags
	me         bool
	users      []string
	partitions []string
	accounts   []string
	states     []string
	noProgress bool
}

// queueDocument is what queue answers with -o json or yaml.
type queueDocument struct {
	APIVersion string                  `json:"apiVersion"`
	Kind       string                  `json:"kind"`
	Now        schedmate.Seconds       `json:"now_s"`
	Observed   schedmate.Seconds       `json:"observed_s"` // when the scheduler said this
	System     schedmate.System        `json:"system"`
	Jobs       []schedmate.ObservedJob `json:"jobs"`
	Progress   []*jobProgress          `json:"progress"`
	Gaps       []schedmate.Gap         `json:"gaps,omitempty"`
}

func queueCommand(a *app) *cobra.Command {
	var f queueFlags
	cmd := &cobra.Command{
		Use:     "queue [JOB...]",
		Aliases: []string{"q"},
		Short:   "List the jobs of the cluster, with how far they are",
		Long: `Queue is squeue with what the logs tell: how far each running job is, when it will
be complete at its present pace, and whether its time limit comes first. Logs that
cannot be read, or that tell no training, leave these columns empty.

The scheduler is asked at most once a minute, by a few calls for all jobs; an
answer younger than that serves again.`,
		Example: `  schedmate queue
  schedmate queue --me
  schedmate queue 1234 1240_7
  schedmate queue -t running,pending -p gpu,short
  schedmate queue --states running -o json
  schedmate queue -f saved.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.me && len(f.users) > 0 {
				return usage(errors.New("--me and --user are two users: leave one out"))
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.queue(cmd.Context(), &f, args)
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.me, "me", false, "jobs of yours only")
	fl.StringSliceVarP(&f.users, "user", "u", nil, "jobs of these `users` only")
	fl.StringSliceVarP(&f.partitions, "partition", "p", nil, "jobs of these `partitions` only")
	fl.StringSliceVarP(&f.accounts, "account", "A", nil, "jobs of these `accounts` only")
	fl.StringSliceVarP(&f.states, "states", "t", nil, "jobs in these `states` only: running, pending, all, or others of the scheduler's, or their two letters")
	fl.BoolVar(&f.noProgress, "no-progress", false, "do not read logs")
	must(cmd.RegisterFlagCompletionFunc("states", completeFrom(func() []string { return []string{"running", "pending", allStates} })))
	return cmd
}

func (a *app) queue(ctx context.Context, f *queueFlags, args []string) error {
	c, err := a.cluster(ctx, &f.clusterFlags)
	if err != nil {
		return err
	}
	o, named, err := a.observeJobs(ctx, c, &f.clusterFlags, args)
	if err != nil {
		return err
	}
	if err := knownStates(f.states, o.Jobs); err != nil {
		return usage(err)
	}
	if f.me {
		f.users = []string{c.user}
	}
	var users []string
	for _, who := range f.users {
		users = append(users, spellings(who)...)
	}
	f.users = users
	if err := f.knownPartitions(o); err != nil {
		return usage(err)
	}
	doc := &queueDocument{schedmate.APIVersion, "Queue", c.now(o), o.Now, o.System, []schedmate.ObservedJob{}, []*jobProgress{}, o.Gaps}
	var running []*schedmate.ObservedJob
	if len(args) == 0 {
		for i := range o.Jobs {
			named = append(named, &o.Jobs[i])
		}
	}
	for _, j := range named {
		if f.shows(j, len(args) > 0) {
			doc.Jobs = append(doc.Jobs, *j)
		}
	}
	for i := range doc.Jobs {
		if doc.Jobs[i].Runs() {
			running = append(running, &doc.Jobs[i])
		}
	}
	switch {
	case f.noProgress || f.replay != "" && f.logs == "":
	case f.file != "":
		if len(running) > 0 {
			fmt.Fprintln(a.streams.Err, "schedmate: a saved cluster is shown without progress: logs have gone on since")
		}
	default:
		doc.Progress = append(doc.Progress, a.progressOf(ctx, running, doc.Now)...)
	}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all logs were read", err))
	}
	return a.render(doc, func(w io.Writer) error { return a.queueTable(w, doc, c.name, len(o.Jobs)) })
}

// shows tells whether a job is one of those asked for. One that is over is shown if it
// was named, or its state was.
func (f *queueFlags) shows(j *schedmate.ObservedJob, named bool) bool {
	among := func(list []string, names ...string) bool {
		return len(list) == 0 || slices.ContainsFunc(list, func(one string) bool { return slices.Contains(names, one) })
	}
	if !among(f.users, j.User) || !among(f.partitions, j.Partitions...) || !among(f.accounts, j.Account) {
		return false
	}
	if len(f.states) == 0 {
		return named || !j.Over()
	}
	return slices.ContainsFunc(f.states, func(s string) bool {
		return strings.EqualFold(s, allStates) || strings.EqualFold(s, j.State) || strings.EqualFold(s, stateCodes[j.State])
	})
}

// knownPartitions refuses partitions that the cluster does not have, as far as it tells
// which it has.
func (f *queueFlags) knownPartitions(o *schedmate.Observation) error {
	if len(o.Partitions) == 0 {
		return nil
	}
	var names []string
	for i := range o.Partitions {
		names = append(names, o.Partitions[i].Name)
	}
	for _, p := range f.partitions {
		if !slices.Contains(names, p) {
			return fmt.Errorf("there is no partition %q: there are %s", p, some(names, 12))
		}
	}
	return nil
}

// allStates stands for every state, as it does for squeue.
const allStates = "all"

// knownStates refuses states that neither Slurm nor a job has: they would show an empty
// queue.
func knownStates(states []string, jobs []schedmate.ObservedJob) error {
	for _, s := range states {
		known := strings.EqualFold(s, allStates) || slices.ContainsFunc(jobs, func(j schedmate.ObservedJob) bool { return strings.EqualFold(s, j.State) })
		for long, short := range stateCodes {
			known = known || strings.EqualFold(s, long) || strings.EqualFold(s, short)
		}
		if !known {
			return fmt.Errorf("%q is no state of a job: say running, pending, all, or one of %s", s, strings.ToLower(strings.Join(slices.Sorted(maps.Keys(stateCodes)), ", ")))
		}
	}
	return nil
}

// stateCodes are squeue's two letters for a state.
var stateCodes = map[string]string{
	"PENDING": "PD", "RUNNING": "R", "SUSPENDED": "S", "COMPLETING": "CG", "COMPLETED": "CD", "CONFIGURING": "CF", "CANCELLED": "CA", "FAILED": "F",
	"TIMEOUT": "TO", "PREEMPTED": "PR", "NODE_FAIL": "NF", "BOOT_FAIL": "BF", "DEADLINE": "DL", "OUT_OF_MEMORY": "OOM", "REVOKED": "RV",
	"SPECIAL_EXIT": "SE", "STOPPED": "ST", "STAGE_OUT": "SO", "SIGNALING": "SI", "RESIZING": "RS", "REQUEUED": "RQ",
}

func (a *app) queueTable(w io.Writer, d *queueDocument, cluster string, of int) error {
	if len(d.Jobs) == 0 {
		text := "no jobs in " + cluster
		if of > 0 {
			text = fmt.Sprintf("none of the %s of %s is one of these", plural(of, "job"), cluster)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	far := make(map[string]*jobProgress, len(d.Progress))
	for _, p := range d.Progress {
		far[p.Job] = p
	}
	rows := [][]string{{"JOBID", "PARTITION", "NAME", "USER", "ST", "TIME", "LIMIT", "NODES", "GPUS", "NODELIST(REASON)", "PROGRESS", "ETA", "NOTE"}}
	ordered := make([]*schedmate.ObservedJob, len(d.Jobs))
	for i := range d.Jobs {
		ordered[i] = &d.Jobs[i]
	}
	// Those that run last, as squeue has them: the eye ends there.
	slices.SortStableFunc(ordered, func(x, y *schedmate.ObservedJob) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.Priority, x.Priority))
	})
	for _, j := range ordered {
		progress, eta, note := "-", "-", ""
		if p := far[j.ID]; p != nil {
			progress, eta, note = p.done(), p.leftText(), p.note()
		}
		rows = append(rows, []string{
			clip(j.ID, 30), clip(strings.Join(j.Partitions, ","), 16), clip(cmp.Or(j.Name, "-"), 20), clip(cmp.Or(j.User, "-"), 12), cmp.Or(stateCodes[j.State], j.State), elapsed(j, d.Now), limitText(j),
			nodeCount(j), gpuText(j), whereOrWhy(j), progress, eta, note,
		})
	}
	return a.fittingColumns(w, rows, "PARTITION", "LIMIT", "NODES", "USER", "TIME", "NAME")
}

// rank is how far a job is in its life.
func rank(j *schedmate.ObservedJob) int {
	switch {
	case j.Waits():
		return 0
	case j.Runs():
		return 1
	}
	return 2
}

func elapsed(j *schedmate.ObservedJob, now schedmate.Seconds) string {
	switch {
	case j.Waits() || j.Start == 0:
		return "0s"
	case j.Over() && j.End >= j.Start:
		return human(j.End - j.Start)
	}
	return human(max(0, now-j.Start))
}

func limitText(j *schedmate.ObservedJob) string {
	if j.TimeLimit == 0 {
		return "none"
	}
	return human(j.TimeLimit)
}

func nodeCount(j *schedmate.ObservedJob) string {
	if n := len(j.Nodes); n > 0 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(max(1, j.Request.MinNodes))
}

// gpuText writes what the job holds or wants: 8, 8 a100, or shards.
func gpuText(j *schedmate.ObservedJob) string {
	gpus, shards := 0, 0
	for _, h := range j.Allocation {
		gpus, shards = gpus+h.GPUs, shards+h.Shards
	}
	if gpus == 0 {
		gpus = j.Request.GPUs
	}
	if shards == 0 {
		shards = j.Request.Shards
	}
	switch {
	case gpus == 0 && shards == 0:
		return "-"
	case gpus == 0:
		return plural(shards, "shard")
	}
	text := strconv.Itoa(gpus)
	if j.Tasks > 1 {
		text += " each"
	}
	return text
}

func whereOrWhy(j *schedmate.ObservedJob) string {
	if j.Waits() {
		return "(" + clip(cmp.Or(j.Reason, "None"), 40) + ")"
	}
	return some(j.Nodes, 3)
}
