package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
	"schedmate/internal/docfile"
	"schedmate/scheduler/admit"
)

// admitNotes say what docs/format/admission.md says about each field.
var admitNotes = docfile.Notes{
	reflect.TypeFor[admissionDocument](): append(append(headNotes("Admission"),
		docfile.Note{Field: "job", Text: "The job that asks."},
		docfile.Note{Field: "class", Text: "What it asks for.", Rules: []docfile.Rule{docfile.OneOf(schedmate.Strict, schedmate.Soft, schedmate.BestEffort)}},
		docfile.Note{Field: "admitted", Text: "Whether it is promised (`strict`), can be expected (`soft`), or can run (`best_effort`)."},
		docfile.Note{Field: "reason", Text: "`guaranteed`, `expected` or `best_effort` when admitted, otherwise why not, see [admission.md](../admission.md#a-refusal).",
			Rules: []docfile.Rule{docfile.OneOf(
				admit.Guaranteed, admit.Expected, admit.NoDeadline, admit.NoEstimate, admit.Crashed, admit.TooWide, admit.TooLong,
				admit.OverQuota, admit.Short, admit.NoCalendar, admit.Unproven)}},
		docfile.Note{Field: "proven", Text: "False only for `unproven`: any other answer stays the same with any budget."},
		docfile.Note{Field: "deadline_s", Text: "The deadline of the answer: for `soft` that of the tier which is expected, or of the last one; null without one."},
		docfile.Note{Field: "asked_gpus", Text: "GPUs that the job asks for."},
		docfile.Note{Field: "gpus", Text: "GPUs that it is planned with."},
		docfile.Note{Field: "work_s", Text: "Work that is left, as it was believed; null when nothing is known."},
		docfile.Note{Field: "basis", Text: "What that was taken from: `upper_end` or `median` of the `run_seconds` fact, `time_limit`; empty when nothing is known.",
			Rules: []docfile.Rule{docfile.OneOf(admit.UpperEnd, admit.Median, admit.Limit, "")}},
		docfile.Note{Field: "leases", Text: "Leases that hold the work; null when nothing is known."},
		docfile.Note{Field: "slots", Text: "Slots that end by the deadline; null when nothing is known."},
		docfile.Note{Field: "binding_slot", Text: "By the end of this slot GPU-leases are missing, or, with `too_wide`, in every slot until then; null unless `reason` is `short`, `quota`, `too_long` or `too_wide`."},
		docfile.Note{Field: "binding_at_s", Text: "When that slot ends; null with `binding_slot`."},
		docfile.Note{Field: "short_by", Text: "How many GPU-leases are missing; null with `binding_slot`."},
		docfile.Note{Field: "needed", Text: "How many would have to be there; null with `binding_slot`."},
		docfile.Note{Field: "offers", Text: "What would be admitted instead, up to three; empty when admitted."},
		docfile.Note{Field: "displaced", Text: "Expectations that this promise moves or ends."},
		docfile.Note{Field: "calendar", Text: "The certificate: the leases of all jobs that share the area, slot after slot; empty unless something is promised or expected."},
	), tailNotes...),
	reflect.TypeFor[promisesDocument](): append(headNotes("Promises"), tailNotes...),
	reflect.TypeFor[calendarEntry](): {
		{Field: "job", Text: "Who holds it."},
		{Field: "slot", Text: "The slot, from 1.", Rules: []docfile.Rule{docfile.AtLeast(1)}},
		{Field: "start_s", Text: "When it begins."},
		{Field: "end_s", Text: "When it ends."},
		{Field: "gpus", Text: "GPUs, all at once.", Rules: []docfile.Rule{docfile.AtLeast(1)}},
	},
	reflect.TypeFor[offerEntry](): {
		{Field: "deadline_s", Text: "The deadline to ask for; of a `soft` job that of its last tier, and the others move by as much. null: none."},
		{Field: "gpus", Text: "The GPUs to ask for."},
		{Field: "kind", Text: "What the offer changes.", Rules: []docfile.Rule{docfile.OneOf(admit.LaterDeadline, admit.FewerGPUs, admit.RunsSometime)}},
		{Field: "leases_s", Text: "When the leases begin that the job would have; empty with `best_effort`."},
		{Field: "moves", Text: "Jobs whose promises would be kept by other leases than now."},
	},
	reflect.TypeFor[promiseEntry](): {
		{Field: "job", Text: "Whose promise it is."},
		{Field: "class", Text: "`strict`: a promise. `soft`: an expectation.", Rules: []docfile.Rule{docfile.OneOf(schedmate.Strict, schedmate.Soft)}},
		{Field: "given_s", Text: "When it was given."},
		{Field: "deadline_s", Text: "What was promised; of an expectation the tier that is expected."},
		{Field: "gpus", Text: "GPUs of one lease."},
		{Field: "work_s", Text: "The whole work of the job, as it is believed."},
		{Field: "leases_s", Text: "When the leases begin that the calendar has for it, the one under way included."},
	},
	reflect.TypeFor[brokenEntry](): {
		{Field: "job", Text: "Whose promise broke, or whose expectation lapsed."},
		{Field: "reason", Text: "Why, see [admission.md](../admission.md#when-predictions-fail).", Rules: []docfile.Rule{docfile.OneOf(
			admit.EstimateGrew, admit.FellBehind, admit.LostCapacity, admit.Crashed, admit.Changed, admit.Overruled)}},
		{Field: "deadline_s", Text: "What had been promised."},
		{Field: "gpus", Text: "GPUs of one lease."},
		{Field: "planned", Text: "Leases that its calendar still had for it."},
		{Field: "leases", Text: "Leases that it needs."},
		{Field: "slots", Text: "Slots that end by its deadline."},
		{Field: "binding_slot", Text: "By the end of this slot all promises together do not fit; null when it fails by itself, or only whole gangs do not fit."},
		{Field: "binding_at_s", Text: "When that slot ends; null with `binding_slot`."},
		{Field: "short_by", Text: "How many GPU-leases they lack; null with `binding_slot`."},
		{Field: "lost_s", Text: "When the leases would have begun that its calendar still had for it."},
	},
	reflect.TypeFor[refusedEntry](): {
		{Field: "job", Text: "Who has asked, and is promised nothing."},
		{Field: "reason", Text: "Why: a reason of a refusal, or of a promise that broke, now or earlier.", Rules: []docfile.Rule{docfile.OneOf(
			admit.NoEstimate, admit.Crashed, admit.TooWide, admit.TooLong, admit.OverQuota, admit.Short, admit.NoCalendar, admit.Unproven,
			admit.EstimateGrew, admit.FellBehind, admit.LostCapacity, admit.Changed, admit.Overruled)}},
	},
	reflect.TypeFor[loadEntry](): {
		{Field: "node", Text: "A node that stands for its area: all nodes of one owner and one GPU type."},
		{Field: "vc", Text: "The area's owner; empty when it is shared."},
		{Field: "gpu_type", Text: "Its GPU type; empty when nodes name none."},
		{Field: "start_s", Text: "When the first of the slots begins."},
		{Field: "end_s", Text: "When the last of them ends."},
		{Field: "gpus", Text: "GPUs that can be promised in each of them.", Rules: []docfile.Rule{docfile.AtLeast(0)}},
		{Field: "promised", Text: "GPUs of leases in each of them, expectations included.", Rules: []docfile.Rule{docfile.AtLeast(0)}},
	},
	reflect.TypeFor[displacedEntry](): {
		{Field: "job", Text: "Whose expectation gives way."},
		{Field: "deadline_s", Text: "The later tier that can be expected; null: none any more."},
	},
	reflect.TypeFor[admit.Options](): {
		{Field: "lease_s", Text: "Length of a slot, in seconds."},
		{Field: "aligned", Text: "Slots begin at multiples of it; otherwise when the first promise was given."},
		{Field: "resume_s", Text: "What a resumption costs, in seconds of each lease."},
		{Field: "round_up", Text: "Gangs are planned with 1, 2, 4 or a multiple of 8 GPUs."},
		{Field: "median", Text: "The median is believed for strict requests, too."},
		{Field: "pad_milli", Text: "Thousandths that are believed on top of every estimate; 0 is left out."},
		{Field: "quota_milli", Text: "Thousandths of the GPUs until any slot that one tenant's promises may claim; 0: no quota."},
		{Field: "reserve_milli", Text: "Thousandths of every slot that are never promised."},
		{Field: "retries", Text: "Crashes that a promise outlasts."},
		{Field: "hold_running", Text: "Running jobs that are promised nothing keep their GPUs."},
		{Field: "steps", Text: "Most steps of one search for a calendar; 0: as many as its size is worth."},
	},
	reflect.TypeFor[schedmate.Note](): docfile.Vocabulary[reflect.TypeFor[schedmate.Note]()],
}

func headNotes(kind string) []docfile.Note {
	return []docfile.Note{
		{Field: "apiVersion", Text: "Version of the format.", Rules: []docfile.Rule{docfile.Exactly(schedmate.APIVersion)}},
		{Field: "kind", Text: "Kind of the document.", Rules: []docfile.Rule{docfile.Exactly(kind)}},
		{Field: "snapshot", Text: "Hash of the snapshot."},
		{Field: "now_s", Text: "Its instant."},
	}
}

var tailNotes = []docfile.Note{
	{Field: "recorded", Text: "Whether the snapshot's memory said what stands. If not, its jobs were asked for in the order of their submission."},
	{Field: "promises", Text: "What stands now, in the order in which it was promised."},
	{Field: "broken", Text: "Promises that cannot be kept any more, found before the job was asked for."},
	{Field: "lapsed", Text: "Expectations for which there is no room any more."},
	{Field: "postponed", Text: "Expectations that have moved to a later tier."},
	{Field: "refused", Text: "Who has asked and is promised nothing, sorted by job, the job that asks included."},
	{Field: "load", Text: "What each area can promise and what of it is promised, runs of slots that are alike, until the last lease ends or the deadline that is asked for."},
	{Field: "terms", Text: "What was asked on."},
	{Field: "budget_used", Text: "Steps of the searches that found a calendar."},
	{Field: "memory", Text: "What the next snapshot's [memory](snapshot.md#note) should hold, see [below](#notes-in-the-memory)."},
}

// The pages on admission, their schemas and conversations are what the program
// says.
func TestAdmissionPagesAreCurrent(t *testing.T) {
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(docs, "docs"); err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(strings.Fields(command), Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }})
		if code != ExitOK && code != ExitNoPromise {
			t.Errorf("schedmate %s: exit code %d\n%s", command, code, &errs)
		}
		return out.String()
	}
	block := regexp.MustCompile("(?s)```console\n\\$ schedmate ([^\n]*)\n.*?```")
	page(t, filepath.Join(docs, "admission.md"), func(old string) string {
		return block.ReplaceAllStringFunc(old, func(b string) string {
			command := block.FindStringSubmatch(b)[1]
			return "```console\n$ schedmate " + command + "\n" + run(command) + "```"
		})
	})

	var answers []string
	format := filepath.Join(docs, "format/admission.md")
	page(t, format, func(old string) string {
		for line := range strings.Lines(old) {
			if command, ok := strings.CutPrefix(line, "    schedmate "); ok {
				answers = append(answers, run(command))
			}
		}
		if len(answers) != 2 {
			t.Fatalf("the page has %d commands, want one of a job and one of a snapshot", len(answers))
		}
		beginning, _, _ := strings.Cut(answers[0], "  \"calendar\"")
		text, err := docfile.FillPage(old, map[string]string{
			"Admission": names(docfile.Table[admissionDocument](admitNotes)),
			"Lease":     docfile.Table[calendarEntry](admitNotes),
			"Offer":     names(docfile.Table[offerEntry](admitNotes)),
			"Promise":   names(docfile.Table[promiseEntry](admitNotes)),
			"Broken":    names(docfile.Table[brokenEntry](admitNotes)),
			"Refused":   docfile.Table[refusedEntry](admitNotes),
			"Load":      docfile.Table[loadEntry](admitNotes),
			"Displaced": docfile.Table[displacedEntry](admitNotes),
			"Terms":     docfile.Table[admit.Options](admitNotes),
			"example":   "```json\n" + beginning + "  ...\n```\n",
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
	for i, schema := range []*jsonschema.Schema{
		docfile.Schema[admissionDocument]("SchedMate admission", admitNotes),
		docfile.Schema[promisesDocument]("SchedMate promises", admitNotes),
	} {
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		name := []string{"admission.schema.json", "promises.schema.json"}[i]
		page(t, filepath.Join(docs, "format", name), func(string) string { return string(text) + "\n" })
		satisfies(t, schema, answers[i])
	}
	satisfies(t, docfile.Schema[admissionDocument]("", admitNotes), run("admit -f docs/format/examples/snapshot.yaml -f docs/format/examples/job.yaml -o json"))
	satisfies(t, docfile.Schema[promisesDocument]("", admitNotes), run("admit -f docs/format/examples/admit-snapshot-later.yaml -o json"))
}

// names calls entries what the page calls them.
func names(table string) string {
	return strings.NewReplacer("list of calendarEntry", "list of Lease", "list of offerEntry", "list of Offer", "list of promiseEntry", "list of Promise",
		"list of brokenEntry", "list of Broken", "list of displacedEntry", "list of Displaced", "list of refusedEntry", "list of Refused", "list of loadEntry", "list of Load", "list of Seconds", "list of integers",
		"| Options |", "| Terms |").Replace(table)
}

func satisfies(t *testing.T, schema *jsonschema.Schema, answer string) {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var instance any
	if err := json.Unmarshal([]byte(answer), &instance); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(instance); err != nil {
		t.Errorf("the schema refuses an answer: %v\n%s", err, answer)
	}
}
