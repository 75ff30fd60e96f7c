package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/internal/report"
	"schedmate/scheduler"
	"schedmate/scheduler/explain"
	"schedmate/scheduler/verify"
)

// planDocument is what the plan command answers.
type planDocument struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Snapshot   string   `json:"snapshot"` // its hash
	Decision   string   `json:"decision"`
	Gap        *float64 `json:"gap"`

	schedmate.Plan

	Calendar *planCalendar `json:"calendar,omitempty"`
}

func planCommand(a *app) *cobra.Command {
	var f policyFlags
	var rounds roundsFlags
	var budget int64
	var detailed, noReasons bool
	var page string
	cmd := &cobra.Command{
		Use:   "plan (-f SNAPSHOT [--policy NAME] | --rounds FILE... [--jsonl])",
		Short: "Plan once for a saved snapshot; nothing is carried out",
		Long: `Plan answers a snapshot with the actions that a policy would take now, and one
reason for every job that keeps waiting. The plan is checked by an independent
verifier before it is shown, and sealed with a hash: the same snapshot, policy
and budget give the same hash on every machine.

Of a policy that promises deadlines it also shows the calendar: who has leases in which
slots, and who is promised nothing and why; --report writes it as a page.

With --rounds it plans abstract lease rounds instead: which deadlines to promise,
and who runs in which slot, for the most reward, with a proven bound. The budget
counts steps of the search; the same budget and seed give the same plan. With
--solver, HiGHS is asked about gaps that the search leaves, where its library is
installed; such an answer depends on the machine.`,
		Example: `  schedmate plan -f snapshot.yaml --policy srtf
  schedmate plan -f snapshot.yaml --policy tiresias --preset artifact -o json
  cat snapshot.yaml | schedmate plan -f - --detailed-exitcode
  schedmate plan -f snapshot.yaml --policy chronus --report calendar.html
  schedmate plan --rounds rounds.json
  schedmate plan --rounds rounds.json --jsonl
  schedmate plan --rounds rounds.json --jsonl --solver auto`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := rounds.validate(cmd, args, budget); err != nil {
				return usage(err)
			}
			if rounds.file != "" && page != "" {
				return usage(errors.New("--report shows the calendar of a snapshot's jobs: leave it out with --rounds"))
			}
			if rounds.file != "" {
				return a.planRounds(cmd.Context(), &rounds, args, budget)
			}
			out := &outputs{}
			defer out.abandon()
			v := admitView{command: commandLine(cmd)}
			if err := errors.Join(out.open(&v.page, page), out.spares([]string{f.file})); err != nil {
				return asFailure(err)
			}
			var doc *planDocument
			var s *schedmate.Snapshot
			err := interruptible(cmd.Context(), func() (err error) {
				doc, s, err = a.plan(f, scheduler.Budget{Iterations: budget}, !noReasons)
				return err
			})
			if err != nil {
				return err
			}
			if page != "" && doc.Calendar == nil {
				return usage(fmt.Errorf("--report shows the calendar of a policy that promises deadlines, and %s promises none: use --policy chronus", doc.Policy))
			}
			if err := v.write(func(command string) report.Promises { return planPage(doc, s, command) }); err != nil {
				return err
			}
			err = a.render(doc, func(w io.Writer) error {
				if err := planTable(w, doc, s); err != nil {
					return err
				}
				return writePlanCalendar(w, doc, s, a.width())
			})
			if err != nil {
				return err
			}
			if detailed && len(doc.Actions) > 0 {
				return &codedError{code: ExitHasActions}
			}
			return nil
		},
	}
	a.policyFlags(cmd, &f)
	rounds.register(cmd)
	cmd.Flags().Int64Var(&budget, "budget", 0, "solver iterations; rules use none; with --rounds 0 is as many as a round of its size is worth")
	cmd.Flags().BoolVar(&noReasons, "no-reasons", false, "leave out why jobs wait, which takes most of the time when thousands do")
	cmd.Flags().StringVar(&page, "report", "", "write a self-contained HTML page with the calendar of promised leases to `file`")
	must(cmd.MarkFlagFilename("report", "html"))
	cmd.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 10 if the plan contains actions")
	return cmd
}

func (a *app) plan(f policyFlags, b scheduler.Budget, reasons bool) (*planDocument, *schedmate.Snapshot, error) {
	if b.Iterations < 0 {
		return nil, nil, usage(fmt.Errorf("--budget must not be negative, got %d", b.Iterations))
	}
	p, options, err := a.chosenPolicy(f.preset)
	if err != nil {
		return nil, nil, err
	}
	s, err := a.readSnapshot(f.file)
	if err != nil {
		return nil, nil, err
	}
	plan := scheduler.Plan(p, *s, b)
	if reasons {
		plan.Reasons = explain.All(p, b, *s, &plan, explain.EffortFor(len(s.Waiting)))
	}
	hash := schedmate.Hash(s)
	plan.Hash = plan.Seal(hash)
	if err := verify.Check(s, &plan); err != nil {
		return nil, nil, asFailure(fmt.Errorf("BUG in policy %s: %w; please report it with the snapshot", p.Name(), err))
	}
	return &planDocument{
		APIVersion: schedmate.APIVersion,
		Kind:       "Plan",
		Snapshot:   hash,
		Decision:   schedmate.Decide(s, p.Name(), options, b.Iterations, &plan).ID(),
		Gap:        gap(&plan),
		Plan:       plan,
		Calendar:   calendarOf(p, s, &plan),
	}, s, nil
}

// gap is how far the value can be from the best, as a share of the bound.
func gap(p *schedmate.Plan) *float64 {
	if p.Value == nil || p.Bound == nil {
		return nil
	}
	g := 0.0
	if *p.Bound != 0 {
		g = float64(*p.Bound-*p.Value) / float64(*p.Bound)
	}
	return &g
}

func planTable(w io.Writer, d *planDocument, s *schedmate.Snapshot) error {
	rows := [][]string{{"ACTION", "JOB", "GPUS", "WHERE / WHY", "CHANGE"}}
	for _, act := range d.Actions {
		as := act.Allocations
		if act.Kind == schedmate.Preempt {
			as = s.Find(act.Job).Attempt.Allocations
		}
		rows = append(rows, []string{string(act.Kind), act.Job, strconv.Itoa(len(as)), where(as), ""})
	}
	for _, r := range inQueueOrder(d.Reasons, s) {
		rows = append(rows, []string{"wait", r.Job, strconv.Itoa(r.Need), r.Code.String() + ": " + numbers(r), changeText(r)})
	}
	if len(rows) == 1 {
		text := "nothing to do: no job waits"
		if d.Reasons == nil && len(s.Waiting) > 0 {
			text = "nothing to do now: " + plural(len(s.Waiting), "job") + " waiting"
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	if err := columns(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\npolicy %s   %s, %s   hash %s   decision %s\n",
		d.Policy, plural(len(d.Actions), "action"), plural(waitingAfter(d, s), "job")+" waiting", d.Hash[:16], d.Decision)
	return err
}

// waitingAfter counts the jobs that wait once the plan is carried out.
func waitingAfter(d *planDocument, s *schedmate.Snapshot) int {
	n := len(s.Waiting)
	for _, act := range d.Actions {
		if act.Kind == schedmate.Start {
			n--
		} else {
			n++
		}
	}
	return n
}

// inQueueOrder returns the reasons in the order in which their jobs came to
// wait; those that the plan has just preempted come first.
func inQueueOrder(reasons []schedmate.Reason, s *schedmate.Snapshot) []*schedmate.Reason {
	byJob := make(map[string]*schedmate.Reason, len(reasons))
	for i := range reasons {
		byJob[reasons[i].Job] = &reasons[i]
	}
	out := make([]*schedmate.Reason, 0, len(reasons))
	for _, list := range [][]*schedmate.JobStatus{s.Running, s.Waiting} {
		for _, j := range list {
			if r := byJob[j.Job.ID]; r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// where writes allocations as node:gpus, for example n04:0-3 n07:5.
func where(as []schedmate.Allocation) string {
	var parts []string
	for i := 0; i < len(as); {
		node, from := as[i].Node, i
		for i < len(as) && as[i].Node == node {
			i++
		}
		parts = append(parts, node+":"+ranges(as[from:i]))
	}
	return strings.Join(parts, " ")
}

func ranges(as []schedmate.Allocation) string {
	var parts []string
	for i := 0; i < len(as); {
		from := i
		for i++; i < len(as) && as[i].GPU == as[i-1].GPU+1; i++ {
		}
		text := strconv.Itoa(as[from].GPU)
		if i-from > 1 {
			text += "-" + strconv.Itoa(as[i-1].GPU)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// policyFlags registers the flags of commands that plan once.
func (a *app) policyFlags(cmd *cobra.Command, f *policyFlags) {
	cmd.Flags().StringVarP(&f.file, "filename", "f", "", "snapshot `file`, YAML or JSON; '-' is standard input")
	cmd.Flags().String("policy", "", "policy `name` (default from the configuration: fifo)") // read by configure
	cmd.Flags().StringVar(&f.preset, "preset", scheduler.DefaultPreset, "preset `name`: default, artifact, paper where the policy has one, or a public code's own name such as lucid")
	must(cmd.RegisterFlagCompletionFunc("policy", completePolicies))
	must(cmd.RegisterFlagCompletionFunc("preset", completePresets))
	must(cmd.MarkFlagFilename("filename", "yaml", "yml", "json"))
}

// must stops on an error that only a mistake in this package can cause.
func must(err error) {
	if err != nil {
		panic(errors.Join(errors.New("BUG: command line definition"), err))
	}
}
