package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate"
	"schedmate/internal/docfile"
)

// planNotes say what docs/format/plan.md says about each field of a plan.
var planNotes = docfile.Notes{
	reflect.TypeFor[schedmate.Plan](): {
		{Field: "policy", Text: "The policy that planned."},
		{Field: "actions", Text: "What it would do now, to be carried out in this order. No job occurs twice, but that one may be started again after it has been preempted."},
		{Field: "wake_s", Text: "Instant at which the policy wants to be asked again even if nothing happens by then; left out: only an event can change the plan."},
		{Field: "memory", Text: "Notes that the policy wants to have in the next snapshot's [`memory`](snapshot.md#note)."},
		{Field: "promises", Text: "What jobs are told about their deadlines from now on, no job twice. Who is not named is told what it was told before."},
		{Field: "measures", Text: "Measurements of waiting jobs that begin now, on GPUs that the policy keeps free for them."},
		{Field: "value", Text: "What an optimising policy reached, in its own reward units; null for a rule."},
		{Field: "bound", Text: "What it proved to be the most; null exactly if `value` is. `value` <= `bound`."},
		{Field: "engine", Text: "`rule`, or the solver that made the plan."},
		{Field: "budget_used", Text: "Solver iterations spent; 0 for a rule."},
		{Field: "reasons", Text: "One for every job that waits after the actions, sorted by `job`; left out when none does."},
		{Field: "hash", Text: "Seal of the plan and the snapshot it answers, see [below](#what-the-hashes-seal). What the command answers always has one."},
	},
	reflect.TypeFor[schedmate.Action](): {
		{Field: "kind", Text: "`start`: the job gets its GPUs. `preempt`: it loses them and waits again; a start after it may use them. `move`: it gets other GPUs, as many or another of its `sizes`; what all moved jobs had is free before the first action. `park`: it counts as started and waits for its turn.",
			Rules: []docfile.Rule{docfile.OneOf(schedmate.Start, schedmate.Preempt, schedmate.Move, schedmate.Park)}},
		{Field: "job", Text: "The job's `id`."},
		{Field: "allocations", Text: "The GPUs of the whole gang, sorted by node and GPU; a `preempt` and a `park` have none."},
		{Field: "lease_until_s", Text: "Instant until which the policy means the job to keep these GPUs; left out where it has promised no time."},
		{Field: "packed", Text: "Of a `start` on GPUs that another job holds: beside whom, and how fast both are expected to be."},
		{Field: "undo", Text: "Of a `preempt` that takes two jobs apart that share GPUs: why."},
		{Field: "profile", Text: "The start is for measuring the job; its GPUs are taken back when that is done."},
	},
	reflect.TypeFor[schedmate.Packed](): {
		{Field: "beside", Text: "The job that was there before."},
		{Field: "speed_milli", Text: "Expected speed of the newcomer, in thousandths of its speed alone; left out where nothing is expected."},
		{Field: "beside_speed_milli", Text: "The same of the other job."},
	},
	reflect.TypeFor[schedmate.Undo](): {
		{Field: "beside", Text: "The job that stays."},
		{Field: "slower", Text: "Which of the two has become slower."},
		{Field: "ratio_milli", Text: "Its step time beside the other over that alone, in thousandths."},
		{Field: "tolerated_milli", Text: "What would have been no reason, in thousandths."},
		{Field: "steps", Text: "Logged steps that it took to see it."},
	},
	reflect.TypeFor[schedmate.PromiseChange](): {
		{Field: "job", Text: "The job's `id`."},
		{Field: "state", Text: "`promised`: a strict job will end by its deadline, whatever is admitted later. `expected`: a soft job will end by that tier, unless later promises overrule it; it may be told again. `refused`: no deadline can be promised, and the job runs as best effort. `broken`, `lapsed`: what was promised, or expected, is taken back.",
			Rules: []docfile.Rule{docfile.OneOf(schedmate.PromiseStates()...)}},
		{Field: "deadline_s", Text: "The deadline that will be met; of a job that is refused or loses its promise the last that it could have had."},
		{Field: "cause", Text: "Why a deadline will not be met, a word of the policy's list, for `chronus` a [reason of admission](../admission.md); left out where one will."},
	},
	reflect.TypeFor[schedmate.Measurement](): {
		{Field: "job", Text: "The job, which waits on."},
		{Field: "allocations", Text: "Whole GPUs, at most as many as it asks for, that nobody has after the actions."},
		{Field: "until_s", Text: "Instant at which the measurement is over."},
	},
	reflect.TypeFor[schedmate.Allocation](): docfile.Vocabulary[reflect.TypeFor[schedmate.Allocation]()],
	reflect.TypeFor[schedmate.Note]():       docfile.Vocabulary[reflect.TypeFor[schedmate.Note]()],
	reflect.TypeFor[schedmate.Reason](): {
		{Field: "job", Text: "The job that waits."},
		{Field: "code", Text: "Why, see [below](#codes-of-reasons).", Rules: []docfile.Rule{docfile.OneOf(codeNames()...)}},
		{Field: "need", Text: "GPUs it asks for, all at once."},
		{Field: "free", Text: "GPUs that the code compares with `need`, see the codes."},
		{Field: "short", Text: "`need` - `free`, and 0 where that is negative."},
		{Field: "limit", Text: "The most that the code speaks of, see the codes; left out where that is 0 or the code has none."},
		{Field: "ahead", Text: "How many waiting jobs step aside in `change`, named there or not."},
		{Field: "blockers", Text: "The first of them, at most 20, in the policy's order: those that it serves first."},
		{Field: "nodes", Text: "Nodes that take no work now and would have to; with `nodes_unavailable` only."},
		{Field: "change", Text: "What would have to be different for this policy to start the job now, or not to preempt it."},
		{Field: "until_s", Text: "Instant at which `change` is expected to have come about by itself; left out when that is not known."},
	},
	reflect.TypeFor[schedmate.Change](): {
		{Field: "resize_gpus", Text: "The job asks for this many GPUs, fewer than now. Only with `exceeds_cluster`, as the next two."},
		{Field: "any_gpu_type", Text: "The job takes any GPU type."},
		{Field: "vc", Text: "The job runs in this virtual cluster."},
		{Field: "quota_gpus", Text: "The quota of the job's virtual cluster is raised to this. Only with `exceeds_quota` and `quota_used`."},
		{Field: "restore_nodes", Text: "These nodes take work again; sorted."},
		{Field: "release_jobs", Text: "These running jobs end; sorted."},
		{Field: "hold_jobs", Text: "These waiting jobs step aside; sorted."},
		{Field: "hold_others", Text: "All other waiting jobs step aside: instead of `hold_jobs` where more than 20 would be named."},
	},
}

// codeNotes say what each reason counts, in the order of precedence.
var codeNotes = []struct {
	code              schedmate.ReasonCode
	when, free, limit string
}{
	{schedmate.ExceedsCluster, "Alone on the whole cluster, empty and healthy, it could not run, whatever its VC's quota.",
		"as `limit`", "the largest gang that could, of its type and in its VC; left out: none"},
	{schedmate.ExceedsQuota, "Alone on the whole cluster, empty and healthy, it could not run; with a higher quota of its VC it could.",
		"as `limit`", "the quota"},
	{schedmate.NodesUnavailable, "Alone on the cluster as it is now it could not run; it could if `nodes` took work again.",
		"usable GPUs that are free", ""},
	{schedmate.QuotaUsed, "What other jobs of its VC hold of the shared nodes leaves too little of the quota, and nothing else that ends would help.",
		"what they leave of the quota", "the quota"},
	{schedmate.NotEnoughFree, "It could not start if nobody else waited, and fewer GPUs are free than it needs.",
		"usable GPUs that are free", ""},
	{schedmate.Fragmented, "It could not start if nobody else waited: enough GPUs are free, but not on as few nodes as the gang must have.",
		"usable GPUs that are free", ""},
	{schedmate.BehindInQueue, "It would start if nobody else waited, but the policy serves `blockers` first.",
		"usable GPUs that are free; fewer than `need` where the job would preempt", ""},
	{schedmate.HeldBack, "It would not start if it had the whole cluster, empty and healthy, to itself: the policy has planned it for later, or given it up for now. `change` is empty.",
		"usable GPUs that are free", ""},
}

func codeNames() []string {
	var names []string
	for c := schedmate.ReasonCode(1); ; c++ {
		name, err := c.MarshalText()
		if err != nil {
			return names
		}
		names = append(names, string(name))
	}
}

func codeTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| | `code` | the job waits because | `free` | `limit` |\n|---|---|---|---|---|\n")
	var noted []string
	for i, n := range codeNotes {
		noted = append(noted, n.code.String())
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s |\n", i+1, n.code, n.when, n.free, n.limit)
	}
	if diff := cmp.Diff(codeNames(), noted); diff != "" {
		t.Errorf("the codes and the notes on them: %s", diff)
	}
	return b.String()
}

// Whoever has a plan can recompute its seal without this program, as plan.md
// says: SHA-256 over sorted JSON without spaces, nulls and empty lists.
func TestSealCanBeRecomputed(t *testing.T) {
	var doc map[string]any
	dec := json.NewDecoder(strings.NewReader(readFile(t, "../../docs/format/examples/plan.json")))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	snapshot, hash := doc["snapshot"], doc["hash"]
	for _, name := range []string{"apiVersion", "kind", "snapshot", "decision", "gap", "hash", "value", "bound"} { // the last two are null
		delete(doc, name)
	}
	text, err := json.Marshal(map[string]any{"snapshot": snapshot, "plan": doc})
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash {
		t.Errorf("the seal of %s is %x, the document says %s", text, sum, hash)
	}
}
