package advisor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate/advisor/fingerprint"
	"schedmate/advisor/neighbours"
	"schedmate/advisor/workload"
)

// Three runs of one work; the third is submitted while the second runs.
const story = `{"seq":0,"id":"a","ref":{"job":"resnet"},"workload_group":"g","user":"ann","job_name":"x","gpus":8,"gpu_type":"A100","submit_s":0,"start_s":0,"end_s":100,"end_state":"COMPLETED","progress":1,"sm_util_mean":80,"profile_100s_sm_util":40,"truth":{"full_duration_s":100,"steady_sm_util":80},"oracle":{"visible_same_completed":0}}
{"seq":1,"id":"b","ref":{"pair":"resnet"},"workload_group":"g","user":"bob","job_name":"y","gpus":8,"gpu_type":"A100","submit_s":100,"start_s":110,"end_s":220,"end_state":"COMPLETED","progress":1,"sm_util_mean":84,"profile_100s_sm_util":40,"truth":{"full_duration_s":110,"steady_sm_util":80},"oracle":{"visible_same_completed":1}}
{"seq":2,"id":"c","ref":{"job":"unreadable"},"workload_group":"h","user":"cid","job_name":"z","gpus":1,"gpu_type":null,"submit_s":150,"start_s":160,"end_s":200,"end_state":"FAILED","progress":0.1,"sm_util_mean":null,"truth":{"full_duration_s":400},"oracle":{"visible_same_completed":0}}
`

func resnet(_ context.Context, ref Ref) (fingerprint.Print, error) {
	if ref.ID() != "resnet" {
		return fingerprint.Print{}, errors.New("no such folder")
	}
	return fingerprint.New(fingerprint.Canonical{
		workload.ModelName: fingerprint.Words("resnet-50"), workload.Dataset: fingerprint.Words("imagenet"), workload.Iterations: fingerprint.Number(90),
	}, ""), nil
}

func replay(t *testing.T, text string, prints Submissions) []Answer {
	t.Helper()
	runs, err := ReadRuns("story.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var answers []Answer
	err = Replay(t.Context(), runs, prints, neighbours.Default(), func(a Answer) error {
		answers = append(answers, a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestAStoryIsReplayed(t *testing.T) {
	answers := replay(t, story, resnet)
	if a := answers[0]; a.Rung != neighbours.None || a.Seconds != nil || a.Top == nil || len(a.Top) != 0 {
		t.Errorf("nothing has run before the first: %+v", a)
	}
	if a := answers[1]; a.Rung != neighbours.Exact || *a.Seconds != 100 || a.Top[0] != "a" || *a.Utilisation != 80 {
		t.Errorf("the second knows the first, which ended as it came: %+v", a)
	}
	if a := answers[2]; a.Rung != neighbours.None || a.Error != "no such folder" {
		t.Errorf("the third cannot be read: %+v", a)
	}

	truths, err := ReadTruths("story.jsonl", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	got := Grade(truths, answers)
	// 100 s answered for 110 s; of two completed runs one was answered.
	if got.HitRate != 1 || got.Answerable != 1 || got.FalseHitRate != 0 || got.Coverage != 0.5 || got.FutureLeaks != 0 || got.Queries != 3 {
		t.Errorf("score %+v", got)
	}
	if math.Abs(got.Duration.Mean-10./110) > 1e-12 || got.Duration.Within25 != 1 || got.Utilisation.Mean != 0 || got.Profiler.Mean != 0.5 {
		t.Errorf("errors %+v", got)
	}
}

func TestALeakAndAFalseHitAreCounted(t *testing.T) {
	truths, err := ReadTruths("story.jsonl", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	got := Grade(truths, []Answer{{Seq: 0, Top: []string{"b"}}, {Seq: 1, Top: []string{"c"}, Basis: []string{"unheard of"}}})
	if got.FutureLeaks != 3 || got.FalseHitRate != 0.5 || got.HitRate != 0 {
		t.Errorf("score %+v", got)
	}
}

func TestTheTruthHasNoPlaceInARun(t *testing.T) {
	run := reflect.TypeFor[Run]()
	for _, f := range reflect.VisibleFields(run) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for _, hidden := range []string{"truth", "oracle", "workload_group", "variant", "split", "profile_100s_sm_util"} {
			if name == hidden || strings.EqualFold(f.Name, strings.ReplaceAll(hidden, "_", "")) {
				t.Errorf("field %s can hold %s", f.Name, hidden)
			}
		}
	}
}

// Whatever comes after a submission, its answer stays.
func TestAnswersDoNotDependOnTheFuture(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var lines []string
		for i := range rapid.IntRange(2, 20).Draw(rt, "runs") {
			start := 50*i + rapid.IntRange(0, 20).Draw(rt, "wait")
			end := start + rapid.IntRange(1, 400).Draw(rt, "seconds")
			lines = append(lines, fmt.Sprintf(`{"seq":%d,"id":"%d","ref":{"job":"resnet"},"user":"u","job_name":"n","gpus":1,"submit_s":%d,"start_s":%d,"end_s":%d,"end_state":%q,"progress":%v}`,
				i, i, 50*i, start, end, rapid.SampledFrom([]string{"COMPLETED", "FAILED"}).Draw(rt, "state"), rapid.Float64Range(0, 1).Draw(rt, "progress")))
		}
		all := replay(t, strings.Join(lines, "\n"), resnet)
		cut := rapid.IntRange(1, len(lines)).Draw(rt, "cut")
		if diff := cmp.Diff(replay(t, strings.Join(lines[:cut], "\n"), resnet), all[:cut]); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestABadRunIsRefusedByLine(t *testing.T) {
	_, err := ReadRuns("story.jsonl", strings.NewReader(strings.Replace(story, `"end_s":220`, `"end_s":20`, 1)))
	if err == nil || !strings.Contains(err.Error(), "story.jsonl:2") {
		t.Errorf("got %v", err)
	}
}
