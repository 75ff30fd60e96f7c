package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	user       string
	partition  string
	state      string
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
		Use:     "queue",
		Aliases: []string{"q"},
		Short:   "List the jobs of the cluster, with how far they are",
		Long: `Queue is squeue with what the logs tell: how far each running job is, when it will
be complete at its present pace, and whether its time limit comes first. Logs that
cannot be read, or that tell no training, leave these columns empty.

The scheduler is asked at most once a minute, by a few calls for all jobs; an
answer younger than that serves again.`,
		Example: `  schedmate queue
  schedmate queue --me
  schedmate queue --states running -o json
  schedmate queue -f saved.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.me && f.user != "" {
				return usage(errors.New("--me and --user are two users: leave one out"))
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.queue(cmd.Context(), &f)
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.me, "me", false, "jobs of yours only")
	fl.StringVarP(&f.user, "user", "u", "", "jobs of this `user` only")
	fl.StringVarP(&f.partition, "partition", "p", "", "jobs of this `partition` only")
	fl.StringVarP(&f.state, "states", "t", "", "jobs in this `state` only: running, pending, or one of the scheduler's own")
	fl.BoolVar(&f.noProgress, "no-progress", false, "do not read logs")
	must(cmd.RegisterFlagCompletionFunc("states", completeFrom(func() []string { return []string{"running", "pending"} })))
	return cmd
}

func (a *app) queue(ctx context.Context, f *queueFlags) error {
	c, err := a.cluster(ctx, &f.clusterFlags)
	if err != nil {
		return err
	}
	o, err := a.observe(ctx, c, &f.clusterFlags)
	if err != nil {
		return err
	}
	who := f.user
	if f.me {
		who = c.user
	}
	doc := &queueDocument{schedmate.APIVersion, "Queue", c.now(o), o.Now, o.System, []schedmate.ObservedJob{}, []*jobProgress{}, o.Gaps}
	var running []*schedmate.ObservedJob
	for _, j := range o.Jobs {
		if j.Over() && f.state == "" || !f.shows(&j, who) {
			continue
		}
		doc.Jobs = append(doc.Jobs, j)
	}
	for i := range doc.Jobs {
		if doc.Jobs[i].Runs() {
			running = append(running, &doc.Jobs[i])
		}
	}
	if !f.noProgress && f.file == "" && (f.replay == "" || f.logs != "") {
		doc.Progress = append(doc.Progress, a.progressOf(ctx, running, doc.Now)...)
	}
	if err := ctx.Err(); err != nil {
		return asFailure(fmt.Errorf("%w: not all logs were read", err))
	}
	return a.render(doc, func(w io.Writer) error { return a.queueTable(w, doc, c.name, len(o.Jobs)) })
}

// shows tells whether a job is one of those asked for.
func (f *queueFlags) shows(j *schedmate.ObservedJob, who string) bool {
	if who != "" && j.User != who || f.partition != "" && !slices.Contains(j.Partitions, f.partition) {
		return false
	}
	return f.state == "" || strings.EqualFold(f.state, j.State) || strings.EqualFold(f.state, stateCodes[j.State])
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
			j.ID, clip(strings.Join(j.Partitions, ","), 16), clip(cmp.Or(j.Name, "-"), 20), clip(cmp.Or(j.User, "-"), 12), cmp.Or(stateCodes[j.State], j.State), elapsed(j, d.Observed), limitText(j),
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
		return "(" + cmp.Or(j.Reason, "None") + ")"
	}
	return some(j.Nodes, 3)
}
