package table

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// labelled is one job whose metadata was established by hand.
type labelled struct {
	ID    string
	Truth map[string]struct {
		Value  any
		Accept []any
	}
}

func labelledJobs(t *testing.T) []labelled {
	folder := os.Getenv("SCHEDMATE_CASES")
	if folder == "" {
		folder = "../../../shared/cases"
	}
	file, err := os.Open(filepath.Join(folder, "advisor", "jobs.jsonl"))
	if err != nil {
		t.Skipf("no labelled jobs: %v: set SCHEDMATE_CASES to their folder", err)
	}
	defer file.Close()
	var all []labelled
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var j labelled
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	return all
}

var cosmetic = regexp.MustCompile(`[^a-z0-9]`)

// right compares as the scorer of the cases does.
func (j labelled) right(field, got string) bool {
	plain := func(x any) string { return cosmetic.ReplaceAllString(strings.ToLower(fmt.Sprint(x)), "") }
	for _, want := range append([]any{j.Truth[field].Value}, j.Truth[field].Accept...) {
		if w := plain(want); w == plain(got) || len(w) >= 4 && strings.Contains(plain(got), w) {
			return true
		}
	}
	return false
}

// lookup asks for the label and then for what else is accepted.
func lookup[T any](j labelled, field string, ask func(string) (T, bool)) (x T, ok bool) {
	for _, name := range append([]any{j.Truth[field].Value}, j.Truth[field].Accept...) {
		if x, ok = ask(fmt.Sprint(name)); ok {
			break
		}
	}
	return x, ok
}

// The tables know most of what labelled jobs use, and what they say of it is
// true. The log has the figures.
func TestTablesKnowTheLabelledJobs(t *testing.T) {
	jobs := labelledJobs(t)
	count := make(map[string]int)
	for _, j := range jobs {
		text := func(field string) string { s, _ := j.Truth[field].Value.(string); return s }
		tell := func(what string, ok bool, got any) {
			if ok {
				count[what]++
			} else {
				count[what+" wrong"]++
				t.Logf("%s: %s is %v", j.ID, what, got)
			}
		}
		m, ok := lookup(j, "model_name", func(name string) (ModelInfo, bool) { return ModelOf(text("model_family"), name) })
		tell("model found", ok, text("model_name"))
		if ok {
			tell("family", j.right("model_family", m.Family), m.Family)
			for field, got := range map[string]float64{"d_model": float64(m.Width), "n_layers": float64(m.Layers), "params_m": m.ParamsM} {
				want, isNumber := j.Truth[field].Value.(float64)
				switch {
				case !isNumber:
				case got == 0:
					count[field+" left open"]++
				case field == "params_m":
					tell(field, alike(got, want), got)
				default:
					tell(field, math.Abs(got-want) < 0.5, got)
				}
			}
		}
		d, ok := lookup(j, "dataset", Dataset)
		tell("data set found", ok, text("dataset"))
		if ok {
			tell("data set's name", j.right("dataset", d.Name), d.Name)
		}
		if o, ok := Optimizer(text("optimizer")); text("optimizer") != "" {
			tell("optimiser", ok && j.right("optimizer", o.Name), text("optimizer"))
		}
		slug, rule, ok := Task(Signals{Dataset: text("dataset"), Model: text("model_name"), ModelFamily: text("model_family"), InitFrom: text("init_from")})
		tell("task", ok && j.right("task", slug), fmt.Sprint(slug, " by ", rule.Origin))
	}
	t.Logf("%d jobs: %v", len(jobs), count)
	for what, atMost := range map[string]int{"model found wrong": 10, "family wrong": 5, "d_model wrong": 2, "n_layers wrong": 2, "params_m wrong": 2, "task wrong": 5} {
		if count[what] > atMost {
			t.Errorf("%s: %d of %d jobs", what, count[what], len(jobs))
		}
	}
}
